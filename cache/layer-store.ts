/**
 * The layer store on disk. Trees are hardlinked from a pool of files, one copy per content and executable bit;
 * a tree gets its final name by one rename, so a tree that is there is whole. Within one tree no two paths
 * share an inode (programs compare files by inode), so the second occurrence of a content links to a second
 * pool copy.
 */
import { isUtf8 } from 'node:buffer';
import { constants, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  cp,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent, whenUnreadable } from '../basics/absent.ts';
import { type Digest, digestOf, isDigest } from '../basics/digest.ts';
import { faultPoint } from '../basics/fault-point.ts';
import { mapLimit } from '../basics/map-limit.ts';
import { digestOfFile } from './blobs.ts';
import { type CacheFolder, temporaryPath } from './folder.ts';
import { type LayerEntry, layerDigest, manifestText, parseManifest, sortEntries } from './layer-manifest.ts';
import { LAYER_MTIME, type Layer, type LayerStore } from './layers.ts';

/** Bytes above which a file is hashed piece by piece. */
const LARGE = 64 * 1024 * 1024;
/** Files hashed or linked at the same time: enough to keep libuv's four threads busy. */
const PARALLEL = 8;

export function createLayerStore(folder: CacheFolder): LayerStore {
  const opening = new Map<Digest, Promise<string | null>>();
  return {
    add: (path) => addLayer(folder, path),
    take: async (path, leftOut) => {
      const entries = await fillPool(folder, path, leftOut);
      await rm(path, { recursive: true, force: true });
      return entries;
    },
    compose: (entries) => composeLayer(folder, sortEntries([...entries])),
    entries: (digest) => readEntries(folder, digest),
    open: (digest) => {
      const known = opening.get(digest);
      if (known !== undefined) return known;
      const opened = openLayer(folder, digest);
      opening.set(digest, opened);
      void opened.finally(() => opening.delete(digest)).catch(() => undefined);
      return opened;
    },
  };
}

async function addLayer(folder: CacheFolder, path: string): Promise<Layer> {
  const entries = await fillPool(folder, path);
  for (let tries = 0; tries < 3; tries += 1) {
    const layer = await composeLayer(folder, entries);
    if (layer !== null) {
      await rm(path, { recursive: true, force: true });
      return layer;
    }
    // What gc took out of the pool after the look is still in the folder.
    await moveFiles(folder, path, entries);
  }
  throw new Error(`layer of ${path}: a pool file vanished`);
}

async function fillPool(
  folder: CacheFolder,
  path: string,
  leftOut: LeftOut = () => undefined,
): Promise<LayerEntry[]> {
  const found: LayerEntry[] = [];
  await listEntries(path, '', found, leftOut);
  const entries = sortEntries(found);
  await moveFiles(folder, path, entries);
  return entries;
}

async function moveFiles(folder: CacheFolder, path: string, entries: LayerEntry[]): Promise<void> {
  const copies = copyNumbers(entries);
  await mapLimit(entries, PARALLEL, async (entry, index) => {
    if (entry.type === 'file') await moveToPool(folder, join(path, entry.path), entry, copies[index]!);
  });
}

/** `entries` are sorted. */
async function composeLayer(folder: CacheFolder, entries: LayerEntry[]): Promise<Layer | null> {
  const digest = layerDigest(entries);
  if (!(await keepTree(folder, digest))) {
    await publishManifest(folder, digest, manifestText(entries));
    if (!(await linkTree(folder, digest, entries))) return null;
  }
  const files = entries.filter((entry) => entry.type === 'file');
  return { digest, files: files.length, bytes: files.reduce((sum, file) => sum + file.size, 0) };
}

/** Whether the layer is there. The manifest is touched before the check, so that gc, which looks at that time, leaves the tree. */
async function keepTree(folder: CacheFolder, digest: Digest): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(manifestPath(folder, digest), now, now);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
  }
  return existsSync(join(folder.trees, digest));
}

async function openLayer(folder: CacheFolder, digest: Digest): Promise<string | null> {
  if (!isDigest(digest)) return null;
  const tree = join(folder.trees, digest);
  if (existsSync(tree)) return tree;
  const entries = await readEntries(folder, digest);
  if (entries !== null && (await linkTree(folder, digest, entries))) return tree;
  for (const trees of folder.othersTrees)
    if (await takeOver(folder, join(trees, digest), digest)) return tree;
  return null;
}

