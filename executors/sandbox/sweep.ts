/**
 * Clears what runs that were killed left behind. Processes and mounts die with their namespaces, so what can
 * remain is a run's folder and its control groups.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { isLeftBehind } from '../../basics/process-identity.ts';
import { removeRun } from './run-folder.ts';

/** Removes the run folders below `stateFolder` whose owner is dead; returns the labels of those runs. */
export async function sweepSandboxes(stateFolder: string): Promise<string[]> {
  const swept: string[] = [];
  for (const name of await readdir(stateFolder).catch(whenAbsent<string[]>([]))) {
    if (!isLeftBehind(name)) continue;
    const label = name.slice(0, name.lastIndexOf('.'));
    if (await removeRun(join(stateFolder, name), label)) swept.push(label);
  }
  return swept;
}
