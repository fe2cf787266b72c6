/**
 * One process at a time works on a key: a lock is a file made exclusively, holding its owner's identity. A lock
 * whose owner is gone is taken over. Waiting is polling (inotify instances are scarce), rare and cheap.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, parseTag, processTag, thisProcess } from './process-identity.ts';

const POLL_MS = 100;

/** Takes the lock at once, or returns null when a living process has it. */
export function tryLock(path: string): (() => void) | null {
  const tag = processTag(thisProcess());
  for (;;) {
    try {
      writeFileSync(path, tag, { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (!removeStale(path)) return null;
  }
}

/**
 * Waits until the lock is free and takes it, or until `answered` returns something: then somebody else did the
 * work meanwhile.
 */
export async function lockUnless<T>(
  path: string,
  answered: () => T | null,
  signal?: AbortSignal,
): Promise<{ unlock: () => void } | { answer: T }> {
  for (;;) {
    const unlock = tryLock(path);
    const answer = answered();
    if (answer !== null) {
      unlock?.();
      return { answer };
    }
    if (unlock !== null) return { unlock };
    await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal });
  }
}

/** True when the way is free now: the lock vanished, or its dead owner's file was removed. */
function removeStale(path: string): boolean {
  const owner = ownerOf(path);
  if (owner === null) return true;
  if (owner === 'unknown' || isAlive(owner)) return false;
  // Move first, look again: between the look and the move a living process may have replaced the file.
  const aside = `${path}.${processTag(thisProcess())}`;
  try {
    renameSync(path, aside);
  } catch {
    return true;
  }
  const moved = ownerOf(aside);
  if (moved !== null && moved !== 'unknown' && isAlive(moved)) {
    try {
      linkSync(aside, path);
    } catch {
      // A third process has the lock; the moved owner's work is idempotent.
    }
  }
  rmSync(aside, { force: true });
  return true;
}

/** `unknown`: the file is there but its tag is not written yet. */
function ownerOf(path: string): ReturnType<typeof parseTag> | 'unknown' {
  try {
    const text = readFileSync(path, 'utf8');
    return parseTag(text) ?? (text === '' ? 'unknown' : null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