/**
 * Copies the tree of another user, since a sandbox cannot change files of other users. The copy is checked against the
 * digest. False when there is no such tree, or its content is another one.
 */
async function takeOver(folder: CacheFolder, from: string, digest: Digest): Promise<boolean> {
  if (!existsSync(from)) return false;
  const copy = temporaryPath(folder);
  try {
    await cp(from, copy, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    const layer = await addLayer(folder, copy);
    return layer.digest === digest;
  } catch (error) {
    // It was removed meanwhile, or is closed.
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function readEntries(folder: CacheFolder, digest: Digest): Promise<LayerEntry[] | null> {
  if (!isDigest(digest)) return null;
  const text = await readFile(manifestPath(folder, digest), 'utf8').catch(whenAbsent(null));
  if (text === null) return null;
  const entries = parseManifest(text);
  return layerDigest(entries) === digest ? entries : null;
}

/** Where the layer's manifest is or would be. */
export function manifestPath(folder: CacheFolder, digest: Digest): string {
  return join(folder.trees, `${digest}.manifest`);
}

async function publishManifest(folder: CacheFolder, digest: Digest, text: string): Promise<void> {
  const temporary = temporaryPath(folder);
  await writeFile(temporary, text, { flag: 'wx', flush: true });
  faultPoint('manifest-written');
  renameSync(temporary, manifestPath(folder, digest));
  faultPoint('manifest-renamed');
}

/** Called with a path that has no place in a layer. */
type LeftOut = (path: string) => void;

/** Sockets, pipes and devices have no place in a layer and are left out, as are names that are not UTF-8. */
async function listEntries(
  root: string,
  relative: string,
  into: LayerEntry[],
  leftOut: LeftOut,
): Promise<void> {
  const names = await namesIn(join(root, relative), (name) =>
    leftOut(relative === '' ? `/${name}` : `/${relative}/${name}`),
  );
  const folders: string[] = [];
  await mapLimit(names, PARALLEL, async (name) => {
    const path = relative === '' ? name : `${relative}/${name}`;
    const absolute = join(root, path);
    const stat = await lstat(absolute);
    if (stat.isSymbolicLink()) into.push({ type: 'link', path, target: await readlink(absolute) });
    else if (stat.isDirectory()) folders.push(path);
    else if (stat.isFile()) {
      // A file of weights does not fit into one buffer.
      const digest = stat.size > LARGE ? await digestOfFile(absolute) : digestOf(await readFile(absolute));
      into.push({ type: 'file', path, digest, executable: (stat.mode & 0o111) !== 0, size: stat.size });
    }
  });
  for (const path of folders) {
    into.push({ type: 'folder', path });
    await listEntries(root, path, into, leftOut);
  }
}

const NOT_UTF8 = '\ufffd';

/** The names that are UTF-8. Only where one looks like none are they read as bytes. */
async function namesIn(folder: string, leftOut: LeftOut): Promise<string[]> {
  const names = await readdir(folder);
  if (!names.some((name) => name.includes(NOT_UTF8))) return names;
  const all = await readdir(folder, { encoding: 'buffer' });
  for (const name of all) if (!isUtf8(name)) leftOut(name.toString());
  return all.filter((name) => isUtf8(name)).map((name) => name.toString());
}

/** For each file, how many files of the same content and mode come before it in the same tree. */
function copyNumbers(entries: LayerEntry[]): number[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    if (entry.type !== 'file') return 0;
    const name = `${entry.digest}${entry.executable}`;
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return count;
  });
}

function poolPath(folder: CacheFolder, file: Extract<LayerEntry, { type: 'file' }>, copy: number): string {
  return join(folder.pool, file.digest.slice(0, 2), poolName(file, copy));
}

function poolName(file: Extract<LayerEntry, { type: 'file' }>, copy: number): string {
  return `${file.digest}${file.executable ? 'x' : ''}${copy === 0 ? '' : `.${copy}`}`;
}

/** True when the pool has every file of these, so that a tree can be made of them. */
export function poolHas(folder: CacheFolder, entries: LayerEntry[]): boolean {
  const copies = copyNumbers(entries);
  return entries.every(
    (entry, index) => entry.type !== 'file' || existsSync(poolPath(folder, entry, copies[index]!)),
  );
}

/** Names in the pool of a manifest's files, in the order of its entries; null for what is no file. */
export function poolNames(entries: LayerEntry[]): (string | null)[] {
  const copies = copyNumbers(entries);
  return entries.map((entry, index) => (entry.type === 'file' ? poolName(entry, copies[index]!) : null));
}

/** Gives the file its normal form and its pool name; a second writer of the same content changes nothing. */
async function moveToPool(
  folder: CacheFolder,
  path: string,
  file: Extract<LayerEntry, { type: 'file' }>,
  copy: number,
): Promise<void> {
  const target = poolPath(folder, file, copy);
  if (await isPooled(target)) return;
  const temporary = temporaryPath(folder);
  await rename(path, temporary).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error;
    await copyFile(path, temporary);
  });
  faultPoint('pool-moved');
  await finishPoolFile(temporary, file.executable);
  faultPoint('pool-synced');
  await rename(temporary, target);
  faultPoint('pool-renamed');
}

