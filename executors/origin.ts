/** Reads the repository of a source layer on the host: the workspace's repository in its original state. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../basics/absent.ts';
import type { FileRefused, Workspace, WorkspaceLost } from './deployment.ts';

export interface Repository {
  index: Uint8Array;
  /** Its `info/exclude`. */
  exclude: string;
  /** Copies its objects into a folder of the workspace. Returns why that failed, or null. */
  bring(workspace: Pick<Workspace, 'write'>, folder: string): Promise<WorkspaceLost | FileRefused | null>;
}

/** The layer's repository if its commit is `commit`, else null. */
export async function originOf(layer: string, commit: string): Promise<Repository | null> {
  const git = join(layer, 'testbed/.git');
  const text = (name: string) => readFile(join(git, name), 'utf8').catch(whenAbsent(''));
  if ((await text('refs/heads/main')).trim() !== commit) return null;
  const index = await readFile(join(git, 'index')).catch(whenAbsent(null));
  if (index === null) return null;
  const exclude = await text('info/exclude');
  return { index, exclude, bring: (workspace, folder) => bring(join(git, 'objects'), workspace, folder) };
}

async function bring(
  objects: string,
  workspace: Pick<Workspace, 'write'>,
  folder: string,
): Promise<WorkspaceLost | FileRefused | null> {
  for (const entry of await readdir(objects, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(objects.length + 1);
    if (name.startsWith('info/')) continue;
    const written = await workspace.write(`${folder}/${name}`, await readFile(path));
    if (!written.ok) return written.fault;
  }
  return null;
}
