/** How long a request is tried again: growing pauses with chance in them, until a stretch of wall-clock time is over. */
import type { Clock } from './clock.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export class RetryBudget {
  readonly #clock: Clock;
  readonly #span: number;
  #since: number | null = null;
  #failures = 0;

  /** `span`: milliseconds, from the first failure on. A request that takes long does not use it up by itself. */
  constructor(clock: Clock, span: number) {
    this.#clock = clock;
    this.#span = span;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds until enough was tried. */
  get left(): number {
    return this.#since === null ? this.#span : this.#span - (this.#clock.now() - this.#since);
  }

  /**
   * Milliseconds to wait after a failure; null: enough was tried. `asked`: what the endpoint asked to wait, which is
   * honoured as far as the stretch goes, so that the last try is at its end.
   */
  pause(asked: number | null): number | null {
    const now = this.#clock.now();
    this.#since ??= now;
    const { left } = this;
    if (left <= 0) return null;
    const full = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    // Half of it is left to chance: those that failed together must not come again together.
    const chosen = full * (1 - this.#clock.random() / 2);
    return Math.min(Math.max(chosen, asked ?? 0), left);
  }
}
