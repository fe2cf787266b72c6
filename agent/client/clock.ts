/** Time and random numbers for the client. Tests replace them. */
import { sleepUnless } from '../../basics/sleep.ts';

export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: sleepUnless,
  random: Math.random,
};
