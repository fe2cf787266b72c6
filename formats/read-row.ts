/** From a raw row to an instance, but for the pins of its sources: pure, one row at a time. */
import type { DatasetConfig } from '../schemas/generated/project.ts';
import type { BadRow } from '../schemas/instance.ts';
import { Columns } from './columns.ts';
import type { Draft } from './draft.ts';
import { formatOf } from './guess.ts';
import { idProblem } from './instance-id.ts';
import type { InstanceFormat, ReadableFormat } from './kind.ts';
import { badRow, isBadRow, type NumberedRow } from './row.ts';
import type { SourceMap } from './source-map.ts';
import { lacksTests, withUnmeasured } from './unmeasured.ts';

/** A row with the id that it is selected by. */
export interface IdentifiedRow extends NumberedRow {
  id: string;
}

/** A row with the columns of an instance, and the format that reads it. */
export interface InstanceRow extends IdentifiedRow {
  format: InstanceFormat;
}

/** The row of an instance in a row of a dataset. `inner`: the format of nested rows; absent: it is recognised. */
export function instanceRow(
  given: NumberedRow,
  kind: ReadableFormat,
  inner?: DatasetConfig['inner'],
): InstanceRow | BadRow {
  if (kind.rows === 'instances') {
    const row = kind.convert?.(given) ?? given;
    return isBadRow(row) ? row : withFormat(row, kind);
  }
  const found = kind.unwrap(given);
  if ('message' in found) return found;
  const format = formatOf(found.row.row, found.source, inner);
  if (format !== null) return withFormat(found.row, format);
  return badRow(given.line, found.row.row.instance_id, 'instance', 'its columns are those of no format');
}

function withFormat(given: NumberedRow, format: InstanceFormat): InstanceRow | BadRow {
  const row = identifiedRow(given);
  return isBadRow(row) ? row : { ...row, format };
}

/** The row with its instance_id, or why it has none that can be used. */
export function identifiedRow({ line, row }: NumberedRow): IdentifiedRow | BadRow {
  const id = row.instance_id;
  if (id === undefined || id === null || id === '') return badRow(line, null, 'instance_id', 'is missing');
  if (typeof id !== 'string') return badRow(line, null, 'instance_id', `must be text, is a ${typeof id}`);
  const problem = idProblem(id);
  return problem === null ? { line, row, id } : badRow(line, id, 'instance_id', problem);
}

/**
 * The instance of a row as its format reads it; the first problem makes it a bad row. `discover`: lists of tests that it lacks
 * will be measured.
 */
export function readRow(given: InstanceRow, sources: SourceMap, discover = false): Draft | BadRow {
  const row = discover && lacksTests(given.row) ? { ...given, row: withUnmeasured(given.row) } : given;
  const columns = new Columns(row);
  const draft = row.format.read(columns, sources);
  for (const field of NAMES) {
    if (Buffer.byteLength(draft[field] ?? '') > MAX_BYTES)
      columns.reject(field, `is longer than ${MAX_BYTES} bytes`);
  }
  return columns.bad() ?? { ...draft, line: row.line };
}

/** They name the environment, and what is known of it is kept under its name. */
const NAMES = ['repo', 'version', 'environment_name'] as const;
const MAX_BYTES = 500;
