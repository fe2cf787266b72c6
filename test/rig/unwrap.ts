/** What a result holds where a test has no use for its fault. */
import type { Result } from '../../basics/result.ts';

/** @throws with what the fault says. */
export async function unwrap<T>(done: Promise<Result<T, { detail: string }>>): Promise<T> {
  const result = await done;
  if (!result.ok) throw new Error(result.fault.detail);
  return result.value;
}
