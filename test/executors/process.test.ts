/** Programs of the host: output kept and clean, ends whole, nothing left behind, servers waited for. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Result } from '../../basics/result.ts';
import { createSecrets } from '../../contract/secrets.ts';
import { MARKER, processesOf } from '../../executors/local/kill.ts';
import { childId, killAll } from '../../executors/process/child.ts';
import { defaultPids, holdPids } from '../../executors/process/pids.ts';
import { Redaction } from '../../executors/process/redaction.ts';
import { createProcessRunner } from '../../executors/process/runner.ts';
import { sweepProcesses } from '../../executors/process/sweep.ts';
import {
  endingOf,
  type ProcessEnd,
  type ProcessRequest,
  type ProcessRunner,
  type ServerRequest,
} from '../../executors/process-runner.ts';
import { findControlGroups } from '../../executors/sandbox/limits.ts';

const CGROUPS = findControlGroups().pids;
if (CGROUPS === undefined) console.log('skip: control groups for processes cannot be made here');

let folder: string;
let runner: ProcessRunner;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swemake-process-'));
  const env = { ...process.env, TOKEN: 'canary-0815', CANARY: 'of-the-host', DOCKER_HOST: 'tcp://h' };
  const secrets = createSecrets(new Map([['${secret:TOKEN}', 'TOKEN']]), env);
  runner = createProcessRunner({ stateFolder: join(folder, 'state'), env, secrets });
});
afterEach(async () => {
  await runner.close();
  rmSync(folder, { recursive: true, force: true });
});

const log = () => join(folder, 'logs/one.log');
function value<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.fault));
  return result.value;
}
async function run(
  command: ProcessRequest['command'],
  more: Partial<ProcessRequest> = {},
): Promise<ProcessEnd> {
  return value(await runner.run({ command, cwd: folder, log: log(), timeout: 60, ...more }));
}
/** Living processes that say `mark` in their arguments. */
function living(mark: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });
}
/** Control groups of programs that a process started. */
function groups(owner: number | undefined = process.pid): string[] {
  const ours = new RegExp(`^swemake-process-[0-9a-f]+\\.${owner}-`);
  return CGROUPS === undefined ? [] : readdirSync(CGROUPS.path).filter((name) => ours.test(name));
}
/** A number of seconds that no other test sleeps for. */
const unique = () => `${7000 + Math.floor(Math.random() * 100_000)}.${process.pid}`;
async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 3000 && !condition(); round++) await sleep(50);
  expect(condition()).toBe(true);
}

