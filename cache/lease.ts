/**
 * What running processes use of the cache, so that gc leaves it alone. A lease is the file of a process's presence.
 * It lists keys and digests that the owner uses, one a line, and lists of items: gc reads these lists, so that a
 * build of sixty thousand items need not write each key. A lease that is left shows a later process that the database
 * was not closed. A lease saves work and is no lock: if gc removes something before its use was noted, it is made
 * again.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Digest, isDigest } from '../basics/digest.ts';
import { readableText } from '../basics/readable.ts';
import { deadPresences, type Presence } from './presence.ts';

/** Before the digest of a list. */
const LIST = 'list ';

export interface Lease {
  /** Notes that `name`, a key or a digest, is in use from now on. */
  use(name: string): void;
  /** As `use`, and written when it returns; once for each name. */
  useNow(name: string): void;
  /** Notes that a list of items is in use, and all answers that it names. */
  useList(list: Digest): void;
  release(): void;
}

export interface LeaseContents {
  /** Milliseconds since 1970. */
  startedAt: number;
  names: string[];
  /** Lists of items. */
  lists: Digest[];
}

/** A lease that notes nothing: for read-only caches and full disks. */
export const NO_LEASE: Lease = {
  use: () => undefined,
  useNow: () => undefined,
  useList: () => undefined,
  release: () => undefined,
};

/** What this process uses, in the file of its presence. Names are written together, once an event-loop turn. */
export function takeLease(presence: Presence): Lease {
  let waiting: string[] = [];
  const warned = new Set<string>();
  const flush = (): void => {
    const lines = waiting;
    waiting = [];
    presence.note(lines);
  };
  const note = (line: string): void => {
    if (waiting.length === 0) setImmediate(flush);
    waiting.push(line);
  };
  return {
    use: note,
    useNow(name) {
      if (warned.has(name)) return;
      warned.add(name);
      presence.note([name]);
    },
    useList: (list) => note(`${LIST}${list}`),
    release() {
      waiting = [];
      presence.leave();
    },
  };
}

/**
 * The leases of other processes that are still there.
 * @param ends presences that were silent for long are ended: what they used may then be removed.
 */
export function readLeases(presence: Presence, ends = false): LeaseContents[] {
  return presence.others().flatMap((name) => {
    const standing = presence.standing(name, true);
    if (standing === 'gone') return [];
    if (standing === 'silent' && ends) {
      presence.end(name);
      return [];
    }
    const lines = readableText(join(presence.folder, name)).split('\n');
    const start = Number(lines.find((line) => line.startsWith('start '))?.slice('start '.length) ?? 0);
    const lists = lines.flatMap((line) => (line.startsWith(LIST) ? line.slice(LIST.length) : []));
    return [{ startedAt: start, names: lines.filter(isDigest), lists: lists.filter(isDigest) }];
  });
}

/** Removes leases by their names. */
export function removeLeases(folder: string, tags: readonly string[]): void {
  for (const tag of tags) rmSync(join(folder, tag), { force: true });
}

/** Names of the leases of processes that are gone. */
export function deadLeases(folder: string): string[] {
  return deadPresences(folder);
}
