/** A router over agent servers: real servers and requests; what an episode comes to is decided here. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { infra } from '../../schemas/outcome.ts';
import { startAgent } from '../../servers/agent/agent.ts';
import type { EpisodeContext, EpisodeRequest } from '../../servers/agent/episode.ts';
import { startRouter } from '../../servers/agents/server.ts';
import type { Address, Listening } from '../../servers/http/listen.ts';
import { temporaryFolder } from '../rig/folder.ts';

const COMMON = { token: null, tls: null, version: '1', log: () => undefined };
const open: Listening[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface AgentRig {
  server: Listening;
  /** Ids of episodes that it was asked for. */
  asked: string[];
  /** Lets those go on that wait. */
  release(): void;
}

/** Its episodes wait until they are let go, and come to a fault that names the server. */
async function agent(name: string, places = 8, address: Address = { host: '127.0.0.1', port: 0 }) {
  const asked: string[] = [];
  let release = () => undefined as undefined;
  const gate = new Promise<void>((resolve) => {
    release = () => void resolve();
  });
  const make = async ({ id, instance, actor }: EpisodeRequest, { signal, watch }: EpisodeContext) => {
    asked.push(id);
    if (actor.kind !== 'caller' || instance === 'slow')
      await Promise.race([gate, new Promise((done) => signal.addEventListener('abort', done))]);
    if (actor.kind === 'caller')
      await watch(actor.policy).reply({ messages: [{ role: 'user', content: name }], signal } as never);
    return { kind: 'fault' as const, outcome: infra(signal.aborted ? 'cancelled' : 'machine', name) };
  };
  const started = await startAgent({
    ...{ ...COMMON, address, make, basisOf: async () => '', folder: temporaryFolder(), project: 'p' },
    ...{ concurrent: places, waiting: 0, idleLimit: 60 },
  });
  if (!started.ok) throw new Error(started.fault);
  open.push(started.value);
  return { server: started.value, asked, release } satisfies AgentRig;
}

async function router(...agents: AgentRig[]): Promise<string> {
  const servers = agents.map(({ server }) => server.url);
  const address = { host: '127.0.0.1', port: 0 };
  const started = await startRouter({ ...COMMON, address, servers, serverToken: null, lookEvery: 100 });
  if (!started.ok) throw new Error(started.fault);
  open.push(started.value);
  return started.value.url;
}

async function post(url: string, path: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await is()); tries += 1) {
    if (tries > 500) throw new Error('it does not come about');
    await sleep(20);
  }
}

const run = (url: string, id: string) => post(url, '/run', { instance_id: 'x', id });
const health = async (url: string) => {
  const { servers } = (await (await fetch(`${url}/status`)).json()) as { servers: { healthy: boolean }[] };
  return servers.map(({ healthy }) => healthy);
};

test('rollouts go where there is room, each id to one server, and are told no when all are full', async () => {
  const [one, two] = [await agent('one', 4), await agent('two', 4)];
  const url = await router(one, two);
  const runs = Array.from({ length: 8 }, (_, index) => run(url, `r${index}`));
  await until(() => one.asked.length + two.asked.length === 8);
  expect([one.asked.length, two.asked.length]).toEqual([4, 4]);
  const again = run(url, 'r0');
  const full = await run(url, 'ninth');
  expect(full).toMatchObject({ status: 503, json: { error_code: 'capacity_limited', reward: null } });
  one.release();
  two.release();
  const first = await runs[0]!;
  expect((await again).json.exit_detail).toBe(first.json.exit_detail);
  for (const answer of await Promise.all(runs))
    expect(answer.json).toMatchObject({ ok: false, reward: null });
  expect(new Set([...one.asked, ...two.asked]).size).toBe(8);
  const batch = await post(url, '/run_batch', { requests: [{ instance_id: 'x' }, { instance_id: 'y' }] });
  expect(batch.json.results).toHaveLength(2);
  expect((await post(url, '/run_batch', { requests: [{}] })).status).toBe(400);
  expect((await post(url, '/run', { id: 'x' })).status).toBe(400);
});

test('a rollout whose server goes away is asked of another one; with none left there is no reward', async () => {
  const [one, two] = [await agent('one'), await agent('two')];
  const url = await router(one, two);
  const answer = run(url, 'r');
  await until(() => one.asked.length + two.asked.length === 1);
  const [gone, other] = one.asked.length === 1 ? [one, two] : [two, one];
  const closing = gone.server.close();
  await until(() => other.asked.includes('r'));
  other.release();
  expect((await answer).json).toMatchObject({ reward: null, exit_detail: other === one ? 'one' : 'two' });
  await closing;
  await other.server.close();
  await until(async () => !(await health(url)).includes(true));
  expect(await run(url, 'later')).toMatchObject({ status: 503, json: { reward: null, retryable: true } });
});

