/** From a raw row to an instance, but for the pins of its sources: pure, one row at a time. */
import type { BadRow } from '../schemas/instance.ts';
import { Columns } from './columns.ts';
import { custom } from './custom/kind.ts';
import type { Draft, RowFormat } from './draft.ts';
import { idProblem } from './instance-id.ts';
import { badRow, type NumberedRow, type RowKind } from './row.ts';
import type { SourceMap } from './source-map.ts';
import { sweBench } from './swe-bench/kind.ts';
import { sweGym } from './swe-gym/kind.ts';
import { sweRebench } from './swe-rebench/kind.ts';
import { sweSmith } from './swe-smith/kind.ts';

const FORMATS: Readonly<Record<RowKind, RowFormat>> = {
  'swe-bench': sweBench,
  'swe-smith': sweSmith,
  'swe-gym': sweGym,
  'swe-rebench': sweRebench,
  custom,
};

/** One row as `format` reads it; the first problem makes it a bad row. */
export function normaliseRow(row: NumberedRow, format: RowKind, sources: SourceMap): Draft | BadRow {
  const columns = new Columns(row);
  const id = rowId(row);
  if (typeof id !== 'string') return id;
  const draft = FORMATS[format](columns, sources);
  for (const field of NAMES) {
    if (Buffer.byteLength(draft[field] ?? '') > MAX_BYTES)
      columns.reject(field, `is longer than ${MAX_BYTES} bytes`);
  }
  return columns.bad() ?? { ...draft, line: row.line };
}

/** They name the environment, and what is known of it is kept under its name. */
const NAMES = ['repo', 'version', 'environment_name'] as const;
const MAX_BYTES = 500;

/** The row's instance_id, or why it has none that can be used. */
export function rowId({ line, row }: NumberedRow): string | BadRow {
  const id = row.instance_id;
  if (id === undefined || id === null || id === '') return badRow(line, null, 'instance_id', 'is missing');
  if (typeof id !== 'string') return badRow(line, null, 'instance_id', `must be text, is a ${typeof id}`);
  const problem = idProblem(id);
  return problem === null ? id : badRow(line, id, 'instance_id', problem);
}
