/**
 * Repeats requests while an endpoint does not answer. Pauses, the end of trying and the message are all decided here.
 */

import { fault, type Result } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Clock } from './clock.ts';
import { RetryBudget } from './retry-budget.ts';

export type Attempt<T, F> =
  | { kind: 'done'; result: Result<T, F> }
  /** The request was corrected, and is sent again without a pause. */
  | { kind: 'at-once' }
  /** Temporary. `after`: milliseconds that the endpoint asks to wait. */
  | { kind: 'again'; detail: string; after: number | null }
  | { kind: 'cancelled' };

export interface RetryOptions {
  clock: Clock;
  /** Milliseconds for which it is repeated. */
  span: number;
  signal: AbortSignal;
  /** Aborted: a request that fails is not repeated, and pauses end. Absent: `signal` alone says so. */
  stopping?: AbortSignal | undefined;
  /** The endpoint's address, for faults. */
  where: string;
  log(text: string): void;
}

/** Calls `attempt` until it succeeds or `span` is over. Then the outcome is the endpoint's `infra`. */
export async function withRetries<T, F>(
  { clock, span, signal, stopping, where, log }: RetryOptions,
  attempt: (count: number) => Promise<Attempt<T, F>>,
): Promise<Result<T, F | Infra>> {
  const budget = new RetryBudget(clock, span);
  const wake = stopping === undefined ? signal : AbortSignal.any([signal, stopping]);
  for (let count = 1; ; count++) {
    const tried = signal.aborted ? { kind: 'cancelled' as const } : await attempt(count);
    if (tried.kind === 'done') return tried.result;
    if (tried.kind === 'cancelled') return fault(infra('cancelled', `${where}: cancelled`));
    if (tried.kind === 'at-once') continue;
    if (stopping?.aborted) return fault(notAgain(where, tried.detail));
    const pause = budget.pause(tried.after);
    if (pause === null) return fault(infra('endpoint', `${where}: ${tried.detail}; ${tries(budget, span)}`));
    log(
      `${where}: ${tried.detail}; again in ${(pause / 1000).toFixed(1)} s, tried until ${timeOfDay(budget.left)}\n`,
    );
    await clock.sleep(pause, wake);
    if (stopping?.aborted) return fault(notAgain(where, tried.detail));
  }
}

function notAgain(where: string, detail: string): Infra {
  return infra('cancelled', `${where}: ${detail}; not tried again, since the run is being stopped`);
}

/** The time of day in `ms` milliseconds, in the host's time zone, for messages. */
function timeOfDay(ms: number): string {
  return new Date(Date.now() + ms).toTimeString().slice(0, 8);
}

function tries({ failures }: RetryBudget, span: number): string {
  return `given up after ${failures + 1} tries within ${span / 1000} s`;
}
