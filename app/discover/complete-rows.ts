/** Rows without FAIL_TO_PASS get measured lists: `init --discover-tests`. */
import { jsonObject } from '../../basics/json.ts';
import { guessFormat } from '../../formats/guess.ts';
import type { FormatKind } from '../../formats/kind.ts';
import type { RawRow } from '../../formats/row.ts';
import { canDiscover, lacksTests, withLists } from '../../formats/unmeasured.ts';
import type { LeftOut } from './discover.ts';
import type { RowsProject } from './rows-project.ts';

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
    const row = jsonObject<RawRow>(line);
    if (row === null) return `line ${index + 1} is no JSON object`;
    if (typeof row.instance_id !== 'string') return `line ${index + 1} has no instance_id`;
    rows.push(row);
  }
  const format = rows[0] === undefined ? null : guessFormat(rows[0], source);
  if (format === null) return 'its columns are those of no format';
  if (!canDiscover(format)) return `tests of rows of the format ${format.name} cannot be measured`;
  return { format, rows };
}

/** `jobs`: how many are measured at once; null: as many as there are processors. */
export async function completeRows(
  rows: readonly RawRow[],
  rowsProject: RowsProject,
  jobs: number | null,
): Promise<Completed> {
  const found = await rowsProject.discover(rows.filter(lacksTests), { jobs });
  const completed: Completed = { rows: [], measured: 0, leftOut: [] };
  for (const row of rows) {
    const id = String(row.instance_id);
    const one = found.get(id);
    if (one === undefined) completed.rows.push(row);
    else if (one.isMeasured) {
      completed.rows.push(withLists(row, one));
      completed.measured += 1;
    } else completed.leftOut.push({ ...one, id });
  }
  return completed;
}
