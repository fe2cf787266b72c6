/**
 * What lies in a cache: answers with what they name and when they were last of use, finished stages, layers, files.
 * gc decides from it what may go.
 */

import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ActionKey, type Digest, isDigest } from '../basics/digest.ts';
import { namesIn } from '../basics/folder.ts';
import { jsonObject } from '../basics/json.ts';
import { readableText } from '../basics/readable.ts';
import type { ActionRecord, Output } from '../schemas/record.ts';
import type { Cache } from './cache.ts';
import { type CacheFolder, SHARDS } from './folder.ts';
import { parseManifest } from './layer-manifest.ts';
import { manifestPath, poolNames } from './layer-store.ts';
import { blobsOfOutput } from './pieces.ts';
import { type ItemList, parseLists } from './stage-manifest.ts';

/** An answer, or the memory of a fetched source: they are removed as one when they are not needed. */
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
  /** Blobs that list its items, see stage-manifest.ts; the manifest itself when it is short. */
  lists: Digest[];
}

/** Keys in every list of items that a finished stage names: none for one that cannot be read. */
export type ItemLists = Map<Digest, ActionKey[]>;

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
    units.push(answerUnit(name, value, last, cache));
  }
  for (const { key, value } of database.memos.getRange({ start: 'source tree', end: 'source tree~' })) {
    const layer = jsonObject<{ layer?: Digest }>(String(value))?.layer ?? null;
    if (layer === null) continue;
    const usedAt = statSync(manifestPath(folder, layer), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    units.push({ name: key, kind: 'source', usedAt, blobs: [], layers: [layer], isOk: true, run: '' });
  }
  return units;
}

/** Every finished stage, and the lists of items that they share. */
export function listStages(cache: Cache): { stages: StageUnit[]; lists: ItemLists } {
  const stages: StageUnit[] = [];
  const lists: ItemLists = new Map();
  for (const { key, value } of cache.database.stages.getRange({ snapshot: false })) {
    const manifest = value.manifest.digest;
    stages.push({
      key: Buffer.from(key).toString('hex') as ActionKey,
      usedAt: cache.database.uses.get(key) ?? 0,
      manifest,
      lists: manifestLists(cache, manifest),
    });
    for (const list of stages.at(-1)!.lists) if (!lists.has(list)) lists.set(list, keysIn(cache, list));
  }
  return { stages, lists };
}

/** The blobs that list the items of a manifest; the manifest itself when it is short. */
export function manifestLists(cache: Cache, manifest: Digest): Digest[] {
  const lists = itemLists(cache, manifest);
  return lists.length === 0 ? [manifest] : lists.map(({ digest }) => digest);
}

/** The lists that a manifest names, its content not checked. */
export function itemLists(cache: Cache, manifest: Digest): ItemList[] {
  return parseLists(readableText(cache.blobs.path(manifest)));
}

/** Keys that a list of items names; none when it is gone. */
export function keysIn(cache: Cache, list: Digest): ActionKey[] {
  const text = readableText(cache.blobs.path(list));
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
    const entries = parseManifest(readableText(path));
    const names = poolNames(entries);
    const files = new Map<string, number>();
    for (const [index, entry] of entries.entries())
      if (entry.type === 'file') files.set(names[index]!, entry.size);
    layers.set(digest, { usedAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0, files });
  }
  return layers;
}

/** What gc and verify look at of a file: a hundred thousand of these are held. */
export interface ShardFile {
  path: string;
  size: number;
  ctimeMs: number;
}

/** Files of a sharded folder by name. */
export function listShards(root: string): Map<string, ShardFile> {
  const files = new Map<string, ShardFile>();
  for (const shard of SHARDS) {
    for (const name of namesIn(join(root, shard))) {
      const path = join(root, shard, name);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat !== undefined) files.set(name, { path, size: stat.size, ctimeMs: stat.ctimeMs });
    }
  }
  return files;
}

function answerUnit(name: string, record: ActionRecord, last: number, cache: Cache): Unit {
  const outputs: Output[] = [...Object.values(record.outputs), ...Object.values(record.notes)];
  return {
    name,
    kind: 'answer',
    usedAt: Math.max(record.startedAt + record.durationMs, last),
    blobs: outputs.flatMap((output) => blobsOfOutput(cache, output).map(({ digest }) => digest)),
    layers: outputs.flatMap((output) => (output.kind === 'layer' ? [output.digest] : [])),
    isOk: record.outcome.status === 'ok',
    run: record.run,
  };
}
