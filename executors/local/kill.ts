/**
 * Ends all processes of a workspace without namespaces or cgroups. Its process groups are known; a daemon that
 * left its group is found on Linux by the marker in its environment, or by its working folder.
 */

import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { whenUnreadable } from '../../basics/absent.ts';
import { namesIn } from '../../basics/folder.ts';
import { signalGroup, signalTo } from '../../basics/program.ts';

/** The variable that marks the processes of a workspace. */
export const MARKER = 'SWEMAKE_WORKSPACE';

const ROUNDS = 200;

/** Kills `groups` and everything marked with `id` or working below `root`, until nothing of it is left. */
export async function killWorkspace(id: string, root: string, groups: Iterable<number>): Promise<void> {
  for (const group of groups) signalGroup(group, 'SIGKILL');
  for (let round = 0; round < ROUNDS; round++) {
    const left = processesOf(id, root);
    if (left.length === 0) return;
    for (const pid of left) signalTo(pid, 'SIGKILL');
    await sleep(5);
  }
}

/** The living processes of a workspace; empty where there is no /proc. */
export function processesOf(id: string, root: string): number[] {
  const pids = listProcesses();
  return pids.filter((pid) => pid !== process.pid && belongsTo(pid, `${MARKER}=${id}`, root));
}

/** True while the process group has a member. */
export function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function belongsTo(pid: number, marker: string, root: string): boolean {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`, 'latin1');
    if (environ.startsWith(`${marker}\0`) || environ.includes(`\0${marker}\0`)) return true;
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    return cwd === root || cwd.startsWith(`${root}/`);
  } catch (error) {
    // It has ended, or is another user's.
    return whenUnreadable(false)(error);
  }
}

function listProcesses(): number[] {
  if (process.platform !== 'linux') return [];
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}
