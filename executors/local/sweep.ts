/** Removes what killed runs left behind: first their processes, then their folders. */

import { readdir, readFile, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { isAlive, parseTag } from '../../basics/process-identity.ts';
import { killWorkspace } from './kill.ts';
import { removeTree } from './remove-tree.ts';

/** Removes the workspaces whose owner is dead; returns their ids. */
export async function sweepLocal(stateFolder: string): Promise<string[]> {
  const state = await realpath(stateFolder).catch(whenAbsent(null));
  if (state === null) return [];
  const names = await readdir(state);
  const swept: string[] = [];
  for (const name of names.filter((entry) => entry.endsWith('.owner'))) {
    const text = await readFile(join(state, name), 'utf8').catch(whenAbsent(''));
    const owner = parseTag(text.split('\n')[0] ?? '');
    if (owner === null || isAlive(owner)) continue;
    const id = basename(name, '.owner');
    await killWorkspace(id, join(state, id), []);
    await removeTree(join(state, id));
    await removeTree(join(state, `${id}.changes`));
    await rm(join(state, name), { force: true });
    swept.push(id);
  }
  return swept;
}