describe('a command', () => {
  test('line or program with arguments: status, output in a file and in the result', async () => {
    expect(await run('echo out; echo err >&2; exit 3')).toMatchObject({
      exitCode: 3,
      exitSignal: null,
      timedOut: false,
      truncated: false,
    });
    expect(readFileSync(log(), 'utf8').split('\n').sort()).toEqual(['', 'err', 'out']);
    expect((await run(['printf', '%s|', 'a b', '$HOME'])).output).toBe('a b|$HOME|');
    expect(await run('kill -9 $$')).toMatchObject({ exitCode: null, exitSignal: 'SIGKILL' });
  });

  test('sees the listed variables of the host, those that are passed on, and its own', async () => {
    const shown = await run('env', { env: { A: '1' }, inherit: ['DOCKER_HOST'] });
    const names = shown.output.split('\n').map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'A', 'DOCKER_HOST']));
    expect(names).not.toContain('CANARY');
    expect(names).not.toContain('TOKEN');
  });

  test('gets a secret, and its value is in no log, however it is printed', async () => {
    const told: string[] = [];
    const script =
      'echo "$KEY"; for c in c a n a r y - 0 8 1 5; do printf %s $c; sleep 0.02; done; echo; echo ${#KEY}';
    const end = await run(script, { env: { KEY: '${secret:TOKEN}' }, onOutput: (text) => told.push(text) });
    expect(end.output).toBe('${secret:TOKEN}\n${secret:TOKEN}\n11\n');
    expect(readFileSync(log(), 'utf8')).toBe(end.output);
    expect(told.join('')).toBe(end.output);
  });

  test('a secret that is not set is a fault that names it', async () => {
    const none = createProcessRunner({
      stateFolder: join(folder, 'state'),
      env: {},
      secrets: createSecrets(new Map([['${secret:T}', 'T']]), {}),
    });
    const end = await none.run({
      command: 'true',
      cwd: folder,
      log: log(),
      timeout: 1,
      env: { A: '${secret:T}' },
    });
    expect(end).toMatchObject({
      ok: false,
      fault: { status: 'config', detail: expect.stringContaining('T is not set') },
    });
  });

  test('that is not there is a fault', async () => {
    const end = await runner.run({ command: ['swemake-no-such'], cwd: folder, log: log(), timeout: 1 });
    expect(end).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'tool-missing' } });
    expect(readdirSync(join(folder, 'state'))).toEqual([]);
  });

  test('whose output cannot be written anywhere is a fault, and is not started', async () => {
    const mark = unique();
    mkdirSync(log(), { recursive: true });
    const end = await runner.run({ command: ['sleep', mark], cwd: folder, log: log(), timeout: 60 });
    expect(end).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'machine' } });
    expect(living(mark)).toEqual([]);
    expect(groups()).toEqual([]);
  });

  test('that prints much: head and tail are kept, in the file and in the result', async () => {
    const end = await run('seq 1 200000', { maxOutput: 1000 });
    expect(end.truncated).toBe(true);
    expect(end.output).toMatch(/^1\n2\n[\s\S]*\[\.\.\. \d+ bytes left out \.\.\.\][\s\S]*199999\n200000\n$/);
    expect(end.output.length).toBeLessThan(1100);
    expect(readFileSync(log(), 'utf8')).toBe(end.output);
    expect(readdirSync(join(folder, 'logs'))).toEqual(['one.log']);
  });

  test('characters cut between two writes stay whole', async () => {
    const end = await run("printf '\\xc3'; sleep 0.1; printf '\\xa5\\n'");
    expect(end.output).toBe('å\n');
  });

  test('at its time limit its whole tree is ended, and what it said is kept', async () => {
    const mark = unique();
    const script = `echo begun; trap 'echo asked; exit 0' TERM; sleep ${mark} & (setsid sleep ${mark} &); wait`;
    const end = await run(script, { timeout: 4 });
    expect(end).toMatchObject({ exitCode: null, timedOut: true });
    expect(end.output).toContain('begun\n');
    expect(end.output).toContain('asked');
    expect(living(mark)).toEqual([]);
  });

  test('what it leaves in the background ends with it', async () => {
    const mark = unique();
    expect(await run(`sleep ${mark} & (setsid sleep ${mark} &) ; echo done`)).toMatchObject({ exitCode: 0 });
    expect(living(mark)).toEqual([]);
  });

  test('that forks without end is ended at its limit, and the end says so', async () => {
    const mark = unique();
    writeFileSync(join(folder, 'bomb.sh'), `sleep ${mark} & bash ./bomb.sh & bash ./bomb.sh; wait`);
    const end = await run('bash ./bomb.sh', { pids: 60 });
    expect(end).toMatchObject({ overPids: 60, timedOut: false });
    expect(end.exitCode).not.toBe(0);
    expect(endingOf(end)).toBe('was ended at its limit of 60 processes and threads (resources.pids)');
    expect(living(mark)).toEqual([]);
    expect(living('./bomb.sh')).toEqual([]);
    expect(groups()).toEqual([]);
  });

  test('within its limit it is not disturbed', async () => {
    expect(await run('for i in 1 2 3 4 5; do sleep 0.2 & done; wait', { pids: 20 })).not.toHaveProperty(
      'overPids',
    );
    expect(defaultPids(2)).toBe(4096);
    expect(defaultPids(64)).toBe(65_536);
  });

  test.skipIf(CGROUPS === undefined)(
    'what left its group, its session and its variables ends with it',
    async () => {
      const mark = unique();
      const hidden = `(cd / && env -i setsid setsid sleep ${mark} >/dev/null 2>&1 &)`;
      expect(await run(`${hidden}; echo done`)).toMatchObject({ exitCode: 0, output: 'done\n' });
      expect(living(mark)).toEqual([]);
    },
  );

  test('where no control group can be made, processes with its mark are counted', async () => {
    const id = childId(randomBytes(8).toString('hex'));
    const mark = unique();
    const holder = holdPids(30, id, null);
    expect(holder).toMatchObject({ folder: null });
    expect(holder.within(['a', 'b'])).toEqual(['a', 'b']);
    const child = spawn('bash', ['-c', `for i in $(seq 40); do sleep ${mark} & done; wait`], {
      env: { ...process.env, [MARKER]: id },
      detached: true,
    });
    await new Promise<void>((resolve) => {
      const unwatch = holder.watch(() => {
        unwatch();
        resolve();
      });
    });
    await killAll(id, folder, { groups: [child.pid!], folder: null });
    expect(living(mark)).toEqual([]);
  });

  test('cancelled, it is a fault and nothing of it is left', async () => {
    const mark = unique();
    const controller = new AbortController();
    const ending = runner.run({
      command: `echo begun; sleep ${mark}`,
      cwd: folder,
      log: log(),
      timeout: null,
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(await ending).toMatchObject({ ok: false, fault: { reason: 'cancelled' } });
    expect(living(mark)).toEqual([]);
    expect(readdirSync(join(folder, 'state'))).toEqual([]);
  });
});

