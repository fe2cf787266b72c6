/**
 * Ends a process group when this process ends, also by SIGKILL: a shell waits at a pipe that only this process holds. It is started
 * before the group, whose number it reads there; until then it knows the control group. Processes that left the group, and are in no
 * control group, are ended by the next sweep.
 */

import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Seconds between SIGTERM and SIGKILL. */
const GRACE = 10;
/** Tries, a tenth of a second apart: a program that was just started may not be in its control group yet. */
const TRIES = 50;
const SCRIPT = [
  'read -r group',
  'read -r _',
  'if [ -n "$group" ]; then',
  '  kill -s TERM -- "-$group" 2>/dev/null',
  `  for _ in $(seq ${GRACE * 10}); do kill -s 0 -- "-$group" 2>/dev/null || break; sleep 0.1; done`,
  '  kill -s KILL -- "-$group" 2>/dev/null',
  'fi',
  '[ -n "$1" ] || exit',
  `for _ in $(seq ${TRIES}); do`,
  '  left=$(cat "$1/cgroup.procs" 2>/dev/null)',
  '  [ -n "$left" ] || [ -z "$group" ] || break',
  '  [ -z "$left" ] || kill -s KILL $left 2>/dev/null',
  '  sleep 0.1',
  'done',
].join('\n');

export interface OwnerWatch {
  /** Tells the number of the process group, once it is there. */
  watch(group: number): void;
  /** Forgets it, once it has ended or was never there. */
  forget(): void;
}

/** @param folder Of the control group; null: there is none. */
export function endWithThisProcess(folder: string | null): OwnerWatch {
  const watcher = spawn('sh', ['-c', SCRIPT, 'sh', folder ?? ''], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    // A signal for the group of this process is none for it.
    detached: true,
  });
  // Without it the next sweep ends what is left.
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  (watcher.stdin as Socket).unref();
  return {
    watch: (group) => watcher.stdin.write(`${group}\n`),
    forget: () => watcher.kill('SIGKILL'),
  };
}
