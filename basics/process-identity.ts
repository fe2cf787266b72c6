/**
 * Who holds a lock or a temporary file. A pid alone is reused, so an identity is pid, the process's start time, the
 * boot id and the PID namespace in which the pid means something. A holder is dead when the host was started anew, or
 * when no such process runs in our own namespace. What runs in another namespace, such as a container's beside its
 * host's, cannot be seen from here; its beat shows whether it still runs (cache/presence.ts).
 */

import { readlinkSync } from 'node:fs';
import { whenUnreadable } from './absent.ts';
import { readableText } from './readable.ts';

export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot on Linux; "0" where /proc is not there. */
  start: string;
  /** The kernel's boot id; "0" where /proc is not there. */
  boot: string;
  /** Number of the PID namespace; "0" where it is not known. */
  space: string;
}

let own: ProcessIdentity | null = null;

/** Identity of this process, read once: every lock and temporary file asks for it. */
export function thisProcess(): ProcessIdentity {
  own ??= identityOf(process.pid);
  return own;
}

/** Identity of the process that has this number now. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, start: startTime(pid) ?? '0', boot: bootId(), space: pidNamespace() };
}

/** True when the process that made `identity` still runs, or runs where we cannot look. */
export function isAlive(identity: ProcessIdentity): boolean {
  return sightOf(identity) !== 'dead';
}

/** What can be seen of the process that made `identity`. `unseen`: it is in another PID namespace. */
export function sightOf(identity: ProcessIdentity): 'alive' | 'dead' | 'unseen' {
  if (identity.boot !== bootId()) return 'dead';
  if (identity.space !== pidNamespace()) return 'unseen';
  if (identity.start !== '0') return startTime(identity.pid) === identity.start ? 'alive' : 'dead';
  try {
    process.kill(identity.pid, 0);
    return 'alive';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'alive' : 'dead';
  }
}

/** One word for file names, see {@link parseTag}. */
export function processTag(identity: ProcessIdentity): string {
  return `${identity.pid}-${identity.start}-n${identity.space}-${identity.boot}`;
}

/** The identity in a tag made by {@link processTag}, or null. A later name of the same process ends with its number. */
export function parseTag(tag: string): ProcessIdentity | null {
  const match = /^(\d+)-(\d+)-n(\d+)-([0-9a-f-]+?)(?:-g\d+)?$/.exec(tag);
  return match === null
    ? null
    : { pid: Number(match[1]), start: match[2]!, space: match[3]!, boot: match[4]! };
}

/** Whether a name ends with a dot and the tag of a process that is gone: what it names was left by a kill. */
export function isLeftBehind(name: string): boolean {
  const dot = name.lastIndexOf('.');
  const owner = dot < 0 ? null : parseTag(name.slice(dot + 1));
  return owner !== null && !isAlive(owner);
}

function bootId(): string {
  return readableText('/proc/sys/kernel/random/boot_id').trim() || '0';
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch (error) {
    return whenUnreadable('0')(error);
  }
}

/** Field 22 of /proc/PID/stat; the command name before it may hold spaces and brackets. */
function startTime(pid: number): string | null {
  const stat = readableText(`/proc/${pid}/stat`);
  if (stat === '') return null;
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}
