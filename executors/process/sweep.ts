/** Ends the processes of runs that were killed: each is noted in a file with its owner's tag in the name. */

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { jsonObject } from '../../basics/json.ts';
import { isAlive, isLeftBehind } from '../../basics/process-identity.ts';
import { killAll, type Note } from './child.ts';

/** Ends what the dead owners left below `stateFolder`; returns the names of the notes. */
export async function sweepProcesses(stateFolder: string): Promise<string[]> {
  const swept: string[] = [];
  for (const name of await readdir(stateFolder).catch(whenAbsent<string[]>([]))) {
    if (!isLeftBehind(name)) continue;
    const path = join(stateFolder, name);
    const { leader = null, group = null } =
      jsonObject<Partial<Note>>(await readFile(path, 'utf8').catch(whenAbsent(''))) ?? {};
    // The number of a group may be used again once its leader is gone; its other members carry the mark.
    const groups = leader !== null && isAlive(leader) ? [leader.pid] : [];
    await killAll(name, stateFolder, { groups, folder: group });
    await rm(path, { force: true });
    swept.push(name);
  }
  return swept;
}