/** Marks a file that is there as needed just now: gc spares what is younger than the runs that it sees. */
async function isPooled(path: string): Promise<boolean> {
  try {
    await utimes(path, LAYER_MTIME, LAYER_MTIME);
    return true;
  } catch (error) {
    // It is not there, or another user's.
    return whenUnreadable(existsSync(path))(error);
  }
}

async function finishPoolFile(path: string, executable: boolean): Promise<void> {
  await chmod(path, executable ? 0o755 : 0o644);
  // What a sandbox started by root wrote belongs to its mapped user; in the pool everything is the cache's owner's.
  if (process.getuid?.() === 0) await chown(path, 0, 0);
  const handle = await open(path, 'r');
  await handle.sync();
  await handle.close();
  await utimes(path, LAYER_MTIME, LAYER_MTIME);
}

/** True when this user, or another one of a shared cache, has the layer. */
export function hasLayer(folder: CacheFolder, digest: Digest): boolean {
  if (existsSync(manifestPath(folder, digest))) return true;
  return folder.othersTrees.some((trees) => existsSync(join(trees, digest)));
}

/** False when a pool file is missing. */
async function linkTree(folder: CacheFolder, digest: Digest, entries: LayerEntry[]): Promise<boolean> {
  const temporary = temporaryPath(folder);
  mkdirSync(temporary);
  const copies = copyNumbers(entries);
  for (const entry of entries) if (entry.type === 'folder') await mkdir(join(temporary, entry.path));
  let whole = true;
  await mapLimit(entries, PARALLEL, async (entry, index) => {
    const target = join(temporary, entry.path);
    if (entry.type === 'link') await symlink(entry.target, target);
    if (entry.type === 'file') whole = (await linkFile(folder, entry, copies[index]!, target)) && whole;
  });
  // Others of its group copy it.
  if (folder.isShared)
    for (const path of ['', ...entries.filter(({ type }) => type === 'folder').map((entry) => entry.path)])
      await chmod(join(temporary, path), 0o755);
  faultPoint('tree-linked');
  if (whole) await renameTree(temporary, join(folder.trees, digest));
  faultPoint('tree-renamed');
  rmSync(temporary, { recursive: true, force: true });
  return whole;
}

async function linkFile(
  folder: CacheFolder,
  file: Extract<LayerEntry, { type: 'file' }>,
  copy: number,
  target: string,
): Promise<boolean> {
  const source = poolPath(folder, file, copy);
  try {
    await link(source, target);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'EMLINK') throw error;
    // A higher copy that is gone is made again from the first one. At the file system's limit of links to one inode the
    // pool name moves on to a fresh copy.
    const from = code === 'ENOENT' ? poolPath(folder, file, 0) : source;
    if (code === 'ENOENT' && (copy === 0 || !existsSync(from))) return false;
    const fresh = temporaryPath(folder);
    await copyFile(from, fresh);
    await finishPoolFile(fresh, file.executable);
    await rename(fresh, source);
    await link(source, target);
    return true;
  }
}

/** Another process may have published the same tree first; it is the same tree. */
async function renameTree(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}
