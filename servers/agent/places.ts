/** So many at once, first come first served; who gives up waiting leaves the line. */

/** Frees the place; further calls have no effect. */
export type Leave = () => void;

export class Places {
  readonly size: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(size: number) {
    this.size = size;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Null when `signal` came first. */
  enter(signal: AbortSignal): Promise<Leave | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (this.#taken < this.size) {
      this.#taken += 1;
      return Promise.resolve(this.#leaving());
    }
    return new Promise((resolve) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#leaving());
      };
      const giveUp = () => {
        this.#waiting.delete(admit);
        resolve(null);
      };
      this.#waiting.add(admit);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #leaving(): Leave {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#taken -= 1;
        return;
      }
      // The place is handed over, so that nobody slips in between.
      this.#waiting.delete(next);
      next();
    };
  }
}
