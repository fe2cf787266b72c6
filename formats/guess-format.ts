/**
 * Recognises the format of rows by their columns: `init` proposes it, and errors name it when another one was
 * written.
 */
import type { DatasetFormat } from '../schemas/instance.ts';
import { formatOf } from './format-of.ts';
import { unnestRow } from './nested/kind.ts';
import { isR2eRow } from './r2e-gym/kind.ts';
import { isBadRow, type RawRow } from './row.ts';

/** The format by which a row could be read; null when its columns are those of none. `source` names the dataset. */
export function guessFormat(row: RawRow, source: string): DatasetFormat | null {
  if (isObject(row.mutation) && (hasText(row.package) || hasText(row.source))) return 'mutation';
  if (isR2eRow(row)) return 'r2e-gym';
  if (hasText(row.instance_id) && hasText(row.patch)) return formatOf(row, source);
  if (!isBadRow(unnestRow({ line: 1, row }, undefined))) return 'nested';
  return null;
}

/** Names of a row's columns, as many as are read at a glance. */
export function columnNames(row: RawRow): string {
  const names = Object.keys(row);
  const shown = names.slice(0, SHOWN).join(', ');
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}

const SHOWN = 12;

function hasText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
