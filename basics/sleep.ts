/** Pauses that a signal ends. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after so many milliseconds, or as soon as the signal is aborted. `holds`: the process stays for it. */
export async function sleepUnless(
  milliseconds: number,
  signal: AbortSignal | undefined,
  { holds = true }: { holds?: boolean } = {},
): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { ref: holds, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}
