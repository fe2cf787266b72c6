/**
 * Clears what runs that were killed left behind. Processes and mounts die with their namespaces, so what can
 * remain is a run's folder and its control groups.
 */
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, parseTag } from '../../basics/process-identity.ts';
import { removeTree } from '../local/remove-tree.ts';
import type { ControlGroups } from './limits.ts';
import { GROUPS_FILE } from './spawner.ts';

/** Removes the run folders below `stateFolder` whose owner is dead; returns the labels of those runs. */
export async function sweepSandboxes(stateFolder: string): Promise<string[]> {
  const swept: string[] = [];
  for (const name of await readdir(stateFolder).catch(() => [])) {
    const dot = name.lastIndexOf('.');
    const owner = parseTag(name.slice(dot + 1));
    if (dot < 0 || owner === null || isAlive(owner)) continue;
    const label = name.slice(0, dot);
    const folder = join(stateFolder, name);
    await removeControlGroups(folder, label);
    await removeTree(folder);
    swept.push(label);
  }
  return swept;
}

async function removeControlGroups(folder: string, label: string): Promise<void> {
  const text = await readFile(join(folder, GROUPS_FILE), 'utf8').catch(() => '{}');
  const parents = Object.values(JSON.parse(text) as ControlGroups).map((group) => group.path);
  for (const parent of new Set(parents)) {
    const names = await readdir(parent).catch(() => []);
    for (const name of names.filter((each) => each.startsWith(`${label}-`)))
      await rmdir(join(parent, name)).catch(() => undefined);
  }
}
