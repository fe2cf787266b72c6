/**
 * Removes things from a cache that others use at the same time. A thing is renamed away, then checked once more, and
 * put back if a process began to use it meanwhile. A process touches a thing before it uses it. So one of the
 * two always sees the other.
 */
import { existsSync, linkSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { faultPoint } from '../basics/fault-point.ts';
import { type CacheFolder, temporaryPath } from './folder.ts';

/** Where it is now; null when it was not there. */
export function moveAway(folder: CacheFolder, path: string): string | null {
  const moved = temporaryPath(folder);
  try {
    renameSync(path, moved);
    return moved;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Puts it back, unless somebody has made it again. */
export function moveBack(moved: string | null, path: string): void {
  if (moved === null) return;
  try {
    if (statSync(moved).isDirectory()) renameSync(moved, path);
    else linkSync(moved, path);
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  if (existsSync(moved)) rmSync(moved, { recursive: true, force: true });
}

/** Removes a file that nothing has changed or linked to since `horizon` (milliseconds). */
export function removeUntouched(folder: CacheFolder, path: string, horizon: number): void {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before === undefined || before.ctimeMs >= horizon) return;
  const moved = moveAway(folder, path);
  if (moved === null) return;
  faultPoint('gc-file-moved');
  if (isSame(before, statSync(moved))) rmSync(moved, { force: true });
  else moveBack(moved, path);
}

/** The same file, neither touched nor linked to in between. */
export function isSame(before: Stats, now: Stats): boolean {
  return before.ino === now.ino && before.mtimeMs === now.mtimeMs && before.nlink >= now.nlink;
}