describe('a server', () => {
  const SERVER = `
    const http = require('node:http');
    const [port, after, status] = process.argv.slice(1).map(Number);
    console.log('listening soon');
    setTimeout(() => http.createServer((request, response) => {
      response.statusCode = request.url === '/health' ? status : 404;
      response.end('here');
    }).listen(port, '127.0.0.1'), after);`;
  const request = (after: number, status: number, more: Partial<ServerRequest> = {}): ServerRequest => ({
    command: [process.execPath, '-e', SERVER, '{port}', `${after}`, `${status}`],
    cwd: folder,
    log: log(),
    ready: '/health',
    timeout: 30,
    ...more,
  });

  test('gets a free port and is waited for; stopping ends it', async () => {
    const [one, two] = await Promise.all([
      runner.startServer(request(300, 200)),
      runner.startServer(request(0, 200, { log: join(folder, 'logs/two.log') })),
    ]);
    const servers = [value(one), value(two)];
    expect(new Set(servers.map(({ url }) => url)).size).toBe(2);
    for (const { url } of servers) expect((await fetch(`${url}/health`)).status).toBe(200);
    await servers[0]!.stop();
    await servers[0]!.stop();
    expect(await servers[0]!.ended).toMatchObject({ exitCode: null });
    await expect(fetch(`${servers[0]!.url}/health`)).rejects.toThrow();
    await runner.close();
    await expect(fetch(`${servers[1]!.url}/health`)).rejects.toThrow();
  });

  test('none lives that was being started when all were ended, and none is started afterwards', async () => {
    const mark = unique();
    const command = [process.execPath, '-e', SERVER, '{port}', '0', '503', mark];
    const begun = runner.startServer(request(0, 503, { command }));
    await runner.close();
    expect(await begun).toMatchObject({ ok: false });
    expect(await runner.startServer(request(0, 200, { command }))).toMatchObject({
      ok: false,
      fault: { reason: 'cancelled' },
    });
    expect(living(mark)).toEqual([]);
  });

  test('that ends is a fault with the end of its log', async () => {
    const started = await runner.startServer(request(0, 200, { command: 'echo no model at {port}; exit 4' }));
    expect(started).toMatchObject({
      ok: false,
      fault: {
        reason: 'endpoint',
        detail: expect.stringMatching(/ended with status 4 before it was ready\nno model at \d+/),
      },
    });
  });

  test('that is never ready is a fault, and is ended', async () => {
    const mark = unique();
    const started = await runner.startServer(request(0, 503, { timeout: 1 }));
    expect(started).toMatchObject({
      ok: false,
      fault: { detail: expect.stringContaining('/health with 200 within 1 s') },
    });
    expect(living(mark)).toEqual([]);
  });

  test('that finds its port taken gets another', async () => {
    const script = `if [ -e tried ]; then exec "$NODE" -e "$SERVER" {port} 0 200; fi; touch tried; echo 'OSError: Address already in use'; exit 1`;
    const env = { NODE: process.execPath, SERVER };
    const started = await runner.startServer(request(0, 200, { command: script, env }));
    expect((await fetch(`${value(started).url}/health`)).status).toBe(200);
  });

  test('at an address of its own, where something else answers, is not started', async () => {
    const first = value(await runner.startServer(request(0, 200)));
    const second = await runner.startServer(
      request(0, 200, { command: 'touch started', url: `${first.url}/` }),
    );
    expect(second).toMatchObject({
      ok: false,
      fault: { detail: expect.stringContaining('something else answers') },
    });
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });

  test('an end of the run ends it', async () => {
    const controller = new AbortController();
    const server = value(await runner.startServer(request(0, 200, { signal: controller.signal })));
    controller.abort();
    await server.ended;
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
  });
});

