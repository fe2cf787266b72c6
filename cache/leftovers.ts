/** What killed processes left in a cache. Every command that may write sweeps it away when it opens the cache. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../basics/folder.ts';
import { isAlive, isLeftBehind, parseTag } from '../basics/process-identity.ts';
import { leasesOf } from './database.ts';
import { abandonedIn, type CacheFolder } from './folder.ts';
import { ownerOf } from './key-lock.ts';
import { deadLeases } from './lease.ts';

/** Paths below the cache. */
export function listLeftovers(folder: CacheFolder): string[] {
  const locks = namesIn(folder.locks).filter((name) => isDeadLock(join(folder.locks, name)));
  return [
    ...abandonedIn(folder).map((name) => join('tmp', name)),
    ...locks.map((name) => join('locks', name)),
    ...deadLeases(leasesOf(folder.database)).map((name) => join('records.mdb.users', name)),
    ...deadWorkspaces(folder),
  ];
}

function isDeadLock(path: string): boolean {
  const owner = ownerOf(path);
  if (owner === 'absent') return false;
  const identity = owner === null ? null : parseTag(owner);
  return identity === null || !isAlive(identity);
}

/** Folders of workspaces have their owner's identity at the end of their names. */
function deadWorkspaces(folder: CacheFolder): string[] {
  const kinds = existsSync(folder.executors) ? readdirSync(folder.executors) : [];
  return kinds.flatMap((kind) =>
    readdirSync(join(folder.executors, kind))
      .filter(isLeftBehind)
      .map((name) => join('executors', kind, name)),
  );
}
