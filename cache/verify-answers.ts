/** Checks answers and finished stages: that they are what they say, and that what they name is there. */

import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { whenDamaged } from '../basics/absent.ts';
import { type ActionKey, type Digest, digestOf, isDigest } from '../basics/digest.ts';
import { mapLimit } from '../basics/map-limit.ts';
import type { ActionRecord, Output, StageRecord } from '../schemas/record.ts';
import { type Blob, type BlobStore, digestOfFile } from './blobs.ts';
import { type Cache, recordDigest } from './cache.ts';
import { binaryKey, type Database } from './database.ts';
import { itemLists, listShards } from './inventory.ts';
import { actionKey } from './key.ts';
import { hasLayer } from './layer-store.ts';
import { blobsOfOutput } from './pieces.ts';
import { type CacheProblem, quarantine } from './problem.ts';
import { noteRemovals } from './removals.ts';
import { type ItemList, parseLists, readList } from './stage-manifest.ts';

/** Names of blobs that are not what they should be. */
export type BadBlobs = ReadonlySet<string>;

/** Checks blobs by name and, with `rehash`, by content; sizes are checked against what names them. */
export async function verifyBlobs(
  cache: Cache,
  rehash: boolean,
): Promise<{ problems: CacheProblem[]; bad: BadBlobs; checked: number }> {
  const problems: CacheProblem[] = [];
  const bad = new Set<string>();
  const sizes = expectedSizes(cache);
  const blobs = [...listShards(cache.folder.blobs)];
  await mapLimit(blobs, 8, async ([name, { path, size }]) => {
    const fault = await blobFault(name, path, size, sizes.get(name), rehash);
    if (fault === null) return;
    bad.add(name);
    problems.push({
      kind: 'blob',
      where: `blobs/${name.slice(0, 2)}/${name}`,
      detail: fault,
      repair: () => quarantine(cache.folder, path),
    });
  });
  return { problems, bad, checked: blobs.length };
}

/** Looks at the disk: a build may have written the blob after {@link verifyBlobs} looked. */
function isSound({ blobs }: Cache, { digest, size }: Partial<Blob>, bad: BadBlobs): boolean {
  if (digest === undefined || bad.has(digest)) return false;
  return statSync(blobs.path(digest), { throwIfNoEntry: false })?.size === size;
}

async function blobFault(
  name: string,
  path: string,
  size: number,
  expected: number | undefined,
  rehash: boolean,
): Promise<string | null> {
  if (!isDigest(name) || basename(path) !== name) return 'is not a blob';
  if (expected !== undefined && expected !== size) return `has ${size} of ${expected} bytes`;
  if (rehash && (await digestOfFile(path).catch(whenDamaged(null))) !== name)
    return 'its content is not what its name says';
  return null;
}

function expectedSizes(cache: Cache): Map<string, number> {
  const { database } = cache;
  const sizes = new Map<string, number>();
  for (const { value } of database.records.getRange({ snapshot: false }))
    for (const output of outputsOf(value))
      for (const { digest, size } of blobsOfOutput(cache, output)) sizes.set(digest, size);
  for (const { value } of database.stages.getRange({ snapshot: false })) {
    if (value?.manifest === undefined) continue;
    sizes.set(value.manifest.digest, value.manifest.size);
    for (const list of itemLists(cache, value.manifest.digest)) sizes.set(list.digest, list.size);
  }
  return sizes;
}

function outputsOf(record: ActionRecord): Output[] {
  return [...Object.values(record?.outputs ?? {}), ...Object.values(record?.notes ?? {})];
}

export interface AnswerCheck {
  problems: CacheProblem[];
  /** Digest of every sound answer, by key. */
  sound: Map<string, Digest>;
  /** Keys whose answers a repair removes. */
  removed: ActionKey[];
}

/** Checks every record; `lost` are layers that cannot be had any more. */
export function verifyRecords(cache: Cache, bad: BadBlobs, lost: ReadonlySet<Digest>): AnswerCheck {
  const { database } = cache;
  const check: AnswerCheck = { problems: [], sound: new Map(), removed: [] };
  const addresses = addressesOf(database);
  for (const { key, value } of database.records.getRange({ snapshot: false })) {
    const name = Buffer.from(key).toString('hex') as ActionKey;
    const fault = recordFault(name, value, database) ?? missingOutput(cache, value, bad, lost);
    if (fault === null) {
      check.sound.set(name, value.digest);
      continue;
    }
    check.removed.push(name);
    check.problems.push({
      kind: 'answer',
      where: addresses.get(name) ?? `key ${name}`,
      detail: fault,
      repair: async () => {
        await database.records.remove(binaryKey(name));
        await noteRemovals(database);
      },
    });
  }
  return check;
}

