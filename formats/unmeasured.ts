/** Rows without lists of tests, which are measured: what stands in them until then, and what is written in its place. */
import { UNMEASURED } from '../patches/test-files.ts';
import type { TestLists } from '../schemas/instance.ts';
import { HIDDEN_COLUMNS } from './draft.ts';
import type { FormatKind } from './kind.ts';
import type { RawRow } from './row.ts';

/** Whether lists of tests can be written into rows of a format: each is an instance, and has or may have the columns of one. */
export function canDiscover(format: FormatKind): boolean {
  return format.rows === 'instances' && (format.convert === undefined || format.keepsLists === true);
}

/** True for a row that names no test which shows that its task is solved. Tests that are hidden are named by who hid them. */
export function lacksTests(row: RawRow): boolean {
  if (HIDDEN_COLUMNS.some((name) => row[name] != null)) return false;
  const list = row.FAIL_TO_PASS ?? row.fail_to_pass ?? [];
  return Array.isArray(list) ? list.length === 0 : /^\s*(?:\[\s*\])?\s*$/.test(String(list));
}

/** The row while its tests are measured. */
export function withUnmeasured(row: RawRow): RawRow {
  return withLists(row, { FAIL_TO_PASS: [UNMEASURED], PASS_TO_PASS: [] });
}

/** The row with these lists, and no others. */
export function withLists(row: RawRow, lists: TestLists): RawRow {
  const { fail_to_pass: _failing, pass_to_pass: _passing, ...same } = row;
  return { ...same, FAIL_TO_PASS: lists.FAIL_TO_PASS, PASS_TO_PASS: lists.PASS_TO_PASS };
}

/** True for an instance or a row whose lists are not measured yet. */
export function isUnmeasured({ FAIL_TO_PASS: list }: { FAIL_TO_PASS?: unknown }): boolean {
  return Array.isArray(list) && list.includes(UNMEASURED);
}
