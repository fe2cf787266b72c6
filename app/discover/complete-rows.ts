/** Rows without FAIL_TO_PASS get measured lists: `init --discover-tests`. */
import { guessFormat } from '../../formats/guess.ts';
import type { FormatKind } from '../../formats/kind.ts';
import type { RawRow } from '../../formats/row.ts';
import { discoverTests, type LeftOut } from './discover.ts';
import type { RowsProject } from './validated.ts';

/** A file of JSON lines, in parts. */
export interface GivenRows {
  format: FormatKind;
  rows: RawRow[];
}

/** What is completed: rows in their order, and those that no lists were found for. */
export interface Completed {
  rows: RawRow[];
  measured: number;
  leftOut: (LeftOut & { id: string })[];
}

/** The rows of a file, whose instances have the columns of a format as they are; a text says why it cannot be used. */
export function givenRows(text: string, source: string): GivenRows | string {
  const rows: RawRow[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const row = objectIn(line);
    if (row === null) return `line ${index + 1} is no JSON object`;
    if (typeof row.instance_id !== 'string') return `line ${index + 1} has no instance_id`;
    rows.push(row);
  }
  const format = rows[0] === undefined ? null : guessFormat(rows[0], source);
  if (format === null) return 'its columns are those of no format';
  if (format.rows !== 'instances' || format.convert !== undefined)
    return `tests of rows of the format ${format.name} cannot be measured`;
  return { format, rows };
}

/** True for a row that names no test which shows that its task is solved. */
export function lacksTests({ FAIL_TO_PASS, fail_to_pass }: RawRow): boolean {
  const list = FAIL_TO_PASS ?? fail_to_pass ?? [];
  return Array.isArray(list) ? list.length === 0 : /^\s*(?:\[\s*\])?\s*$/.test(String(list));
}

export async function completeRows(rows: readonly RawRow[], rowsProject: RowsProject): Promise<Completed> {
  const found = await discoverTests(rows.filter(lacksTests), rowsProject);
  const completed: Completed = { rows: [], measured: 0, leftOut: [] };
  for (const row of rows) {
    const id = String(row.instance_id);
    const one = found.get(id);
    if (one === undefined) completed.rows.push(row);
    else if (one.isMeasured) {
      const { fail_to_pass: _failing, pass_to_pass: _passing, ...same } = row;
      const { FAIL_TO_PASS, PASS_TO_PASS } = one;
      completed.rows.push({ ...same, FAIL_TO_PASS, PASS_TO_PASS });
      completed.measured += 1;
    } else completed.leftOut.push({ ...one, id });
  }
  return completed;
}

function objectIn(line: string): RawRow | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RawRow) : null;
  } catch {
    return null;
  }
}
