import { describe, expect, test } from 'vitest';
import type { Draft } from '../../formats/draft.ts';
import type { ReadableFormat } from '../../formats/kind.ts';
import { instanceRow, readRow } from '../../formats/read-row.ts';
import { formatNamed } from '../../formats/registry.ts';
import { sourceMap } from '../../formats/source-map.ts';
import { testCommand } from '../../grading/logs/test-command.ts';
import { testFiles } from '../../patches/test-files.ts';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import type { BadRow } from '../../schemas/instance.ts';

const PATCH = 'diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n';
const COMMIT = 'c'.repeat(40);
const SETUP = 'd'.repeat(40);

const BENCH = {
  instance_id: 'astropy__astropy-1',
  repo: 'astropy/astropy',
  base_commit: COMMIT,
  environment_setup_commit: SETUP,
  version: '4.3',
  patch: PATCH,
  test_patch: PATCH,
  problem_statement: 'It breaks.',
  hints_text: null,
  FAIL_TO_PASS: '["a.py::t[x]"]',
  PASS_TO_PASS: "['b.py::t', \"it's\"]",
};

const SMITH = {
  instance_id: 'pdfminer__pdfminer.six.1a8bd2f7.func_pm_ctrl__0xyz',
  repo: 'swesmith/pdfminer__pdfminer.six.1a8bd2f7',
  image_name: 'swebench/swesmith.x86_64.pdfminer_1776_pdfminer.six.1a8bd2f7',
  patch: PATCH,
  FAIL_TO_PASS: ['a.py::t'],
  PASS_TO_PASS: ['b.py::t'],
  problem_statement: '',
};

type RowKind = NonNullable<DatasetConfig['inner']>;

const normalise = (row: object, name: RowKind, sources: Record<string, string> = {}) => {
  const format = formatNamed(name) as ReadableFormat;
  const found = instanceRow({ line: 3, row: row as Record<string, unknown> }, format);
  return ('message' in found ? found : readRow(found, sourceMap(sources))) as Draft & BadRow;
};

test('swe-bench: text lists, two commits, one environment per repository and version', () => {
  expect(normalise(BENCH, 'swe-bench')).toEqual({
    line: 3,
    instance_id: 'astropy__astropy-1',
    repo: 'astropy/astropy',
    source: `git+https://github.com/astropy/astropy@${COMMIT}`,
    environment_source: `git+https://github.com/astropy/astropy@${SETUP}`,
    environment_name: 'astropy/astropy@4.3',
    version: '4.3',
    patch: PATCH,
    patch_role: 'fix',
    test_patch: PATCH,
    FAIL_TO_PASS: ['a.py::t[x]'],
    PASS_TO_PASS: ['b.py::t', "it's"],
    problem_statement: 'It breaks.',
    hints_text: '',
    recipe: {},
    raw: BENCH,
  });
});

test('swe-smith: the patch is the bug, the code is the mirror’s main branch, names hold dots', () => {
  expect(normalise(SMITH, 'swe-smith')).toMatchObject({
    repo: 'swesmith/pdfminer__pdfminer.six.1a8bd2f7',
    source: 'git+https://github.com/swesmith/pdfminer__pdfminer.six.1a8bd2f7@main',
    environment_name: SMITH.image_name,
    patch_role: 'bug',
    version: null,
    test_patch: '',
  });
  const { repo, image_name, ...rest } = SMITH;
  expect(normalise(rest, 'swe-smith')).toMatchObject({
    repo: 'swesmith/pdfminer__pdfminer.six.1a8bd2f7',
    environment_name: 'pdfminer__pdfminer.six.1a8bd2f7',
  });
});

test('sources: the first glob that matches the mirror or the upstream repository wins', () => {
  const upstream = { 'pdfminer/*': 'git+https://example.org/{owner}/{name}@{commit}', '*': 'pypi:never==1' };
  expect(normalise(SMITH, 'swe-smith', upstream)).toMatchObject({
    source: 'git+https://example.org/pdfminer/pdfminer.six@1a8bd2f7',
  });
  const local = { 'astropy/*': 'git+../repos/{name}@{base_commit}' };
  expect(normalise(BENCH, 'swe-bench', local)).toMatchObject({
    source: `git+../repos/astropy@${COMMIT}`,
    environment_source: `git+../repos/astropy@${SETUP}`,
  });
  expect(normalise(BENCH, 'swe-bench', { '*': 'pypi:{name}=={version}' })).toMatchObject({
    source: 'pypi:astropy==4.3',
    environment_source: 'pypi:astropy==4.3',
  });
});

test('a row cannot write itself into the URL', () => {
  expect(normalise({ ...BENCH, repo: '../../x?y' }, 'swe-bench')).toMatchObject({ field: 'repo' });
  expect(normalise({ ...BENCH, base_commit: 'x --upload-pack' }, 'swe-bench')).toMatchObject({
    field: 'base_commit',
  });
});

