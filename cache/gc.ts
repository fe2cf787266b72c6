/**
 * Garbage collection: removes what gc-plan.ts chose. The order leaves a sound cache after a kill at any moment: first
 * what refers to a thing, then the thing itself.
 */
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionKey, Digest } from '../basics/digest.ts';
import { faultPoint } from '../basics/fault-point.ts';
import type { StageRecord } from '../schemas/record.ts';
import { dropAbsences } from './absences.ts';
import type { Cache } from './cache.ts';
import { binaryKey, type Database, type Latest } from './database.ts';
import type { GcLimits } from './gc-limits.ts';
import { type GcPlan, namesInUse, planGc } from './gc-plan.ts';
import type { StageUnit, Unit } from './inventory.ts';
import { sourceLock } from './key-lock.ts';
import { manifestPath } from './layer-store.ts';
import { readLeases } from './lease.ts';
import { Pending } from './pending.ts';
import { dropForgotten, noteRemovals } from './removals.ts';
import { hasJournal, listRuns, REMOVED_FILE } from './run-folders.ts';
import { keptTrainings } from './scratch.ts';
import { isSame, moveAway, moveBack, removeUntouched } from './shared-removal.ts';
import { dropTraces } from './traces.ts';

export interface GcReport {
  answers: number;
  stages: number;
  layers: number;
  /** Names and versions of toolchains among these layers. */
  toolchains: string[];
  files: number;
  sources: number;
  /** First states of instances. */
  states: number;
  /** Layers of images and other roots. */
  bases: number;
  /** Folders of runs, quarantine, damaged databases. */
  folders: number;
  /** Bytes of blobs, layers, sources, states and runs. */
  before: number;
  after: number;
  /** What finished trainings left beside their checkpoints; it is not in the sizes, and goes only where that is asked for. */
  trainings: { path: string; bytes: number }[];
  /** Other processes that had the cache open; what they use stays. */
  active: number;
}

export interface GcOptions {
  /** Name of this run, see newRunId. */
  run: string;
  now: number;
  dryRun: boolean;
}

/** Removes what nothing needs and what `limits` name; null when another gc is at work. */
export async function collectGarbage(
  cache: Cache,
  limits: GcLimits,
  options: GcOptions,
): Promise<GcReport | null> {
  const lock = cache.locks.take('gc');
  if (lock === null) return null;
  try {
    const { runs } = cache.folder;
    const journaled = listRuns(runs).filter((run) => hasJournal(runs, run));
    const plan = planGc(cache, limits, journaled, options.now);
    const trainings = keptTrainings(cache.folder);
    const toolchains = toolchainsIn(cache, plan.layers);
    faultPoint('gc-planned');
    if (!options.dryRun) {
      await sweep(cache, plan, options.run);
      if (limits.trainings === true) for (const { path } of trainings) removeWhole(cache, path);
    }
    return { ...reportOf(plan), toolchains, trainings };
  } finally {
    lock.unlock();
  }
}

/** The toolchains among layers, by what is noted of them. */
function toolchainsIn({ database }: Cache, layers: readonly Digest[]): string[] {
  const named = [...database.memos.getRange({ start: 'toolchain ', end: 'toolchain ~' })];
  const gone = new Set<unknown>(layers);
  const names = named
    .filter(({ value }) => gone.has(value))
    .map(({ key }) => key.split(' ').slice(1, 3).join(' '));
  return [...new Set(names)].sort();
}

