/**
 * The cache's layout on disk, in one place, and the temporary names that a dead process's leftovers are
 * recognised by.
 */
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesIn } from '../basics/folder.ts';
import { isAlive, parseTag, processTag, thisProcess } from '../basics/process-identity.ts';
import { digestOfList } from './key.ts';
import { cacheParts, makePart } from './share.ts';

/** In the name of a git mirror that was damaged and is out of use. */
export const BROKEN_MIRROR = '.git.broken-';

export interface CacheFolder {
  root: string;
  /** This user's own part: the root itself, or, in a cache that a group shares, a folder below it. */
  own: string;
  /** Trees of other users of a shared cache. */
  othersTrees: readonly string[];
  isShared: boolean;
  /** LMDB file with records, preimages, stage roots and memos. */
  database: string;
  blobs: string;
  /** Files of layers, by digest and executable bit. */
  pool: string;
  /** Trees that hardlink into the pool, by layer digest. */
  trees: string;
  /** First states of instances, by digest. */
  states: string;
  /** Layers of images and other roots, by digest. */
  bases: string;
  /** Bare git mirrors and downloaded archives. */
  sources: string;
  /** Wheels of pip and uv. */
  tools: string;
  /** One folder per run: events and logs. */
  runs: string;
  locks: string;
  /** Executors' state: sockets, writable layers. */
  executors: string;
  temporary: string;
  quarantine: string;
}

/** Names under `root`; nothing is made. */
export function cacheFolder(root: string): CacheFolder {
  const { own, others, isShared } = cacheParts(root);
  const treesOf = (part: string) => join(part, 'layers', 'trees');
  return {
    root,
    own,
    othersTrees: others.map(treesOf),
    isShared,
    database: join(root, 'records.mdb'),
    blobs: join(root, 'blobs'),
    pool: join(own, 'layers', 'pool'),
    trees: treesOf(own),
    states: join(own, 'states'),
    bases: join(own, 'bases'),
    sources: join(own, 'sources'),
    tools: join(own, 'tools'),
    runs: join(root, 'runs'),
    locks: join(root, 'locks'),
    executors: join(own, 'executors'),
    temporary: join(own, 'tmp'),
    quarantine: join(own, 'quarantine'),
  };
}

/** The 256 names that blobs and pool files are spread over. */
export const SHARDS: readonly string[] = Array.from({ length: 256 }, (_, i) =>
  i.toString(16).padStart(2, '0'),
);

/** Makes the folders that are missing. */
export function makeCacheFolder(folder: CacheFolder): void {
  makeFolder(folder.root, 0o700);
  if (folder.isShared) makePart(folder.own);
  for (const path of foldersOf(folder)) mkdirSync(path, { recursive: true });
  for (const parent of [folder.blobs, folder.pool]) {
    for (const shard of SHARDS) mkdirSync(join(parent, shard), { recursive: true });
  }
}

/** False when a folder is missing: the cache is new, or somebody has removed it. */
export function isWholeFolder(folder: CacheFolder): boolean {
  const last = SHARDS.at(-1)!;
  return [...foldersOf(folder), join(folder.blobs, last), join(folder.pool, last)].every((path) =>
    existsSync(path),
  );
}

function foldersOf(folder: CacheFolder): string[] {
  const { trees, states, sources, tools, runs, locks, executors, temporary } = folder;
  return [trees, states, sources, tools, runs, locks, executors, temporary];
}

/**
 * With those above it, from the top: a recursive mkdir of Node never ends below a folder like /proc. The folder itself
 * gets `mode`: a new cache belongs to its user alone.
 */
export function makeFolder(path: string, mode: number): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), 0o755);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw Object.assign(error as Error, { remedy: 'set cache.folder to a folder of your own' });
  }
}

let counter = 0;

/** A fresh path in the cache's file system with the name of its maker. */
export function temporaryPath(folder: CacheFolder): string {
  counter += 1;
  return join(folder.temporary, `${processTag(thisProcess())}.${counter}`);
}

/** Names of temporary files whose makers are gone. What a maker keeps beside such a file has its name and a further ending. */
export function abandonedIn({ temporary }: CacheFolder): string[] {
  return namesIn(temporary).filter((name) => {
    const owner = parseTag(name.split('.')[0]!);
    return owner === null || !isAlive(owner);
  });
}

/** Removes temporary files of processes that are gone. Returns how many. */
export function sweepTemporary(folder: CacheFolder): number {
  let removed = 0;
  for (const name of abandonedIn(folder)) {
    rmSync(join(folder.temporary, name), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

/**
 * A digest over the modification times of the folders that hold blobs and layer trees: while it is the same,
 * none came or went. It stands for a stat of each of them.
 */
export function storeFingerprint(folder: CacheFolder): string {
  const folders = [folder.trees, ...folder.othersTrees, ...SHARDS.map((shard) => join(folder.blobs, shard))];
  const times = folders.map((path) => {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? '-' : `${found.ino}.${found.mtimeNs}`;
  });
  return digestOfList('store folders', times);
}
