/**
 * A dataset row of the format `mutation`: it names a package, a mutation of it and the tests that the mutation
 * breaks. The patch itself is derived when the row is read, so no code of the package is in the dataset.
 */

import { isFields } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { Columns } from '../../formats/columns.ts';
import { withHiddenTests, withoutHidden } from '../../formats/draft.ts';
import { hasText, type NumberedRow } from '../../formats/row.ts';
import type { TestedInstance } from '../../patches/test-files.ts';
import type { BadRow, Instance, PinnedSource } from '../../schemas/instance.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';
import { parseSpec, SOURCE_FORMS } from '../source/spec.ts';
import type { Mutation } from './mutation.ts';

export interface MutationRow {
  instance_id: string;
  /** "owner/name", by which recipes match. */
  repo: string;
  /** Name of a source distribution on the package index; absent where `source` says where the code is. */
  package?: string;
  /** `git+URL@COMMIT`, in place of a package. */
  source?: string;
  /** Of the source distribution, or the first eight digits of the commit. */
  version: string;
  /** sha256 of the source distribution; absent, the index is asked for it. */
  sha256?: string;
  mutation: Mutation;
  FAIL_TO_PASS: string[];
  PASS_TO_PASS: string[];
  problem_statement: string;
  hints_text?: string;
  /** Unified diff with further hidden tests. */
  test_patch?: string;
  recipe?: PartialRecipe;
  /** For readers of the dataset; nothing depends on it. */
  note?: string;
}

/** A row, and which tests decide. */
export interface ReadMutationRow {
  row: MutationRow;
  tests: TestedInstance;
}

type Field = [name: keyof MutationRow, isRight: (value: unknown) => boolean, form: string];

const REQUIRED: readonly Field[] = [
  ['instance_id', hasText, 'a text'],
  ['repo', (value) => matches(value, /^.{1,200}$/), 'OWNER/NAME, at most 200 characters'],
  ['version', (value) => matches(value, /^[\w.!+-]{1,200}$/), 'a version, as text'],
  ['mutation', isMutation, '{file, function, kind, index}'],
  ['FAIL_TO_PASS', hasTexts, 'a list of test ids'],
  ['PASS_TO_PASS', hasTexts, 'a list of test ids'],
  ['problem_statement', hasText, 'a text'],
];
const PACKAGE: Field = [
  'package',
  (value) => matches(value, /^[A-Za-z0-9][\w.-]*$/),
  'the name of a package',
];
const SOURCE: Field = ['source', (value) => typeof value === 'string' && parseSpec(value).ok, SOURCE_FORMS];
const OPTIONAL: readonly Field[] = [
  ['sha256', (value) => matches(value, /^[0-9a-f]{64}$/), '64 hex digits'],
  ['hints_text', (value) => typeof value === 'string', 'a text'],
  ['test_patch', (value) => typeof value === 'string', 'a unified diff'],
  ['recipe', isFields, 'a recipe'],
];

/** Checks a row's fields; the first that is wrong is named. */
export function readMutationRow(numbered: NumberedRow): Result<ReadMutationRow, BadRow> {
  const { line, row } = numbered;
  const instance_id = hasText(row.instance_id) ? row.instance_id : null;
  const wrong =
    [...REQUIRED, row.source === undefined ? PACKAGE : SOURCE].find(
      ([name, isRight]) => !isRight(row[name]),
    ) ?? OPTIONAL.find(([name, isRight]) => row[name] !== undefined && !isRight(row[name]));
  if (wrong === undefined) {
    const read = row as unknown as MutationRow;
    const columns = new Columns(numbered);
    const tests = withHiddenTests(columns, { ...read, test_patch: read.test_patch ?? '', patch_role: 'bug' });
    const bad = columns.bad();
    return bad === null ? success({ row: read, tests }) : fault(bad);
  }
  const [field, , form] = wrong;
  const message = row[field] === undefined ? `is missing; it must be ${form}` : `must be ${form}`;
  return fault({ line, instance_id, field, message });
}

/** Where the code of a row comes from. */
export function specOf(row: MutationRow): string {
  return row.source ?? `pypi:${row.package}==${row.version}`;
}

/** The instance of a row whose source is pinned and whose patch is derived. */
export function instanceOfRow(
  { row, tests }: ReadMutationRow,
  source: PinnedSource,
  patch: string,
): Instance {
  return {
    instance_id: row.instance_id,
    repo: row.repo,
    source,
    environment_source: source,
    environment_name: `${row.repo}@${row.version}`,
    version: row.version,
    patch,
    patch_role: 'bug',
    ...tests,
    problem_statement: row.problem_statement,
    hints_text: row.hints_text ?? '',
    recipe: row.recipe ?? {},
    raw: withoutHidden({ ...row }),
  };
}

function matches(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}

function hasTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(hasText);
}

function isMutation(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { file, function: name, kind, index } = value as Record<string, unknown>;
  return hasText(file) && hasText(name) && hasText(kind) && Number.isInteger(index);
}
