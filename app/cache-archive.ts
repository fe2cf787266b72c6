/**
 * Answers of a cache as one file: what a remote cache would hold of them, in a tar archive with a list in front. So they have the same
 * signatures and are checked by the same rules, and nothing of such a file is believed before.
 */
import { copyFileSync, createWriteStream, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { textAt } from '../basics/absent.ts';
import { type ActionKey, isDigest } from '../basics/digest.ts';
import { jsonObject } from '../basics/json.ts';
import { mapLimit } from '../basics/map-limit.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { type Cache, lookUp } from '../cache/cache.ts';
import { temporaryPath } from '../cache/folder.ts';
import { folderStore } from '../cache/remote/folder-store.ts';
import type { RemoteCache, RemoteReport } from '../cache/remote/remote.ts';
import { createRemoteCache } from '../cache/remote/remote-cache.ts';
import type { Signer, Trust } from '../cache/remote/signature.ts';

/** One answer: its item, for people and for lists of what was adopted, and its key. */
export type ArchivedItem = [address: string, key: ActionKey];

/** The file in front of the others. */
const INDEX = 'swemake-cache.json';
/** Raised when an older swemake could not read it. */
const FORMAT = 1;
/** Names below an archive: nothing else is unpacked. */
const NAMES = /^(?:ac|cas)\/[0-9a-f]{2}\/[0-9a-f]{64}$/;
/** Answers worked on at once. */
const AT_ONCE = 4;
/** The store's name in a cache's notes; it has none of its own. */
const STORE = 'archive';

interface Index {
  format: number;
  /** Version of swemake that wrote it. */
  swemake: string;
  project: string;
  items: ArchivedItem[];
}

export interface PackOptions {
  project: string;
  version: string;
  signer: Signer | null;
  holdsSecret(bytes: Uint8Array): boolean;
}

export interface Packed {
  answers: number;
  /** Items that are not in it: they hold a secret, or files of them are gone. */
  left: string[];
  warnings: string[];
}

/** Writes the archive at `path`, as a whole or not at all. */
export async function packAnswers(
  cache: Cache,
  items: readonly ArchivedItem[],
  path: string,
  { project, version, signer, holdsSecret }: PackOptions,
): Promise<Packed> {
  return withFolder(cache, async (folder) => {
    const remote = archiveCache(cache, folder, { write: true, signer, holdsSecret, trust: null });
    try {
      const sent = await mapLimit([...items], AT_ONCE, async ([, key]) => remote.send(key, true));
      const kept = items.filter((_, index) => sent[index] === 'there');
      const index: Index = { format: FORMAT, swemake: version, project, items: kept };
      writeFileSync(join(folder, INDEX), JSON.stringify(index));
      const { warnings } = await remote.settle(0, new AbortController().signal);
      await writeTar(folder, kept.length > 0 ? [INDEX, 'ac', 'cas'] : [INDEX], path);
      const left = items.filter((_, at) => sent[at] !== 'there').map(([address]) => address);
      return { answers: kept.length, left, warnings };
    } finally {
      await remote.close();
    }
  });
}

export interface Unpacked extends Pick<RemoteReport, 'adopted' | 'warnings'> {
  project: string;
  version: string;
  /** Answers that are in the cache now and were not before. */
  taken: number;
  /** Those that the cache had. */
  known: number;
  /** Those that were refused: of a writer who is not trusted, damaged, or of another format. */
  refused: string[];
}

/** Takes answers of the archive at `path` into the cache. `trust`: the writers whose answers are taken; null: everybody's. */
export async function unpackAnswers(
  cache: Cache,
  path: string,
  trust: Trust | null,
): Promise<Result<Unpacked, string>> {
  return withFolder(cache, async (folder) => {
    try {
      await readTar(path, folder);
    } catch (error) {
      return fault(`${basename(path)} cannot be unpacked: ${(error as Error).message}`);
    }
    const index = readIndex(folder);
    if (index === null) return fault(`${basename(path)} is no archive of a cache that this version reads`);
    const remote = archiveCache(cache, folder, {
      write: false,
      signer: null,
      holdsSecret: () => false,
      trust,
    });
    try {
      const ends = await mapLimit(index.items, AT_ONCE, async ([address, key]) => {
        if (lookUp(cache, key) !== null) return 'known';
        return (await remote.fetchItem(key, `${index.project}/${address}`)) ? 'taken' : 'refused';
      });
      const count = (end: string) => ends.filter((one) => one === end).length;
      const { adopted: paths, warnings } = await remote.settle(0, new AbortController().signal);
      const adopted = paths.map(([path, key]): ArchivedItem => [path.slice(index.project.length + 1), key]);
      const refused = index.items.filter((_, at) => ends[at] === 'refused').map(([address]) => address);
      const { project, swemake: version } = index;
      return success({
        project,
        version,
        taken: count('taken'),
        known: count('known'),
        refused,
        adopted,
        warnings,
      });
    } finally {
      await remote.close();
    }
  });
}

function archiveCache(
  cache: Cache,
  folder: string,
  options: Pick<PackOptions, 'signer' | 'holdsSecret'> & { write: boolean; trust: Trust | null },
): RemoteCache {
  const store = { ...folderStore(folder), name: STORE };
  return createRemoteCache(cache, store, { read: !options.write, concurrency: AT_ONCE, ...options });
}

/** An empty folder of the cache for as long as `use` works with it. What a killed run leaves, the cache's own sweep removes. */
async function withFolder<T>({ folder: cache }: Cache, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = temporaryPath(cache);
  mkdirSync(folder, { recursive: true });
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writeTar(folder: string, names: string[], path: string): Promise<void> {
  const { create } = await import('tar');
  const made = join(folder, 'archive');
  await pipeline(
    create({ cwd: folder, gzip: { level: 6 }, portable: true, noMtime: true }, names) as never,
    createWriteStream(made),
  );
  mkdirSync(dirname(path), { recursive: true });
  move(made, path);
}

/** The file at `to` is the old one or the whole new one, on another file system, too. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const beside = `${to}.partial`;
    copyFileSync(from, beside);
    renameSync(beside, to);
  }
}

async function readTar(path: string, folder: string): Promise<void> {
  const { extract } = await import('tar');
  const isOurs = (name: string) => name === INDEX || NAMES.test(name);
  await extract({
    ...{ file: path, cwd: folder, strict: true },
    filter: (name, entry) => isOurs(name) && 'type' in entry && entry.type === 'File',
  });
}

/** null: it is not there, or none that this version understands. */
function readIndex(folder: string): Index | null {
  const index = jsonObject<Index>(textAt(join(folder, INDEX)) ?? '');
  if (index?.format !== FORMAT || typeof index.project !== 'string') return null;
  const isItem = (item: unknown) =>
    Array.isArray(item) && typeof item[0] === 'string' && typeof item[1] === 'string' && isDigest(item[1]);
  return Array.isArray(index.items) && index.items.every(isItem) ? index : null;
}
