/**
 * Servers of models as real processes: slow to start, ending or hanging in the middle, never ready, several behind a
 * router, on GPUs that others want.
 */
import { setMaxListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fault, type Result, success } from '../../../basics/result.ts';
import { createSecrets } from '../../../contract/secrets.ts';
import { createProcessRunner } from '../../../executors/process/runner.ts';
import type { ProcessRunner } from '../../../executors/process-runner.ts';
import { type Infra, infra } from '../../../schemas/outcome.ts';
import { ModelServer } from '../../../tasks/serving/model-server.ts';
import { Replicas } from '../../../tasks/serving/replicas.ts';
import { answersOneToken } from '../../../tasks/serving/watch.ts';

/**
 * `engine.mjs PORT NUMBER`: what is asked of it may say how it goes on: `end`, `hang` (nothing is answered any more but
 * /health), `broken` (500 from now on). `end 1.0` is meant for the first start of server 1 alone.
 */
const ENGINE = `
import { createServer } from 'node:http';
import { appendFileSync, existsSync } from 'node:fs';
const [port, number] = process.argv.slice(2);
appendFileSync('starts.txt', number + '\\n');
if (existsSync('never')) { setInterval(() => {}, 1000); }
else {
  const begun = Date.now();
  let state = 'well';
  createServer((request, response) => {
    const send = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.url === '/health') return send(Date.now() - begun > 300 ? 200 : 503, {});
    let body = '';
    request.on('data', (piece) => { body += piece; });
    request.on('end', () => {
      const { messages } = JSON.parse(body);
      const said = messages[0].content;
      const means = (word) => said === word || said === word + ' ' + number + '.' + process.env.NUMBER;
      if (means('end')) process.exit(7);
      if (means('hang')) state = 'hangs';
      if (means('broken')) state = 'broken';
      if (state === 'hangs') return;
      if (state === 'broken') return send(500, { error: { message: 'CUDA error' } });
      const wait = Number(/slow (\\d+)/.exec(said)?.[1] ?? 0);
      setTimeout(() => send(200, { number, pid: process.pid, said }), wait);
    });
  }).listen(Number(port), '127.0.0.1');
}
`;

let folder: string;
let runner: ProcessRunner;
let run: AbortController;
let replicas: Replicas[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swemake-serving-'));
  writeFileSync(join(folder, 'engine.mjs'), ENGINE);
  const env = { PATH: process.env.PATH, CUDA_VISIBLE_DEVICES: '0,1' };
  const secrets = createSecrets(new Map(), env);
  runner = createProcessRunner({ stateFolder: join(folder, 'state'), env, secrets });
  run = new AbortController();
  setMaxListeners(0, run.signal);
  replicas = [];
});
afterEach(async () => {
  run.abort();
  await Promise.all(replicas.map((one) => one.close()));
  await runner.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Options {
  count?: number;
  port?: number | null;
  hang?: number;
  gpus?: number;
  idle?: number;
  timeout?: number;
}

function serve({ count = 1, port = null, hang = 60, gpus, idle, timeout = 30 }: Options = {}): Replicas {
  const servers = Array.from(
    { length: count },
    (_, index) =>
      new ModelServer({
        start: (number, onWanted) =>
          runner.startServer({
            command: [process.execPath, 'engine.mjs', '{port}', `${index}`],
            ...{ ready: '/health', timeout, cwd: folder, log: join(folder, `log.${index}.${number}`) },
            ...{ env: { NUMBER: `${number}` }, signal: run.signal },
            ...(gpus === undefined ? {} : { gpus: { count: gpus, of: 2, onWanted } }),
          }),
        ...{ signal: run.signal, hang, ...(idle === undefined ? {} : { idle }) },
        probe: (url, ms) => answersOneToken(`${url}/v1`, { name: 'm', credential: null, ms }),
      }),
  );
  const made = new Replicas(servers, port);
  replicas.push(made);
  return made;
}

interface Said {
  number: string;
  pid: number;
  said: string;
}

/** One request, as a client makes it that takes a failure of the server for an endpoint that is down. */
function ask(
  of: Replicas,
  content: string,
  { session = '', log = () => undefined }: { session?: string; log?: (text: string) => void } = {},
): Promise<Result<Said, Infra>> {
  return of.use(run.signal, log, async ({ url }, signal) => {
    try {
      const response = await fetch(`${url}/v1/chat/completions`, {
        ...{
          method: 'POST',
          signal,
          headers: { 'x-session-id': session, 'content-type': 'application/json' },
        },
        body: JSON.stringify({ messages: [{ role: 'user', content }] }),
      });
      const text = await response.text();
      if (response.status !== 200) return fault(infra('endpoint', text));
      return success(JSON.parse(text) as Said);
    } catch (error) {
      return fault(infra('endpoint', `${error}`));
    }
  });
}

const starts = () => readFileSync(join(folder, 'starts.txt'), 'utf8').trim().split('\n');
function value<T>(result: Result<T, Infra>): T {
  if (!result.ok) throw new Error(result.fault.detail);
  return result.value;
}

describe('one server', () => {
  test('is started once, when somebody asks, and waited for', async () => {
    const one = serve();
    const answers = await Promise.all(['a', 'b', 'c'].map((said) => ask(one, said)));
    expect(answers.map((answer) => value(answer).said)).toEqual(['a', 'b', 'c']);
    expect(starts()).toHaveLength(1);
    await runner.close();
  });

  test('that ends in the middle is started again for who waits', async () => {
    const one = serve();
    const first = value(await ask(one, 'a'));
    const told: string[] = [];
    const [ended, beside] = await Promise.all([
      ask(one, 'end 0.0', { log: (text) => told.push(text) }),
      ask(one, 'slow 400'),
    ]);
    expect(ended.ok && ended.value.pid !== first.pid).toBe(true);
    expect(value(beside!).said).toBe('slow 400');
    expect(told.join('')).toMatch(/^the server at http:\S+ ended with status 7 during the run\n$/);
    expect(starts()).toHaveLength(2);
  }, 30_000);

  test('that hangs is noticed by a request that must answer, and started again', async () => {
    const one = serve({ hang: 2 });
    const first = value(await ask(one, 'a'));
    const told: string[] = [];
    const answer = value(await ask(one, 'hang 0.0', { log: (text) => told.push(text) }));
    expect(answer.pid).not.toBe(first.pid);
    expect(told.join('')).toMatch(/answered nothing for 2 s, and was ended\n$/);
    expect(starts()).toHaveLength(2);
  }, 30_000);

  test('that answers late, and small requests meanwhile, does not hang', async () => {
    const one = serve({ hang: 1 });
    expect(value(await ask(one, 'slow 3500')).said).toBe('slow 3500');
    expect(starts()).toHaveLength(1);
  }, 30_000);

  test('that always hangs is given up after three times, with what it is', async () => {
    const one = serve({ hang: 0.5 });
    const answer = await ask(one, 'hang');
    expect(answer).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'endpoint' } });
    expect(answer.ok ? '' : answer.fault.detail).toMatch(
      /answered nothing for 0.5 s.*\n\(started again 3 times\)/,
    );
    expect(starts()).toHaveLength(4);
  });

  test('that is never ready is a fault, and not tried again', async () => {
    writeFileSync(join(folder, 'never'), '');
    const one = serve({ timeout: 1 });
    for (const _ of [1, 2]) {
      const answer = await ask(one, 'a');
      expect(answer.ok ? '' : answer.fault.detail).toMatch(/did not answer \/health with 200 within 1 s/);
    }
    expect(starts()).toHaveLength(1);
  }, 30_000);

  test('gives its GPUs to another one that waits, once nobody asks it, and comes back', async () => {
    const one = serve({ gpus: 2, idle: 400 });
    const other = serve({ gpus: 1, idle: 400 });
    const first = value(await ask(one, 'a'));
    expect(value(await ask(other, 'b')).said).toBe('b');
    const again = value(await ask(one, 'c'));
    expect(again.pid).not.toBe(first.pid);
    // Nobody broke: it may come and go as often as others want its GPUs.
    for (const _ of [1, 2, 3]) {
      value(await ask(other, 'b'));
      value(await ask(one, 'a'));
    }
  });
});

