/**
 * The LMDB file: records by key, their preimages, finished stages, the last answer of every item, and memos.
 * Everything in it can be made again from the runs' journals, so a damaged file is set aside and never trusted.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Database as LmdbDatabase, RootDatabase } from 'lmdb';
import type { Json } from '../basics/canonical.ts';
import type { ActionKey, Digest } from '../basics/digest.ts';
import { fullDisk, hasRoom, isWritable, refuseRemote } from '../basics/disk.ts';
import { complaintOf, hasSucceeded, runProgram } from '../basics/program.ts';
import type { ActionRecord, StageRecord } from '../schemas/record.ts';
import { metaPageFault } from './database-check.ts';
import { openGuarded } from './guarded.ts';
import type { Preimage } from './key.ts';
import { deadLeases, type Lease, NO_LEASE, removeLeases, takeLease } from './lease.ts';
import { Presence, type PresenceTimes } from './presence.ts';

/** Bumped when the meaning of stored values changes. */
const FORMAT = 1;
/** Seconds for reading all of it. */
const PROBE_TIMEOUT = 600;

export interface Latest {
  key: ActionKey;
  run: string;
  /** Other keys that it was answered under before, newest first; see history.ts. */
  earlier?: ActionKey[];
  /** The last key whose answer was ok. */
  ok?: ActionKey;
}

/** The memo of this name, whose form is that of all memos whose names begin alike. */
export function remembered<T>(memos: Database['memos'], name: string): T | undefined {
  return memos.get(name) as T | undefined;
}

