/**
 * Syncs files to the disk beside the event loop, two at a time: the threads that do it also do all other work on
 * files.
 */
import { fsync, fsyncSync } from 'node:fs';

const AT_ONCE = 2;
/** Open files that may wait; beyond that the writer waits itself. */
const MAX_WAITING = 256;

type Done = (error: Error | null) => void;

export class BackgroundSync {
  readonly #waiting: { file: number; done: Done }[] = [];
  /** Numbers of those that are being written through, in order of adding. */
  readonly #active = new Set<number>();
  /** How many were begun. */
  #begun = 0;
  #listeners: { upTo: number; resolve: () => void }[] = [];

  /** `done` is called when what was written to the open file is on the disk, or with the reason why it is not; it closes the file. */
  add(file: number, done: Done): void {
    if (this.#waiting.length >= MAX_WAITING) done(syncNow(file));
    else {
      this.#waiting.push({ file, done });
      this.#next();
    }
  }

  /** Until everything that was added so far is done. */
  settled(): Promise<void> {
    const upTo = this.#begun + this.#waiting.length;
    if (this.#isDone(upTo)) return Promise.resolve();
    return new Promise((resolve) => this.#listeners.push({ upTo, resolve }));
  }

  #isDone(upTo: number): boolean {
    return this.#begun >= upTo && [...this.#active].every((number) => number >= upTo);
  }

  #next(): void {
    if (this.#active.size >= AT_ONCE) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const number = this.#begun;
    this.#begun += 1;
    this.#active.add(number);
    fsync(next.file, (error) => {
      this.#active.delete(number);
      next.done(error);
      this.#next();
      const done = this.#listeners.filter(({ upTo }) => this.#isDone(upTo));
      this.#listeners = this.#listeners.filter((one) => !done.includes(one));
      for (const { resolve } of done) resolve();
    });
  }
}

function syncNow(file: number): Error | null {
  try {
    fsyncSync(file);
    return null;
  } catch (error) {
    return error as Error;
  }
}
