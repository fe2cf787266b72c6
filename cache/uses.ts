/**
 * When things were last used, so that gc can remove the least recently used first. Days are precise enough, so most
 * runs write nothing. A finished stage stands for its items, and a layer's manifest for its files.
 */

import { stat, utimes } from 'node:fs/promises';
import { whenUnreadable } from '../basics/absent.ts';
import type { ActionKey } from '../basics/digest.ts';
import { binaryKey, type Database } from './database.ts';
import type { CacheFolder } from './folder.ts';
import { manifestPath } from './layer-store.ts';
import type { LayerStore } from './layers.ts';
import type { Lease } from './lease.ts';

/** How long a use is good for before it is written again, milliseconds. */
export const USE_MS = 24 * 3600 * 1000;

/** Notes that the record or finished stage under `key` was of use now. */
export function noteUse(database: Database, key: ActionKey): void {
  const binary = binaryKey(key);
  const last = database.uses.get(binary);
  const now = Date.now();
  if (last === undefined || Math.abs(now - last) > USE_MS) void database.uses.put(binary, now);
}

/** The store, with every layer that is opened noted as used. */
export function trackedLayers(store: LayerStore, folder: CacheFolder, lease: Lease): LayerStore {
  return {
    add: async (path) => {
      const layer = await store.add(path);
      lease.useNow(layer.digest);
      return layer;
    },
    take: (path, leftOut) => store.take(path, leftOut),
    compose: async (entries) => {
      const layer = await store.compose(entries);
      if (layer !== null) lease.useNow(layer.digest);
      return layer;
    },
    entries: (digest) => store.entries(digest),
    open: async (digest) => {
      // Said before it is looked for: gc, which takes it away and then asks, gives it back.
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
