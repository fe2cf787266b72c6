/**
 * Ten thousand malformed requests to a node server, a pool server and an agent server, each a process of its own: every one
 * is refused with a 4xx answer or a closed connection, all go on, and none grows.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { ask } from './rig.ts';

const folder = temporaryFolder();
const REQUESTS = 10_000;
const AT_ONCE = 16;
const TOKEN = 'f'.repeat(64);
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
});

interface Started {
  child: ChildProcess;
  url: string;
  paths: readonly string[];
}

async function serve(what: string, ...more: string[]): Promise<Started> {
  const words = ['serve', what, '--listen', '127.0.0.1:0', '--folder', join(folder, what), ...more];
  const paths = what === 'agent' ? AGENT_PATHS : PATHS;
  const child = spawn(process.execPath, [join(packageRoot(), 'bin/swemake.js'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SWEMAKE_SERVER_TOKEN: TOKEN },
  });
  children.push(child);
  let said = '';
  for await (const part of child.stdout!.setEncoding('utf8')) {
    said += part;
    const url = /server at (\S+)\n/.exec(said)?.[1];
    if (url !== undefined) return { child, url, paths };
  }
  throw new Error(said);
}

/** The same numbers in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const WORDS = [
  ...[
    'null',
    '[]',
    '{}',
    '1',
    '"x"',
    '{"image":null}',
    '{"image":5}',
    '{"image":""}',
    '{"image":["a"]}',
    '{',
    '',
  ],
  ...[
    '{"lease_id":{}}',
    '{"lease_id":"","command":""}',
    '{"container_id":"x"}',
    '{"container_id":"../..","command":"id"}',
  ],
  ...[
    '{"image":"-v/:/host"}',
    '{"image":"a\\u0000b"}',
    '{"image":"\\ud800"}',
    '{"__proto__":{"image":"x"}}',
    '\uffff\u0000',
  ],
  ...['{"digests":["../../etc/passwd"]}', '{"digests":5}', '{"lease_id":"x","command":"id","timeout":-1}'],
  ...[
    `${'['.repeat(50_000)}`,
    `{"image":"${'y'.repeat(100_000)}"}`,
    '{"lease_id":"x","env":{"a=b":"c"},"command":"id"}',
  ],
];
/** None of these says what `/run`, `/reset`, `/step`, `/close` or `/cancel` needs to know. */
const AGENT_WORDS = [
  ...[
    '{"instance_id":5}',
    '{"instance_id":""}',
    '{"instance_id":"a\\u0000b"}',
    '{"metadata":{"instance_id":7}}',
  ],
  ...[
    '{"instance_id":"x","sample":"../.."}',
    '{"instance_id":"x","seed":-1}',
    '{"instance_id":"x","step":"1"}',
  ],
  ...[
    '{"requests":[{"instance_id":"x","base_url":"file:///etc/passwd"}]}',
    '{"requests":[{"instance_id":"x","agent":"r"}]}',
  ],
  ...[
    '{"requests":5}',
    '{"requests":[{}]}',
    '{"requests":[{"instance_id":"x","seed":"y"}]}',
    '{"requests":[[]]}',
  ],
  ...['{"session_id":{}}', '{"session_id":"x","tool_calls":[{}]}', '{"session_id":"../..","content":"x"}'],
  ...[
    '{"id":5}',
    '{"step":"x"}',
    '{"all":"yes"}',
    '{"all":false}',
    '{"ids":["x"]}',
    '{"version":-1}',
    '{"version":"2"}',
  ],
];
const AGENT_PATHS = [
  ...['/run', '/run', '/run_batch', '/cancel', '/reset', '/step', '/close'],
  ...[
    '/',
    '//',
    '/steps',
    '/steps/x',
    '/steps/-1',
    '/steps/1e400',
    '/%',
    '/weights',
    '/run?x=1',
    `/${'a'.repeat(9000)}`,
  ],
];
const PATHS = [
  ...['create', 'exec', 'diff', 'evaluate', 'read', 'write', 'changes'].map((name) => `/container/${name}`),
  ...[
    '/allocate',
    '/exec',
    '/diff',
    '/evaluate',
    '/heartbeat',
    '/write',
    '/layers',
    '/nodes/drain',
    '/images/pull',
  ],
  ...[
    '/',
    '//',
    '/..%2f..%2fetc/passwd',
    '/container',
    '/layers/x',
    '/%',
    '/container/exec?x=1',
    `/${'a'.repeat(9000)}`,
  ],
];
const METHODS = ['POST', 'POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'BREW', 'get'];

/** Text of one request, whose connection ends after it. */
function malformed(roll: () => number, host: string, paths: readonly string[]): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(roll() * from.length)]!;
  const body = pick(paths === AGENT_PATHS ? [...WORDS, ...AGENT_WORDS] : WORDS);
  const length = Buffer.byteLength(body);
  const right = Array.from({ length: 24 }, () => `${length}`);
  const lengths = [...right, `${length + 50}`, '-1', 'x', '99999999999999', '0'];
  const heads = [
    `Host: ${roll() < 0.9 ? host : 'evil.example'}`,
    `Authorization: Bearer ${roll() < 0.95 ? TOKEN : 'x'}`,
    `Content-Type: ${roll() < 0.95 ? 'application/json' : 'text/plain'}`,
    `Content-Length: ${pick(lengths)}`,
    ...(roll() < 0.1 ? ['Transfer-Encoding: chunked'] : []),
    ...(roll() < 0.05 ? [`X: ${'h'.repeat(40_000)}`] : []),
    ...(roll() < 0.05 ? ['no colon here'] : []),
    'Connection: close',
  ];
  return `${pick(METHODS)} ${pick(paths)} HTTP/1.1\r\n${heads.join('\r\n')}\r\n\r\n${body}`;
}

