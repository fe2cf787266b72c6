/**
 * Takes a layer that does not work out of use, with the files of the pool that are not what their names say, so that
 * the next run that needs it finds it gone and makes it again. Workspaces that show it keep it: things are moved, not removed.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whenDamaged } from '../basics/absent.ts';
import type { Digest } from '../basics/digest.ts';
import { digestOfFile } from './blobs.ts';
import type { CacheFolder } from './folder.ts';
import { parseManifest } from './layer-manifest.ts';
import { manifestPath, poolNames } from './layer-store.ts';
import { quarantine } from './problem.ts';

export async function quarantineLayer(folder: CacheFolder, digest: Digest): Promise<void> {
  const manifest = manifestPath(folder, digest);
  if (existsSync(manifest)) {
    const entries = parseManifest(readFileSync(manifest, 'utf8'));
    const names = poolNames(entries);
    for (const [index, entry] of entries.entries()) {
      if (entry.type !== 'file') continue;
      const path = join(folder.pool, names[index]!.slice(0, 2), names[index]!);
      const found = await digestOfFile(path).catch(whenDamaged(null));
      if (found !== entry.digest) quarantine(folder, path);
    }
    quarantine(folder, manifest);
  }
  quarantine(folder, join(folder.trees, digest));
}
