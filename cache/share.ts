/**
 * A cache that the users of a group share. Answers, outputs and journals are common; what is executed, mounted or changed
 * in place lies apart for each user, below `users/UID`: no user's files are another's programs, and a sandbox has no files
 * of two owners or of a group that it cannot name. The mode of the cache's folder says that it is shared: 2770.
 */

import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { whenUnreadable } from '../basics/absent.ts';
import { namesIn } from '../basics/folder.ts';
import { deadPresences, presentIn } from './presence.ts';

/** What cache.share says. */
export type Share = 'none' | 'group';

/** Bits of a folder that a group shares; its folders and files inherit the group. */
const SHARED = 0o2770;
const USERS = 'users';
/** What each user has apart. */
const APART = ['layers', 'states', 'bases', 'sources', 'tools', 'executors', 'tmp', 'quarantine'];

/** Where a user's own part lies, and where those of others do. */
export interface CacheParts {
  own: string;
  others: readonly string[];
  isShared: boolean;
}

/** The parts of the cache at `root` for this user. */
export function cacheParts(root: string): CacheParts {
  const found = statOf(root);
  if (found === null || !isSharedMode(found.mode)) return { own: root, others: [], isShared: false };
  const users = namesIn(join(root, USERS)).map((name) => join(root, USERS, name));
  const own = join(root, USERS, String(process.getuid?.() ?? found.uid));
  return { own, others: users.filter((part) => part !== own), isShared: true };
}

/** Makes this user's part: of the user's own group, and to be read by all who get into the cache. */
export function makePart(own: string): void {
  if (existsSync(own)) return;
  mkdirSync(own, { recursive: true });
  for (const path of [own, join(own, 'layers'), join(own, 'layers', 'trees')]) {
    mkdirSync(path, { recursive: true });
    chownSync(path, process.getuid!(), process.getegid!());
    chmodSync(path, 0o755);
  }
}

/** @throws when the folder is another user's and closed to this one. */
export function refuseClosed(root: string): void {
  const found = statOf(root);
  if (found === null || !found.isDirectory() || canEnter(root)) return;
  const mode = (found.mode & 0o7777).toString(8).padStart(4, '0');
  const whose = isSharedMode(found.mode)
    ? `is shared with the group ${found.gid}, to which this user does not belong`
    : `belongs to the user ${found.uid} alone (mode ${mode})`;
  const error = new Error(`the cache ${root} ${whose}`);
  throw Object.assign(error, { code: 'EACCES', remedy: 'set cache.folder to a folder of your own' });
}

/** Opens a cache of this user's own to the folder's group, once. @throws where it is another user's, or in use. */
export function shareWithGroup(root: string): void {
  const { uid, gid, mode } = statSync(root);
  if (isSharedMode(mode)) return;
  if (uid !== process.getuid?.()) {
    const error = new Error(`the cache ${root} belongs to the user ${uid}, who does not share it`);
    throw Object.assign(error, { code: 'EACCES', remedy: 'set cache.folder to a folder of your own' });
  }
  const users = join(root, 'records.mdb.users');
  const dead = new Set(deadPresences(users));
  if (presentIn(users).some((name) => !dead.has(name))) {
    const error = new Error(`the cache ${root} is used by another process, and is not shared yet`);
    throw Object.assign(error, { code: 'EBUSY', remedy: 'wait until it has ended' });
  }
  for (const name of ['blobs', 'runs', 'locks', 'records.mdb', 'records.mdb-lock', 'records.mdb.users'])
    openTo(gid, join(root, name));
  chmodSync(root, SHARED);
  const own = join(root, USERS, String(uid));
  mkdirSync(join(root, USERS), { recursive: true });
  chmodSync(join(root, USERS), SHARED);
  makePart(own);
  for (const name of APART)
    if (existsSync(join(root, name))) {
      rmSync(join(own, name), { recursive: true, force: true });
      renameSync(join(root, name), join(own, name));
    }
}

/** The mask for new files in a cache that is shared: as the user's own, but nothing is closed to the group. */
export function sharedMask(mask: number): number {
  return mask & 0o707;
}

function openTo(gid: number, path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.uid !== process.getuid?.() || found.isSymbolicLink()) return;
  const rights = found.isDirectory()
    ? 0o2070
    : ((found.mode & 0o600) >> 3) | (found.mode & 0o100 ? 0o010 : 0);
  // Where the folder was given to another group since.
  if (found.gid !== gid) chownSync(path, found.uid, gid);
  if ((found.mode & rights) !== rights) chmodSync(path, (found.mode & 0o7777) | rights);
  if (found.isDirectory()) for (const name of readdirSync(path)) openTo(gid, join(path, name));
}

function isSharedMode(mode: number): boolean {
  return (mode & SHARED) === SHARED && (mode & 0o007) === 0;
}

function canEnter(root: string): boolean {
  try {
    accessSync(root, constants.R_OK | constants.X_OK);
    return true;
  } catch (error) {
    return whenUnreadable(false)(error);
  }
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    return whenUnreadable(null)(error);
  }
}
