/** An instance whose sources are not pinned yet: everything that its row alone says. */
import { filesOfIds, type TestedInstance, testDirectives } from '../patches/test-files.ts';
import { touchedFiles } from '../patches/touched.ts';
import { type Instance, listedTests, type TestLists } from '../schemas/instance.ts';
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
export function commonColumns(
  columns: Columns,
  recipe: PartialRecipe,
  { patch_role, test_files }: Pick<Instance, 'patch_role' | 'test_files'> = { patch_role: 'fix' },
) {
  const FAIL_TO_PASS = columns.tests('FAIL_TO_PASS', 'fail_to_pass', `is missing: ${NO_TESTS}`);
  if (FAIL_TO_PASS.length === 0) columns.reject('FAIL_TO_PASS', `is empty: ${NO_TESTS}`);
  const PASS_TO_PASS = columns.tests('PASS_TO_PASS', 'pass_to_pass');
  const testPatch = columns.diff('test_patch', false);
  const tests = { test_patch: testPatch, patch_role, test_files, FAIL_TO_PASS, PASS_TO_PASS };
  return {
    instance_id: columns.text('instance_id'),
    patch: columns.diff('patch', true),
    patch_role,
    ...withHiddenTests(columns, tests),
    problem_statement: columns.optionalText('problem_statement') ?? '',
    hints_text: columns.optionalText('hints_text') ?? '',
    recipe,
    raw: withoutHidden(columns.row),
  };
}

/** Columns of tests that no copy of a row names. */
export const HIDDEN_COLUMNS: readonly string[] = ['HIDDEN_TESTS', 'hidden_tests', 'hidden_test_patch'];

type OwnTests = TestLists &
  Pick<Instance, 'test_patch' | 'patch_role'> & { test_files?: string[] | undefined };

/**
 * Which tests decide, and where they are: the row's own, and those of `HIDDEN_TESTS`, which count like FAIL_TO_PASS and
 * which no copy of the row names. `hidden_test_patch` adds them, to other files than those with the row's own tests.
 */
export function withHiddenTests(columns: Columns, own: OwnTests): TestedInstance {
  const { test_patch, test_files, FAIL_TO_PASS, PASS_TO_PASS } = own;
  const names = columns.texts(columns.row.HIDDEN_TESTS == null ? 'hidden_tests' : 'HIDDEN_TESTS') ?? [];
  const diff = columns.diff('hidden_test_patch', false);
  if (names.length === 0 && diff !== '')
    columns.reject('HIDDEN_TESTS', 'is missing: hidden_test_patch adds tests, and none of them is named');
  if (names.length > 0 && diff === '')
    columns.reject('hidden_test_patch', 'is missing: the tests of HIDDEN_TESTS must come with the row');
  const isInSource = test_patch === '' || own.patch_role === 'bug';
  // Most rows have none.
  if (diff !== '') {
    const taken = new Set(touchedFiles(test_patch).map(({ path }) => path));
    if (isInSource) for (const path of filesOfIds(listedTests(own))) taken.add(path);
    const both = touchedFiles(diff).find(({ path }) => taken.has(path));
    if (both !== undefined)
      columns.reject(
        'hidden_test_patch',
        `changes ${both.path}, which has other tests of the row: hidden tests need a file of their own`,
      );
  }
  const patch = joined(test_patch, diff);
  return {
    test_patch: patch,
    ...(test_files !== undefined && { test_files: [...test_files, ...testDirectives(diff)] }),
    ...(patch !== '' && isInSource && { tests_in_source: true }),
    FAIL_TO_PASS: [...FAIL_TO_PASS, ...names.filter((name) => !listedTests(own).includes(name))],
    PASS_TO_PASS,
  };
}

/** The row, without what no copy of it names. */
export function withoutHidden(row: RawRow): RawRow {
  if (HIDDEN_COLUMNS.every((name) => row[name] == null)) return row;
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