test('swe-rebench rows bring their recipe', () => {
  const row = {
    ...BENCH,
    install_config: {
      python: '3.9',
      pre_install: null,
      install: 'pip install -e .[flask]',
      packages: 'requirements.txt',
      reqs_path: ['requirements/dev.txt'],
      pip_packages: ['pytest', 'mock'],
      env_vars: { TZ: 'UTC' },
      test_cmd: 'pytest -rA',
      log_parser: 'parse_log_pytest',
    },
  };
  const recipe = {
    python: '3.9',
    packages: ['requirements/dev.txt?'],
    pip: ['pytest', 'mock'],
    install: ['pip install -e .[flask]'],
    env: { TZ: 'UTC' },
    test: 'pytest -rA',
    parser: 'parse_log_pytest',
  };
  expect(normalise(row, 'swe-bench').recipe).toEqual(recipe);
  expect(
    normalise({ ...row, install_config: JSON.stringify(row.install_config) }, 'swe-bench').recipe,
  ).toEqual(recipe);
  const conda = (more: object) =>
    (
      normalise(
        { ...row, install_config: { ...row.install_config, packages: 'environment.yml', ...more } },
        'swe-bench',
      ).recipe as { packages?: string[] }
    ).packages;
  expect(conda({})).toEqual(['environment.yml?']);
  expect(conda({ env_yml_path: ['ci/py39.yml', 'environment.yml'] })).toEqual([
    'ci/py39.yml?',
    'environment.yml?',
  ]);
  expect(conda({ packages: 'other.yml' })).toBeUndefined();
  const frozen = {
    ...row,
    requirements: 'attrs==23.1.0\n-e git+https://x/y#egg=z\nnumpy @ file:///build\npytest==7.4',
  };
  expect(normalise(frozen, 'swe-bench').recipe).toMatchObject({
    pip: ['attrs==23.1.0', 'pytest==7.4', 'pytest', 'mock'],
  });
  expect(normalise(frozen, 'swe-bench').recipe).not.toHaveProperty('packages');
});

test('prose in a column called requirements is no list of packages; source code is no parser', () => {
  const row = {
    ...BENCH,
    requirements: 'The function must return None.\nIt must log.',
    log_parser: 'def parse(log):\n  pass',
  };
  expect(normalise(row, 'swe-bench').recipe).toEqual({});
});

test('custom: source, role and recipe of its own', () => {
  const row = {
    instance_id: 'x-1',
    repo: 'me/x',
    source: 'archive:x.tar.gz',
    patch: PATCH,
    patch_role: 'bug',
    FAIL_TO_PASS: ['t'],
    PASS_TO_PASS: [],
    recipe: { python: '3.11', pip: ['pytest'], env: { A: 'b' }, timeout: 60 },
  };
  expect(normalise(row, 'custom')).toMatchObject({
    source: 'archive:x.tar.gz',
    environment_source: 'archive:x.tar.gz',
    environment_name: 'me/x@archive:x.tar.gz',
    patch_role: 'bug',
    recipe: row.recipe,
  });
});

test.each<[string, object, RowKind, string, RegExp]>([
  ['no id', { ...BENCH, instance_id: undefined }, 'swe-bench', 'instance_id', /missing/],
  ['an id with a slash', { ...BENCH, instance_id: 'a/b' }, 'swe-bench', 'instance_id', /may not hold "\/"/],
  [
    'an id with an invisible character',
    { ...BENCH, instance_id: 'a\u200bb' },
    'swe-bench',
    'instance_id',
    /may not hold/,
  ],
  ['an id that looks like an option', { ...BENCH, instance_id: '-rf' }, 'swe-bench', 'instance_id', /begin/],
  ['a very long id', { ...BENCH, instance_id: 'ü'.repeat(101) }, 'swe-bench', 'instance_id', /200 bytes/],
  ['no patch', { ...BENCH, patch: null }, 'swe-bench', 'patch', /missing/],
  ['an empty patch', { ...BENCH, patch: '' }, 'swe-bench', 'patch', /empty/],
  ['a patch that is none', { ...BENCH, patch: 'replace a by b' }, 'swe-bench', 'patch', /not a unified diff/],
  [
    'a test patch that is none',
    { ...BENCH, test_patch: 'x' },
    'swe-bench',
    'test_patch',
    /not a unified diff/,
  ],
  ['tests of a wrong type', { ...BENCH, FAIL_TO_PASS: 3 }, 'swe-bench', 'FAIL_TO_PASS', /list of test names/],
  ['tests in other text', { ...BENCH, FAIL_TO_PASS: 'open("x")' }, 'swe-bench', 'FAIL_TO_PASS', /other text/],
  [
    'a number among tests',
    { ...BENCH, FAIL_TO_PASS: [1, 2] },
    'swe-bench',
    'FAIL_TO_PASS',
    /item 1 is a number/,
  ],
  [
    'null among tests in text',
    { ...BENCH, PASS_TO_PASS: '["a", null]' },
    'swe-bench',
    'PASS_TO_PASS',
    /item 2 is null/,
  ],
  ['nothing to fix', { ...BENCH, FAIL_TO_PASS: '[]' }, 'swe-bench', 'FAIL_TO_PASS', /empty/],
  ['no PASS_TO_PASS', { ...BENCH, PASS_TO_PASS: null }, 'swe-bench', 'PASS_TO_PASS', /missing/],
  ['no repo', { ...BENCH, repo: null }, 'swe-bench', 'repo', /missing/],
  ['no commit', { ...BENCH, base_commit: null }, 'swe-bench', 'base_commit', /missing/],
  ['a repo of a wrong type', { ...BENCH, repo: ['a'] }, 'swe-bench', 'repo', /must be text, is a list/],
  ['a Python version as number', { ...BENCH, python: 3.1 }, 'swe-bench', 'python', /as text/],
  [
    'a name that is not SWE-smith’s',
    { ...SMITH, repo: null, instance_id: 'x' },
    'swe-smith',
    'instance_id',
    /OWNER__REPO/,
  ],
  ['an unknown recipe key', { ...BENCH, recipe: { pyhton: '3' } }, 'custom', 'recipe.pyhton', /no key/],
  [
    'a recipe value of a wrong type',
    { ...BENCH, recipe: { pip: 'x' } },
    'custom',
    'recipe.pip',
    /list of texts, is a string/,
  ],
  ['an unknown role', { ...BENCH, patch_role: 'gold' }, 'custom', 'patch_role', /"fix" or "bug"/],
])('names the field of a row with %s', (_what, row, format, field, message) => {
  const bad = normalise(row, format);
  expect(bad).toMatchObject({ line: 3, field, message: expect.stringMatching(message) });
});

