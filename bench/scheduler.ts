/**
 * 100,000 actions that do nothing: what the engine itself costs per action, records written durably and locks taken.
 * The peer is ninja, which starts a shell for each; it runs a fiftieth of them, as all would take minutes.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { success } from '../basics/result.ts';
import { openCache } from '../cache/cache.ts';
import { defineStage } from '../contract/define.ts';
import type { Services } from '../contract/machine.ts';
import { createSecrets } from '../contract/secrets.ts';
import type { Stage } from '../contract/stage.ts';
import { runGraph } from '../engine/run.ts';
import { Selection } from '../engine/selection.ts';
import { costOf } from './cost.ts';
import type { BenchResult } from './measure.ts';

const ACTIONS = 100_000;
const PEER_ACTIONS = 2_000;
const PROMISE = 1;
const JOBS = 256;

const RESOURCES = { cpu: 1 };

const noOp = defineStage({
  name: 'no-op',
  version: 1,
  exports: false,
  nodes: () => [],
  plan: async () =>
    success(
      Array.from({ length: ACTIONS }, (_, index) => ({
        name: `n${index}`,
        needs: {},
        resources: RESOURCES,
        data: index,
      })),
    ),
  inputs: (item, index) => success({ number: item.value(index) }),
  run: async () => ({ outcome: { status: 'ok' }, outputs: {} }),
});

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  if (spawnSync('ninja', ['--version']).status !== 0)
    throw new Error('install the peer first: apt-get install ninja-build');
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  try {
    const used = process.cpuUsage();
    const milliseconds = await runAll(join(folder, 'cache'));
    const { user, system } = process.cpuUsage(used);
    const ours = milliseconds / ACTIONS;
    print(
      `swemake ${ours.toFixed(3)} ms an action, of the processor ${((user + system) / 1e3 / ACTIONS).toFixed(3)} ms`,
    );
    const rules = Array.from({ length: PEER_ACTIONS }, (_, index) => `build o${index}: nothing`);
    writeFileSync(join(folder, 'build.ninja'), `rule nothing\n  command = :\n${rules.join('\n')}\n`);
    const peer = costOf('ninja', ['--quiet'], folder).wallMs / PEER_ACTIONS;
    print(`ninja   ${peer.toFixed(3)} ms a command`);
    return { name: 'scheduler', ours, peer, ratio: ours / peer, promise: PROMISE, holds: ours < PROMISE };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAll(root: string): Promise<number> {
  const cache = await openCache(root);
  const { signal } = new AbortController();
  const secrets = createSecrets(new Map(), {});
  const services = { cache, config: {}, shared: {}, secrets, signal, env: {} } as unknown as Services;
  const graph = { nodes: [{ address: 'no-op', stage: 'no-op', dataset: '', inputs: {}, exports: false }] };
  const start = performance.now();
  const end = await runGraph(graph, new Map([['no-op', noOp as unknown as Stage]]), services, {
    run: 'bench',
    project: 'bench',
    jobs: JOBS,
    capacity: {},
    selection: new Selection(graph, [], []),
    dryRun: false,
    emit: () => undefined,
    drain: signal,
  });
  await cache.close();
  if (end.executed !== ACTIONS) throw new Error(`${end.executed} of ${ACTIONS} actions ran`);
  return performance.now() - start;
}
