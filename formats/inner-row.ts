/**
 * For formats with rows in a form of their own: turns each row into the row of an instance, and says in which format
 * to read it.
 */
import type { BadRow, DatasetFormat } from '../schemas/instance.ts';
import { unnestRow } from './nested/kind.ts';
import { r2eRow } from './r2e-gym/kind.ts';
import type { NumberedRow, RowKind } from './row.ts';

/** The row with the columns of an instance; those of other formats have them already. */
export function innerRow(row: NumberedRow, format: DatasetFormat, inner?: RowKind): NumberedRow | BadRow {
  if (format === 'nested') return unnestRow(row, inner);
  return format === 'r2e-gym' ? r2eRow(row) : row;
}
