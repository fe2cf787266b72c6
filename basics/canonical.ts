/**
 * One text for one value: JSON with members sorted by code unit, no spaces, and nothing that JSON would drop
 * or bend. Keys and digests of structured values are computed over this text, so comments, member order and
 * number spelling of a project file never reach them.
 */

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/**
 * Canonical JSON of `value`. Members whose value is `undefined` count as absent.
 * @throws TypeError for what has no JSON form (NaN, functions, bigints, cycles are the caller's bugs).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object') return canonicalObject(value as Record<string, unknown>);
  throw new TypeError(`no canonical form for a ${typeof value}`);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`no canonical form for ${value}`);
  return JSON.stringify(Object.is(value, -0) ? 0 : value);
}

function canonicalObject(value: Record<string, unknown>): string {
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort(byCodeUnit)
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}

/** The only text order used anywhere: by UTF-16 code unit, whatever the locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
