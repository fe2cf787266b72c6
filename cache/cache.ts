/**
 * The cache as the engine sees it: look a key up, publish an answer. A hit is checked before it is used: all its
 * outputs must exist. An answer is published after its blobs, so no record ever names a missing blob.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../basics/canonical.ts';
import { type ActionKey, type Digest, digestOf } from '../basics/digest.ts';
import { isRefusal, isWritable } from '../basics/disk.ts';
import { faultPoint } from '../basics/fault-point.ts';
import type { Outcome } from '../schemas/outcome.ts';
import type { ActionRecord, Output, StageRecord } from '../schemas/record.ts';
import { noteAbsences } from './absences.ts';
import { BlobStore } from './blobs.ts';
import { binaryKey, type Database, isWhole, noteWhole, openDatabase } from './database.ts';
import {
  type CacheFolder,
  cacheFolder,
  isWholeFolder,
  makeCacheFolder,
  makeFolder,
  sweepTemporary,
} from './folder.ts';
import { withAnswer } from './history.ts';
import { digestOfList, type Preimage } from './key.ts';
import { Locks } from './key-lock.ts';
import { createLayerStore } from './layer-store.ts';
import type { LayerStore } from './layers.ts';
import { blobsOfOutput, readPieces } from './pieces.ts';
import { Ended, type PresenceTimes } from './presence.ts';
import type { RemoteCache } from './remote/remote.ts';
import { noteRemovals } from './removals.ts';
import { refuseClosed, type Share, sharedMask, shareWithGroup } from './share.ts';
import { StateStore } from './states.ts';
import { trackedLayers } from './uses.ts';

/** Larger outputs become blobs: above this size (bytes) LMDB is slower than files and never gives the space back. */
const INLINE_LIMIT = 16 * 1024;

export interface Cache {
  folder: CacheFolder;
  blobs: BlobStore;
  layers: LayerStore;
  states: StateStore;
  /** Layers of images and other roots. */
  bases: StateStore;
  database: Database;
  locks: Locks;
  /** While a run is under way whose project names a remote cache. */
  remote: RemoteCache | null;
  close(): Promise<void>;
}

/**
 * Opens the cache at `root`, making it when it is not there, and sweeps what dead processes left. While a cache that is shared
 * is open, what this process makes is open to its group; see share.ts.
 */
export async function openCache(root: string, times?: PresenceTimes, share: Share = 'none'): Promise<Cache> {
  refuseClosed(root);
  if (share === 'group') {
    makeFolder(root, 0o700);
    shareWithGroup(root);
  }
  const folder = cacheFolder(root);
  const mask = folder.isShared ? process.umask() : null;
  if (mask !== null) process.umask(sharedMask(mask));
  try {
    return await openAt(folder, times, () => void (mask !== null && process.umask(mask)));
  } catch (error) {
    if (mask !== null) process.umask(mask);
    throw error;
  }
}

/** `closed` is called when the cache is closed. */
async function openAt(
  folder: CacheFolder,
  times: PresenceTimes | undefined,
  closed: () => void,
): Promise<Cache> {
  if (!existsSync(join(folder.pool, 'ff'))) makeCacheFolder(folder);
  if (isWritable(folder.database)) {
    if (!isWholeFolder(folder)) makeCacheFolder(folder);
    sweepTemporary(folder);
  }
  const database = await openDatabase(folder.database, times);
  if (!database.readOnly && !isWhole(database)) {
    const { rebuildRecords } = await import('./rebuild.ts');
    const found = await rebuildRecords(folder.runs, database);
    await noteWhole(database);
    // A kill may have come between the damage and this.
    const damage = database.setAside ?? (found > 0 ? 'the database was gone, or not complete' : null);
    if (damage !== null)
      database.setAside = `${damage}; ${found} answers were made again from the runs' journals`;
  }
  const locks = new Locks(folder.locks, database.presence);
  if (!database.readOnly) locks.sweep();
  const states = new StateStore(folder, database, locks);
  const bases = new StateStore(folder, database, locks, 'bases');
  const blobs = new BlobStore(folder);
  return {
    folder,
    blobs,
    layers: trackedLayers(createLayerStore(folder), folder, database.lease),
    states,
    bases,
    database,
    locks,
    remote: null,
    close: async () => {
      await states.settled();
      await bases.settled();
      await blobs.settled();
      await database.close();
      closed();
    },
  };
}

/** The name under which this process works on the cache now; see presence.ts. */
export function holderOf({ database }: Pick<Cache, 'database'>): string {
  return database.presence?.name ?? '';
}

/** The record of `key` if everything that it names is there, else null. */
export function lookUp(cache: Cache, key: ActionKey): ActionRecord | null {
  const record = readRecord(cache, key);
  if (record === null) return null;
  cache.database.lease.use(key);
  return Object.values(record.outputs).every((output) => isPresent(cache, output)) ? record : null;
}

/**
 * What lies under `key`; null also for what is no record, such as one of another version.
 * @throws when the database cannot be read: that is no miss.
 */
function readRecord(cache: Cache, key: ActionKey): ActionRecord | null {
  const record = cache.database.records.get(binaryKey(key));
  return typeof record?.outputs === 'object' && typeof record.digest === 'string' ? record : null;
}