test.each(['repo', 'version', 'environment_name'])('a %s too long to name an environment', (field) => {
  const row = { ...BENCH, source: 'pypi:x==1', repo: 'me/x', [field]: 'x'.repeat(501) };
  expect(normalise(row, 'custom')).toMatchObject({ line: 3, field, message: 'is longer than 500 bytes' });
  expect(normalise({ ...row, [field]: 'x'.repeat(300) }, 'custom')).toMatchObject({ line: 3, raw: {} });
});

describe('HIDDEN_TESTS', () => {
  const HIDDEN =
    'diff --git a/h.py b/h.py\nnew file mode 100644\n--- /dev/null\n+++ b/h.py\n@@ -0,0 +1 @@\n+a\n';
  const hidden = { HIDDEN_TESTS: '["h.py::t", "a.py::t[x]"]', hidden_test_patch: HIDDEN };

  test('count like FAIL_TO_PASS, and are in no copy of the row', () => {
    for (const [row, format] of [
      [{ ...BENCH, ...hidden }, 'swe-bench'],
      [{ ...BENCH, ...hidden }, 'swe-gym'],
      [{ ...BENCH, ...hidden, source: 'git+./r@main' }, 'custom'],
    ] as const) {
      const draft = normalise(row, format);
      expect(draft.FAIL_TO_PASS).toEqual(['a.py::t[x]', 'h.py::t']);
      expect(draft.test_patch).toBe(`${PATCH}${HIDDEN}`);
      expect(JSON.stringify(draft.raw)).not.toContain('h.py');
    }
    const smith = normalise({ ...SMITH, ...hidden }, 'swe-smith');
    const { FAIL_TO_PASS, test_patch, raw } = smith;
    expect([FAIL_TO_PASS, test_patch]).toEqual([['a.py::t', 'h.py::t', 'a.py::t[x]'], HIDDEN]);
    expect(raw).toEqual(SMITH);
    // The source holds the other tests: they are run, too, and an agent does not see them.
    expect(testFiles(smith).hidden).toEqual(['a.py']);
    expect(testCommand('pytest -q', smith)).toBe('pytest -q a.py b.py h.py');
  });

  test.each([
    [{ test_patch: '' }, true],
    [{ test_patch: '', patch_role: 'bug' }, true],
    [{ patch_role: 'bug' }, true],
    [{}, undefined],
  ])('source that holds listed tests: %o', (more, isThere) => {
    const row = { ...BENCH, ...hidden, source: 'git+./r@main', test_files: ['a.py'], ...more };
    const draft = normalise(row, 'custom');
    expect(draft.tests_in_source).toBe(isThere);
    expect(draft.test_files).toEqual(['a.py', 'h.py']);
    expect(testFiles(draft).hidden).toEqual(isThere ? ['a.py'] : []);
  });

  test.each([
    [{ HIDDEN_TESTS: ['h.py::t'] }, 'hidden_test_patch', 'is missing: the tests of HIDDEN_TESTS'],
    [{ hidden_test_patch: HIDDEN }, 'HIDDEN_TESTS', 'none of them is named'],
    [
      { HIDDEN_TESTS: ['x'], hidden_test_patch: PATCH },
      'hidden_test_patch',
      'changes x.py, which has other tests of the row',
    ],
    [{ HIDDEN_TESTS: [7], hidden_test_patch: HIDDEN }, 'HIDDEN_TESTS', 'must be text or a list of texts'],
  ])('%o is a bad row', (more, field, message) => {
    expect(normalise({ ...BENCH, ...more }, 'swe-bench')).toMatchObject({
      field,
      message: expect.stringContaining(message),
    });
  });
});
