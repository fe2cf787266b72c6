/** An instance whose sources are not pinned yet: everything that its row alone says. */
import { touchedFiles } from '../patches/touched.ts';
import type { Instance } from '../schemas/instance.ts';
import type { PartialRecipe } from '../schemas/recipe.ts';
import type { Columns } from './columns.ts';
import type { RawRow } from './row.ts';
import type { SourceSpecs } from './source-map.ts';

export interface Draft extends Omit<Instance, 'source' | 'environment_source'>, SourceSpecs {
  line: number;
}

/** Where code is, unless the row or the project says it. */
export const GITHUB = 'git+https://github.com/{repo}@{commit}';

const NO_TESTS =
  'no test shows that the task is solved; discover_tests: true in the dataset measures its tests';

/** The columns that mean the same in every format. */
export function commonColumns(columns: Columns, recipe: PartialRecipe) {
  const FAIL_TO_PASS = columns.tests('FAIL_TO_PASS', 'fail_to_pass', `is missing: ${NO_TESTS}`);
  if (FAIL_TO_PASS.length === 0) columns.reject('FAIL_TO_PASS', `is empty: ${NO_TESTS}`);
  const PASS_TO_PASS = columns.tests('PASS_TO_PASS', 'pass_to_pass');
  const testPatch = columns.diff('test_patch', false);
  const hidden = hiddenTests(columns, testPatch);
  const listed = new Set([...FAIL_TO_PASS, ...PASS_TO_PASS]);
  return {
    instance_id: columns.text('instance_id'),
    patch: columns.diff('patch', true),
    test_patch: joined(testPatch, hidden.diff),
    FAIL_TO_PASS: [...FAIL_TO_PASS, ...hidden.names.filter((name) => !listed.has(name))],
    PASS_TO_PASS,
    problem_statement: columns.optionalText('problem_statement') ?? '',
    hints_text: columns.optionalText('hints_text') ?? '',
    recipe,
    raw: hidden.names.length === 0 ? columns.row : withoutHidden(columns.row),
  };
}

/** Columns of tests that no copy of a row names. */
export const HIDDEN_COLUMNS: readonly string[] = ['HIDDEN_TESTS', 'hidden_tests', 'hidden_test_patch'];

/**
 * Tests that count like FAIL_TO_PASS and that no copy of the row names: `HIDDEN_TESTS`, and the diff that adds them,
 * which changes other files than `test_patch`.
 */
function hiddenTests(columns: Columns, testPatch: string): { names: string[]; diff: string } {
  const isThere = HIDDEN_COLUMNS.some((name) => columns.row[name] != null);
  if (!isThere) return { names: [], diff: '' };
  const names = columns.texts(columns.row.HIDDEN_TESTS == null ? 'hidden_tests' : 'HIDDEN_TESTS') ?? [];
  const diff = columns.diff('hidden_test_patch', false);
  if (names.length === 0 && diff !== '')
    columns.reject('HIDDEN_TESTS', 'is missing: hidden_test_patch adds tests, and none of them is named');
  if (names.length > 0 && diff === '')
    columns.reject('hidden_test_patch', 'is missing: the tests of HIDDEN_TESTS must come with the row');
  const known = new Set(touchedFiles(testPatch).map(({ path }) => path));
  const both = touchedFiles(diff).find(({ path }) => known.has(path));
  if (both !== undefined)
    columns.reject(
      'hidden_test_patch',
      `changes ${both.path}, which test_patch changes: hidden tests need a file of their own`,
    );
  return { names, diff };
}

function withoutHidden(row: RawRow): RawRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !HIDDEN_COLUMNS.includes(name)));
}

/** Two diffs as one. */
function joined(first: string, second: string): string {
  if (first === '' || second === '') return first + second;
  return `${first.endsWith('\n') ? first : `${first}\n`}${second}`;
}

/** `OWNER/NAME` in its parts. */
export function repoParts(repo: string): { owner: string | null; name: string | null } {
  const [owner = '', name = '', ...more] = repo.split('/');
  return owner !== '' && name !== '' && more.length === 0 ? { owner, name } : { owner: null, name: repo };
}
