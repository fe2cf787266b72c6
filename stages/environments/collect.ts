/**
 * What of a build's writes belongs to the dependency layer: all of `/opt/env`, and files under `/testbed` that
 * the repository does not have (`*.egg-info`, compiled extensions). A file of the repository that the build
 * changed stays out, since instances come with other versions of it; it is named instead.
 */
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Moves the layer's part of `changes` (rooted at `/`) into the empty folder `into`. `source` is the source
 * layer's folder. Returns the repository's files that were changed or deleted, sorted.
 */
export async function collectLayer(changes: string, source: string, into: string): Promise<string[]> {
  const environment = join(changes, 'opt/env');
  if (existsSync(environment)) await move(environment, join(into, 'opt/env'));
  const changed: string[] = [];
  await collectNew(changes, source, into, 'testbed', changed);
  return changed.sort();
}

/** Folders that hold nothing an environment needs: version control and caches of test runners. */
const LEFT_OUT = new Set(['.git', '.pytest_cache', '__pycache__']);

async function collectNew(
  changes: string,
  source: string,
  into: string,
  path: string,
  changed: string[],
): Promise<void> {
  const folder = join(changes, path);
  if (!existsSync(folder)) return;
  for (const name of await readdir(folder)) {
    if (LEFT_OUT.has(name)) continue;
    const child = `${path}/${name}`;
    const here = await lstat(join(changes, child));
    const there = await lstat(join(source, child)).catch(() => null);
    if (here.isCharacterDevice()) changed.push(child.slice('testbed/'.length));
    else if (there === null) await move(join(changes, child), join(into, child));
    else if (here.isDirectory() && there.isDirectory())
      await collectNew(changes, source, into, child, changed);
    else changed.push(child.slice('testbed/'.length));
  }
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
}
