/**
 * Each step of a build leaves a layer. The layer is kept under the tree that the step began with, its command, and
 * what all steps of the build have in common. So an edited last step does not run the first ones again, and builds
 * that begin alike share their first steps, also when they run at the same time.
 */

import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { awakeNow } from '../../basics/awake.ts';
import type { Digest } from '../../basics/digest.ts';
import { fault, success } from '../../basics/result.ts';
import type { Cache } from '../../cache/cache.ts';
import { LostOutput } from '../../cache/cache.ts';
import { temporaryPath } from '../../cache/folder.ts';
import { digestOfList } from '../../cache/key.ts';
import { mergeEntries } from '../../cache/layer-merge.ts';
import { quarantineLayer } from '../../cache/layer-quarantine.ts';
import { poolHas } from '../../cache/layer-store.ts';
import { HOST_SERVICES, type HostServices, inside } from '../../contract/machine.ts';
import { once } from '../../contract/once.ts';
import type { Tools } from '../../contract/tools.ts';
import type { Changes, Workspace } from '../../executors/deployment.ts';
import { type Hindered, triedAgain } from '../../executors/hindrance.ts';
import { type Attempt, isFault, type Outcome } from '../../schemas/outcome.ts';
import { layerDamage } from '../../tasks/layer-damage.ts';
import type { StepFailure } from './build-step.ts';
import { type BuildTree, treeOf } from './build-tree.ts';
import type { BuildStep } from './steps.ts';

/** Raise it when the same step over the same tree would give another tree. */
const STEP_VERSION = 7;

const MEMO = 'step ';

/** Whether a build has left a step in this cache. */
export function hasSteps({ database }: Cache): boolean {
  return [...database.memos.getRange({ start: MEMO, end: `${MEMO}~`, limit: 1 })].length > 0;
}

/** How a step is really run. */
export interface StepBench {
  /** Digest of all that decides a step of the build, apart from its tree and its command. */
  basis: Digest;
  /** A workspace that shows the tree, on disk. */
  open(tree: BuildTree): Attempt<Workspace>;
  /** Runs the command within `limit` seconds; null when it succeeded. */
  run(workspace: Workspace, step: BuildStep, limit: number): Promise<StepFailure | null>;
  /** Why the files that the step changed may not be kept; null: they may. Absent: they always may. */
  refuses?(step: BuildStep, folder: string): Promise<Outcome | null>;
}

export interface StepEnd {
  tree: BuildTree;
  /** The layer that holds the tree. */
  layer: Digest;
  durationMs: number;
}

interface KeptStep {
  layer: Digest;
  durationMs: number;
}

/** The tree that the step leaves: kept from an earlier build, made by another build at the same time, or made now. */
export async function stepOver(
  tree: BuildTree,
  step: BuildStep,
  limit: number,
  bench: StepBench,
  tools: Tools,
): Attempt<StepEnd> {
  const services = inside(tools.machine, ...HOST_SERVICES);
  const key = digestOfList('build step', [String(STEP_VERSION), bench.basis, tree.digest, step.command]);
  const memo = `${MEMO}${key}`;
  const { memos } = services.cache.database;
  const madeNow = await once(services.cache, 'steps made by this command', async () => new Set<Digest>());
  const isNow = madeNow.has(key);
  const kept = tools.isForced && !isNow ? undefined : (memos.get(memo) as KeptStep | undefined);
  if (kept !== undefined && kept.durationMs / 1000 <= limit) {
    const known = await keptTree(kept.layer, tree, services);
    if (known !== null) {
      tools.log(shownLog(step, isNow ? 'made by another build of this run' : 'kept from an earlier build'));
      return success({ tree: known, ...kept });
    }
  }
  let isMine = false;
  // A tree has thousands of entries, so it is not kept in memory: the cache has it.
  const end = await once(
    services.cache,
    `${memo} ${Math.round(limit)}`,
    async () => {
      isMine = true;
      const made = await makeTwice(tree, step, limit, bench, tools);
      if (made.ok) {
        const { layer, durationMs } = made.value;
        await memos.put(memo, { layer, durationMs } satisfies KeptStep);
        madeNow.add(key);
      }
      return made;
    },
    (made) => !made.ok && !isFault(made.fault),
  );
  if (!isMine) tools.log(shownLog(step, 'made by another build of this run'));
  return end;
}

function shownLog({ name, command }: BuildStep, how: string): string {
  return `== ${name} · ${how}\n$ ${command}\n`;
}

/** A step that was hindered is run once more. */
async function makeTwice(
  tree: BuildTree,
  step: BuildStep,
  limit: number,
  bench: StepBench,
  tools: Tools,
): Attempt<StepEnd> {
  let hindered: Hindered | null = null;
  const fails = (failure: StepFailure) => {
    hindered = failure.hindered;
  };
  const made = await triedAgain(
    (stretch) => {
      hindered = null;
      return makeStep(tree, step, limit * stretch, { ...bench, fails }, tools);
    },
    () => hindered,
    { title: step.name, log: tools.log, alone: tools.alone, limit, trusted: true },
  );
  return made.ok ? made.value : made;
}

async function makeStep(
  tree: BuildTree,
  step: BuildStep,
  limit: number,
  bench: StepBench & { fails(failure: StepFailure): void },
  tools: Tools,
): Attempt<StepEnd> {
  const { cache } = inside(tools.machine, 'cache');
  const opened = await bench.open(tree);
  if (!opened.ok) return opened;
  const workspace = opened.value;
  try {
    const start = awakeNow();
    const bad = await bench.run(workspace, step, limit);
    if (bad !== null) {
      bench.fails(bad);
      return fault(bad.outcome);
    }
    const durationMs = Math.round(awakeNow() - start);
    const changes = await workspace.changes();
    if (!changes.ok) return changes;
    const refused = (await bench.refuses?.(step, changes.value.folder)) ?? null;
    if (refused !== null) return fault(refused);
    const above = await cache.layers.take(await moved(changes.value, temporaryPath(cache.folder)), (path) =>
      tools.log(`== note: ${path} is left out: its name is not UTF-8\n`),
    );
    const entries = mergeEntries(tree.entries, changes.value.removed, above);
    const layer = await cache.layers.compose(entries);
    const folder = layer === null ? null : await cache.layers.open(layer.digest);
    if (layer === null || folder === null) throw new LostOutput(`a file of ${step.name}`);
    return success({
      tree: treeOf({ layers: [folder], entries }, tree.mounts),
      layer: layer.digest,
      durationMs,
    });
  } finally {
    await workspace.close();
  }
}

/** The tree of a kept step; null when it is gone. A damaged one is taken out of use. */
async function keptTree(layer: Digest, below: BuildTree, services: HostServices): Promise<BuildTree | null> {
  const { layers, folder: cacheFolder } = services.cache;
  const [folder, entries] = await Promise.all([layers.open(layer), layers.entries(layer)]);
  if (folder === null || entries === null || (await layerDamage(layer, services)) !== null) return null;
  if (poolHas(cacheFolder, entries)) return treeOf({ layers: [folder], entries }, below.mounts);
  // A file was found damaged elsewhere, and this tree still shows it.
  await quarantineLayer(cacheFolder, layer);
  return null;
}

/** Moves what was written out of the workspace, which still shows it. */
async function moved({ folder }: Changes, into: string): Promise<string> {
  await mkdir(into);
  for (const name of await readdir(folder)) await rename(join(folder, name), join(into, name));
  return into;
}