export interface Database {
  records: LmdbDatabase<ActionRecord, Buffer>;
  preimages: LmdbDatabase<Preimage, Buffer>;
  stages: LmdbDatabase<StageRecord, Buffer>;
  /** Last answered key per `project/stage.dataset@item`, for reasons in plans and `why`. */
  latest: LmdbDatabase<Latest, string>;
  /** Facts that are cheap to check and expensive to compute: digests by stat, resolved projects, interpreters. */
  memos: LmdbDatabase<Json, string>;
  /** When a record or a finished stage was last used, milliseconds; see uses.ts. */
  uses: LmdbDatabase<number, Buffer>;
  /** Nothing can be written: a read-only disk, or a cache of somebody else. */
  readOnly: boolean;
  lease: Lease;
  /** This process among those that have the database open; null in a read-only cache. */
  presence: Presence | null;
  /** What was wrong with the file that was found, when it had to be set aside. */
  setAside: string | null;
  /**
   * Reads from here on see what other processes have written. LMDB shows a process one state of the file until its
   * event loop goes on.
   */
  refresh(): void;
  /**
   * Makes the writes in one transaction, unless the presence `holder` was ended by then: nothing is written, and the
   * result is false. `writes` is called at once and only puts. Null: whatever happened to this process.
   */
  commit(holder: string | null, writes: () => Promise<unknown>[]): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens (or makes) the database at `path`. A damaged file is renamed to `<path>.damaged-…` first. */
export async function openDatabase(path: string, times?: PresenceTimes): Promise<Database> {
  refuseRemote(path);
  const readOnly = !isWritable(path);
  const setAside = readOnly ? refuseDamaged(path) : await examine(path);
  if (!readOnly && !existsSync(path) && !hasRoom(path)) throw fullDisk(path);
  const presence = readOnly ? null : Presence.enter(leasesOf(path), times);
  const lease = presence === null ? NO_LEASE : takeLease(presence);
  const { open } = await import('lmdb');
  const root = open({ path, maxDbs: 16, noSubdir: true, readOnly });
  const named = <V>(name: string, optional = false): LmdbDatabase<V, Buffer> =>
    openGuarded<V, Buffer>(root, { path, readOnly, optional, name, binary: true });
  const texts = <V>(name: string, optional: boolean): LmdbDatabase<V, string> =>
    openGuarded<V, string>(root, { path, readOnly, optional, name, binary: false });
  const memos = texts<Json>('memos', true);
  const ended = texts<number>('ended', false);
  presence?.guardBy({
    fence: (name) => void ended.putSync(name, Date.now()),
    exclusively: (work) => root.transactionSync(work),
  });
  return {
    records: named<ActionRecord>('records'),
    preimages: named<Preimage>('preimages'),
    stages: named<StageRecord>('stages'),
    latest: texts<Latest>('latest', false),
    memos,
    uses: named<number>('uses', true),
    readOnly,
    lease,
    presence,
    setAside,
    refresh: () => root.resetReadTxn(),
    commit: (holder, writes) => commitUnless(ended, holder, writes),
    close: () => closeDatabase(root, lease),
  };
}

/** The condition is looked at in the transaction itself: a process that ends the presence waits for it. */
async function commitUnless(
  ended: LmdbDatabase<number, string>,
  holder: string | null,
  writes: () => Promise<unknown>[],
): Promise<boolean> {
  if (holder === null || holder === '') return Promise.all(writes()).then(() => true);
  let made: Promise<unknown>[] = [];
  const passed = ended.ifNoExists(holder, () => {
    made = writes();
  });
  const [isHeld] = await Promise.all([passed, ...made]);
  return isHeld;
}

/** False for a new file, which may have taken the place of a damaged one: then answers are still to be made again from journals. */
export function isWhole({ memos }: Pick<Database, 'memos'>): boolean {
  return memos.get('format') === FORMAT;
}

export async function noteWhole({ memos }: Pick<Database, 'memos'>): Promise<void> {
  await memos.put('format', FORMAT);
}

/** Folder of the leases of those who have the database open. */
export function leasesOf(path: string): string {
  return `${path}.users`;
}

/** The 32 bytes of a key or digest, the form in which LMDB stores it. */
export function binaryKey(key: ActionKey | Digest): Buffer {
  return Buffer.from(key, 'hex');
}

async function closeDatabase(root: RootDatabase, lease: Lease): Promise<void> {
  await root.flushed;
  await root.close();
  lease.release();
}

/** In a read-only cache, a damaged or missing file ends the command. */
function refuseDamaged(path: string): null {
  const fault = existsSync(path) ? metaPageFault(path) : 'it is not there';
  if (fault === null) return null;
  throw Object.assign(new Error(`the cache is read-only and ${path} cannot be used: ${fault}`), {
    code: 'EROFS',
  });
}

async function examine(path: string): Promise<string | null> {
  // Leases of processes that ended without closing the database.
  const unclean = deadLeases(leasesOf(path));
  const found = metaPageFault(path) ?? (unclean.length > 0 && existsSync(path) ? await probe(path) : null);
  // Only after the check: the next process would take the file for clean.
  removeLeases(leasesOf(path), unclean);
  if (found === null) return null;
  const kept = `${path}.damaged-${Date.now()}`;
  renameSync(path, kept);
  rmSync(`${path}-lock`, { force: true });
  return `${basename(path)} was damaged (${found}) and is kept as ${basename(kept)}`;
}

/** Signals by which people and systems end a process. Damage ends it by other signals. */
const FROM_OUTSIDE = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'];

/** Reads everything in a child process: if that dies, opening the file here would have killed this one. */
async function probe(path: string): Promise<string | null> {
  const script = [
    "const { open } = await import('lmdb');",
    'const db = open({ path: process.argv[1], noSubdir: true, maxDbs: 16, readOnly: true });',
    "for (const name of ['records', 'preimages', 'stages', 'latest', 'memos', 'uses']) {",
    "  const part = db.openDB({ name, keyEncoding: name === 'latest' || name === 'memos' ? 'ordered-binary' : 'binary' });",
    '  if (part) for (const entry of part.getRange({})) if (entry.value === undefined) throw new Error(name);',
    '}',
    'await db.close();',
  ].join('\n');
  const cwd = dirname(new URL(import.meta.url).pathname);
  const argv = [process.execPath, '--input-type=module', '-e', script, path];
  const end = await runProgram({ argv, env: process.env, cwd, timeout: PROBE_TIMEOUT });
  if (hasSucceeded(end)) return null;
  const complaint = complaintOf(end);
  const wasRead = end.kind === 'exited' || end.kind === 'timeout';
  // A lack of memory says nothing about the file, and another build may be writing to it.
  if (!wasRead && !(end.kind === 'killed' && !FROM_OUTSIDE.includes(end.signal)))
    throw Object.assign(new Error(`${path} could not be looked through: ${complaint}`), { code: 'ENOMEM' });
  return `reading it failed: ${complaint}`;
}
