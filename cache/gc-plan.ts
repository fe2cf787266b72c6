/**
 * Decides what gc removes. Answers go by age, by size (least recently used first) or because they are failures,
 * never while a running process or a kept run uses them. Files go when no answer is left that names them.
 */
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Digest } from '../basics/digest.ts';
import type { Cache } from './cache.ts';
import { type CacheFolder, temporaryPath } from './folder.ts';
import { gcFolders } from './gc-folders.ts';
import type { GcLimits, Loose } from './gc-limits.ts';
import {
  type ItemLists,
  keysIn,
  listLayers,
  listShards,
  listStages,
  listUnits,
  manifestLists,
  type StageUnit,
  type Unit,
} from './inventory.ts';
import { readLeases } from './lease.ts';
import { References } from './references.ts';
import { runTime } from './run-folders.ts';
import type { StateUnit } from './states.ts';
import { USE_MS } from './uses.ts';

export interface GcPlan {
  units: Unit[];
  stages: StageUnit[];
  layers: Digest[];
  /** Blobs and files of the pool. */
  files: Loose[];
  mirrors: Loose[];
  states: StateUnit[];
  /** Run folders, quarantine and damaged databases. */
  folders: Loose[];
  /** A journal stays that holds more answers than are left. */
  keepsJournals: boolean;
  /** Bytes of all that gc could remove, before and after. */
  before: number;
  after: number;
  /** Other processes that have the cache open. */
  active: number;
  /** What changed after this moment (milliseconds) may be in the making. */
  horizon: number;
}

/** What running processes use: keys and digests, finished stages expanded into their items. */
export function namesInUse(cache: Cache): { names: Set<string>; since: number; processes: number } {
  const { presence } = cache.database;
  const held = presence === null ? [] : readLeases(presence, true);
  const names = new Set(held.flatMap((lease) => lease.names));
  const lists = new Set(held.flatMap((lease) => lease.lists));
  for (const name of [...names]) {
    const stage = cache.database.stages.get(Buffer.from(name, 'hex'));
    if (stage === undefined) continue;
    names.add(stage.manifest.digest);
    for (const list of manifestLists(cache, stage.manifest.digest)) lists.add(list);
  }
  for (const list of lists) {
    names.add(list);
    for (const key of keysIn(cache, list)) names.add(key);
  }
  const since = Math.min(...held.map((lease) => lease.startedAt - 2000));
  return { names, since, processes: held.length };
}

/** What would go now. Reads everything, changes nothing. */
export function planGc(cache: Cache, limits: GcLimits, runs: readonly string[], now: number): GcPlan {
  const { folder } = cache;
  const began = momentOf(folder);
  const { names, since, processes } = namesInUse(cache);
  const units = listUnits(cache);
  const { stages, lists } = listStages(cache);
  shareUses(units, stages, lists, now);
  const blobs = listShards(folder.blobs);
  const pool = listShards(folder.pool);
  const references = new References({
    units,
    stages,
    lists,
    layers: listLayers(folder),
    blobs,
    pool,
    names,
  });
  const keptSince = oldestKept(runs, limits.keepRuns);
  const isFree = (unit: Unit) => !names.has(unit.name) && !unit.layers.some((layer) => names.has(layer));
  const isKept = (unit: Unit) => !isFree(unit) || unit.usedAt >= keptSince;
  const cutoff = limits.maxAge === null ? Number.NEGATIVE_INFINITY : now - limits.maxAge;
  for (const unit of units) {
    const tooOld = unit.usedAt < cutoff && !isKept(unit);
    if (tooOld || (limits.failed && !unit.isOk && isFree(unit))) references.release(unit);
  }
  for (const stage of stages)
    if (stage.usedAt < cutoff && stage.usedAt < keptSince && !names.has(stage.key))
      references.releaseStage(stage);
  const rest = gcFolders(cache, { names, keptSince, limits, runs, cutoff, horizon: since, now });
  const before = references.before + rest.bytes;
  const mirrors = [...rest.mirrors.old];
  const states = [...rest.states.old];
  let size = references.bytes + rest.bytes - sizeOfAll([...mirrors, ...states]);
  // A first state is made again in a second, while an answer may have taken hours.
  for (const state of rest.states.other) {
    if (limits.maxSize === null || size <= limits.maxSize) break;
    states.push(state);
    size -= state.bytes;
  }
  const queue = [
    ...references.left().map((unit) => ({ usedAt: unit.usedAt, unit, mirror: null })),
    ...rest.mirrors.other.map((mirror) => ({ usedAt: mirror.usedAt, unit: null, mirror })),
  ].sort((a, b) => a.usedAt - b.usedAt || weightOf(references, b) - weightOf(references, a));
  for (const { unit, mirror } of queue) {
    if (limits.maxSize === null || size <= limits.maxSize) break;
    if (unit !== null && isKept(unit)) continue;
    if (mirror !== null) {
      mirrors.push(mirror);
      size -= mirror.bytes;
    } else size -= references.release(unit!);
  }
  const folders = rest.folders(new Set(references.left().map((unit) => unit.run)));
  // A process that opens the cache from now on may use things that are unused yet.
  const horizon = Math.min(since, began);
  const loose = [...references.looseBlobs(), ...references.loosePool()]
    .filter(({ ctimeMs }) => ctimeMs < horizon)
    .map(({ path, size }) => ({ path, bytes: size }));
  const freed = sizeOfAll([...loose, ...mirrors, ...states, ...folders]);
  return {
    units: references.released,
    stages: references.releasedStages,
    layers: references.unusedLayers(),
    files: loose,
    mirrors,
    states,
    folders,
    keepsJournals: folders.filter(({ path }) => runs.includes(basename(path))).length < runs.length,
    before,
    after: before - freed,
    active: processes,
    horizon,
  };
}

/** Now, as the cache's file system tells the time, which lags behind the clock. */
function momentOf(folder: CacheFolder): number {
  const path = temporaryPath(folder);
  writeFileSync(path, '');
  try {
    return statSync(path).ctimeMs;
  } finally {
    rmSync(path);
  }
}

function sizeOfAll(found: readonly { bytes: number }[]): number {
  return found.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** An answer was used whenever a finished stage with it was used; times in the future do not count. */
function shareUses(units: Unit[], stages: StageUnit[], lists: ItemLists, now: number): void {
  const byKey = new Map<string, Unit>(units.map((unit) => [unit.name, unit]));
  for (const unit of units) unit.usedAt = Math.min(unit.usedAt, now);
  const usedAt = new Map<Digest, number>();
  for (const stage of stages) {
    stage.usedAt = Math.min(stage.usedAt, now);
    for (const list of stage.lists) usedAt.set(list, Math.max(usedAt.get(list) ?? 0, stage.usedAt));
  }
  for (const [list, used] of usedAt) {
    for (const key of lists.get(list)!) {
      const unit = byKey.get(key);
      if (unit !== undefined) unit.usedAt = Math.max(unit.usedAt, used);
    }
  }
}

/** Start of the oldest of the newest `keep` runs; a use is noted once a day, so a day earlier. */
function oldestKept(runs: readonly string[], keep: number | null): number {
  if (keep === null || keep === 0) return Number.POSITIVE_INFINITY;
  const oldest = runs.slice(0, keep).at(-1);
  return oldest === undefined ? Number.POSITIVE_INFINITY : runTime(oldest) - USE_MS;
}

/** Of what was used equally long ago the largest goes first. */
function weightOf(references: References, one: { unit: Unit | null; mirror: Loose | null }): number {
  return one.unit === null ? one.mirror!.bytes : references.weight(one.unit);
}
