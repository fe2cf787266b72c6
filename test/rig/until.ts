/** Waits for a state, never for a time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Returns once `isSo` is true. @throws after `most` milliseconds. */
export async function until(isSo: () => boolean | Promise<boolean>, most = 150_000): Promise<void> {
  const end = performance.now() + most;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`it is not so after ${most} ms: ${isSo.toString()}`);
    await sleep(10);
  }
}
