/**
 * One process at a time works on a key: a lock is a symbolic link whose text names the presence of its owner. It is made
 * by one call, so that no kill leaves one without an owner. A lock is taken over when its owner is gone, or was silent
 * for so long that its presence could be ended. Waiting is polling (inotify instances are scarce), rare and cheap.
 */
import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { faultPoint } from '../basics/fault-point.ts';
import { type Holder, Presence } from './presence.ts';

const POLL_MS = 100;

export interface Lock {
  unlock(): void;
  /** False when others have ended the presence under which it was taken. */
  isHeld(): boolean;
}

/** Whom a process waits for. */
export interface Waiting extends Holder {
  /** When the holder took the lock. */
  since: Date;
}

export interface WaitOptions {
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
  /** Called at each look that finds the lock taken, by this process or another. */
  onBusy?: () => void;
  /** Told when the wait begins, when another holder is waited for, and, with null, when the wait is over. */
  onWait?: OnWait;
}

type OnWait = (waiting: Waiting | null) => void;

export class Locks {
  readonly #folder: string;
  readonly #given: Presence | null;
  #listener: (name: string, waiting: Waiting | null) => void = () => undefined;

  /** `presence`: of this process; null where nothing can be written, and no lock taken. */
  constructor(folder: string, presence: Presence | null) {
    this.#folder = folder;
    this.#given = presence;
  }

  /** `listener` gets every wait that has no listener of its own. */
  listen(listener: (name: string, waiting: Waiting | null) => void): void {
    this.#listener = listener;
  }

  /** Takes the lock at once, or returns null when somebody has it. */
  take(name: string): Lock | null {
    return this.#take(name, true);
  }

  /**
   * Waits until the lock is free and takes it, or until `answered` returns something: then somebody else did the work
   * meanwhile.
   * @throws when `signal` is aborted.
   */
  async unless<T>(
    name: string,
    answered: () => T | null,
    { signal, onBusy, onWait = (waiting) => this.#listener(name, waiting) }: WaitOptions = {},
  ): Promise<Lock | { answer: T }> {
    let waitsFor: string | null = null;
    try {
      for (;;) {
        const lock = this.#take(name, false);
        const answer = answered();
        if (answer !== null) {
          lock?.unlock();
          return { answer };
        }
        if (lock !== null) return lock;
        onBusy?.();
        const owner = this.#owner(name);
        const isAnother = owner !== null && owner !== 'absent' && owner !== this.#presence.name;
        if (isAnother && owner !== waitsFor) {
          waitsFor = owner;
          onWait({ ...this.#presence.holder(owner), since: takenAt(join(this.#folder, name)) });
        }
        await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal });
      }
    } finally {
      if (waitsFor !== null) onWait(null);
    }
  }

  /** Waits until the lock is free and takes it; null when `signal` is aborted before. */
  async wait(name: string, options: WaitOptions): Promise<Lock | null> {
    try {
      return (await this.unless<never>(name, () => null, options)) as Lock;
    } catch (error) {
      if (options.signal?.aborted !== true) throw error;
      return null;
    }
  }

  /** Removes the locks whose owners are gone; returns their names. */
  sweep(): string[] {
    return this.names().filter((name) => {
      const owner = this.#owner(name);
      return this.#standing(owner, true) === 'gone' && this.#remove(name, owner);
    });
  }

  /** Names of all locks. */
  names(): string[] {
    return readdirSync(this.#folder);
  }

  /** Locks of processes that have not written for so long that they can be taken over. */
  silent(): { name: string; holder: Waiting; age: number | null }[] {
    return this.names().flatMap((name) => {
      const owner = this.#owner(name);
      if (owner === null || owner === 'absent' || this.#standing(owner, true) !== 'silent') return [];
      const holder = { ...this.#presence.holder(owner), since: takenAt(join(this.#folder, name)) };
      return [{ name, holder, age: this.#presence.ageOf(owner) }];
    });
  }

  #take(name: string, atOnce: boolean): Lock | null {
    const path = join(this.#folder, name);
    for (;;) {
      const mine = this.#presence.name;
      if (makeLock(path, mine)) {
        faultPoint('lock-taken');
        return this.#held(name, mine);
      }
      const owner = this.#owner(name);
      const standing = this.#standing(owner, atOnce);
      if (standing === 'here') return null;
      if (standing === 'silent') this.#presence.end(owner as string);
      this.#remove(name, owner);
    }
  }

  #held(name: string, mine: string): Lock {
    return {
      isHeld: () => this.#presence.holds(mine),
      unlock: () => {
        faultPoint('lock-before-release');
        // After a long pause others may be at taking it over.
        if (this.#presence.holds(mine)) this.#removeNow(name, mine);
        else this.#remove(name, mine);
      },
    };
  }

  #standing(owner: string | null | 'absent', atOnce: boolean) {
    if (owner === null || owner === 'absent') return 'gone';
    return this.#presence.standing(owner, atOnce);
  }

  /** Only one process at a time looks and removes, so none removes the lock that another has just made. */
  #remove(name: string, owner: string | null): boolean {
    return this.#presence.exclusively(() => this.#removeNow(name, owner));
  }

  #removeNow(name: string, owner: string | null): boolean {
    const path = join(this.#folder, name);
    if (ownerOf(path) !== owner) return false;
    try {
      unlinkSync(path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return false;
    }
  }

  get #presence(): Presence {
    if (this.#given !== null) return this.#given;
    throw Object.assign(new Error(`the cache is read-only: ${this.#folder}`), { code: 'EROFS' });
  }

  #owner(name: string): string | null | 'absent' {
    return ownerOf(join(this.#folder, name));
  }
}

/** Name of the lock of a mirror or a download. */
export function sourceLock(path: string): string {
  return `source-${basename(path)}`;
}

/** Works with locks of `folder`, which is made, where there is no cache. */
export async function withLocks<T>(folder: string, work: (locks: Locks) => Promise<T>): Promise<T> {
  const presence = Presence.enter(`${folder}.users`);
  try {
    mkdirSync(folder, { recursive: true });
    return await work(new Locks(folder, presence));
  } finally {
    presence.leave();
  }
}

function makeLock(path: string, owner: string): boolean {
  try {
    symlinkSync(owner, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The owner's name; null: what lies there is no lock. */
export function ownerOf(path: string): string | null | 'absent' {
  try {
    return readlinkSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'absent';
    if (code === 'EINVAL') return null;
    throw error;
  }
}

function takenAt(path: string): Date {
  return lstatSync(path, { throwIfNoEntry: false })?.mtime ?? new Date();
}
