/** Counts with their nouns. */

/** `1 instance`, `1,204 instances`; `many` where the plural has another ending than s. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** 60000 -> `60,000`, the same in every locale. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
