/**
 * When things were last used, so that gc can remove the least recently used first. Days are precise enough, so most
 * runs write nothing. A use of a finished stage counts for its items. The time of a layer's manifest counts for its files.
 */

import { stat, utimes } from 'node:fs/promises';
import { whenUnreadable } from '../basics/absent.ts';
import type { ActionKey } from '../basics/digest.ts';
import { binaryKey, type Database } from './database.ts';
import type { CacheFolder } from './folder.ts';
import { manifestPath } from './layer-store.ts';
import type { LayerStore } from './layers.ts';
import type { Lease } from './lease.ts';

/** Milliseconds until a repeated use is written again. */
export const USE_MS = 24 * 3600 * 1000;

/** Notes that the record or finished stage under `key` was of use now. */
export function noteUse(database: Database, key: ActionKey): void {
  const binary = binaryKey(key);
  const last = database.uses.get(binary);
  const now = Date.now();
  if (last === undefined || Math.abs(now - last) > USE_MS) void database.uses.put(binary, now);
}

/** The store, whose lease notes each layer that is added, composed or opened; `open` also renews the time of the manifest once a day. */
export function trackedLayers(store: LayerStore, folder: CacheFolder, lease: Lease): LayerStore {
  return {
    ...store,
    add: async (path) => {
      const layer = await store.add(path);
      lease.useNow(layer.digest);
      return layer;
    },
    compose: async (entries) => {
      const layer = await store.compose(entries);
      if (layer !== null) lease.useNow(layer.digest);
      return layer;
    },
    open: async (digest) => {
      // Noted before the store looks for it: gc moves a layer away, reads the leases again, and moves a leased layer back.
      lease.useNow(digest);
      const path = await store.open(digest);
      if (path === null) return null;
      await touchDaily(manifestPath(folder, digest));
      return path;
    },
  };
}

async function touchDaily(path: string): Promise<void> {
  try {
    const now = Date.now();
    if (Math.abs(now - (await stat(path)).mtimeMs) > USE_MS) await utimes(path, new Date(), new Date());
  } catch (error) {
    // A read-only cache, or a layer that gc took away meanwhile.
    whenUnreadable(null)(error);
  }
}