function reportOf(plan: GcPlan): Omit<GcReport, 'trainings' | 'toolchains'> {
  const { units, stages, layers, files, mirrors, states, folders, before, after, active } = plan;
  return {
    answers: units.length,
    stages: stages.length,
    layers: layers.length,
    files: files.length,
    sources: mirrors.length,
    states: states.filter(({ kind }) => kind === 'states').length,
    bases: states.filter(({ kind }) => kind === 'bases').length,
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
  // Files before trees: removing a link of a tree would make its file look young.
  for (const { path } of plan.files) removeUntouched(cache.folder, path, plan.horizon);
  if (plan.files.length > 0) await dropForgotten(cache.blobs, cache.database);
  for (const digest of plan.layers) removeLayer(cache, digest, plan.horizon);
  for (const { path } of plan.mirrors) removeMirror(cache, path);
  for (const state of plan.states) await cache.states.remove(state);
  for (const { path } of plan.folders) removeWhole(cache, path);
  await cache.database.records.flushed;
}

/** `run` is where the removal is noted; null when there is no journal from which the answer could come back. */
async function removeAnswers(
  cache: Cache,
  units: Unit[],
  stages: StageUnit[],
  run: string | null,
): Promise<void> {
  const { database } = cache;
  const answers = units.filter((unit) => unit.kind === 'answer').map((unit) => unit.name as ActionKey);
  if (answers.length > 0 && run !== null) tellRemoved(cache, answers, run);
  const writes = new Pending();
  for (const { key } of stages)
    await writes.add(
      database.stages.remove(binaryKey(key)),
      database.uses.remove(binaryKey(key)),
      database.memos.remove(`verified ${key}`),
    );
  const runs = new Map(units.map(({ name, run: made }) => [name, made]));
  for (const key of answers) await writes.add(removeAnswer(database, key, runs.get(key)!));
  await writes.settled();
  const isKnown = (key: ActionKey) => database.records.doesExist(binaryKey(key));
  for (const [address, { key, earlier = [], ok }] of [...latestOf(database)]) {
    const keys = [key, ...earlier, ...(ok === undefined ? [] : [ok])];
    if (!keys.some(isKnown)) await writes.add(database.latest.remove(address));
  }
  if (stages.length > 0) await dropTraces(database, [...keptStages(database, stages)]);
  for (const unit of units) if (unit.kind === 'source') await writes.add(database.memos.remove(unit.name));
  await writes.settled();
  if (answers.length > 0) {
    await noteRemovals(database);
    await dropAbsences(database);
  }
  await database.records.flushed;
}

/** Removes an answer, unless a build has given another one since gc looked: both happen in one transaction. */
function removeAnswer(database: Database, key: ActionKey, run: string): Promise<unknown> {
  const binary = binaryKey(key);
  return database.records.transaction(() => {
    if (database.records.get(binary)?.run !== run) return;
    void database.preimages.remove(binary);
    void database.uses.remove(binary);
    void database.records.remove(binary);
  });
}

function latestOf({ latest }: Database): Map<string, Latest> {
  return new Map([...latest.getRange({ snapshot: false })].map(({ key, value }) => [key, value]));
}

function* keptStages(database: Database, gone: readonly StageUnit[]): Generator<StageRecord> {
  const removed = new Set<string>(gone.map(({ key }) => key));
  for (const { key, value } of database.stages.getRange({ snapshot: false }))
    if (!removed.has(key.toString('hex')) && value.trace !== undefined) yield value;
}

/** Journals still have these answers, so a rebuild of the database from journals must leave them out. */
function tellRemoved(cache: Cache, keys: ActionKey[], run: string): void {
  const folder = join(cache.folder.runs, run);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, REMOVED_FILE), keys.map((key) => `${JSON.stringify({ key })}\n`).join(''));
}

/**
 * Removes an unused layer. Leases are read once it is renamed away. A process that opens a layer notes it
 * before it looks for it, and a process that adds an existing layer touches its manifest first. So they find it gone,
 * or gc sees them.
 */
function removeLayer(cache: Cache, digest: Digest, horizon: number): void {
  const { folder } = cache;
  const manifest = manifestPath(folder, digest);
  const tree = join(folder.trees, digest);
  const before = statSync(manifest, { throwIfNoEntry: false });
  if ((before !== undefined && before.ctimeMs >= horizon) || isLeased(cache, digest)) return;
  const movedManifest = moveAway(folder, manifest);
  const movedTree = moveAway(folder, tree);
  faultPoint('gc-layer-moved');
  const isTouched = movedManifest !== null && !isSame(before!, statSync(movedManifest));
  if (isTouched || existsSync(manifest) || isLeased(cache, digest)) {
    moveBack(movedTree, tree);
    moveBack(movedManifest, manifest);
    return;
  }
  for (const moved of [movedTree, movedManifest])
    if (moved !== null) rmSync(moved, { recursive: true, force: true });
}

function isLeased({ database }: Cache, digest: Digest): boolean {
  return readLeases(database.presence!, true).some(({ names }) => names.includes(digest));
}

function removeMirror(cache: Cache, path: string): void {
  const lock = cache.locks.take(sourceLock(path));
  if (lock === null) return;
  removeWhole(cache, path);
  lock.unlock();
}

/** Out of sight by one rename, so that nothing is ever seen half removed. */
function removeWhole(cache: Cache, path: string): void {
  const moved = moveAway(cache.folder, path);
  if (moved !== null) rmSync(moved, { recursive: true, force: true });
}
