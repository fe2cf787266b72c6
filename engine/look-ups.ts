/**
 * Items whose key is looked up. An answer from the cache needs no resources, so look-ups have a queue of their own:
 * answers in the cache are found even while all resources are taken.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Queue } from './queue.ts';

/** Look-ups at once: some read files. */
const AT_ONCE = 32;
/** Milliseconds for which look-ups alone may hold the event loop: sockets of running actions wait meanwhile. */
const TURN = 10;

export class LookUps<T> {
  readonly #look: (item: T) => Promise<void>;
  readonly #waiting = new Queue<T>();
  #active = 0;
  #turn = performance.now();

  constructor(look: (item: T) => Promise<void>) {
    this.#look = look;
  }

  /** Looks at it in its turn. The promise settles when the look is over, and rejects as `look` does. */
  async add(item: T): Promise<void> {
    this.#waiting.push(item);
    if (this.#active >= AT_ONCE) return;
    this.#active += 1;
    try {
      while (this.#waiting.size > 0) {
        const next = this.#waiting.peek();
        this.#waiting.shift();
        await this.#look(next);
        await this.#yield();
      }
    } finally {
      this.#active -= 1;
    }
  }

  async #yield(): Promise<void> {
    if (performance.now() - this.#turn < TURN) return;
    await nextTurn();
    this.#turn = performance.now();
  }
}
