/** Something that is wrong in a cache, and what repairs it. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CacheFolder } from './folder.ts';

export interface CacheProblem {
  kind: 'blob' | 'answer' | 'stage' | 'layer' | 'state' | 'source' | 'journal';
  /** A path below the cache, or an address. */
  where: string;
  detail: string;
  /** Afterwards the next build remakes what this was, and nothing else. */
  repair(): Promise<void> | void;
}

/** Moves a damaged file or folder out of use, under its own name. */
export function quarantine(folder: CacheFolder, path: string): void {
  const target = folder.quarantine;
  mkdirSync(target, { recursive: true });
  const move = (name: string) => {
    try {
      renameSync(path, join(target, name));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A folder that broke before lies there already.
      if (code === 'ENOTEMPTY' || code === 'EEXIST') move(`${basename(path)}.${randomUUID()}`);
      else if (code !== 'ENOENT') throw error;
    }
  };
  move(basename(path));
}
