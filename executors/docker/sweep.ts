/**
 * Removes the containers of killed runs, by their labels. Containers of a running command or of other programs are
 * never removed.
 */

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { jsonObject } from '../../basics/json.ts';
import { isLeftBehind } from '../../basics/process-identity.ts';
import { removeTree } from '../local/remove-tree.ts';
import type { EngineAddress } from './address.ts';
import { clientOf, within } from './engine.ts';
import { LABELS } from './labels.ts';

/** Milliseconds: an engine that is not there must not hold up a run. */
const TIMEOUT_MS = 20_000;

/** Returns the labels of what was swept. What an engine that does not answer keeps is left for the next time. */
export async function sweepContainers(stateFolder: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const swept: string[] = [];
  for (const name of await readdir(stateFolder).catch(whenAbsent<string[]>([]))) {
    if (name.endsWith('.files')) continue;
    if (!isLeftBehind(name)) continue;
    const path = join(stateFolder, name);
    await removeTree(`${path}.files`);
    const note = await readNote(path);
    if (note !== null && !(await removeContainers(note, env))) continue;
    await rm(path, { force: true });
    if (note !== null) swept.push(note.label);
  }
  return swept;
}

interface Note {
  address: EngineAddress;
  label: string;
}

async function readNote(path: string): Promise<Note | null> {
  return jsonObject<Note>(await readFile(path, 'utf8').catch(whenAbsent('')));
}

async function removeContainers({ address, label }: Note, env: NodeJS.ProcessEnv): Promise<boolean> {
  const client = clientOf(address, env);
  if (!client.ok) return false;
  try {
    const filters = { label: [`${LABELS.deployment}=${label}`] };
    const list = await within(client.value.listContainers({ all: true, filters }), TIMEOUT_MS);
    for (const { Id } of list)
      await within(client.value.getContainer(Id).remove({ force: true, v: true }), TIMEOUT_MS);
    return true;
  } catch {
    // Whatever the engine said, the next sweep asks it again.
    return false;
  }
}
