/**
 * What the database asks of the disk that it is on. LMDB works on local file systems only, and a disk that fills
 * up under it ends the process in the middle of its own memory, so room is looked at before anything is written.
 */

import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { whenUnreadable } from './absent.ts';

/** Bytes that must be free before the database is written: far more than one commit takes. */
export const RESERVE = 8 * 2 ** 20;

const FUSE = 0x65735546;
/** Magic numbers of statfs(2). */
const REMOTE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x0bd00bd0, 'Lustre'],
  [0x00c36400, 'Ceph'],
  [0x47504653, 'GPFS'],
  [0x5346414f, 'AFS'],
  [0x01021997, '9P'],
  [0x19830326, 'BeeGFS'],
  [FUSE, 'FUSE'],
]);

/** FUSE file systems that keep their data on this host. */
const LOCAL_FUSE = ['fuse.fuse-overlayfs', 'fuseblk'];

/** Name of the network file system that a statfs magic number stands for, or null; `mounts` is a mountinfo text. */
export function remoteFileSystem(magic: number, folder: string, mounts: string): string | null {
  const name = REMOTE.get(magic >>> 0) ?? null;
  if (name === 'FUSE' && LOCAL_FUSE.includes(mountType(folder, mounts))) return null;
  return name;
}

/** Throws when `path` lies on a network file system. */
export function refuseRemote(path: string): void {
  const folder = dirname(path);
  const { type } = statfsSync(folder);
  const mounts = type === FUSE ? readFileSync('/proc/self/mountinfo', 'utf8') : '';
  const name = remoteFileSystem(type, folder, mounts);
  if (name === null) return;
  const message = `${folder} is on a network file system (${name}), where the cache's database would be damaged; set cache.folder to a folder on a local disk`;
  throw Object.assign(new Error(message), { code: 'ENOTSUP' });
}

/** False when files in the folder of `path` cannot be made or changed: a read-only mount, another user's cache. */
export function isWritable(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    if (existsSync(path)) accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    return whenUnreadable(false)(error);
  }
}

/** False when the disk under `path` is so full that a commit could meet its end. */
export function hasRoom(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize >= RESERVE;
}

export function fullDisk(path: string): Error {
  const message = `the disk of ${dirname(path)} is full: less than ${RESERVE / 2 ** 20} MiB are free`;
  return Object.assign(new Error(message), { code: 'ENOSPC' });
}

/** True of the error of a disk that is full or may not be written to. */
export function isRefusal(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Type of the innermost mount that holds `folder`, such as `fuse.sshfs`. */
function mountType(folder: string, mounts: string): string {
  let best = { point: '', type: '' };
  for (const line of mounts.split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    const point = left.split(' ')[4] ?? '';
    const inside = folder === point || folder.startsWith(point.endsWith('/') ? point : `${point}/`);
    if (point !== '' && inside && point.length >= best.point.length)
      best = { point, type: right.split(' ')[0] ?? '' };
  }
  return best.type;
}
