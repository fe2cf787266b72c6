/**
 * Lets an item work without neighbours for a while: nothing new begins, and it waits until the other items have ended.
 * Neighbours lose time by that, so all of it together is kept below a tenth of the run's time; what would cost more is
 * done beside them.
 */
import { afterAwake, awakeNow } from '../basics/awake.ts';

/** The share of a run's time that items may spend alone, waiting for it included. */
const SHARE = 0.1;

export interface Neighbours {
  /** Items that run now, with the one that asks to be alone. */
  running(): number;
  /** Whether items wait for their turn. */
  areWaiting(): boolean;
  /** Called when items may begin again. */
  go(): void;
}

export class Alone {
  /** Nothing new may begin. */
  isHeld = false;
  readonly #neighbours: Neighbours;
  readonly #startedAt = awakeNow();
  /** Milliseconds. */
  #spent = 0;
  #ended: () => void = () => undefined;

  constructor(neighbours: Neighbours) {
    this.#neighbours = neighbours;
  }

  /** To be called whenever an item has ended. */
  ended(): void {
    this.#ended();
  }

  /** Runs `work`, which takes at most so many seconds, alone if that costs the others little. */
  async run<T>(seconds: number, work: () => Promise<T>): Promise<T> {
    const since = awakeNow();
    const isFree = this.#neighbours.running() <= 1 && !this.#neighbours.areWaiting();
    const budget = SHARE * (since - this.#startedAt) - this.#spent - seconds * 1000;
    if (this.isHeld || (!isFree && budget < 0)) return work();
    this.isHeld = true;
    try {
      await this.#rest(budget);
      return await work();
    } finally {
      this.isHeld = false;
      if (!isFree) this.#spent += awakeNow() - since;
      this.#neighbours.go();
    }
  }

  /** Until the others have ended, and for no longer than `most` milliseconds. */
  #rest(most: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = afterAwake(most, resolve);
      this.#ended = () => {
        if (this.#neighbours.running() > 1) return;
        stop();
        resolve();
      };
      this.#ended();
    });
  }
}
