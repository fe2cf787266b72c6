/** What the benchmarks of the sandbox share: a sandbox beside a Docker daemon, and rounds of both in turn. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment, OpenOptions, Workspace } from '../executors/deployment.ts';
import { createSandbox } from '../executors/sandbox/sandbox.ts';
import { type Docker, startDocker } from './docker.ts';
import { type BenchResult, median } from './measure.ts';

const SETTLE_MS = 150;

const OPTIONS: OpenOptions = {
  limits: { memory: 1 << 30, pids: 256 },
  network: 'off',
  storage: 'memory',
};

export async function openWorkspace(deployment: Deployment): Promise<Workspace> {
  const view = { layers: [], mounts: [], links: {}, variables: {} };
  const opened = await deployment.open(view, null, OPTIONS);
  if (!opened.ok) throw new Error(opened.fault.detail);
  return opened.value;
}

export interface Contest {
  name: string;
  promise: number;
  rounds: number;
  /** Ours per round of the peer's: the peer is slow, and our percentiles need more samples. */
  oursPerRound: number;
  /** Between ours: latency is measured, not throughput, which is printed beside it. */
  pauseMs: number;
  prepare(deployment: Deployment, docker: Docker): Promise<{ ours(): Promise<void>; peer(): Promise<void> }>;
}

export async function runContest(contest: Contest, print: (line: string) => void): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'swemake-bench-'));
  const made = await createSandbox({ name: 'bench', stateFolder: join(folder, 'state'), runId: 'bench' });
  if (!made.ok) throw new Error(`${made.fault.reason}; ${made.fault.remedy}`);
  const docker = await startDocker(folder);
  try {
    const { ours, peer } = await contest.prepare(made.value, docker);
    for (let warm = 0; warm < 3; warm++) {
      await ours();
      await peer();
    }
    const mine: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < contest.rounds; round++) {
      for (let turn = 0; turn < contest.oursPerRound; turn++) {
        mine.push(await timed(ours));
        await sleep(contest.pauseMs);
      }
      theirs.push(await timed(peer));
      // It leaves work behind that it does not wait for.
      await sleep(SETTLE_MS);
    }
    print(`sandbox: ${percentiles(mine)}; ${await perSecond(ours)} a second without pauses`);
    print(`docker:  ${percentiles(theirs)}`);
    const ratio = median(theirs) / median(mine);
    const result = { ours: median(mine), peer: median(theirs), ratio, promise: contest.promise };
    return { name: contest.name, ...result, holds: ratio >= contest.promise };
  } finally {
    await made.value.close();
    await docker.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function perSecond(body: () => Promise<void>): Promise<string> {
  const milliseconds = await timed(async () => {
    for (let turn = 0; turn < 200; turn++) await body();
  });
  return ((200 * 1000) / milliseconds).toFixed(0);
}

async function timed(body: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await body();
  return performance.now() - start;
}

function percentiles(values: number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, of ${values.length}`;
}
