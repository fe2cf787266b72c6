/**
 * The LMDB file: records by key, their preimages, finished stages, the last answer of every item, and memos.
 * Everything in it can be made again from the runs' journals, so a damaged file is set aside, never trusted.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database as LmdbDatabase, RootDatabase } from 'lmdb';
import type { ActionKey, Digest } from '../schemas/digest.ts';
import type { ActionRecord, StageRecord } from '../schemas/record.ts';
import type { Json } from './canonical.ts';
import { metaPageFault } from './database-check.ts';
import type { Preimage } from './key.ts';
import { isAlive, parseTag, processTag, thisProcess } from './process-identity.ts';

/** Bumped when the meaning of stored values changes; an older file is set aside. */
const FORMAT = 1;

export interface Latest {
  key: ActionKey;
  run: string;
}

export interface Database {
  records: LmdbDatabase<ActionRecord, Buffer>;
  preimages: LmdbDatabase<Preimage, Buffer>;
  stages: LmdbDatabase<StageRecord, Buffer>;
  /** Last answered key per `project/stage.dataset@item`, for reasons in plans and `why`. */
  latest: LmdbDatabase<Latest, string>;
  /** Facts that are cheap to check and dear to compute: digests by stat, resolved projects, interpreters. */
  memos: LmdbDatabase<Json, string>;
  /** What was wrong with the file that was found, when it had to be set aside. */
  setAside: string | null;
  close(): Promise<void>;
}

/** Opens (or makes) the database at `path`. A damaged file is renamed to `<path>.damaged-…` first. */
export async function openDatabase(path: string): Promise<Database> {
  const setAside = await examine(path);
  const marker = markUse(path);
  const { open } = await import('lmdb');
  const root = open({ path, maxDbs: 16, noSubdir: true });
  const named = <V>(name: string): LmdbDatabase<V, Buffer> =>
    root.openDB<V, Buffer>({ name, keyEncoding: 'binary' });
  const memos = root.openDB<Json, string>({ name: 'memos' });
  if (memos.get('format') !== FORMAT) memos.putSync('format', FORMAT);
  return {
    records: named<ActionRecord>('records'),
    preimages: named<Preimage>('preimages'),
    stages: named<StageRecord>('stages'),
    latest: root.openDB<Latest, string>({ name: 'latest' }),
    memos,
    setAside,
    close: () => closeDatabase(root, marker),
  };
}

/** The 32 bytes of a key or digest, the form in which LMDB stores it. */
export function binaryKey(key: ActionKey | Digest): Buffer {
  return Buffer.from(key, 'hex');
}

async function closeDatabase(root: RootDatabase, marker: string): Promise<void> {
  await root.flushed;
  await root.close();
  rmSync(marker, { force: true });
}

/** Leaves a file that says who has the database open, so that a later opener knows of an unclean stop. */
function markUse(path: string): string {
  const folder = `${path}.users`;
  mkdirSync(folder, { recursive: true });
  const marker = join(folder, processTag(thisProcess()));
  writeFileSync(marker, '');
  return marker;
}

async function examine(path: string): Promise<string | null> {
  const found = metaPageFault(path) ?? ((await wasUnclean(path)) ? await probe(path) : null);
  if (found === null) return null;
  const aside = `${path}.damaged-${Date.now()}`;
  renameSync(path, aside);
  rmSync(`${path}-lock`, { force: true });
  return `${basename(path)} was damaged (${found}) and is kept as ${basename(aside)}`;
}

/** True when a process ended without closing the database. Its marker is removed. */
async function wasUnclean(path: string): Promise<boolean> {
  const folder = `${path}.users`;
  if (!existsSync(folder) || !existsSync(path)) return false;
  let unclean = false;
  for (const tag of readdirSync(folder)) {
    const owner = parseTag(tag);
    if (owner !== null && isAlive(owner)) continue;
    unclean = true;
    rmSync(join(folder, tag), { force: true });
  }
  return unclean;
}

/** Reads everything in a child process: if that dies, opening the file here would have killed this one. */
async function probe(path: string): Promise<string | null> {
  const { execa } = await import('execa');
  const script = [
    "const { open } = await import('lmdb');",
    'const db = open({ path: process.argv[1], noSubdir: true, maxDbs: 16, readOnly: true });',
    "for (const name of ['records', 'preimages', 'stages', 'latest', 'memos']) {",
    "  const part = db.openDB({ name, keyEncoding: name === 'latest' || name === 'memos' ? 'ordered-binary' : 'binary' });",
    '  if (part) for (const entry of part.getRange({})) if (entry.value === undefined) throw new Error(name);',
    '}',
    'await db.close();',
  ].join('\n');
  const cwd = dirname(new URL(import.meta.url).pathname);
  const child = await execa(process.execPath, ['--input-type=module', '-e', script, path], {
    cwd,
    reject: false,
    timeout: 60_000,
  });
  return child.exitCode === 0 ? null : `reading it ended with ${child.signal ?? child.stderr.split('\n')[0]}`;
}
