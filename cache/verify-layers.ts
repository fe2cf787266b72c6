/** Checks layers: their manifests, their trees entry by entry, and the files of the pool that they link to. */

import { existsSync, linkSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { whenDamaged } from '../basics/absent.ts';
import { type Digest, isDigest } from '../basics/digest.ts';
import { mapLimit } from '../basics/map-limit.ts';
import { digestOfFile } from './blobs.ts';
import type { Cache } from './cache.ts';
import { listShards } from './inventory.ts';
import { type LayerEntry, layerDigest, parseManifest } from './layer-manifest.ts';
import { manifestPath, poolNames } from './layer-store.ts';
import { type CacheProblem, quarantine } from './problem.ts';

export interface LayerCheck {
  problems: CacheProblem[];
  /** Layers that cannot be made whole from the pool: what names them must be made again. */
  lost: Set<Digest>;
  checked: number;
  files: number;
}

/**
 * Checks every layer; with `rehash` every file of the pool is read. `active`: since when other processes use the cache,
 * milliseconds.
 */
export async function verifyLayers(cache: Cache, rehash: boolean, active: number): Promise<LayerCheck> {
  const { folder } = cache;
  const check: LayerCheck = { problems: [], lost: new Set(), checked: 0, files: 0 };
  const bad = rehash ? await damagedPoolFiles(cache, check) : new Set<string>();
  const names = new Set(readdirSync(folder.trees).map((name) => name.replace(/\.manifest$/, '')));
  for (const digest of names) {
    if (!isDigest(digest)) continue;
    check.checked += 1;
    const entries = readEntries(manifestPath(folder, digest), digest);
    const broken =
      entries === null ? 'its manifest is missing or damaged' : lostFile(cache, entries, digest, bad);
    if (broken !== null) {
      check.lost.add(digest);
      check.problems.push(layerProblemOf(digest, broken, () => removeLayer(cache, digest)));
      continue;
    }
    check.files += entries!.length;
    const fault = treeFault(join(folder.trees, digest), entries!);
    if (fault === NO_TREE && statSync(manifestPath(folder, digest)).mtimeMs >= active - 1000) continue;
    if (fault !== null)
      check.problems.push(layerProblemOf(digest, fault, () => relink(cache, digest, entries!)));
    else restoreNames(cache, digest, entries!, check);
  }
  return check;
}

function layerProblemOf(digest: Digest, detail: string, repair: CacheProblem['repair']): CacheProblem {
  return { kind: 'layer', where: `layers/trees/${digest}`, detail, repair };
}

function readEntries(path: string, digest: Digest): LayerEntry[] | null {
  const text = textOf(path);
  if (text === null) return null;
  try {
    const entries = parseManifest(text);
    return layerDigest(entries) === digest ? entries : null;
  } catch {
    // What is damaged may be any text.
    return null;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return whenDamaged(null)(error);
  }
}

/** What the pool lacks for the layer, where the tree does not have it either. */
function lostFile(cache: Cache, entries: LayerEntry[], digest: Digest, bad: Set<string>): string | null {
  const tree = join(cache.folder.trees, digest);
  for (const [index, name] of poolNames(entries).entries()) {
    if (name === null) continue;
    if (bad.has(name)) return `${entries[index]!.path} is damaged`;
    if (!existsSync(poolPath(cache, name)) && !existsSync(join(tree, entries[index]!.path)))
      return `${entries[index]!.path} is missing`;
  }
  return null;
}

function poolPath(cache: Cache, name: string): string {
  return join(cache.folder.pool, name.slice(0, 2), name);
}

async function damagedPoolFiles(cache: Cache, check: LayerCheck): Promise<Set<string>> {
  const bad = new Set<string>();
  await mapLimit([...listShards(cache.folder.pool)], 8, async ([name, { path }]) => {
    if ((await digestOfFile(path).catch(whenDamaged(null))) === name.slice(0, 64)) return;
    bad.add(name);
    check.problems.push({
      kind: 'layer',
      where: `layers/pool/${name.slice(0, 2)}/${name}`,
      detail: 'its content is not what its name says',
      repair: () => quarantine(cache.folder, path),
    });
  });
  return bad;
}

/** The first entry of a layer's tree that is not as its manifest says, by names, kinds and sizes; null when all are. */
export function layerProblem({ folder }: Pick<Cache, 'folder'>, digest: Digest): string | null {
  const entries = readEntries(manifestPath(folder, digest), digest);
  if (entries === null) return 'its manifest is missing or damaged';
  const tree = join(folder.trees, digest);
  for (const entry of entries) {
    const problem = entryFault(join(tree, entry.path), entry);
    if (problem !== null) return `${entry.path} ${problem}`;
  }
  return null;
}

/** A layer in the making has its manifest first. */
const NO_TREE = 'its tree is missing';

/** How the tree differs from its manifest, or null. */
function treeFault(tree: string, entries: LayerEntry[]): string | null {
  if (!existsSync(tree)) return NO_TREE;
  for (const entry of entries) {
    const fault = entryFault(join(tree, entry.path), entry);
    if (fault !== null) return `${entry.path} ${fault}`;
  }
  const known = new Set(entries.map((entry) => entry.path));
  const extra = pathsIn(tree, '').find((path) => !known.has(path));
  return extra === undefined ? null : `${extra} does not belong to it`;
}

/** Relative paths of everything in the tree, links not followed. */
function pathsIn(tree: string, relative: string): string[] {
  return readdirSync(join(tree, relative), { withFileTypes: true }).flatMap((entry) => {
    const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
    return entry.isDirectory() ? [path, ...pathsIn(tree, path)] : [path];
  });
}

function entryFault(path: string, entry: LayerEntry): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'is missing';
  switch (entry.type) {
    case 'folder':
      return stat.isDirectory() ? null : 'is not a folder';
    case 'link':
      return stat.isSymbolicLink() && readlinkSync(path) === entry.target ? null : 'is another link';
    case 'file':
      if (!stat.isFile() || stat.size !== entry.size) return 'has another size';
      return ((stat.mode & 0o111) !== 0) === entry.executable ? null : 'has another mode';
  }
}

/** Files that the tree has and the pool has lost get their names back. */
function restoreNames(cache: Cache, digest: Digest, entries: LayerEntry[], check: LayerCheck): void {
  for (const [index, name] of poolNames(entries).entries()) {
    if (name === null || existsSync(poolPath(cache, name))) continue;
    const entry = entries[index] as Extract<LayerEntry, { type: 'file' }>;
    const file = join(cache.folder.trees, digest, entry.path);
    const repair = async (): Promise<void> => {
      if ((await digestOfFile(file)) !== entry.digest) removeLayer(cache, digest);
      else if (!existsSync(poolPath(cache, name))) linkSync(file, poolPath(cache, name));
    };
    check.problems.push({
      kind: 'layer',
      where: `layers/pool/${name.slice(0, 2)}/${name}`,
      detail: `is missing, layer ${digest.slice(0, 12)} has it`,
      repair,
    });
  }
}

/** A build may have made the tree meanwhile, and work in it. */
async function relink(cache: Cache, digest: Digest, entries: LayerEntry[]): Promise<void> {
  const tree = join(cache.folder.trees, digest);
  if (treeFault(tree, entries) === null) return;
  quarantine(cache.folder, tree);
  await cache.layers.open(digest);
}

/** Workspaces that show the layer keep it: things are moved, not removed. */
function removeLayer({ folder }: Cache, digest: Digest): void {
  quarantine(folder, join(folder.trees, digest));
  quarantine(folder, manifestPath(folder, digest));
}
