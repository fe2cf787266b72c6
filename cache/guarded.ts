/**
 * Databases that refuse a write instead of breaking. On a full disk and in a read-only cache, writing an answer fails with
 * the error that a file would give; a memo, which only saves time, is not written.
 */
import type { Key, Database as LmdbDatabase, RootDatabase } from 'lmdb';
import { fullDisk, hasRoom } from '../basics/disk.ts';

export interface GuardOptions {
  path: string;
  readOnly: boolean;
  /** Writes that are refused are forgotten. */
  optional: boolean;
  name: string;
  binary: boolean;
}

/** Milliseconds for which a look at the disk is trusted. */
const TRUST = 20;

/** Opens the named database of `root`; one that a read-only file lacks is empty. */
export function openGuarded<V, K extends Key>(
  root: RootDatabase,
  { path, readOnly, optional, name, binary }: GuardOptions,
): LmdbDatabase<V, K> {
  const opened: LmdbDatabase<V, K> | undefined = root.openDB<V, K>({
    name,
    ...(binary ? { keyEncoding: 'binary' as const } : {}),
  });
  if (opened !== undefined) readUndecodableAsAbsent(opened);
  if (readOnly) return readOnlyDatabase(opened, path, optional);
  const put = opened.put.bind(opened) as (...args: unknown[]) => Promise<boolean>;
  let trusted = 0;
  const guarded = async (...args: unknown[]): Promise<boolean> => {
    const now = performance.now();
    if (now - trusted > TRUST) {
      if (!hasRoom(path)) {
        if (optional) return false;
        throw fullDisk(path);
      }
      trusted = now;
    }
    if (!optional) return put(...args);
    // Most of these writes are not awaited, so a refusal would be unhandled.
    return put(...args).catch(() => false);
  };
  return Object.assign(opened, { put: guarded });
}

/** Bytes that can be had and not be decoded, such as those of another version, are no value. A database that fails, throws. */
function readUndecodableAsAbsent<V, K extends Key>(database: LmdbDatabase<V, K>): void {
  const get = database.get.bind(database);
  database.get = (key: K): V | undefined => {
    try {
      return get(key);
    } catch (error) {
      if (database.getBinary(key) === undefined) throw error;
      return undefined;
    }
  };
}

function readOnlyDatabase<V, K extends Key>(
  opened: LmdbDatabase<V, K> | undefined,
  path: string,
  optional: boolean,
): LmdbDatabase<V, K> {
  const put = async (): Promise<boolean> => {
    if (optional) return false;
    throw Object.assign(new Error(`the cache is read-only: ${path}`), { code: 'EROFS' });
  };
  const empty = { get: () => undefined, getRange: () => [], getCount: () => 0 };
  return Object.assign(opened ?? empty, { put }) as unknown as LmdbDatabase<V, K>;
}
