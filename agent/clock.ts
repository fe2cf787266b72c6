/** The working time of a rollout. Waits for the endpoint or the user, and pauses of the workspace, do not count. */

/** Longest time that timers and executors take, in seconds. */
const MAX_SECONDS = 2_000_000;

export class Clock {
  readonly #now: () => number;
  readonly #startedAt: number;
  /** Milliseconds that do not count. Callers add to them. */
  waited = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** Milliseconds since the beginning, waits included. */
  total(): number {
    return this.#now() - this.#startedAt;
  }

  /** Seconds of work. */
  worked(): number {
    return Math.max(0, this.total() - this.waited) / 1000;
  }

  /** Runs `work`, and returns its result with the milliseconds that it took. */
  async measure<T>(work: () => Promise<T>): Promise<{ value: T; took: number }> {
    const startedAt = this.#now();
    const value = await work();
    return { value, took: this.#now() - startedAt };
  }
}

/** Seconds that a command may take, and whether the rollout's own limit is the nearer one. A limit of 0 means none. */
export function commandTime(
  limits: { command: number; time: number },
  worked: number,
): { seconds: number; boundByRollout: boolean } {
  const own = limits.command === 0 ? MAX_SECONDS : limits.command;
  const left = limits.time === 0 ? MAX_SECONDS : limits.time - worked;
  return { seconds: Math.min(own, left), boundByRollout: limits.time !== 0 && left <= own };
}
