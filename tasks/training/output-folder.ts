/** An output folder on this disk, as trainers look at it. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { byCodeUnit } from '../../basics/canonical.ts';
import type { Listing } from '../../trainers/trainer.ts';

export function listingOf(folder: string): Listing {
  const orNull = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      return whenAbsent(null)(error);
    }
  };
  return {
    names: (path) => orNull(() => readdirSync(join(folder, path)).sort(byCodeUnit)) ?? [],
    read: (path) => orNull(() => readFileSync(join(folder, path), 'utf8')),
    time: (path) => orNull(() => statSync(join(folder, path)).mtimeMs),
  };
}
