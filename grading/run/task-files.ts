/** The files of a source layer, for the rules about protected files: listed once, and read as they are asked for. */
import type { Dirent } from 'node:fs';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { folderOf, repositoryPath } from '../../basics/repository-path.ts';
import type { TaskFiles } from '../rules/task-files.ts';

/** No script or configuration is larger. */
const MAX_BYTES = 1 << 20;

/** The repository below `layer`, a folder with `testbed` in it. */
export async function taskFiles(layer: string): Promise<TaskFiles> {
  const root = join(layer, 'testbed');
  const paths = new Set<string>();
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of await entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) paths.add(path);
      else if (path !== '.git') open.push(path);
    }
  }
  const linked = (path: string) => linkOf(path, root, paths);
  return { paths, linked, read: (path) => textOf(linked(path) ?? path, root, paths) };
}

/** A folder that is not there has no entries. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(whenAbsent([]));
}

function textOf(path: string, root: string, paths: ReadonlySet<string>): string | null {
  if (!paths.has(path)) return null;
  const status = lstatSync(join(root, path));
  if (!status.isFile() || status.size > MAX_BYTES) return null;
  return readFileSync(join(root, path), 'utf8');
}

function linkOf(path: string, root: string, paths: ReadonlySet<string>): string | null {
  if (!paths.has(path) || !lstatSync(join(root, path)).isSymbolicLink()) return null;
  const target = readlinkSync(join(root, path));
  const found = target.startsWith('/') ? null : repositoryPath(folderOf(path), target);
  return found !== null && paths.has(found) ? found : null;
}