describe('several behind a router', () => {
  test('share the rollouts, and one rollout stays where it is', async () => {
    const two = serve({ count: 2, port: 0 });
    value(await ask(two, 'a', { session: 'first' }));
    while (starts().length < 2) await sleep(50);
    await sleep(1000);
    const sessions = Array.from({ length: 8 }, (_, index) => `rollout ${index}`);
    const askAll = async () => {
      const answers = await Promise.all(sessions.map((session) => ask(two, 'slow 100', { session })));
      return answers.map((answer) => value(answer).number);
    };
    const places = await askAll();
    expect(places.filter((number) => number === '0')).toHaveLength(4);
    expect(await askAll()).toEqual(places);
  }, 30_000);

  test('one that ends, hangs or breaks is made up for by the others, and nothing is lost', async () => {
    const three = serve({ count: 3, port: 0, hang: 2 });
    value(await ask(three, 'a'));
    while (starts().length < 3) await sleep(50);
    await sleep(1000);
    const askIn = async (session: string) =>
      [value(await ask(three, 'slow 300', { session })).number, session] as const;
    const sessionOf = new Map(await Promise.all(['x', 'y', 'z'].map(askIn)));
    expect(sessionOf.size).toBe(3);
    const work = Array.from({ length: 30 }, (_, index) => ask(three, 'slow 50', { session: `${index}` }));
    const bad = ['broken 0.0', 'end 1.0', 'hang 2.0'].map((said, number) =>
      ask(three, said, { session: sessionOf.get(`${number}`)! }),
    );
    const answers = await Promise.all([...work, ...bad]);
    expect(answers.filter(({ ok }) => !ok)).toEqual([]);
    // One that answers that it cannot is up: others are asked in its place.
    while (starts().length < 5) await sleep(50);
    expect(starts().slice(3).sort()).toEqual(['1', '2']);
    const later = await Promise.all(
      Array.from({ length: 6 }, (_, index) => ask(three, 'b', { session: `l${index}` })),
    );
    expect(later.filter(({ ok }) => !ok)).toEqual([]);
  });

  test('when all are given up, who asks is told why', async () => {
    const two = serve({ count: 2, port: 0 });
    const answer = await ask(two, 'end');
    expect(answer.ok ? '' : answer.fault.detail).toMatch(
      /ended with status 7 during the run[\s\S]*started again 3 times/,
    );
    expect(starts()).toHaveLength(8);
    expect((await ask(two, 'a')).ok).toBe(false);
  });

  test('listens on the port that it is given, and says so when that is taken', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as { port: number };
    const taken = await ask(serve({ count: 2, port }), 'a');
    expect(taken.ok ? '' : taken.fault.detail).toContain(`the router cannot listen on port ${port}`);
    await new Promise((resolve) => holder.close(resolve));
    const free = serve({ count: 2, port });
    value(await ask(free, 'a'));
    const direct = await fetch(`http://127.0.0.1:${port}/health`);
    expect(direct.status).toBe(200);
    await free.close();
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
  }, 30_000);
});
