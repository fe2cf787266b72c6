/** A row as a reader gives it, before anything is known about its columns. */
import { isFields, parsedJson } from '../basics/json.ts';
import type { BadRow } from '../schemas/instance.ts';

export type RawRow = Record<string, unknown>;

export interface NumberedRow {
  /** 1-based line of a JSONL file, else 1-based row number. */
  line: number;
  row: RawRow;
}

export type ReadRow = NumberedRow | BadRow;

/** A file that is not what its name says, or damaged; its text is for the user. */
export class UnreadableFile extends Error {}

/** The readers' own words for what is damaged; what they trip over says nothing to a user. */
export function unreadable(format: string, error: unknown): UnreadableFile {
  const why =
    error instanceof TypeError || error instanceof RangeError ? 'it is damaged' : (error as Error).message;
  return new UnreadableFile(`it cannot be read as ${format}: ${why}`);
}

export function isBadRow(row: ReadRow): row is BadRow {
  return 'message' in row;
}

export function badRow(line: number, id: unknown, field: string, message: string): BadRow {
  return { line, instance_id: typeof id === 'string' ? id : null, field, message };
}

export function hasText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Whether a column is there with a value. */
export function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** An object, also as JSON text: structs that differ from row to row are stored like that. Null for anything else. */
export function objectOf(value: unknown): RawRow | null {
  const isText = typeof value === 'string' && value.trimStart().startsWith('{');
  const object = isText ? parsedJson(value) : value;
  return isFields(object) ? object : null;
}

/** Levels of lists and objects in a row. What writes rows goes down level by level, and its stack has an end. */
const MAX_DEPTH = 100;

/** A numbered row, or a bad one when `value` is no object or is nested too deeply. */
export function numbered(line: number, value: unknown): ReadRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return badRow(line, null, '', 'the row is not an object');
  const row = value as RawRow;
  for (const [field, member] of Object.entries(row)) {
    if (!isWithin(MAX_DEPTH - 1, member))
      return badRow(line, row.instance_id, field, `is nested deeper than ${MAX_DEPTH} levels`);
  }
  return { line, row };
}

function isWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(levels - 1, member));
}

/**
 * A column's value as plain JSON data: 64-bit integers become numbers when they are exact, else text; times
 * become ISO text.
 */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') {
    return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value))
      ? Number(value)
      : String(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Symbol.iterator in value) return Array.from(value as Iterable<unknown>, plain);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
