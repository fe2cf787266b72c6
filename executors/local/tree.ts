/** Fills a workspace's root from layers: private copies (clones where the file system can), paths relocated. */

import { constants, existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  lutimes,
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
import { mapLimit } from '../../basics/map-limit.ts';
import type { EnvironmentView } from '../deployment.ts';
import { asText, isLikelyRelocatable, LARGEST_RELOCATED } from './relocatable.ts';
import type { Relocation } from './relocation.ts';
import { makeParents } from './safe-path.ts';

const COPIES_AT_ONCE = 16;

/** Copies `layer` over what is at the relocation's root already. */
export async function copyLayer(layer: string, relocation: Relocation, below = ''): Promise<void> {
  const entries = await readdir(join(layer, below), { withFileTypes: true });
  await mapLimit(entries, COPIES_AT_ONCE, async (entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    const to = join(relocation.root, path);
    if (entry.isDirectory()) {
      await makeFolder(join(layer, path), to);
      await copyLayer(layer, relocation, path);
      await keepTime(join(layer, path), to);
    } else if (entry.isSymbolicLink()) await copyLink(join(layer, path), to, relocation);
    // A whiteout, as in overlayfs: the path of lower layers is removed.
    else if (entry.isCharacterDevice()) await rm(to, { recursive: true, force: true });
    else if (entry.isFile()) await copyOneFile(join(layer, path), to, path, relocation);
  });
}

async function makeFolder(from: string, to: string): Promise<void> {
  const there = await lstat(to).catch(whenAbsent(null));
  if (there !== null && !there.isDirectory()) await rm(to);
  await mkdir(to, { recursive: true });
  await chmod(to, ((await lstat(from)).mode & 0o777) | 0o700);
}

async function copyLink(from: string, to: string, relocation: Relocation): Promise<void> {
  const target = await readlink(from);
  await rm(to, { recursive: true, force: true });
  await symlink(relocation.covers(target) ? relocation.path(target) : target, to);
  const { mtime } = await lstat(from);
  await lutimes(to, mtime, mtime);
}

/** As in other workspaces, the time of a folder does not say when the workspace was opened. */
async function keepTime(from: string, to: string): Promise<void> {
  const { mtime } = await lstat(from);
  await utimes(to, mtime, mtime);
}

/** The times are kept: git and compilers compare them. */
async function copyOneFile(from: string, to: string, path: string, relocation: Relocation): Promise<void> {
  const stats = await lstat(from);
  const there = await lstat(to).catch(whenAbsent(null));
  if (there !== null) await rm(to, { recursive: true });
  const text =
    stats.size <= LARGEST_RELOCATED && isLikelyRelocatable(path) ? asText(await readFile(from)) : null;
  const moved = text === null ? null : relocation.inward(text);
  if (moved === null || moved === text) await copyFile(from, to, constants.COPYFILE_FICLONE);
  else await writeFile(to, moved);
  await chmod(to, (stats.mode & 0o777) | 0o600);
  await utimes(to, stats.mtime, stats.mtime);
}

/** Shows mounts and links as symbolic links below the root. */
export async function placeLinks(environment: EnvironmentView, relocation: Relocation): Promise<void> {
  const { root, path, covers } = relocation;
  for (const mount of environment.mounts) await placeLink(root, path(mount.to), mount.from);
  for (const [inside, target] of hiddenLinks(environment))
    await placeLink(root, path(inside), covers(target) ? path(target) : target);
}

/** Inside paths that {@link placeLinks} makes. */
export function linkPlaces(environment: EnvironmentView): string[] {
  return [
    ...environment.mounts.map((mount) => mount.to),
    ...hiddenLinks(environment).map(([inside]) => inside),
  ];
}

/**
 * Links whose target does not exist on the host. The others exist only to show a hidden host path, and here nothing
 * is hidden.
 */
function hiddenLinks(environment: EnvironmentView): [string, string][] {
  return Object.entries(environment.links).filter(([inside]) => !existsSync(inside));
}

/** Parents are made below the root only: a mount inside of another one would be made on the host. */
async function placeLink(root: string, at: string, target: string): Promise<void> {
  const folder = await makeParents(root, dirname(at));
  if (folder === null) throw new Error(`${at.slice(root.length)} lies outside of the workspace`);
  const place = join(folder, basename(at));
  await rm(place, { recursive: true, force: true });
  await symlink(target, place);
}