describe.skipIf(process.platform !== 'linux')('a killed run', () => {
  let victim: ChildProcess;
  afterEach(() => {
    victim.kill('SIGKILL');
  });

  /** Starts a process that does with a runner what `source` says. */
  async function begin(source: string, state: string): Promise<void> {
    const whole = `
      import { createProcessRunner } from './executors/process/runner.ts';
      const secrets = { reveal: (values) => ({ ok: true, value: values }), redact: (text) => text, holds: () => false };
      const runner = createProcessRunner({ stateFolder: process.argv[2], env: process.env, secrets });
      ${source}
      setInterval(() => undefined, 1000);`;
    const outfile = join(folder, 'victim.mjs');
    await build({
      stdin: { contents: whole, resolveDir: join(import.meta.dirname, '../..'), loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      logLevel: 'error',
    });
    victim = spawn(process.execPath, [outfile, state], { stdio: 'ignore' });
  }

  test('leaves no server, also one that does not end when it is asked, and no process that it started', async () => {
    const mark = unique();
    const command = `trap "" TERM; sleep ${mark} & node -e 'require("http").createServer((_, a) => a.end()).listen({port})'; sleep ${mark}`;
    const request = { command, cwd: '/', log: join(folder, 'log'), ready: '/', timeout: 100 };
    await begin(`void runner.startServer(${JSON.stringify(request)});`, join(folder, 'state'));
    await until(() => living(mark).length >= 1 && living('createServer').length > 0);
    victim.kill('SIGKILL');
    await until(() => living(mark).length === 0);
  });

  test('leaves nothing after the sweep, daemons included; living runs are not touched', async () => {
    const mark = unique();
    const source = `
      const hidden = ${JSON.stringify(CGROUPS === undefined ? ':' : `(env -i setsid sleep ${mark} >/dev/null 2>&1 &)`)};
      const command = 'trap "" TERM; ' + hidden + '; (setsid sleep ${mark} &); sleep ${mark}; sleep ${mark}';
      void runner.run({ command, cwd: '/', log: process.argv[2] + '.log', timeout: null });`;
    const state = join(folder, 'state');
    await begin(source, state);
    await until(() => living(mark).length >= 3);
    expect(await sweepProcesses(state)).toEqual([]);
    expect(living(mark).length).toBeGreaterThanOrEqual(3);
    if (CGROUPS !== undefined) expect(groups(victim.pid)).toHaveLength(1);
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    expect(living(mark).length).toBeGreaterThanOrEqual(2);
    const [swept] = await sweepProcesses(state);
    expect(living(mark)).toEqual([]);
    expect(processesOf(swept!, '/none')).toEqual([]);
    expect(readdirSync(state)).toEqual([]);
    expect(groups(victim.pid)).toEqual([]);
    expect(await sweepProcesses(join(folder, 'none'))).toEqual([]);
  });
});

test('secrets are found wherever pieces are cut', () => {
  const clean = (text: string) => text.replaceAll('hunter22', '***').replaceAll('a\nkey', '###');
  const text = 'x hunter22 hunter2 a\nkey hunter22hunter22\nend hunter2';
  for (let size = 1; size < text.length; size++) {
    const redaction = new Redaction(clean, 8);
    let out = '';
    for (let at = 0; at < text.length; at += size) out += redaction.push(text.slice(at, at + size));
    expect(out + redaction.end()).toBe(clean(text));
  }
});
