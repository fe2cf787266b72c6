/**
 * One text for one value: JSON with members sorted by code unit, no spaces, and nothing that JSON would drop
 * or bend. Keys and digests of structured values are computed over this text, so comments, member order and
 * number spelling of a project file never reach them.
 */

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** The type itself where its values are JSON; a type with a function, a Map, a Set or a date in it is another one. */
type JsonIn<T> = T extends Json | undefined
  ? T
  : T extends ((...args: never[]) => unknown) | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | Date
    ? never
    : T extends object
      ? { [K in keyof T]: JsonIn<T[K]> }
      : never;

/** A value of an interface as JSON: TypeScript lets only type aliases stand for maps. */
export function asJson<T>(value: T & JsonIn<T>): Json {
  return value as unknown as Json;
}

/**
 * Canonical JSON of `value`. Members whose value is `undefined` count as absent.
 * @throws TypeError for what has no JSON form (NaN, functions, bigints, cycles are the caller's bugs).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (Array.isArray(value)) return canonicalArray(value);
  if (typeof value === 'object') return canonicalObject(value as Record<string, unknown>);
  throw new TypeError(`no canonical form for a ${typeof value}`);
}

/** Thousands of names of tests are written by one call. */
function canonicalArray(value: unknown[]): string {
  if (value.every((element) => typeof element === 'string')) return JSON.stringify(value);
  return `[${value.map(canonicalJson).join(',')}]`;
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`no canonical form for ${value}`);
  return JSON.stringify(Object.is(value, -0) ? 0 : value);
}

function canonicalObject(value: Record<string, unknown>): string {
  let members = '';
  // By code unit, as `byCodeUnit`.
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** The only text order used anywhere: by UTF-16 code unit, whatever the locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
