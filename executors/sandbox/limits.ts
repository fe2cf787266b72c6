/**
 * Which limits the kernel holds here. A control group that this process may divide gives hard limits; without
 * one, rlimits and a watchdog inside the workspace do, and `doctor` and every summary call them soft.
 */

import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { whenUnreadable } from '../../basics/absent.ts';
import { readableText } from '../../basics/readable.ts';
import type { Limits, OpenOptions } from '../deployment.ts';

export type Controller = 'memory' | 'pids' | 'cpu';

export interface ControlGroup {
  version: 1 | 2;
  /** Folder below which groups are made. */
  path: string;
}

export type ControlGroups = Partial<Record<Controller, ControlGroup>>;

const CONTROLLERS: Controller[] = ['memory', 'pids', 'cpu'];

/** The control groups that this process can divide, by controller. */
export function findControlGroups(): ControlGroups {
  const found: ControlGroups = {};
  const own = readableText('/proc/self/cgroup').trim().split('\n');
  const mounts = controlGroupMounts();
  for (const line of own) {
    const [id, names, path] = splitOnce(line);
    if (id === '0') addVersion2(found, mounts, path);
    else for (const name of names.split(',')) addVersion1(found, mounts, name, path);
  }
  return found;
}

function addVersion1(found: ControlGroups, mounts: Mount[], name: string, path: string): void {
  const mount = mounts.find((each) => each.type === 'cgroup' && each.options.includes(name));
  const controller = CONTROLLERS.find((each) => each === name);
  if (mount === undefined || controller === undefined) return;
  const folder = join(mount.folder, path);
  if (isWritable(folder)) found[controller] = { version: 1, path: folder };
}

/** A group that holds processes may not divide its controllers, so the one above it is tried too. */
function addVersion2(found: ControlGroups, mounts: Mount[], path: string): void {
  const mount = mounts.find((each) => each.type === 'cgroup2');
  if (mount === undefined) return;
  const own = join(mount.folder, path);
  for (const folder of path === '/' ? [own] : [own, dirname(own)]) {
    const enabled = readableText(join(folder, 'cgroup.subtree_control')).trim().split(' ');
    if (!enabled.includes('memory') || !enabled.includes('pids')) continue;
    if (!isWritable(folder) || !isWritable(join(folder, 'cgroup.procs'))) continue;
    for (const name of CONTROLLERS) if (enabled.includes(name)) found[name] ??= { version: 2, path: folder };
    return;
  }
}

/** What a workspace's limits become: control groups, rlimits, and what the watchdog looks at. */
export interface LimitPlan {
  limits: Limits;
  rlimits: Record<string, number>;
  watch: { memory?: number; disk?: number };
}

export function planLimits(groups: ControlGroups, options: OpenOptions): LimitPlan {
  const { memory, pids, disk } = options.limits;
  const plan: LimitPlan = { limits: options.limits, rlimits: {}, watch: {} };
  if (memory !== undefined && groups.memory === undefined) {
    plan.rlimits.DATA = memory;
    plan.watch.memory = memory;
  }
  // Counted per user namespace, so it is a limit of the workspace; one is process 1.
  if (pids !== undefined) plan.rlimits.NPROC = pids + 1;
  if (disk !== undefined && options.storage === 'disk') {
    plan.rlimits.FSIZE = disk;
    plan.watch.disk = disk;
  }
  return plan;
}

/**
 * How the limits of a deployment are enforced here, for keys. Where a control group limits memory, a process that
 * asks for too much is killed; where each process has its own limit, it gets an error. Without a limit of processors,
 * tests finish in time that would be late with it. A limit that is not set is enforced nowhere.
 */
export function heldLimits({ memory, cpus }: Limits, groups = findControlGroups()): Record<string, string> {
  return {
    ...(memory === undefined ? {} : { 'memory held by': groups.memory === undefined ? 'process' : 'group' }),
    ...(cpus === undefined ? {} : { 'cpus held by': groups.cpu === undefined ? 'nothing' : 'group' }),
  };
}

/** What every summary says about limits that can be exceeded for a moment. */
export function limitWarnings(groups: ControlGroups): string[] {
  const warnings: string[] = [];
  if (groups.memory === undefined)
    warnings.push(
      'the memory limit is soft: there is no writable memory control group, so it is checked four times a second',
    );
  if (groups.cpu === undefined)
    warnings.push('the cpu limit is not enforced: there is no writable cpu control group');
  return warnings;
}

/** Bytes or counts; -1: none. `label`: in /proc/self/limits. */
interface ProcessLimit {
  label: string;
  soft: number;
  hard: number;
}

/** What every process inside may use of its own, whatever the shell had set from which swemake was called. */
const PROCESS_LIMITS: Readonly<Record<string, ProcessLimit>> = {
  CPU: { label: 'cpu time', soft: -1, hard: -1 },
  FSIZE: { label: 'file size', soft: -1, hard: -1 },
  DATA: { label: 'data size', soft: -1, hard: -1 },
  STACK: { label: 'stack size', soft: 8 << 20, hard: -1 },
  NOFILE: { label: 'open files', soft: 16_384, hard: 16_384 },
  MEMLOCK: { label: 'locked memory', soft: 8 << 20, hard: 8 << 20 },
  AS: { label: 'address space', soft: -1, hard: -1 },
};

/** Name of the limit -> what is allowed at first, and at most. */
export function processLimits(): Record<string, [soft: number, hard: number]> {
  return Object.fromEntries(
    Object.entries(PROCESS_LIMITS).map(([name, { soft, hard }]) => [name, [soft, hard]]),
  );
}

/** May raise what a shell has limited. */
const RESOURCE_RIGHT = 1n << 24n;

/** Limits of the calling shell that cannot be lifted here, for keys: the same tests may end in another way under them. */
export function shellLimits(
  limits = readableText('/proc/self/limits'),
  status = readableText('/proc/self/status'),
): Record<string, string> {
  const rights = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  if ((rights & RESOURCE_RIGHT) !== 0n) return {};
  const found = Object.values(PROCESS_LIMITS).flatMap(({ label, hard }) => {
    const soft = new RegExp(`^Max ${label} +\\S+ +(\\d+) `, 'm').exec(limits)?.[1];
    return soft === undefined || (hard >= 0 && Number(soft) >= hard) ? [] : [`${label} ${soft}`];
  });
  return found.length === 0 ? {} : { 'limits of the shell': found.join(', ') };
}

interface Mount {
  folder: string;
  type: string;
  options: string[];
}

function controlGroupMounts(): Mount[] {
  return readableText('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' '))
    .filter((fields) => fields[2] === 'cgroup' || fields[2] === 'cgroup2')
    .map((fields) => ({ folder: fields[1]!, type: fields[2]!, options: fields[3]!.split(',') }));
}

/** `4:memory:/a:b` has a path that may hold colons. */
function splitOnce(line: string): [string, string, string] {
  const first = line.indexOf(':');
  const second = line.indexOf(':', first + 1);
  return [line.slice(0, first), line.slice(first + 1, second), line.slice(second + 1)];
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    return whenUnreadable(false)(error);
  }
}
