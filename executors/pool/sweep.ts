/** Removes what killed runs left of layers that they sent and of changes that they received. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { isLeftBehind } from '../../basics/process-identity.ts';
import { removeTree } from '../local/remove-tree.ts';

/** Removes the folders below `stateFolder` whose owner is dead; returns their names. */
export async function sweepArchives(stateFolder: string): Promise<string[]> {
  const swept: string[] = [];
  for (const name of await readdir(stateFolder).catch(whenAbsent<string[]>([]))) {
    if (!isLeftBehind(name)) continue;
    await removeTree(join(stateFolder, name));
    swept.push(name);
  }
  return swept;
}
