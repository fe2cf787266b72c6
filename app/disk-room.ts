/** Whether the disk of the cache has room for a build: reported before hours are spent, and not after them. */
import { statfsSync } from 'node:fs';
import { RESERVE } from '../basics/disk.ts';

/** Free bytes below which a large environment does not fit; `executors/lack.ts` calls such a disk full, too. */
const HARDLY = 2 ** 30;
const MIB = 2 ** 20;

export type DiskRoom = 'enough' | 'hardly' | 'none';

export function diskRoom(free: number): DiskRoom {
  if (free < RESERVE) return 'none';
  return free < HARDLY ? 'hardly' : 'enough';
}

/** Bytes that this user may still write in `folder`. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** What a build says before it begins; null while there is room. */
export function diskWarning(folder: string): string | null {
  const free = freeBytes(folder);
  const room = diskRoom(free);
  if (room === 'enough') return null;
  const left = `${Math.floor(free / MIB)} MiB are free at ${folder}`;
  const least = `${RESERVE / MIB} MiB`;
  return room === 'none'
    ? `${left}: no answer can be kept below ${least}, so nothing will be run; free some space`
    : `${left}, where a large environment does not fit, and nothing is run below ${least}; free some space`;
}
