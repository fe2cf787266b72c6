/**
 * Copies the changes of a workspace into a tree with inside paths. There is no overlay, so the state after opening is
 * remembered and compared by size, inode and times.
 */

import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { updateRecords } from './record-file.ts';
import { asText } from './relocatable.ts';
import type { Relocation } from './relocation.ts';

/** Path (no leading slash) -> a text that differs after a change. */
export type Baseline = Map<string, string>;

/** The private temporary folder and home, which are never part of changes. */
const PRIVATE = new Set(['tmp']);

/** Remembers the state of everything below `root`. */
export async function baselineOf(root: string): Promise<Baseline> {
  const baseline: Baseline = new Map();
  for await (const path of walk(root)) baseline.set(path, await stamp(join(root, path)));
  return baseline;
}

/** Writes what differs from `baseline` to `target`, a folder that is made anew. The value is what is no longer there. */
export async function capture(
  relocation: Relocation,
  baseline: Baseline,
  placed: readonly string[],
  target: string,
): Promise<string[]> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  const links = new Set(placed.map((inside) => relocation.path(inside).slice(relocation.root.length + 1)));
  const rewritten: string[] = [];
  const seen = new Set<string>();
  for await (const path of walk(relocation.root)) {
    seen.add(path);
    if (links.has(path) || baseline.get(path) === (await stamp(join(relocation.root, path)))) continue;
    if (await captureEntry(relocation, path, target)) rewritten.push(path);
  }
  await dropStaleCode(target, rewritten);
  await updateRecords(target, rewritten);
  return [...baseline.keys()].filter((path) => !seen.has(path));
}

/** Takes over one entry; true when its text was changed on the way. */
async function captureEntry(relocation: Relocation, path: string, target: string): Promise<boolean> {
  const from = join(relocation.root, path);
  const to = join(target, path);
  const stats = await lstat(from);
  await mkdir(dirname(to), { recursive: true });
  if (stats.isDirectory()) {
    await mkdir(to, { recursive: true });
    await chmod(to, (stats.mode & 0o777) | 0o700);
  } else if (stats.isSymbolicLink()) {
    await symlink(relocation.outward(await readlink(from)), to);
  } else if (stats.isFile()) {
    const moved = path.endsWith('/RECORD') ? null : outwardBytes(relocation, path, await readFile(from));
    if (moved === null) await copyFile(from, to, constants.COPYFILE_FICLONE);
    else await writeFile(to, moved);
    await chmod(to, (stats.mode & 0o777) | 0o600);
    await utimes(to, stats.mtime, stats.mtime);
    return moved !== null;
  }
  return false;
}

/** The file's bytes without the real root, or null when they do not contain it. */
function outwardBytes(relocation: Relocation, path: string, bytes: Buffer): Buffer | null {
  if (!bytes.includes(relocation.root)) return null;
  if (path.endsWith('.pyc')) return withoutRoot(relocation.root, bytes);
  const text = asText(bytes);
  return text === null ? null : Buffer.from(relocation.outward(text));
}

/**
 * Compiled Python names its source file, in a format in which lengths count. Slashes in the place of the root
 * keep the length, name the inside path, and make equal builds equal bytes.
 */
function withoutRoot(root: string, bytes: Buffer): Buffer {
  const name = Buffer.from(root).toString('latin1');
  return Buffer.from(bytes.toString('latin1').replaceAll(name, '/'.repeat(name.length)), 'latin1');
}

/** A compiled file carries the hash of its source, which no longer is the one that was compiled. */
async function dropStaleCode(target: string, rewritten: readonly string[]): Promise<void> {
  for (const path of rewritten.filter((name) => name.endsWith('.py'))) {
    const folder = join(target, dirname(path), '__pycache__');
    const stem = `${basename(path, '.py')}.`;
    const names = await readdir(folder).catch(whenAbsent<string[]>([]));
    for (const name of names.filter((entry) => entry.startsWith(stem))) await rm(join(folder, name));
  }
}

async function* walk(root: string, below = ''): AsyncGenerator<string> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (PRIVATE.has(path)) continue;
    yield path;
    if (entry.isDirectory()) yield* walk(root, path);
  }
}

/** For folders only their existence counts: their times change with every entry. */
async function stamp(path: string): Promise<string> {
  const stats = await lstat(path, { bigint: true });
  if (stats.isDirectory()) return `folder ${stats.mode & 0o777n}`;
  return `${stats.ino} ${stats.mode} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}
