/** What is remembered of sources, and where: in the cache, or for as long as the process lives. */

/** Remembers answers that stay true, such as what a pinned thing is. */
export interface Memo {
  get(key: string): string | undefined | Promise<string | undefined>;
  set(key: string, value: string): unknown;
}

/** A memo that ends with the process. */
export function ownMemo(): Memo {
  return new Map<string, string>();
}