test('what is told to all is told to each, also to one that comes back', async () => {
  const [one, two] = [await agent('one'), await agent('two')];
  const url = await router(one, two);
  const runs = ['a', 'b', 'c'].map((id) => run(url, id));
  await until(() => one.asked.length + two.asked.length === 3);
  expect((await post(url, '/cancel', {})).status).toBe(400);
  expect((await post(url, '/cancel', { id: 'b' })).json).toMatchObject({ ok: true, cancelled: 1 });
  expect((await post(url, '/flush', {})).json).toMatchObject({ ok: true, cancelled: 2 });
  for (const { json } of await Promise.all(runs))
    expect(json).toMatchObject({ status: 'aborted', reward: null });
  const address = two.server.bound!;
  await two.server.close();
  await until(async () => (await health(url)).includes(false));
  expect((await post(url, '/weights/resume', { version: 7 })).json).toMatchObject({ ok: true, version: 7 });
  const back = await agent('two', 8, address);
  await until(async () => !(await health(url)).includes(false));
  const weights = async ({ server }: AgentRig) =>
    ((await (await fetch(`${server.url}/status`)).json()) as Record<string, unknown>).weights;
  expect(await weights(back)).toMatchObject({ version: 7 });
  // A message that no server takes is not kept for one that comes back, and without a version the weights are those from before.
  await back.server.close();
  await until(async () => (await health(url)).includes(false));
  await post(url, '/weights/pause', {});
  expect((await post(url, '/weights/resume', {})).json).toMatchObject({ ok: true, version: 7 });
  expect((await post(url, '/weights/resume', { version: '8' })).status).toBe(400);
  const again = await agent('two', 8, address);
  await until(async () => !(await health(url)).includes(false));
  expect(await weights(again)).toEqual({ version: 7, changing: false });
});

test('a session stays where it was opened, and a router that was started again finds it', async () => {
  const [one, two] = [await agent('one'), await agent('two')];
  const url = await router(one, two);
  const opened = await Promise.all([1, 2, 3, 4].map(() => post(url, '/reset', { instance_id: 'x' })));
  expect([one.asked.length, two.asked.length]).toEqual([2, 2]);
  const other = await router(one, two);
  for (const [index, { json }] of opened.entries()) {
    const where = index < 2 ? url : other;
    const step = await post(where, '/step', { session_id: json.session_id, command: 'ls' });
    expect(step.json).toMatchObject({ session_id: json.session_id, done: true });
    expect([...one.asked, ...two.asked]).toContain(json.session_id);
  }
  expect((await post(url, '/step', { session_id: 'none', command: 'ls' })).status).toBe(404);
  // It may be at the server that is away.
  await one.server.close();
  const third = await router(one, two);
  await until(async () => (await health(third)).join() === 'false,true');
  expect(await post(third, '/step', { session_id: 'none', command: 'ls' })).toMatchObject({
    status: 503,
    json: { error_code: 'node_unreachable', retryable: true, reward: null },
  });
});

test('a session that was ended between two steps says so at the next one, and is open no more', async () => {
  const one = await agent('one');
  const url = await router(one);
  const { json } = await post(url, '/reset', { instance_id: 'x' });
  const { session_id } = json;
  expect((await post(url, '/flush', {})).json).toMatchObject({ cancelled: 1 });
  const step = await post(url, '/step', { session_id, command: 'ls' });
  expect(step.json).toMatchObject({ session_id, done: true, status: 'aborted', reward: null });
  expect(await (await fetch(`${one.server.url}/status`)).json()).toMatchObject({ sessions: 0 });
});

test('a session whose client goes away before it is open takes no place', async () => {
  const one = await agent('one');
  const url = await router(one);
  const gone = new AbortController();
  const body = JSON.stringify({ instance_id: 'slow' });
  const headers = { 'content-type': 'application/json' };
  const asking = fetch(`${url}/reset`, { method: 'POST', body, headers, signal: gone.signal });
  await until(() => one.asked.length === 1);
  gone.abort();
  await expect(asking).rejects.toThrow();
  await until(async () => {
    const status = (await (await fetch(`${one.server.url}/status`)).json()) as {
      sessions: number;
      places: { taken: number };
    };
    return status.sessions === 0 && status.places.taken === 0;
  });
  expect((await post(url, '/reset', { instance_id: 'x' })).json).toMatchObject({ done: false });
});
