/**
 * 512 rollouts at once through the agent server, with a scripted model of 20 steps. In a first round nothing goes wrong; in a
 * second the server is killed in the middle, and clients go away and come back. The patches are empty, so what is measured
 * is rollouts and not gradings. No peer: the promise is a number of steps a second. Whatever else runs on the machine takes
 * part of it, so what a step takes of the processors is printed, too.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { packageRoot } from '../basics/package-root.ts';
import { tinyProject } from '../test/rig/tiny-project.ts';
import { startEndpoint } from './endpoint.ts';
import type { BenchResult } from './measure.ts';
import { cpuMs, endedChildrenMs, proportionalMb, pssMb } from './memory.ts';

const ROLLOUTS = 512;
const STEPS = 20;
/** Steps a second. */
const PROMISE = 150;
const PORT = 11_873;
const URL = `http://127.0.0.1:${PORT}`;
const TOKEN = 'bench'.repeat(8);

interface Answered {
  id: string;
  reward: number | null;
  status: string;
  turns: number;
}

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  const endpoint = await startEndpoint(folder, STEPS);
  const started: ChildProcess[] = [];
  try {
    const serve = await prepare(folder, endpoint.url);
    const before = { ended: endedChildrenMs(), endpoint: cpuMs(endpoint.pid), own: process.cpuUsage() };
    const server = await serve();
    started.push(server);
    const memory = watchMemory(server);
    const since = performance.now();
    const whole = await askAll('whole', { away: 0 });
    const seconds = (performance.now() - since) / 1000;
    const most = memory.stop();
    check(whole);
    const rate = (ROLLOUTS * STEPS) / seconds;
    const own = process.cpuUsage(before.own);
    const node = cpuMs(server.pid!);
    await ended(server, 'SIGTERM');
    const used = {
      node,
      workspaces: endedChildrenMs() - before.ended - node,
      others: cpuMs(endpoint.pid) - before.endpoint + (own.user + own.system) / 1000,
    };
    const [all, ...parts] = [used.node + used.workspaces + used.others, ...Object.values(used)].map((ms) =>
      (ms / (ROLLOUTS * STEPS)).toFixed(2),
    );
    print(
      `${all} ms of the processors a step: ${parts[0]} the server, ${parts[1]} workspaces, ${parts[2]} the model and the clients`,
    );
    started.push(await serve());
    print(
      `${ROLLOUTS} rollouts of ${STEPS} steps in ${seconds.toFixed(1)} s: ${rate.toFixed(0)} steps a second`,
    );
    print(
      `at most ${most.all.toFixed(0)} MB with all workspaces, ${most.node.toFixed(0)} of it the server's`,
    );
    await stormyRound(started, serve, endpoint, print);
    const ours = 1000 / rate;
    const peer = 1000 / PROMISE;
    return { name: 'agent-server', ours, peer, ratio: rate / PROMISE, promise: 1, holds: rate >= PROMISE };
  } finally {
    for (const child of started) child.kill('SIGKILL');
    await endpoint.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kills the server in the middle, and lets every eighth client go away and come back. */
async function stormyRound(
  started: ChildProcess[],
  serve: () => Promise<ChildProcess>,
  endpoint: { requests(): Promise<number> },
  print: (line: string) => void,
): Promise<void> {
  const before = await endpoint.requests();
  const asking = askAll('storm', { away: 8 });
  while ((await endpoint.requests()) - before < (ROLLOUTS * STEPS) / 2) await sleep(200);
  await ended(started.at(-1)!, 'SIGKILL');
  started.push(await serve());
  const answered = await asking;
  check(answered);
  const again = await askAll('storm', { away: 0 });
  check(again);
  const made = (await endpoint.requests()) - before;
  print(
    `server killed in the middle, every eighth client gone once: ${answered.length} answered, 0 lost, 0 doubled; ` +
      `${made} requests for ${ROLLOUTS * STEPS} steps`,
  );
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill(signal);
  return closed;
}

/** Every id once, each with a verdict and all of its steps. */
function check(answered: readonly Answered[]): void {
  const ids = new Set(answered.map(({ id }) => id));
  const wrong = answered.filter(({ reward, turns }) => reward !== 0 || turns !== STEPS);
  if (ids.size !== ROLLOUTS || answered.length !== ROLLOUTS)
    throw new Error(`${answered.length} answers to ${ids.size} of ${ROLLOUTS} ids`);
  if (wrong.length > 0)
    throw new Error(
      `${wrong.length} rollouts without the verdict that they have: ${JSON.stringify(wrong[0])}`,
    );
}

async function askAll(name: string, { away }: { away: number }): Promise<Answered[]> {
  const agent = new Agent({ connections: ROLLOUTS, headersTimeout: 0, bodyTimeout: 0 });
  const ask = async (index: number): Promise<Answered> => {
    const id = `${name}-${index}`;
    if (away > 0 && index % away === 0) {
      const gone = new AbortController();
      const left = askOnce(id, agent, gone.signal).catch(() => null);
      await sleep(2000 + 10 * index);
      gone.abort();
      await left;
    }
    for (;;) {
      const answer = await askOnce(id, agent).catch(() => null);
      // The server is away, or the rollout ended with it: the same id is asked for again.
      if (answer !== null && answer.reward !== null) return answer;
      await sleep(500);
    }
  };
  try {
    return await Promise.all(Array.from({ length: ROLLOUTS }, (_, index) => ask(index)));
  } finally {
    await agent.destroy();
  }
}

async function askOnce(id: string, dispatcher: Agent, signal?: AbortSignal): Promise<Answered> {
  const { body } = await request(`${URL}/run`, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ id, sample: id, instance_id: 'tiny.0' }),
    ...(signal === undefined ? {} : { signal }),
  });
  const { reward, status, agent_metrics } = (await body.json()) as Omit<Answered, 'turns'> & {
    agent_metrics: { turns?: number };
  };
  return { id, reward, status, turns: agent_metrics.turns ?? 0 };
}

async function prepare(folder: string, url: string): Promise<() => Promise<ChildProcess>> {
  const project = tinyProject({ folder: join(folder, 'ours'), instances: 1 });
  writeFileSync(
    project.path('p.yaml'),
    `${readFileSync(project.path('p.yaml'), 'utf8')}
resources: { sandbox: ${ROLLOUTS} }
agent:
  model: { base_url: "${url}", name: scripted, identity: scripted@1, concurrency: ${ROLLOUTS} }
`,
  );
  await project.build('p.yaml', 'filter.train');
  const args = [
    'serve',
    'agent',
    'p.yaml',
    '--listen',
    `127.0.0.1:${PORT}`,
    '--max-concurrent',
    `${ROLLOUTS}`,
  ];
  return () =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [join(packageRoot(), 'bin/swemake.js'), ...args], {
        cwd: project.folder,
        env: { ...process.env, XDG_CACHE_HOME: join(folder, 'home-cache'), SWEMAKE_SERVER_TOKEN: TOKEN },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      child.once('close', () => reject(new Error('the agent server ended before it was there')));
      child.stdout!.once('data', () => resolve(child));
    });
}

/** The most that is in use at once, looked at twice a second. */
function watchMemory({ pid = 0 }: ChildProcess): { stop(): { all: number; node: number } } {
  const most = { all: 0, node: 0 };
  const look = () => {
    most.all = Math.max(most.all, proportionalMb(pid));
    most.node = Math.max(most.node, pssMb(pid));
  };
  const timer = setInterval(look, 2000);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}
