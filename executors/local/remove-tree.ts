/** Removes a tree that code may have made unremovable: folders without permissions. */
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes `path` if it is there. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    await makeAccessible(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makeAccessible(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await makeAccessible(join(folder, entry.name));
}
