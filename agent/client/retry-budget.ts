/** Decides how long a request is repeated. Pauses grow and are partly random. The budget ends after a span of time. */
import type { Clock } from './clock.ts';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

export class RetryBudget {
  readonly #clock: Clock;
  readonly #span: number;
  #since: number | null = null;
  #failures = 0;

  /** `span`: milliseconds from the first failure on. So a first attempt that takes long does not use it up. */
  constructor(clock: Clock, span: number) {
    this.#clock = clock;
    this.#span = span;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds that are left. */
  get left(): number {
    return this.#since === null ? this.#span : this.#span - (this.#clock.now() - this.#since);
  }

  /**
   * Milliseconds to wait after a failure; null: the span is over. `asked`: milliseconds that the endpoint asks to
   * wait. A pause never goes beyond the span, so the last attempt is at its end.
   */
  pause(asked: number | null): number | null {
    const now = this.#clock.now();
    this.#since ??= now;
    const { left } = this;
    if (left <= 0) return null;
    const full = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    // Half of the pause is random, so that requests that failed together are not repeated together.
    const chosen = full * (1 - this.#clock.random() / 2);
    return Math.min(Math.max(chosen, asked ?? 0), left);
  }
}