/** The status of the answer with its code; `closed` when the connection was closed without one. */
function send(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(text);
      // What is announced and does not come is a request that ended early.
      setTimeout(() => socket.end(), 20);
    });
    const finish = () => {
      const [, status = answer] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
      const [, code = ''] = /"error_code":"(\w+)"/.exec(answer) ?? [];
      resolve(answer === '' ? 'closed' : `${status} ${code}`.trim());
    };
    socket.setEncoding('latin1').on('data', (part: string) => {
      answer += part;
    });
    socket.on('error', () => undefined).on('close', finish);
  });
}

/** Bytes of memory that are its own. */
function memoryOf({ child }: Started): number {
  const text = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+)/m.exec(text)![1]) * 1024;
}

test('malformed requests are refused, and leave nothing', async () => {
  const project = tinyProject({ folder: join(folder, 'project'), instances: 1 });
  appendFileSync(
    project.path('p.yaml'),
    'agent: { model: { base_url: "http://127.0.0.1:9/v1", name: m } }\n',
  );
  const servers = [
    await serve('agent', project.path('p.yaml')),
    await serve('node'),
    await serve('pool', '--node', 'http://127.0.0.1:9', '--allocate-timeout', '10ms'),
  ];
  const roll = dice(20_240_607);
  const statuses = new Map<string, number>();
  const wellReceived: string[] = [];
  const round = async (count: number) => {
    let left = count;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        const { url, paths } = servers[left % servers.length]!;
        const text = malformed(roll, new URL(url).host, paths);
        const status = await send(url, text);
        if (status.startsWith('2')) wellReceived.push(`${text.slice(0, 60)} … ${text.slice(-80)}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  await round(REQUESTS * 0.3);
  const before = servers.map(memoryOf);
  await round(REQUESTS * 0.7);
  const after = servers.map(memoryOf);
  expect(wellReceived).toEqual([]);
  // A body that fits, with a lease or an image that is none: the words of the original have these statuses.
  const fits = ['500 unknown_lease', '503 capacity_limited', '503 node_unreachable', 'closed'];
  expect([...statuses.keys()].filter((end) => !/^4\d\d/.test(end) && !fits.includes(end))).toEqual([]);
  expect(statuses.get('400 bad_request')).toBeGreaterThan(REQUESTS / 20);
  for (const [index, bytes] of after.entries()) expect(bytes - before[index]!).toBeLessThan(48 << 20);
  for (const { url, child } of servers) {
    expect(child.exitCode).toBe(null);
    expect((await ask(url, '/status', undefined, { authorization: `Bearer ${TOKEN}` })).body.ok).toBe(true);
  }
}, 600_000);

test('a sender that is too slow is let go', async () => {
  const { url } = await serve('pool', '--node', 'http://127.0.0.1:9', '--folder', join(folder, 'slow'));
  const { hostname, port, host } = new URL(url);
  const heads = [
    'POST /exec HTTP/1.1\r\nHo',
    `POST /exec HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  ];
  const ends = heads.map(
    (text) =>
      new Promise<string>((resolve) => {
        let answer = '';
        const socket = connect(Number(port), hostname, () => socket.write(text));
        socket.setEncoding('latin1').on('data', (part: string) => {
          answer += part;
        });
        socket.on('error', () => undefined).on('close', () => resolve(answer));
      }),
  );
  for (const end of ends) expect(await end).toMatch(/^HTTP\/1\.1 408 /);
});
