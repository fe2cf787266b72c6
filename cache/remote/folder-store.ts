/**
 * A remote store in a folder that hosts share, such as an NFS mount. A file gets its name by one rename after it is on
 * the disk, so a writer that is killed leaves a temporary file and no half content, whatever the file system caches.
 */

import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { whenUnreadable } from '../../basics/absent.ts';
import type { GetResult, Presence, PutResult, RemoteStore, Space, StoreFault } from './store.ts';

/** Age at which a temporary file has no writer any more, milliseconds. */
const ABANDONED = 24 * 3600 * 1000;

/** The store in `root`, which must be there: an absent mount is no empty store. */
export function folderStore(root: string): RemoteStore {
  let swept: Promise<void> | null = null;
  const fileOf = (space: Space, name: string) => join(root, space, name.slice(0, 2), name);
  return {
    name: root,
    async get(space, name, most): Promise<GetResult> {
      try {
        const path = fileOf(space, name);
        const { size } = await stat(path);
        if (size > most) return broken(`${path} is larger than it should be`);
        return { kind: 'found', bytes: await readFile(path) };
      } catch (error) {
        return absentOr(root, error);
      }
    },
    async has(space, name): Promise<Presence> {
      try {
        await stat(fileOf(space, name));
        return { kind: 'found' };
      } catch (error) {
        return absentOr(root, error);
      }
    },
    async put(space, name, bytes): Promise<PutResult> {
      const making = join(root, 'tmp');
      const temporary = join(making, `${hostname()}-${process.pid}-${randomUUID()}`);
      try {
        await stat(root);
        await mkdir(making, { recursive: true });
        swept ??= sweep(making);
        await swept;
        await writeThrough(temporary, bytes);
        await moveTo(temporary, fileOf(space, name));
        return { kind: 'kept' };
      } catch (error) {
        // What stays is swept away after a day.
        await rm(temporary, { force: true }).catch(() => undefined);
        return faultOf(error);
      }
    },
    close: async () => undefined,
  };
}

async function writeThrough(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o444);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function moveTo(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(join(to, '..'), { recursive: true });
    await rename(from, to);
  }
}

/** Removes what killed writers left. Clocks of hosts differ; a day is enough for that. */
async function sweep(folder: string): Promise<void> {
  const names = await readdir(folder).catch(whenUnreadable<string[]>([]));
  for (const name of names) {
    const path = join(folder, name);
    const found = await stat(path).catch(whenUnreadable(null));
    if (found !== null && Date.now() - found.mtimeMs > ABANDONED) await rm(path, { force: true });
  }
}

async function absentOr(root: string, error: unknown): Promise<{ kind: 'absent' } | StoreFault> {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return faultOf(error);
  try {
    await stat(root);
    return { kind: 'absent' };
  } catch (missing) {
    return faultOf(missing);
  }
}

function faultOf(error: unknown): StoreFault {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return { kind: 'fault', why: 'refused', detail: message };
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) return { kind: 'fault', why: 'full', detail: message };
  return broken(message);
}

function broken(detail: string): StoreFault {
  return { kind: 'fault', why: 'broken', detail };
}