function addressesOf(database: Database): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const { key, value } of database.latest.getRange({ snapshot: false })) addresses.set(value.key, key);
  return addresses;
}

function recordFault(key: ActionKey, record: ActionRecord, database: Database): string | null {
  const preimage = database.preimages.get(binaryKey(key));
  try {
    if (recordDigest(record.outcome, record.outputs) !== record.digest) return 'its digest is wrong';
    if (preimage === undefined) return 'what its key was made of is missing';
    if (actionKey(preimage) !== key) return 'what its key was made of is damaged';
    const bent = outputsOf(record).some(
      (output) => output.kind === 'inline' && digestOf(output.text) !== output.digest,
    );
    return bent ? 'an output in it is damaged' : null;
  } catch {
    // What is damaged may have any members.
    return 'it cannot be read';
  }
}

function missingOutput(
  cache: Cache,
  record: ActionRecord,
  bad: BadBlobs,
  lost: ReadonlySet<Digest>,
): string | null {
  const named = Object.entries({ ...record.notes, ...record.outputs });
  for (const [name, output] of named) {
    const unsound = blobsOfOutput(cache, output).find((blob) => !isSound(cache, blob, bad));
    if (unsound !== undefined)
      return `its output "${name}" is missing or damaged (blob ${unsound.digest.slice(0, 12)})`;
    if (output.kind === 'layer' && (lost.has(output.digest) || !hasLayer(cache.folder, output.digest)))
      return `its output "${name}" is missing or damaged (layer ${output.digest.slice(0, 12)})`;
  }
  return null;
}

/** Checks every finished stage against its manifest and the answers that it names. */
export function verifyStages(cache: Cache, bad: BadBlobs, answers: AnswerCheck): CacheProblem[] {
  const { database } = cache;
  const problems: CacheProblem[] = [];
  // Stages share most of their lists.
  const known = new Map<Digest, string | null>();
  const faultOf = (list: ItemList): string | null => {
    if (!known.has(list.digest)) known.set(list.digest, listFault(cache, list, bad, answers));
    return known.get(list.digest)!;
  };
  for (const { key, value } of database.stages.getRange({ snapshot: false })) {
    const fault = stageFault(cache, value, bad, faultOf);
    if (fault === null) continue;
    const name = Buffer.from(key).toString('hex') as ActionKey;
    problems.push({
      kind: 'stage',
      where: `finished stage ${name}`,
      detail: fault,
      repair: async () => {
        await database.stages.remove(binaryKey(name));
        await database.memos.remove(`verified ${name}`);
      },
    });
  }
  return problems;
}

function stageFault(
  cache: Cache,
  record: StageRecord,
  bad: BadBlobs,
  faultOf: (list: ItemList) => string | null,
): string | null {
  const { manifest } = record;
  if (!isSound(cache, manifest ?? {}, bad)) return 'its list of items is missing or damaged';
  const lists = listsOf(cache.blobs, manifest.digest);
  if (lists === null) return 'its list of items is damaged';
  const own = lists.length === 0 ? [{ ...manifest, items: record.items }] : lists;
  if (own.reduce((sum, { items }) => sum + items, 0) !== record.items) return 'its list of items is damaged';
  for (const list of own) {
    const fault = faultOf(list);
    if (fault !== null) return fault;
  }
  return null;
}

function listFault(cache: Cache, list: ItemList, bad: BadBlobs, answers: AnswerCheck): string | null {
  if (!isSound(cache, list, bad)) return 'its list of items is missing or damaged';
  const items = readList(cache.blobs, list.digest);
  if (items?.length !== list.items) return 'its list of items is damaged';
  const unsound = items.find(({ key, digest }) => answers.sound.get(key) !== digest);
  return unsound === undefined ? null : `its item "${unsound.name}" has no sound answer`;
}

/** The lists that a manifest names; null when it cannot be read. */
function listsOf(blobs: BlobStore, manifest: Digest): ItemList[] | null {
  const text = blobs.read(manifest)?.toString('utf8');
  return text === undefined ? null : parseLists(text);
}
