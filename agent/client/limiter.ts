/**
 * Limits how many requests of all rollouts an endpoint gets at once. Requests are served in the order in which they
 * came. When the endpoint is overloaded, the limit falls to half of the running requests, or of the limit if that is less.
 * After as many answers as the limit, without overload, it grows by a quarter.
 */

export type RequestEnd = 'answered' | 'overloaded' | 'failed';

export interface Permit {
  /** Lets the next request begin. Must be called exactly once. */
  release(end: RequestEnd): void;
}

interface Waiting {
  admit(permit: Permit): void;
}

export class Limiter {
  #ceiling: number;
  #limit: number;
  #running = 0;
  #answered = 0;
  /** Counts reductions, so that one burst of refusals reduces once. */
  #epoch = 0;
  readonly #queue = new Set<Waiting>();

  constructor(ceiling: number) {
    this.#ceiling = ceiling;
    this.#limit = ceiling;
  }

  /** Requests that may run now. */
  get limit(): number {
    return this.#limit;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Several models may share an endpoint; the smallest of their limits is used. */
  narrow(ceiling: number): void {
    this.#ceiling = Math.min(this.#ceiling, ceiling);
    this.#limit = Math.min(this.#limit, ceiling);
  }

  /** Waits for a place; null when the signal aborts first. */
  acquire(signal: AbortSignal): Promise<Permit | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (this.#running < this.#limit) return Promise.resolve(this.#permit());
    return new Promise((resolve) => {
      const waiting: Waiting = {
        admit(permit) {
          signal.removeEventListener('abort', leave);
          resolve(permit);
        },
      };
      const leave = () => {
        this.#queue.delete(waiting);
        resolve(null);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.add(waiting);
    });
  }

  #permit(): Permit {
    this.#running += 1;
    const epoch = this.#epoch;
    return { release: (end) => this.#release(end, epoch) };
  }

  #release(end: RequestEnd, epoch: number): void {
    if (end === 'overloaded' && epoch === this.#epoch) {
      this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, this.#running) / 2));
      this.#epoch += 1;
      this.#answered = 0;
    } else if (end === 'answered' && this.#limit < this.#ceiling) {
      this.#answered += 1;
      if (this.#answered >= this.#limit) this.#grow();
    }
    this.#running -= 1;
    for (const waiting of this.#queue) {
      if (this.#running >= this.#limit) return;
      this.#queue.delete(waiting);
      waiting.admit(this.#permit());
    }
  }

  #grow(): void {
    this.#limit = Math.min(this.#ceiling, this.#limit + Math.max(1, Math.floor(this.#limit / 4)));
    this.#answered = 0;
  }
}
