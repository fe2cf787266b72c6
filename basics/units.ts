/** Times and sizes as people write them, in seconds and bytes. */

const SECONDS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** `20s`, `5m`, `300` or a number of seconds; null for anything else. */
export function parseDuration(value: string | number): number | null {
  if (typeof value === 'number') return usable(value);
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(value);
  if (found === null) return null;
  // Rounded, so that 100ms is 0.1 and not 0.1000000000001.
  return usable(Math.round(Number(found[1]) * SECONDS[found[2] ?? 's']! * 1e6) / 1e6);
}

const POWERS = ['', 'K', 'M', 'G', 'T'];

/** `4GiB`, `500MB`, `1024` or a number of bytes, rounded to whole bytes; null for anything else. */
export function parseSize(value: string | number): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? usable(value) : null;
  const found = /^(\d+(?:\.\d+)?)([KMGT]?)(i?)B?$/.exec(value);
  if (found === null || (found[3] === 'i' && found[2] === '')) return null;
  const base = found[3] === 'i' ? 1024 : 1000;
  return usable(Math.round(Number(found[1]) * base ** POWERS.indexOf(found[2]!)));
}

function usable(value: number): number | null {
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : null;
}
