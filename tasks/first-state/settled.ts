/**
 * When a new first state may be used. Git takes a file for unchanged whose size and times are those in its index, and it
 * compares times in whole seconds. So files are changed in a later second than the one in which they were written.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rest } from '../../contract/machine.ts';

const SECOND = 1000;
/** The kernel's clock for files may be this much behind. */
const TICK_MS = 20;
/** A timer may end this much before the clock says so. */
const EARLY_MS = 2;

/** Milliseconds until then, at most a second's: a clock may have been set back since. Not above zero: the time has come. */
export function untilSettled(writtenAt: number, now = Date.now()): number {
  const left = (Math.floor(writtenAt / SECOND) + 1) * SECOND + TICK_MS - now;
  return Math.min(left, SECOND + TICK_MS);
}

/** Waits for it; `rest` is asked only where there is something to wait for. */
export async function settled({ writtenAt = 0 }: { writtenAt?: number }, rest: Rest = keep): Promise<void> {
  if (untilSettled(writtenAt) > 0) await rest(() => sleep(untilSettled(writtenAt) + EARLY_MS));
}

/** Gives nothing away. */
const keep: Rest = (wait) => wait();