/** True when the output can be read. */
export function isPresent(cache: Cache, output: Output): boolean {
  switch (output.kind) {
    case 'inline':
      return true;
    case 'blob':
      return cache.blobs.has(output);
    case 'pieces':
      return (
        cache.blobs.has(output) &&
        (readPieces(cache.blobs, output.digest)?.every((piece) => cache.blobs.has(piece)) ?? false)
      );
    case 'layer':
      return [cache.folder.trees, ...cache.folder.othersTrees].some((trees) =>
        existsSync(join(trees, output.digest)),
      );
  }
}

/** Stores text as an output, inline when it is small. */
export function storeText(cache: Cache, text: string): Output {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= INLINE_LIMIT) return { kind: 'inline', digest: digestOf(bytes), text };
  return { kind: 'blob', ...cache.blobs.write(bytes) };
}

/** The text of an output, or null when a blob of it is gone or damaged, or when it is a layer. */
export async function readText(cache: Cache, output: Output | undefined): Promise<string | null> {
  if (output === undefined || output.kind === 'layer') return null;
  if (output.kind === 'inline') return digestOf(output.text) === output.digest ? output.text : null;
  const blobs = output.kind === 'blob' ? [output] : readPieces(cache.blobs, output.digest);
  const texts = blobs?.map(({ digest }) => cache.blobs.read(digest)?.toString('utf8')) ?? [undefined];
  return texts.includes(undefined) ? null : texts.join('');
}

/** An output of an earlier answer is gone or damaged. The next build finds that out, and makes it again. */
export class LostOutput extends Error {
  constructor(what: string) {
    super(`${what} is gone from the cache, or damaged; the next build makes it again`);
  }
}

/** As {@link readText}; null only when there is no output. @throws LostOutput, so that it is not mistaken for none. */
export async function needText(cache: Cache, output: Output | undefined): Promise<string | null> {
  const text = await readText(cache, output);
  if (text === null && output !== undefined)
    throw new LostOutput(`an output of an answer, ${output.digest},`);
  return text;
}

/**
 * The part of an answer that counts in keys: its outcome with the reason, and its outputs, never its logs or timings.
 */
export function recordDigest(outcome: Outcome, outputs: Record<string, Output>): Digest {
  const names = Object.keys(outputs).sort();
  const reason = 'reason' in outcome ? [outcome.reason, outcome.detail] : [];
  const parts = names.flatMap((name) => [name, outputs[name]!.digest]);
  return digestOfList('record', [outcome.status, ...reason, ...parts]);
}

/**
 * Writes an answer; `address` is what `latest` remembers it under, and `holder` the name of the presence under which it
 * was begun, null for one that was made elsewhere.
 * @throws Ended when others have ended that presence meanwhile.
 */
export async function publish(
  cache: Cache,
  address: string,
  key: ActionKey,
  preimage: Preimage,
  record: ActionRecord,
  holder: string | null = holderOf(cache),
): Promise<void> {
  const binary = binaryKey(key);
  const { records, preimages, latest, lease } = cache.database;
  lease.use(key);
  await cache.blobs.settled();
  const outputs = [...Object.values(record.outputs), ...Object.values(record.notes)];
  cache.blobs.refuseLost(outputs.flatMap((output) => blobsOfOutput(cache, output)));
  const before = records.get(binary);
  const answered = { key, run: record.run, isOk: record.outcome.status === 'ok' };
  // Collections that were found complete with the answer that this one replaces are checked again; both are written
  // together.
  const replaces = before !== undefined && before.digest !== record.digest;
  faultPoint('record-before');
  const [isHeld] = await Promise.all([
    cache.database.commit(holder, () => [
      records.put(binary, record),
      preimages.put(binary, preimage),
      latest.put(address, withAnswer(latest.get(address), answered)),
      ...noteAbsences(cache.database, preimage.stage, key, record),
    ]),
    ...(replaces ? [noteRemovals(cache.database)] : []),
  ]);
  if (!isHeld) {
    cache.database.presence?.refused(holder ?? '');
    throw new Ended();
  }
  faultPoint('record-after');
  cache.remote?.push(key, true);
}

/**
 * Remembers in `latest` that an item uses the answer under its key, which another item may have made. This is for
 * people, and the answer is valid without it: on a full disk nothing is written.
 */
export async function rememberAnswer(
  { database: { latest } }: Cache,
  address: string,
  key: ActionKey,
  record: ActionRecord,
): Promise<void> {
  const before = latest.get(address);
  if (before?.key === key) return;
  const answered = { key, run: record.run, isOk: record.outcome.status === 'ok' };
  await latest.put(address, withAnswer(before, answered)).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
  });
}

/** The record of a finished stage, if its manifest is there. */
export function lookUpStage(cache: Cache, key: ActionKey): StageRecord | null {
  const record = cache.database.stages.get(binaryKey(key));
  if (record === undefined) return null;
  cache.database.lease.use(key);
  return cache.blobs.has(record.manifest) ? record : null;
}

/** A memo's name from structured values, short enough for LMDB. */
export function memoName(kind: string, value: unknown): string {
  return `${kind} ${digestOf(canonicalJson(value))}`;
}
