/**
 * Whether the kernel's memory killer ended a process on this host during a command. A memory limit of a shell refuses
 * memory and kills nothing, so a killed command then is the host's fault.
 */
import { readableText } from '../../basics/readable.ts';

/** How many processes the kernel killed for lack of memory since it started; null where it does not say. */
export function hostMemoryKills(): number | null {
  const found = /^oom_kill (\d+)$/m.exec(readableText('/proc/vmstat'))?.[1];
  return found === undefined ? null : Number(found);
}
