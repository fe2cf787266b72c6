/**
 * Processor time of all processes in a control group. A daemon's helpers and its containers count, although they are
 * not children of the process that asked for them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

export interface GroupMeter {
  /** For a shell that is to be counted with all that it starts. */
  enter: string;
  /** Group below which containers are made, as Docker names it. */
  containers: string;
  /** Milliseconds so far. */
  cpuMs(): number;
  remove(): void;
}

/** A new group that counts; null where no control group of ours counts processor time. */
export function startGroupMeter(): GroupMeter | null {
  const name = `swemake-bench-${process.pid}`;
  for (const line of readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')) {
    const [, kinds = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const isOld = kinds.split(',').includes('cpuacct');
    if (!isOld && kinds !== '') continue;
    const top = isOld ? `/sys/fs/cgroup/${kinds}` : '/sys/fs/cgroup';
    if (!existsSync(join(top, isOld ? 'cpuacct.usage' : 'cgroup.controllers'))) continue;
    const folder = join(top, path, name);
    try {
      mkdirSync(join(folder, 'daemon'), { recursive: true });
    } catch {
      continue;
    }
    return {
      enter: `echo $$ > ${join(folder, 'daemon/cgroup.procs')}`,
      containers: join(path, name, 'containers'),
      cpuMs: () => (isOld ? oldUsage(folder) : newUsage(folder)),
      // Docker makes it in each hierarchy.
      remove: () => {
        for (const other of isOld ? readdirSync('/sys/fs/cgroup') : ['.'])
          removeGroup(join('/sys/fs/cgroup', other, path, name));
      },
    };
  }
  return null;
}

function oldUsage(folder: string): number {
  return Number(readFileSync(join(folder, 'cpuacct.usage'), 'utf8')) / 1e6;
}

function newUsage(folder: string): number {
  return Number(/^usage_usec (\d+)$/m.exec(readFileSync(join(folder, 'cpu.stat'), 'utf8'))![1]) / 1e3;
}

function removeGroup(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(folder, entry.name));
  try {
    rmdirSync(folder);
  } catch {
    // Something in it has not ended yet.
  }
}
