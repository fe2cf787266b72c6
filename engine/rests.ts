/**
 * Lets an item that waits for time to pass, or for an equal item, give its processors to others meanwhile. It gets processors again
 * before any new item begins. No more items wait for time at once than there are processors, so that at most twice as many items are held
 * in memory. Items that wait for an equal one hold little, and all of them rest: the one that they wait for may need processors to go on.
 */
import type { Rest } from '../contract/machine.ts';
import type { Resources } from '../contract/stage.ts';
import { Queue } from './queue.ts';
import type { ResourcePool } from './resources.ts';

/** What an item gives away; its other resources, such as a workspace, are still in use. */
const PROCESSORS = 'cpu';

interface Returning {
  request: Resources;
  goOn(): void;
}

export class Rests {
  readonly #pool: ResourcePool;
  readonly #most: number;
  readonly #go: () => void;
  readonly #returning = new Queue<Returning>();
  #count = 0;

  /** `most`: items that rest at once. `go` is called when something may begin, or go on. */
  constructor(pool: ResourcePool, most: number, go: () => void) {
    this.#pool = pool;
    this.#most = most;
    this.#go = go;
  }

  /** For an item that was started with these resources. */
  of({ [PROCESSORS]: amount = 0 }: Resources): Rest {
    const request = { [PROCESSORS]: amount };
    return async (wait) => {
      if (amount === 0 || this.#count >= this.#most) return wait();
      this.#count += 1;
      try {
        return await this.#without(request, wait);
      } finally {
        this.#count -= 1;
      }
    };
  }

  /** The same for an item that waits for an equal one. */
  ofWaiting({ [PROCESSORS]: amount = 0 }: Resources): Rest {
    return (wait) => (amount === 0 ? wait() : this.#without({ [PROCESSORS]: amount }, wait));
  }

  async #without<T>(request: Resources, wait: () => Promise<T>): Promise<T> {
    this.#pool.putBack(request);
    this.#go();
    try {
      return await wait();
    } finally {
      await new Promise<void>((goOn) => {
        this.#returning.push({ request, goOn });
        this.#go();
      });
    }
  }

  /** Lets those go on for whom there are processors. Returns the resources for which others still wait. */
  resume(): readonly string[] {
    while (this.#returning.size > 0) {
      const { request, goOn } = this.#returning.peek();
      // What is taken here is put back at the item's end, as all of its resources are.
      if (this.#pool.tryTake(request) === null) return [PROCESSORS];
      this.#returning.shift();
      goOn();
    }
    return [];
  }
}
