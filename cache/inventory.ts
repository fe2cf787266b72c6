/**
 * What lies in a cache: answers with what they name and when they were last of use, finished stages, layers, files.
 * gc decides from it what may go.
 */
import { lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ActionKey, type Digest, isDigest } from '../schemas/digest.ts';
import type { ActionRecord, Output } from '../schemas/record.ts';
import type { Cache } from './cache.ts';
import { type CacheFolder, SHARDS } from './folder.ts';
import { parseManifest } from './layer-manifest.ts';
import { manifestPath, poolNames } from './layer-store.ts';

/** An answer, or the memory of a fetched source: what goes as one when nobody needs it. */
export interface Unit {
  /** A record's key, or the name of a source's memo. */
  name: string;
  kind: 'answer' | 'source';
  /** Milliseconds. */
  usedAt: number;
  blobs: Digest[];
  layers: Digest[];
  isOk: boolean;
  run: string;
}

export interface StageUnit {
  key: ActionKey;
  usedAt: number;
  manifest: Digest;
  items: ActionKey[];
}

export interface LayerUnit {
  usedAt: number;
  /** Pool name -> bytes. */
  files: Map<string, number>;
}

/** Every answer and every remembered source. */
export function listUnits(cache: Cache): Unit[] {
  const { database, folder } = cache;
  const units: Unit[] = [];
  for (const { key, value } of database.records.getRange({ snapshot: false })) {
    const name = Buffer.from(key).toString('hex');
    const last = database.uses.get(key) ?? 0;
    units.push(answerUnit(name, value, last));
  }
  for (const { key, value } of database.memos.getRange({ start: 'source tree', end: 'source tree~' })) {
    const layer = layerOfMemo(value);
    if (layer === null) continue;
    const usedAt = statSync(manifestPath(folder, layer), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    units.push({ name: key, kind: 'source', usedAt, blobs: [], layers: [layer], isOk: true, run: '' });
  }
  return units;
}

/** Every finished stage whose manifest can be read. */
export function listStages(cache: Cache): StageUnit[] {
  const stages: StageUnit[] = [];
  for (const { key, value } of cache.database.stages.getRange({ snapshot: false })) {
    stages.push({
      key: Buffer.from(key).toString('hex') as ActionKey,
      usedAt: cache.database.uses.get(key) ?? 0,
      manifest: value.manifest.digest,
      items: manifestKeys(cache, value.manifest.digest),
    });
  }
  return stages;
}

/** Keys that a stage's manifest names; none when it is gone. */
export function manifestKeys(cache: Cache, digest: Digest): ActionKey[] {
  const text = textOf(cache.blobs.path(digest));
  // The key is the second member of each line; finding it costs less than parsing a hundred thousand outcomes.
  return [...text.matchAll(/^\["(?:[^"\\]|\\.)*","([0-9a-f]{64})"/gm)].map(([, key]) => key as ActionKey);
}

/** Every layer with a manifest. */
export function listLayers(folder: CacheFolder): Map<Digest, LayerUnit> {
  const layers = new Map<Digest, LayerUnit>();
  for (const name of readdirSync(folder.trees)) {
    const digest = name.replace(/\.manifest$/, '');
    if (!isDigest(digest) || layers.has(digest)) continue;
    const path = manifestPath(folder, digest);
    const entries = parseManifest(textOf(path));
    const names = poolNames(entries);
    const files = new Map<string, number>();
    for (const [index, entry] of entries.entries())
      if (entry.type === 'file') files.set(names[index]!, entry.size);
    layers.set(digest, { usedAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0, files });
  }
  return layers;
}

/** Files of a sharded folder by name. */
export function listShards(root: string): Map<string, { path: string; stat: Stats }> {
  const files = new Map<string, { path: string; stat: Stats }>();
  for (const shard of SHARDS) {
    for (const name of namesIn(join(root, shard))) {
      const path = join(root, shard, name);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat !== undefined) files.set(name, { path, stat });
    }
  }
  return files;
}

/** Bytes of the files below `path`. */
export function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  return namesIn(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

export function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function answerUnit(name: string, record: ActionRecord, last: number): Unit {
  const outputs: Output[] = [...Object.values(record.outputs), ...Object.values(record.notes)];
  return {
    name,
    kind: 'answer',
    usedAt: Math.max(record.startedAt + record.durationMs, last),
    blobs: outputs.flatMap((output) => (output.kind === 'blob' ? [output.digest] : [])),
    layers: outputs.flatMap((output) => (output.kind === 'layer' ? [output.digest] : [])),
    isOk: record.outcome.status === 'ok',
    run: record.run,
  };
}

function layerOfMemo(value: unknown): Digest | null {
  try {
    return (JSON.parse(value as string) as { layer: Digest }).layer;
  } catch {
    return null;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
