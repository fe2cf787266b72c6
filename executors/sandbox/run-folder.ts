/**
 * The folder of a run and what belongs to it outside: its control groups. The file that says where they are stays until
 * they are gone, so that a process that is killed in between leaves the rest to the next sweep.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { whenAbsent } from '../../basics/absent.ts';
import { jsonObject } from '../../basics/json.ts';
import { removeTree } from '../local/remove-tree.ts';
import type { ControlGroup, ControlGroups } from './limits.ts';

const GROUPS_FILE = 'control-groups.json';
/** For workspaces that end because their spawner did, in milliseconds. */
const BUSY_MOST = 2000;
const BUSY_PAUSE = 20;

export function makeRunFolder(folder: string, groups: ControlGroups): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, GROUPS_FILE), JSON.stringify(groups));
}

/**
 * Removes what is left of a run whose spawner is dead. False: a process is still in one of its groups, so the folder is
 * kept for the next sweep. `label` begins the names of the groups.
 */
export async function removeRun(folder: string, label: string): Promise<boolean> {
  const until = performance.now() + BUSY_MOST;
  for (const group of await groupsOf(folder, label)) if (!(await removeGroup(group, until))) return false;
  await removeTree(folder);
  return true;
}

async function groupsOf(folder: string, label: string): Promise<string[]> {
  const text = await readFile(join(folder, GROUPS_FILE), 'utf8').catch(whenAbsent(''));
  const parents = new Set(parsed(text).map((group) => group.path));
  const found: string[] = [];
  for (const parent of parents) {
    const names = await readdir(parent).catch(whenAbsent<string[]>([]));
    found.push(...names.filter((name) => name.startsWith(`${label}-`)).map((name) => join(parent, name)));
  }
  return found;
}

/** A file that was not written to its end is from before the first group was made. */
function parsed(text: string): ControlGroup[] {
  return Object.values(jsonObject<ControlGroups>(text) ?? {});
}

async function removeGroup(group: string, until: number): Promise<boolean> {
  while (true) {
    const code = await rmdir(group).then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code !== 'EBUSY') return true;
    if (performance.now() >= until) return false;
    await sleep(BUSY_PAUSE);
  }
}
