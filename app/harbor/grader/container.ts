/**
 * The container in which a task of Harbor is graded, as a workspace: what it runs and writes is the container's own, and it
 * is opened once, since nothing can put a container back.
 */

import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, readlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { whenUnreadable } from '../../../basics/absent.ts';
import { runProgram } from '../../../basics/program.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import type {
  Deployment,
  ExecOptions,
  ExecResult,
  FileRefused,
  Workspace,
} from '../../../executors/deployment.ts';
import type { Counters } from '../../../executors/lack.ts';
import { type Infra, infra } from '../../../schemas/outcome.ts';

const MAX_OUTPUT = 4 << 20;
/** How often processes are looked for at once, since others may start some as they are ended. */
const FAST_ROUNDS = 50;
/** How often in all: a busy kernel takes its time to end one. */
const MAX_ROUNDS = 300;
const PAUSE_MS = 50;

/** `env`: the variables of every command. */
export async function containerDeployment(env: NodeJS.ProcessEnv): Promise<Deployment> {
  const before = new Set(await processes());
  let isOpen = false;
  return {
    name: 'container',
    warnings: () => [],
    close: () => Promise.resolve(),
    async open() {
      if (isOpen) return fault(infra('internal', 'a container of Harbor grades a patch once'));
      isOpen = true;
      return success(containerWorkspace(env, before));
    },
  };
}

function containerWorkspace(env: NodeJS.ProcessEnv, others: ReadonlySet<string>): Workspace {
  const isOurs = (id: string) => !others.has(id);
  return {
    id: 'container',
    ports: [],
    exec: (command, options) => run(command, options, env),
    async endProcesses() {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const left = (await processes()).filter(isOurs);
        if (left.length === 0) return success(null);
        for (const id of left) end(Number(id.split(' ')[0]));
        if (round >= FAST_ROUNDS) await sleep(PAUSE_MS);
      }
      return fault(infra('helper', 'processes of the tests cannot be ended'));
    },
    async write(path, bytes, mode = 0o644) {
      const place = await regular(path);
      if (!place.ok) return place;
      try {
        await mkdir(dirname(path), { recursive: true });
        const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW, mode); // biome-ignore format: one call
        try {
          await file.writeFile(bytes);
          await file.chmod(mode);
        } finally {
          await file.close();
        }
        return success(null);
      } catch (error) {
        return refused(error, path);
      }
    },
    async read(path) {
      const place = await regular(path);
      if (!place.ok) return place;
      try {
        return success(place.value ? await readFile(path) : null);
      } catch (error) {
        return refused(error, path);
      }
    },
    diff: () => Promise.resolve(fault(infra('internal', 'a container of Harbor has no diff'))),
    changes: () => Promise.resolve(fault(infra('internal', 'a container of Harbor has no list of changes'))),
    network: () => null,
    close: () => Promise.resolve(),
  };
}

async function run(
  command: string,
  options: ExecOptions,
  env: NodeJS.ProcessEnv,
): Promise<Result<ExecResult, Infra>> {
  const { cwd = '/testbed', timeout, signal, maxOutput = MAX_OUTPUT, login = false } = options;
  const kills = await memoryKills();
  const start = performance.now();
  const end = await runProgram({
    argv: ['bash', ...(login ? ['-l'] : []), '-c', command],
    env: { ...env, ...options.env },
    cwd,
    timeout,
    signal,
    maxOutput,
    leavesOthers: true,
  });
  if (end.kind === 'missing' || end.kind === 'refused') return fault(infra('tool-missing', end.detail));
  if (end.kind === 'cancelled') return fault(infra('cancelled', 'the grader was ended'));
  const { stdout, stderr, output, truncated } = end;
  const exitCode = end.kind === 'exited' ? end.exitCode : null;
  const isWell = exitCode === 0;
  return success({
    exitCode,
    exitSignal: end.kind === 'killed' ? end.signal : null,
    ...{ stdout, stderr, output, truncated },
    timedOut: end.kind === 'timeout',
    durationMs: performance.now() - start,
    ...(isWell ? {} : { counters: await countersSince(kills) }),
  });
}

/** What the container's own counters say; files that are missing say nothing. */
async function countersSince(kills: number | null): Promise<Counters> {
  const now = await memoryKills();
  const memory =
    kills === null || now === null ? null : { available: await availableMemory(), isOwnMet: now > kills };
  return { disk: null, memory, processes: null };
}

/** How often the kernel ended a process for lack of memory, in this container (control groups, version 2). */
async function memoryKills(): Promise<number | null> {
  const text = await readFile('/sys/fs/cgroup/memory.events', 'utf8').catch(whenUnreadable(''));
  const found = /^oom_kill (\d+)$/m.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

async function availableMemory(): Promise<number | null> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(whenUnreadable(''));
  const found = /^MemAvailable: +(\d+) kB$/m.exec(text)?.[1];
  return found === undefined ? null : Number(found) * 1024;
}

/** Each process by its number and the time of its start, but for threads of the kernel. */
async function processes(): Promise<string[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(whenUnreadable(''));
      const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // One that has ended already waits for who started it.
      return stat === '' || state === 'Z' ? [] : [`${name} ${fields[18]}`];
    }),
  );
  return found.flat();
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether a file is there; refused for anything else at that place. */
async function regular(path: string): Promise<Result<boolean, FileRefused>> {
  try {
    const status = await lstat(path);
    if (status.isFile()) return success(true);
    const what = status.isSymbolicLink() ? `a link to ${await readlink(path)}` : 'no file';
    return fault({ status: 'refused', reason: 'place', detail: `${path} is ${what}` });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? success(false) : refused(error, path);
  }
}

function refused(error: unknown, path: string): Result<never, FileRefused> {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'place';
  return fault({ status: 'refused', reason, detail: `${path}: ${message}` });
}
