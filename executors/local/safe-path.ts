/**
 * Host paths for files named from outside the workspace. Links are followed only as long as they stay below the
 * root. This prevents accidents; it does not stop a process that changes links at the same moment.
 */
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The real place of an existing file below `root`, or null when it is absent or lies outside. */
export async function existingPath(root: string, path: string): Promise<string | null> {
  const real = await realpath(path).catch(() => null);
  return real !== null && isBelow(root, real) ? real : null;
}

/** The real place where a file may be written, its parents made; throws when it would lie outside of `root`. */
export async function writablePath(root: string, path: string): Promise<string> {
  const folder = await makeParents(root, dirname(path));
  const place = join(folder, path.slice(dirname(path).length + 1));
  const there = await lstat(place).catch(() => null);
  if (there === null || !there.isSymbolicLink()) return place;
  const target = await existingPath(root, place);
  if (target === null) throw new Error(`${path.slice(root.length)} is a link that leaves the workspace`);
  return target;
}

/** The real place of a folder below `root`, made when it is not there; throws when it would lie outside. */
export async function makeParents(root: string, folder: string): Promise<string> {
  let real = await realpath(folder).catch(() => null);
  if (real === null) {
    const name = folder.slice(dirname(folder).length + 1);
    real = join(await makeParents(root, dirname(folder)), name);
    await mkdir(real, { recursive: true });
  }
  if (!isBelow(root, real)) throw new Error(`${folder.slice(root.length)} lies outside of the workspace`);
  return real;
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
