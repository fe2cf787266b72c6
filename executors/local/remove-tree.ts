/**
 * Removes a tree that code may have made unremovable: folders without permissions, names that are no text, and
 * paths longer than the system takes.
 */
import { randomUUID } from 'node:crypto';
import { chmod, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';

/** Folders with a longer path are moved up before they are entered; the system's own bound is 4096 bytes. */
const LONG_PATH = 2048;
const SLASH = Buffer.from('/');

/** Removes `path` if it is there. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Whatever it was, the slower way meets it, too.
    await removeStubborn(Buffer.from(path));
  }
}

async function removeStubborn(root: Buffer): Promise<void> {
  const empty = async (folder: Buffer): Promise<void> => {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
      const path = Buffer.concat([folder, SLASH, entry.name]);
      await ifThere(entry.isDirectory() ? removeFolder(path) : unlink(path));
    }
  };
  const removeFolder = async (folder: Buffer): Promise<void> => {
    if (folder.length <= LONG_PATH) {
      await empty(folder);
      return rmdir(folder);
    }
    // A folder that is moved has its own `..` written.
    await chmod(folder, 0o700);
    await rename(folder, Buffer.concat([root, SLASH, Buffer.from(randomUUID())]));
  };
  // What was moved up while the folder was read may have been missed.
  do await empty(root);
  while ((await readdir(root)).length > 0);
  await rmdir(root);
}

/** `rm` gives up at the first error, and what it had begun beside goes on. */
async function ifThere(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
