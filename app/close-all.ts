/** Closing several things, each whatever became of the others. */

/** In this order; the first error is thrown at the end. */
export async function closeAll(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers) await close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
