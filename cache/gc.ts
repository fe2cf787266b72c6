/**
 * Garbage collection: removes what gc-plan.ts chose, in an order that a kill at any moment leaves a sound cache:
 * first what says that something is there, then the thing itself.
 */
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionKey, Digest } from '../basics/digest.ts';
import type { StageRecord } from '../schemas/record.ts';
import type { Cache } from './cache.ts';
import { binaryKey, type Database } from './database.ts';
import { temporaryPath } from './folder.ts';
import type { GcLimits, Loose } from './gc-limits.ts';
import { type GcPlan, namesInUse, planGc } from './gc-plan.ts';
import type { StageUnit, Unit } from './inventory.ts';
import { tryLock } from './key-lock.ts';
import { manifestPath } from './layer-store.ts';
import { dropForgotten, noteRemovals } from './removals.ts';
import { hasJournal, listRuns, REMOVED_FILE } from './run-folders.ts';
import { removeState } from './states.ts';
import { dropTraces } from './traces.ts';

export interface GcReport {
  answers: number;
  stages: number;
  layers: number;
  files: number;
  sources: number;
  /** First states of instances. */
  states: number;
  /** Folders of runs, quarantine, damaged databases. */
  folders: number;
  /** Bytes of blobs, layers, sources, states and runs. */
  before: number;
  after: number;
  /** Other processes that had the cache open; what they use stays. */
  active: number;
}

export interface GcOptions {
  /** Name of this run, see newRunId. */
  run: string;
  now: number;
  dryRun: boolean;
}

/** Removes what `limits` and nobody's need of it allow; null when another gc is at work. */
export async function collectGarbage(
  cache: Cache,
  limits: GcLimits,
  options: GcOptions,
): Promise<GcReport | null> {
  const unlock = tryLock(join(cache.folder.locks, 'gc'));
  if (unlock === null) return null;
  try {
    const { runs } = cache.folder;
    const journaled = listRuns(runs).filter((run) => hasJournal(runs, run));
    const plan = planGc(cache, limits, journaled, options.now);
    if (!options.dryRun) await sweep(cache, plan, options.run);
    return reportOf(plan);
  } finally {
    unlock();
  }
}

function reportOf(plan: GcPlan): GcReport {
  const { units, stages, layers, files, mirrors, states, folders, before, after, active } = plan;
  return {
    answers: units.length,
    stages: stages.length,
    layers: layers.length,
    files: files.length,
    sources: mirrors.length,
    states: states.length,
    folders: folders.length,
    before,
    after,
    active,
  };
}

async function sweep(cache: Cache, plan: GcPlan, run: string): Promise<void> {
  // Time has passed since the plan was made: what a process has begun to use meanwhile stays.
  const { names } = namesInUse(cache);
  await removeAnswers(
    cache,
    plan.units.filter((unit) => !names.has(unit.name)),
    plan.stages.filter((stage) => !names.has(stage.key)),
    plan.keepsJournals ? run : null,
  );
  // Files before trees: a link that goes would make what is left of its file look young.
  for (const file of plan.files) removeUntouched(file, plan.horizon);
  if (plan.files.length > 0) dropForgotten(cache.blobs, cache.database);
  const inUse = namesInUse(cache).names;
  for (const digest of plan.layers) if (!inUse.has(digest)) removeLayer(cache, digest, plan.horizon);
  for (const { path } of plan.mirrors) removeMirror(cache, path);
  for (const { digest } of plan.states) await removeState(cache.folder, digest);
  for (const { path } of plan.folders) removeWhole(cache, path);
  await cache.database.records.flushed;
}

/** Removals that may wait to be written: each holds memory until then. */
const AT_ONCE = 1000;

/** `run` is where the removal is told, null when no journal is left that could contradict. */
async function removeAnswers(
  cache: Cache,
  units: Unit[],
  stages: StageUnit[],
  run: string | null,
): Promise<void> {
  const { database } = cache;
  const answers = units.filter((unit) => unit.kind === 'answer').map((unit) => unit.name as ActionKey);
  if (answers.length > 0 && run !== null) tellRemoved(cache, answers, run);
  for (const { key } of stages) {
    void database.stages.remove(binaryKey(key));
    void database.uses.remove(binaryKey(key));
    void database.memos.remove(`verified ${key}`);
  }
  for (const [index, key] of answers.entries()) {
    void database.preimages.remove(binaryKey(key));
    void database.uses.remove(binaryKey(key));
    const removed = database.records.remove(binaryKey(key));
    if (index % AT_ONCE === 0) await removed;
  }
  const gone = new Set<string>(answers);
  const isKnown = (key: ActionKey) => !gone.has(key) && database.records.doesExist(binaryKey(key));
  for (const { key, value } of database.latest.getRange({ snapshot: false })) {
    const keys = [value.key, ...(value.earlier ?? []), ...(value.ok === undefined ? [] : [value.ok])];
    if (!keys.some(isKnown)) void database.latest.remove(key);
  }
  if (stages.length > 0) await dropTraces(database, [...keptStages(database, stages)]);
  for (const unit of units) if (unit.kind === 'source') void database.memos.remove(unit.name);
  if (answers.length > 0) await noteRemovals(database);
  await database.records.flushed;
}

function* keptStages(database: Database, gone: readonly StageUnit[]): Generator<StageRecord> {
  const removed = new Set<string>(gone.map(({ key }) => key));
  for (const { key, value } of database.stages.getRange({ snapshot: false }))
    if (!removed.has(key.toString('hex')) && value.trace !== undefined) yield value;
}

/** Journals still hold these answers; whoever makes the database again from them must leave these out. */
function tellRemoved(cache: Cache, keys: ActionKey[], run: string): void {
  const folder = join(cache.folder.runs, run);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, REMOVED_FILE), keys.map((key) => `${JSON.stringify({ key })}\n`).join(''));
}

function removeLayer(cache: Cache, digest: Digest, horizon: number): void {
  const manifest = manifestPath(cache.folder, digest);
  const stat = statSync(manifest, { throwIfNoEntry: false });
  if (stat !== undefined && stat.ctimeMs >= horizon) return;
  removeWhole(cache, join(cache.folder.trees, digest));
  rmSync(manifest, { force: true });
}

function removeUntouched({ path }: Loose, horizon: number): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && stat.ctimeMs < horizon) rmSync(path, { force: true });
}

function removeMirror(cache: Cache, path: string): void {
  const unlock = tryLock(`${path}.lock`);
  if (unlock === null) return;
  removeWhole(cache, path);
  unlock();
}

/** Out of sight by one rename, so that nothing is ever seen half removed. */
function removeWhole(cache: Cache, path: string): void {
  const aside = temporaryPath(cache.folder);
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}
