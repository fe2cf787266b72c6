/** Ends the processes of runs that were killed: each is noted in a file with its owner's tag in the name. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity, parseTag } from '../../basics/process-identity.ts';
import { killWorkspace } from '../local/kill.ts';

/** Ends what the dead owners left below `stateFolder`; returns the names of the notes. */
export async function sweepProcesses(stateFolder: string): Promise<string[]> {
  const swept: string[] = [];
  for (const name of await readdir(stateFolder).catch(() => [])) {
    const owner = parseTag(name.slice(name.lastIndexOf('.') + 1));
    if (owner === null || isAlive(owner)) continue;
    const note = join(stateFolder, name);
    const leader = parseNote(await readFile(note, 'utf8').catch(() => ''));
    // The number of a group may be used again once its leader is gone; its other members carry the mark.
    await killWorkspace(name, note, leader !== null && isAlive(leader) ? [leader.pid] : []);
    await rm(note, { force: true });
    swept.push(name);
  }
  return swept;
}

function parseNote(text: string): ProcessIdentity | null {
  try {
    return JSON.parse(text) as ProcessIdentity;
  } catch {
    return null;
  }
}
