/**
 * Host paths for files named from outside the workspace. Links are followed only as long as they stay below the
 * root. This prevents accidents; it does not stop a process that changes links at the same moment.
 */

import { lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { whenHidden } from '../../basics/absent.ts';

/** The real place of an existing file below `root`, or null when it is absent or lies outside. */
export async function existingPath(root: string, path: string): Promise<string | null> {
  const real = await realpath(path).catch(whenHidden(null));
  return real !== null && isBelow(root, real) ? real : null;
}

/** The real place where a file may be written, its parents made; null when it would lie outside of `root`. */
export async function writablePath(root: string, path: string): Promise<string | null> {
  const folder = await makeParents(root, dirname(path));
  if (folder === null) return null;
  const place = join(folder, path.slice(dirname(path).length + 1));
  const there = await lstat(place).catch(whenHidden(null));
  if (there === null || !there.isSymbolicLink()) return place;
  return existingPath(root, place);
}

/** The real place of a folder below `root`, made when it is not there; null when it would lie outside. */
export async function makeParents(root: string, folder: string): Promise<string | null> {
  let real = await realpath(folder).catch(whenHidden(null));
  if (real === null) {
    const name = folder.slice(dirname(folder).length + 1);
    const parent = await makeParents(root, dirname(folder));
    if (parent === null) return null;
    real = join(parent, name);
    await mkdir(real, { recursive: true });
  }
  return isBelow(root, real) ? real : null;
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
