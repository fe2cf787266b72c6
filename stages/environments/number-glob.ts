/** Globs for whole numbers in ranges. Pure. */

/** Digits of the greatest number that a range without an end holds. */
const MOST_DIGITS = 7;

/** A glob that matches the numbers of these ranges, written without zeros in front; null: no end. */
export function numberGlob(ranges: readonly (readonly [first: number, last: number | null])[]): string {
  const parts = joined(ranges).flatMap(([first, last]) => globsOf(first, last));
  return parts.length === 1 ? parts[0]! : `{${parts.join(',')}}`;
}

/** Ranges without gaps between them are one. */
function joined(ranges: Parameters<typeof numberGlob>[0]): [number, number][] {
  const found: [number, number][] = [];
  const most = 10 ** MOST_DIGITS - 1;
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    const before = found.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last ?? most);
    else found.push([first, last ?? most]);
  }
  return found;
}

function globsOf(first: number, last: number): string[] {
  const found: string[] = [];
  for (let low = first; low <= last; ) {
    const high = Math.min(last, 10 ** `${low}`.length - 1);
    found.push(...sameLength(`${low}`, `${high}`));
    low = high + 1;
  }
  return found;
}

/** Both have the same number of digits. */
function sameLength(low: string, high: string): string[] {
  if (low === '') return [''];
  const [from, to] = [Number(low[0]), Number(high[0])];
  const [lowRest, highRest] = [low.slice(1), high.slice(1)];
  const zeros = '0'.repeat(lowRest.length);
  const nines = '9'.repeat(lowRest.length);
  if (from === to) return sameLength(lowRest, highRest).map((rest) => `${from}${rest}`);
  const start = lowRest === zeros ? from : from + 1;
  const end = highRest === nines ? to : to - 1;
  return [
    ...(start === from ? [] : sameLength(lowRest, nines).map((rest) => `${from}${rest}`)),
    ...(start > end ? [] : [`${start === end ? start : `[${start}-${end}]`}${'[0-9]'.repeat(zeros.length)}`]),
    ...(end === to ? [] : sameLength(zeros, highRest).map((rest) => `${to}${rest}`)),
  ];
}
