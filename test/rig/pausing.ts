/** Processes of this machine that are stopped from outside and go on, as a paused container or machine does. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './until.ts';

/** A line of /proc/PID/FILE; empty when the process is gone. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

const parentOf = (pid: number): number => {
  const stat = read(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
};

/** As the kernel writes it: S, T, …; empty when the process is gone. */
export const stateOf = (pid: number): string => /\) (.) /.exec(read(pid, 'stat'))?.[1] ?? '';

const all = (): number[] => readdirSync('/proc').map(Number).filter(Boolean);

/** The process and all that it started, the first of them first. */
export function treeOf(pid: number): number[] {
  const parents = new Map(all().map((each) => [each, parentOf(each)]));
  const found = [pid];
  for (const one of found) for (const [each, parent] of parents) if (parent === one) found.push(each);
  return found;
}

/**
 * Waits for a process with this argument, or this variable in its environment, that is none of `known`; its number.
 * @throws when there is none after two minutes.
 */
export async function processWith(mark: string, known: readonly number[] = []): Promise<number> {
  const has = (pid: number, file: string) => read(pid, file).split('\0').includes(mark);
  let found: number | undefined;
  await until(() => {
    found = all().find((pid) => !known.includes(pid) && (has(pid, 'environ') || has(pid, 'cmdline')));
    return found !== undefined;
  }, 120_000);
  return found!;
}

/** Process 1 of the workspace that `pid` is in. @throws when `pid` has ended. */
export function processOne(pid: number): number {
  const isFirst = (each: number) => /^NSpid:.*\t1$/m.test(read(each, 'status'));
  let found = pid;
  while (!isFirst(found)) {
    found = parentOf(found);
    if (!(found > 0)) throw new Error(`process ${pid} has ended, or is in no workspace`);
  }
  return found;
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
}

/** Stops them for so long. The first stands still until all others go on, and so never sees one that stands still alone. */
export async function pause(pids: readonly number[], milliseconds: number): Promise<void> {
  signal(pids, 'SIGSTOP');
  try {
    await sleep(milliseconds);
  } finally {
    signal([...pids].reverse(), 'SIGCONT');
  }
}

const WORKS = 'while :; do :; done';
const background = (script: string) => spawn('bash', ['-c', script], { detached: true, stdio: 'ignore' });

/** Processes that use up all processors, each in a session of its own: the kernel shares processors between sessions. */
export function burners(count: number): { end(): void } {
  const started = Array.from({ length: count }, () => background(WORKS));
  return { end: () => started.forEach((one) => void one.kill('SIGKILL')) };
}

/** The same, which stand still until all of them begin at once. */
export async function burnersThatWait(count: number): Promise<{ begin(): void; end(): void }> {
  const started = Array.from({ length: count }, () => background(`kill -STOP $$; ${WORKS}`));
  await until(() => started.every(({ pid }) => stateOf(pid!) === 'T'));
  const signalAll = (name: NodeJS.Signals) => started.forEach((one) => void one.kill(name));
  return { begin: () => signalAll('SIGCONT'), end: () => signalAll('SIGKILL') };
}
