/**
 * How many processes and threads a program of the host may have, all of its descendants together. A control group
 * refuses more, holds every descendant however it left, and so ends them all. Where none can be made, a watch counts
 * those that carry the program's mark, a few times a second. A program that reaches the limit is ended: what it does
 * after a refused fork is no answer.
 */

import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { whenUnreadable } from '../../basics/absent.ts';
import { signalTo } from '../../basics/program.ts';
import { readableText } from '../../basics/readable.ts';
import { processesOf } from '../local/kill.ts';
import { findControlGroups } from '../sandbox/limits.ts';

/** Milliseconds between two looks. */
const LOOK = 100;
const ROUNDS = 400;
const PAUSE = 5;
const LEAST = 4096;
const PER_PROCESSOR = 1024;
/** A shell joins the group and becomes the program, so that nothing of it starts outside. */
const JOIN = 'echo 0 >"$0/cgroup.procs" && exec "$@"';

/** The limit where the deployment says none. */
export function defaultPids(processors: number = availableParallelism()): number {
  return Math.max(LEAST, PER_PROCESSOR * processors);
}

/** What holds one program's processes. */
export interface PidsHolder {
  /** Folder of its control group; null: there is none. */
  readonly folder: string | null;
  /** The words that start the program inside. */
  within(argv: readonly string[]): readonly string[];
  /** Calls back once, when the limit is reached. Returns what ends the watch, and looks a last time. */
  watch(onReached: () => void): () => void;
}

/** Makes the holder of a program that is about to start. `id`: its mark; null for `parent`: no group can be made. */
export function holdPids(
  limit: number,
  id: string,
  parent: string | null = findControlGroups().pids?.path ?? null,
): PidsHolder {
  const folder = parent === null ? null : groupBelow(parent, id, limit);
  if (folder === null)
    return {
      folder,
      within: (argv) => argv,
      watch: (onReached) => looking(() => counted(id, limit) > limit, onReached),
    };
  return {
    folder,
    within: (argv) => ['/bin/sh', '-c', JOIN, folder, ...argv],
    watch: (onReached) => looking(() => refusals(folder) > 0, onReached),
  };
}

function groupBelow(parent: string, id: string, limit: number): string | null {
  const folder = join(parent, `swemake-process-${id}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'pids.max'), `${limit}`);
    return folder;
  } catch {
    // Whatever forbids it, the watch counts instead.
    removeGroup(folder);
    return null;
  }
}

function looking(isReached: () => boolean, onReached: () => void): () => void {
  let isReported = false;
  const look = () => {
    if (isReported || !isReached()) return;
    isReported = true;
    onReached();
  };
  const lookNow = () => {
    try {
      look();
    } catch {
      // What cannot be looked at now is looked at in the end.
    }
  };
  const timer = setInterval(lookNow, LOOK).unref();
  return () => {
    clearInterval(timer);
    look();
  };
}

/** How often the group was refused another process. */
function refusals(folder: string): number {
  return Number(/^max (\d+)/m.exec(readableText(join(folder, 'pids.events')))?.[1] ?? 0);
}

/** Processes and threads with the mark. All of the machine are an upper bound, and one line. */
function counted(id: string, limit: number): number {
  const all = Number(/^\S+ \S+ \S+ \d+\/(\d+)/.exec(readableText('/proc/loadavg'))?.[1] ?? 0);
  if (all <= limit) return 0;
  return processesOf(id, '/nowhere').reduce((sum, pid) => sum + threadsOf(pid), 0);
}

function threadsOf(pid: number): number {
  return Number(/^Threads:\s*(\d+)/m.exec(readableText(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** Ends all that is in a group and in groups below it, and removes it. Nothing in it can fork meanwhile. */
export async function endGroup(folder: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const folders = groupsIn(folder);
    if (folders.length === 0) return;
    for (const one of folders) {
      writeIf(join(one, 'pids.max'), '0');
      // Version 2 ends all at once.
      writeIf(join(one, 'cgroup.kill'), '1');
      for (const pid of readableText(join(one, 'cgroup.procs')).split('\n'))
        if (Number(pid) > 0) signalTo(Number(pid), 'SIGKILL');
      removeGroup(one);
    }
    await sleep(PAUSE);
  }
}

/** A group and those below it, the deepest first; none when it is gone. */
function groupsIn(folder: string): string[] {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [...below.flatMap(({ name }) => groupsIn(join(folder, name))), folder];
  } catch (error) {
    return whenUnreadable([])(error);
  }
}

function removeGroup(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    // Something in it is still ending, or there is none.
    whenUnreadable(null)(error);
  }
}

function writeIf(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'r+' });
  } catch (error) {
    // Not in this version, or gone.
    whenUnreadable(null)(error);
  }
}
