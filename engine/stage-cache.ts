/**
 * Whole stages in the cache: a stage with unchanged inputs and an unchanged trace is found by one look-up, however
 * many items it has. Its manifest is read only when an item is needed.
 */

import type { ActionKey, Digest } from '../basics/digest.ts';
import { isRefusal } from '../basics/disk.ts';
import { faultPoint } from '../basics/fault-point.ts';
import { type Cache, isPresent, lookUpStage, rememberAnswer } from '../cache/cache.ts';
import { binaryKey } from '../cache/database.ts';
import { actionKey, type Part } from '../cache/key.ts';
import { Pending } from '../cache/pending.ts';
import { type ItemList, parseLists, readItems } from '../cache/stage-manifest.ts';
import { type Asked, keepTrace, traceEnd } from '../cache/traces.ts';
import { noteUse } from '../cache/uses.ts';
import type { Entry, Stage, StageNode } from '../contract/stage.ts';
import type { StageRecord } from '../schemas/record.ts';
import type { NodeState } from './node-state.ts';

/** The key at which the traces of a node begin, over its inputs' Merkle roots. */
export function stageKey(stage: Stage, node: StageNode, roots: Record<string, Digest>): ActionKey {
  // Which question a trace begins with depends on the node.
  const parts: Record<string, Part> = { node: { value: node.address } };
  for (const [role, digest] of Object.entries(roots)) parts[`input ${role}`] = { digest };
  return actionKey({ domain: 'stage', stage: stage.name, version: stage.version, parts });
}

/**
 * Writes a finished stage's manifest, then its record and the trace by which it is found, in one transaction. Nothing is
 * written if the presence `holder` was ended meanwhile: some of its answers may be gone.
 */
export async function publishStage(
  cache: Cache,
  state: NodeState,
  { manifest: text, base, trace }: { manifest: string; base: ActionKey; trace: Asked[] },
  holder: string,
): Promise<Digest> {
  const manifest = cache.blobs.write(text);
  const record: StageRecord = {
    manifest,
    root: state.root!,
    counts: { ...state.counts },
    items: state.size(),
    durationMs: Date.now() - state.startedAt,
    base,
    trace,
  };
  const key = traceEnd(base, trace);
  await cache.blobs.settled();
  cache.blobs.refuseLost([manifest, ...parseLists(text)]);
  faultPoint('stage-before');
  noteUse(cache.database, key);
  const isHeld = await cache.database.commit(holder, () => [
    keepTrace(cache.database, base, trace),
    cache.database.stages.put(binaryKey(key), record),
  ]);
  if (!isHeld) {
    cache.database.presence?.refused(holder);
    return manifest.digest;
  }
  faultPoint('stage-after');
  cache.remote?.pushStage(key, true);
  return manifest.digest;
}

/** The finished stage under `key`, unless something that it relies on is gone. */
export function findStage(cache: Cache, key: ActionKey): StageRecord | null {
  return lookUpStage(cache, key);
}

/** A finished stage's items; none when the manifest is damaged, so that nothing is taken for answered. */
export function readManifest(cache: Cache, record: StageRecord): Entry[] {
  const items = readItems(cache.blobs, record.manifest.digest);
  return items?.length === record.items ? items : [];
}

/** The blobs that list a finished stage's items: its manifest, or those that it names. */
export function readLists({ blobs }: Cache, { manifest, items }: StageRecord): ItemList[] {
  const lists = parseLists(blobs.read(manifest.digest)?.toString('utf8') ?? '');
  return lists.length === 0 ? [{ ...manifest, items }] : lists;
}

/**
 * Remembers that a project uses the answers of a finished stage, which another project or an earlier state of it has made: `why` compares
 * with them. `address`: of the stage in the project.
 */
export async function rememberStage(
  cache: Cache,
  address: string,
  record: StageRecord,
  addressOf: (item: string) => string,
): Promise<void> {
  const { memos, readOnly } = cache.database;
  if (readOnly || memos.get(usedName(address)) === record.manifest.digest) return;
  await rememberEntries(cache, readManifest(cache, record), addressOf);
  await noteUsed(cache, address, record.manifest.digest);
}

/** Each item of the stage is remembered as this list has it. */
export async function noteUsed(
  { database: { memos } }: Cache,
  address: string,
  manifest: Digest,
): Promise<void> {
  // It is for people: a full disk refuses it.
  await memos.put(usedName(address), manifest).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
  });
}

function usedName(address: string): string {
  return `used ${address}`;
}

/** Whether an item is remembered with this answer. */
export function isRemembered({ database: { latest } }: Cache, address: string, { key }: Entry): boolean {
  return latest.get(address)?.key === key;
}

/** The same of some of its items. */
export async function rememberEntries(
  cache: Cache,
  entries: readonly Entry[],
  addressOf: (item: string) => string,
): Promise<void> {
  const writes = new Pending();
  for (const { name, key } of entries) {
    const record = key === null ? undefined : cache.database.records.get(binaryKey(key));
    if (record !== undefined) await writes.add(rememberAnswer(cache, addressOf(name), key!, record));
  }
  await writes.settled();
}

/** True when every item's answer is the one that the stage saw, and its outputs are there. A look-up and a stat an item. */
export function outputsArePresent(cache: Cache, entries: Entry[]): boolean {
  if (entries.length === 0) return false;
  return entries.every((entry) => {
    const record = entry.key === null ? undefined : cache.database.records.get(binaryKey(entry.key));
    if (record === undefined || record.digest !== entry.digest) return false;
    return Object.values(record.outputs).every((output) => isPresent(cache, output));
  });
}
