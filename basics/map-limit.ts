/** Runs an asynchronous function over a list with a bounded number in flight. */

/** Results in the order of `items`. After a rejection nothing new is begun; it is thrown once the running calls have ended. */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      try {
        results[index] = await work(items[index]!, index);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker));
  for (const ended of workers) if (ended.status === 'rejected') throw ended.reason;
  return results;
}
