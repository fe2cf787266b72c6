/**
 * What the benchmarks of the sandbox share: a sandbox beside a Docker daemon, in blocks of each in turn. A daemon goes on
 * working after `docker run` has ended, so a block of ours begins when the daemon has come to rest.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment, OpenOptions, Workspace } from '../executors/deployment.ts';
import { createSandbox } from '../executors/sandbox/sandbox.ts';
import { type Docker, startDocker } from './docker.ts';
import { type GroupMeter, startGroupMeter } from './group-meter.ts';
import { type BenchResult, median } from './measure.ts';

/** A daemon at rest looks after itself now and then. */
const REST = { everyMs: 250, cpuMs: 3, atMostMs: 15_000 };
/** Where nothing counts what it uses. */
const BLIND_REST_MS = 2000;
/** For the rate: as many at once as keep all processors busy while some of them wait. */
const RATE_TURNS = 400;
const AT_ONCE = 2 * availableParallelism();
/** After a block of ours, whose control groups and mounts are still taken down behind it. */
const SETTLE_MS = 500;

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
  /** Blocks of each, and how often each is done in one. */
  blocks: number;
  ours: number;
  peers: number;
  /** Between ours: latency is measured, not throughput, which is printed beside it. */
  pauseMs: number;
  /** What else is promised: how far the slowest hundredth may lie above the middle, and how many a second without pauses, several at once. */
  tail?: number;
  rate?: number;
  prepare(deployment: Deployment, docker: Docker): Promise<{ ours(): Promise<void>; peer(): Promise<void> }>;
}

export async function runContest(contest: Contest, print: (line: string) => void): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'swemake-bench-'));
  const made = await createSandbox({ name: 'bench', stateFolder: join(folder, 'state'), runId: 'bench' });
  if (!made.ok) throw new Error(`${made.fault.reason}; ${made.fault.remedy}`);
  const meter = startGroupMeter();
  try {
    const docker = await startDocker(folder, meter === null ? {} : { meter });
    try {
      const bodies = await contest.prepare(made.value, docker);
      return report(contest, await measure(contest, bodies, meter), print);
    } finally {
      await docker.close();
    }
  } finally {
    meter?.remove();
    await made.value.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Measured {
  mine: number[];
  theirs: number[];
  /** A second without pauses: one after the other, and several at once. */
  rate: { single: number; many: number };
}

async function measure(
  { blocks, ours: turns, peers, pauseMs }: Contest,
  { ours, peer }: { ours(): Promise<void>; peer(): Promise<void> },
  meter: GroupMeter | null,
): Promise<Measured> {
  const measured = { mine: [] as number[], theirs: [] as number[] };
  for (let warm = 0; warm < 3; warm++) {
    await peer();
    await ours();
  }
  for (let block = 0; block < blocks; block++) {
    await rest(meter);
    for (let turn = 0; turn < turns; turn++) {
      measured.mine.push(await timed(ours));
      await sleep(pauseMs);
    }
    await sleep(SETTLE_MS);
    for (let turn = 0; turn < peers; turn++) measured.theirs.push(await timed(peer));
  }
  await rest(meter);
  const single = await rateOf(ours, 1);
  await sleep(SETTLE_MS);
  return { ...measured, rate: { single, many: await rateOf(ours, AT_ONCE) } };
}

/** A second, so many at once. */
async function rateOf(ours: () => Promise<void>, atOnce: number): Promise<number> {
  let left = RATE_TURNS;
  const work = async () => {
    while (left-- > 0) await ours();
  };
  const took = await timed(() => Promise.all(Array.from({ length: atOnce }, work)));
  return (RATE_TURNS * 1000) / took;
}

/** Until the daemon's processor time stands still. */
async function rest(meter: GroupMeter | null): Promise<void> {
  if (meter === null) return sleep(BLIND_REST_MS);
  for (let waited = 0; waited < REST.atMostMs; waited += REST.everyMs) {
    const before = meter.cpuMs();
    await sleep(REST.everyMs);
    if (meter.cpuMs() - before < REST.cpuMs) return;
  }
}

function report(
  { name, promise, tail, rate }: Contest,
  { mine, theirs, rate: made }: Measured,
  print: (line: string) => void,
): BenchResult {
  const ours = median(mine);
  const peer = median(theirs);
  const ratio = peer / ours;
  const above = percentile(mine, 0.99) / ours;
  print(`sandbox: ${percentiles(mine)}`);
  const { single, many } = made;
  print(`without pauses ${single.toFixed(0)} a second, ${AT_ONCE} at once ${many.toFixed(0)} a second`);
  print(`docker:  ${percentiles(theirs)}`);
  print(`ratio ${ratio.toFixed(1)} ×; p99 is ${above.toFixed(1)} × p50`);
  if (tail !== undefined) print(`promised: p99 at most ${tail} × p50`);
  if (rate !== undefined) print(`promised: at least ${rate} a second, ${AT_ONCE} at once`);
  const holds = ratio >= promise && above <= (tail ?? Infinity) && many >= (rate ?? 0);
  return { name, ours, peer, ratio, promise, holds };
}

async function timed(body: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await body();
  return performance.now() - start;
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

function percentiles(values: number[]): string {
  const at = (share: number) => percentile(values, share).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, of ${values.length}`;
}
