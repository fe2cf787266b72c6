/**
 * Files of package indexes on the disk, by sha256. Many processes share the folder. A file that has its final name is
 * complete, since it was checked before it was renamed. Each process reads it again before its first use, because a
 * disk may fail, and a damaged file would look like an answer of the task. Files in use get a new time, and gc
 * removes the others.
 */

import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { whenDamaged, whenUnreadable } from '../../basics/absent.ts';
import { fileSha256 } from '../source/save-file.ts';

export class FileStore {
  private readonly checked = new Set<string>();

  constructor(private readonly folder: string) {}

  /** The path of the file; null: the file is missing or damaged. A damaged file is removed. */
  async find(sha256: string): Promise<string | null> {
    const path = join(this.folder, sha256);
    if (!existsSync(path)) return null;
    if (!this.checked.has(sha256)) {
      if ((await fileSha256(path)) !== sha256) {
        await rm(path, { force: true });
        return null;
      }
      this.checked.add(sha256);
      await touch(path);
    }
    return path;
  }

  /** A unique path in the same folder, for an incomplete file. */
  async temporaryPath(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    return join(this.folder, `${randomUUID()}.tmp`);
  }

  /** Renames a file to its final name. The caller has computed the sha256 of its bytes. */
  async add(temporary: string, sha256: string): Promise<string> {
    const path = join(this.folder, sha256);
    await rename(temporary, path);
    this.checked.add(sha256);
    return path;
  }

  /** What was noted under a name; null: nothing, or it was damaged. */
  async noted(name: string): Promise<Buffer | null> {
    const path = join(this.folder, name);
    const noted = await readFile(path).catch(whenDamaged(null));
    if (noted === null) return null;
    const [digest, bytes] = [noted.subarray(0, 64).toString(), noted.subarray(65)];
    if (sha256Of(bytes) !== digest) return null;
    await touch(path);
    return bytes;
  }

  /** Stores bytes under a name. Names of notes have an extension, so that no note has the name of a file. */
  async note(name: string, bytes: Buffer): Promise<void> {
    const temporary = await this.temporaryPath();
    const handle = await open(temporary, 'w');
    try {
      await handle.writeFile(Buffer.concat([Buffer.from(`${sha256Of(bytes)}\n`), bytes]));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(this.folder, name));
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  // A read-only cache, or a file that was removed meanwhile.
  await utimes(path, now, now).catch(whenUnreadable(undefined));
}
