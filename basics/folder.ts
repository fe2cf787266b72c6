/** What lies in a folder that may not be there. */

import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { whenUnreadable } from './absent.ts';

/** Names in the folder; none when it cannot be read, see readable.ts. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    return whenUnreadable([])(error);
  }
}

/** Bytes of the files at or below `path`. */
export function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  return namesIn(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
