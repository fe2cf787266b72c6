/**
 * Rollouts through the whole command while things go wrong: an endpoint that is down, overloaded or mad, and a build
 * that is killed. No fault becomes a sample, and what was finished is not done again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Answer, type ModelServer, type ServedRequest, startModelServer } from '../rig/model-server.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { solve } from '../rig/solver.ts';

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

async function serve(script: (request: ServedRequest) => Answer | Promise<Answer>): Promise<ModelServer> {
  const server = await startModelServer(script);
  servers.push(server);
  return server;
}

// Beside other work a build takes its time.
vi.setConfig({ testTimeout: 300_000 });

/** Every kind of misbehaviour, in turn. */
const FAULTS: Answer[] = [
  { status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after': '0' } },
  { status: 500, body: 'Internal Server Error' },
  { status: 200, body: '<html>a proxy speaks</html>' },
  { cut: 'headers' },
  { status: 503, body: { error: { message: 'Loading model' } } },
  { cut: 'body' },
  { status: 200, body: { choices: [] } },
  { status: 502, body: '' },
];

describe('an endpoint that fails', () => {
  test('in every way, again and again: all rollouts are what they would have been', async () => {
    const seen = new Map<string, number>();
    const server = await serve((request) => {
      const call = `${request.session} ${request.body.messages.length}`;
      const tries = seen.get(call) ?? 0;
      seen.set(call, tries + 1);
      return tries < 2 ? FAULTS[(request.number + tries) % FAULTS.length]! : solve(request);
    });
    const project = rolloutProject({ url: server.url, instances: 4, rollouts: 2 });
    const built = await project.build('p.yaml');
    expect(built.code).toBe(0);
    expect(outcomes(built, 'rollouts.train')).toEqual({ ok: 8 });
    expect(outcomes(built, 'grade.train')).toEqual({ ok: 8 });
  });

  test('by being gone for a while, and by stalling: the build waits and ends well', async () => {
    let stalled = 0;
    const server = await serve((request) => {
      if (request.number % 7 === 3 && stalled < 3) {
        stalled += 1;
        return { stall: stalled % 2 === 0 ? 'headers' : 'body' };
      }
      return solve(request);
    });
    const project = rolloutProject({ url: server.url, instances: 4, rollouts: 3, model: 'timeout: 3s' });
    const building = project.build('p.yaml');
    while (server.requests.length < 8) await sleep(20);
    await server.stop();
    await sleep(4000);
    await server.start();
    const built = await building;
    expect(built.code).toBe(0);
    expect(outcomes(built, 'rollouts.train')).toEqual({ ok: 12 });
    expect(outcomes(built, 'grade.train')).toEqual({ ok: 12 });
  });

  test('for good: nothing is graded or cached, the code is 3, and the next build makes it up', async () => {
    const server = await serve(() => ({ status: 500, body: 'down' }));
    const project = rolloutProject({ url: server.url, instances: 2, model: 'retry: 1s' });
    const failed = await project.build('p.yaml');
    expect(failed.code).toBe(3);
    expect(outcomes(failed, 'rollouts.train')).toEqual({ infra: 2 });
    expect(outcomes(failed, 'grade.train')).not.toHaveProperty('failed');
    server.play(solve);
    const built = await project.build('p.yaml');
    expect(built.code).toBe(0);
    expect(outcomes(built, 'rollouts.train')).toEqual({ ok: 2 });
    expect(outcomes(built, 'grade.train')).toEqual({ ok: 2 });
  });

  test('by refusing for good: asked a few times, not for every sample', async () => {
    const server = await serve(() => ({ status: 401, body: { error: { message: 'Incorrect API key' } } }));
    const project = rolloutProject({ url: server.url, instances: 4, rollouts: 16 });
    const end = await project.run('build', 'p.yaml');
    expect(end.code).toBe(2);
    expect(end.stdout + end.stderr).toContain('Incorrect API key');
    expect(server.requests.length).toBeLessThan(64);
  });
});

test('kill -9 in the middle of 200 rollouts: only those in flight run again', async () => {
  const server = await serve(async (request) => {
    await sleep(30);
    return solve(request);
  });
  const rest = 'resources: { rollout: 16 }';
  const project = rolloutProject({ url: server.url, instances: 10, rollouts: 20, rest });
  await project.build('p.yaml', 'validate.train');
  const child = project.start(['build', 'p.yaml', 'rollouts.train']);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  while (finished(project.events()).length < 70) await sleep(50);
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
  const before = finished(project.events());
  expect(before.length).toBeLessThan(190);
  const started = new Set(rolloutEvents(project.events(), 'item-started'));
  const inFlight = started.size - before.length;
  const built = await project.build('p.yaml', 'rollouts.train');
  expect(built.code).toBe(0);
  expect(outcomes(built, 'rollouts.train')).toEqual({ ok: 200 });
  // An answer that was published but not yet journaled when the kill came counts as made.
  const executed = built.stages.find(({ stage }) => stage === 'rollouts.train')!.executed;
  expect(executed).toBeGreaterThanOrEqual(200 - started.size);
  expect(executed).toBeLessThanOrEqual(200 - before.length);
  expect(inFlight).toBeLessThanOrEqual(16);
  const all = finished(project.events());
  expect(new Set(all).size).toBe(all.length);
});

function outcomes(built: { stages: { stage: string; outcomes: Record<string, number> }[] }, stage: string) {
  const counts = built.stages.find((one) => one.stage === stage)?.outcomes ?? {};
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

function finished(events: Record<string, unknown>[]): string[] {
  return rolloutEvents(events, 'item-finished');
}

function rolloutEvents(events: Record<string, unknown>[], type: string): string[] {
  return events
    .filter((event) => event.type === type && event.stage === 'rollouts.train')
    .map((event) => event.item as string);
}
