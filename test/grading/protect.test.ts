/** Which files a patch may not change, and what is left of it. */
import { describe, expect, test } from 'vitest';
import { type Candidate, candidateOf, tooLarge } from '../../grading/rules/candidate.ts';
import { protectionOf } from '../../grading/rules/protect.ts';
import type { TaskFiles } from '../../grading/rules/task-files.ts';
import type { PatchTree } from '../../patches/place.ts';
import { readPatch } from '../../patches/read.ts';
import { writePatch } from '../../patches/write.ts';

const edit = (path: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;

const instance = (more: object = {}) => ({
  patch: edit('pkg/core.py'),
  test_patch: '',
  FAIL_TO_PASS: ['tests/unit/test_a.py::test_x'],
  PASS_TO_PASS: ['pkg/sub/tests/test_b.py::T::test_y[a::b]'],
  ...more,
});

const reasons = (paths: string[], more: object = {}, command = 'pytest', globs: string[] = []) =>
  paths.map((path) => protectionOf(instance(more), command, { globs }).reasonOf(path));

describe('protected files', () => {
  test('are tests, what lies around them, and what starts them', () => {
    expect(reasons(['tests/unit/test_a.py', 'pkg/sub/tests/test_b.py', 'tests', 'tests/unit'])).toEqual(
      Array(4).fill('test'),
    );
    expect(reasons(['tests/helpers.py', 'tests/data/x.json', 'pkg/sub/tests/test_new.py'])).toEqual(
      Array(3).fill('support'),
    );
    expect(
      reasons([
        'conftest.py',
        'pkg/conftest.py',
        'pyproject.toml',
        'x.pth',
        'a.egg-info/entry_points.txt',
        'src/a.dist-info/METADATA',
        'pytest.py',
        'src/_pytest/runner.py',
        'unittest/__init__.py',
        'pytest_cov.py',
      ]),
    ).toEqual(Array(10).fill('runner'));
    expect(reasons(['pkg/__pycache__/core.cpython-311.pyc', 'pkg/x.pyc', 'pkg/x.pyo'])).toEqual(
      Array(3).fill('bytecode'),
    );
    expect(reasons(['bin/test', 'tests.sh'], {}, 'bin/test -C ; ./tests.sh')).toEqual(['runner', 'runner']);
    expect(reasons(['docs/a/b.rst', 'docs.py'], {}, 'pytest', ['docs/*'])).toEqual(['project', null]);
  });

  test('are open where the solution changes them, and named as settings', () => {
    const patch = ['setup.cfg', 'pkg/core.py', 'sub/conftest.py', 'Makefile', 'pytest.py'].map(edit).join('');
    const { settings, reasonOf } = protectionOf(instance({ patch }), 'make test', {});
    expect(settings).toEqual(['setup.cfg', 'sub/conftest.py', 'Makefile']);
    expect(settings.map(reasonOf)).toEqual([null, null, null]);
  });

  test('are not the rest of the project, however it is named', () => {
    const own = [
      'pkg/core.py',
      'pkg/testing.py',
      'testing/api.py',
      'pkg/pytest.py',
      'setup.py',
      'contest.py',
    ];
    expect(reasons(own)).toEqual(Array(6).fill(null));
  });

  test('are not what the solution changes, nor the folder that it works in', () => {
    const patch = edit('setup.cfg') + edit('tests/helpers.py');
    expect(
      reasons(['setup.cfg', 'tests/helpers.py', 'tests/other.py', 'tests/unit/test_a.py'], { patch }),
    ).toEqual([null, null, 'support', 'test']);
  });

  test('are not in the folder that the whole solution is about', () => {
    const patch = edit('tests/helpers.py');
    expect(reasons(['tests/helpers.py', 'tests/other.py', 'tests/unit/test_a.py'], { patch })).toEqual([
      null,
      null,
      'test',
    ]);
  });

  test('are not the code of a project that is a runner itself', () => {
    const patch = edit('src/_pytest/python.py');
    const more = { patch, FAIL_TO_PASS: ['testing/test_a.py::test_x'], PASS_TO_PASS: [] };
    expect(reasons(['src/_pytest/runner.py', 'src/pytest/__init__.py', 'pluggy.py'], more)).toEqual([
      null,
      'runner',
      'runner',
    ]);
  });

  test('are not modules whose tests are their own examples', () => {
    const more = { FAIL_TO_PASS: ['pkg/a.py::pkg.a.f', 'README.rst::README.rst'], PASS_TO_PASS: [] };
    expect(reasons(['pkg/a.py', 'README.rst'], more)).toEqual([null, 'test']);
  });

  test('are what a plugin of pytest reads variables from', () => {
    const of = (paths: string[], more: object, command = 'pytest --envfile deploy/ci.env') => {
      const files = task(['pkg/core.py'], {
        'setup.cfg': '[tool:pytest]\nenv_files =\n    .env.test\n    ./conf/x.env\n',
      });
      const protection = protectionOf(instance(), command, { files, ...more });
      return paths.map((path) => protection.reasonOf(path));
    };
    const named = ['.env', '.env.test', 'conf/x.env', 'deploy/ci.env'];
    expect(of(named, { installed: ['pytest_dotenv'] })).toEqual(Array(4).fill('runner'));
    expect(of(['.env.example', 'pkg/env'], { installed: ['pytest_dotenv'] })).toEqual([null, null]);
    expect(of(['.env'], { installed: ['pytest_cov'] })).toEqual([null]);
  });

  test('of the test patch are put back, data too', () => {
    expect(reasons(['data/x.json'], { test_patch: edit('data/x.json') })).toEqual(['test']);
  });
});

/** A tree in which there is everything that a patch changes. */
const FULL: PatchTree = { entry: (path) => (/\.\w+$/.test(path) ? 'file' : 'folder'), isCrlf: () => false };

describe('a candidate', () => {
  const protection = protectionOf(instance(), 'pytest');
  const of = (diff: string, tree = FULL) =>
    candidateOf(readPatch(diff), tree, 'apply', { ...protection, hidden: new Set() });
  const textOf = (found: Candidate) => (found.kind === 'patch' ? writePatch(found.patch) : found.kind);

  test('is cut down to what it may change', () => {
    const found = of(edit('pkg/core.py') + edit('tests/unit/test_a.py') + edit('pkg/other.py'));
    expect(found).toMatchObject({
      kind: 'patch',
      files: 3,
      dropped: ['tests/unit/test_a.py'],
      findings: [{ rule: 'tests-edited', effect: 'dropped', detail: 'tests/unit/test_a.py' }],
    });
    expect(textOf(found)).toBe(textOf(of(edit('pkg/core.py') + edit('pkg/other.py'))));
  });

  test('loses a rename from or to a protected name whole', () => {
    const rename =
      'diff --git a/pkg/x.py b/conftest.py\nsimilarity index 100%\nrename from pkg/x.py\nrename to conftest.py\n';
    const found = of(edit('pkg/core.py') + rename);
    expect(found.dropped).toEqual(['conftest.py']);
    expect(textOf(found)).toBe(textOf(of(edit('pkg/core.py'))));
  });

  test('is empty, refused, or no diff', () => {
    expect(of(edit('conftest.py'))).toMatchObject({ kind: 'empty', dropped: ['conftest.py'] });
    expect(tooLarge(11, 10)).toMatchObject({ rule: 'patch-too-large' });
    expect(tooLarge(10, 10)).toBe(null);
    expect(of(edit('../x'))).toMatchObject({ kind: 'refused', findings: [{ rule: 'patch-escapes' }] });
    expect(of('no diff at all\n')).toMatchObject({ kind: 'unplaced', dropped: [] });
  });
});

/** Files of a task by their paths, with texts where they matter. */
function task(paths: string[], texts: Record<string, string> = {}): TaskFiles {
  const all = new Set([...paths, ...Object.keys(texts)]);
  return { paths: all, read: (path) => texts[path] ?? (all.has(path) ? '' : null), linked: () => null };
}

describe('the folder of the listed tests', () => {
  /** What is protected of `asked`, for tests in `tests` and a solution in `solution`. */
  const of = (tests: string[], solution: string[], paths: string[], asked: string[], texts = {}) => {
    const ids = tests.map((path) => `${path}::test_x`);
    const more = { FAIL_TO_PASS: ids, PASS_TO_PASS: [], patch: solution.map(edit).join('') };
    const files = task([...tests, ...solution, ...paths, ...asked], texts);
    const { reasonOf } = protectionOf(instance(more), 'pytest', { files });
    return asked.map(reasonOf);
  };

  test.each([
    ['spec/core_spec.py', 'spec/helper.py'],
    ['t/test_core.py', 't/data.json'],
    ['checks/check_core.py', 'checks/support.py'],
    ['unit/test_core.py', 'unit/sub/base.py'],
    ['qa/unit/test_core.py', 'qa/unit/helper.py'],
    ['pkg/checks/check_core.py', 'pkg/checks/base.py'],
    ['tests/unit/deep/test_a.py', 'tests/helpers.py'],
    ['tests/unit/tests/test_a.py', 'tests/helpers.py'],
    ['test/unit/test_a.py', 'test/base.py'],
    ['pkg/testing/tests/test_tools.py', 'pkg/testing/tests/base.py'],
    ['pkg/test/test_a.py', 'pkg/test/base.py'],
    ['integration_tests/test_a.py', 'integration_tests/base.py'],
  ])('%s protects %s', (listed, helper) => {
    expect(of([listed], ['pkg/core.py'], [], [helper])).toEqual(['support']);
  });

  test.each([
    ['pkg/testing/tests/test_tools.py', 'pkg/testing/tools.py', 'pkg/testing/other.py'],
    ['pkg/test/tests/test_utils.py', 'pkg/core.py', 'pkg/test/utils.py'],
    ['testing/tests/test_tools.py', 'testing/tools.py', 'testing/api.py'],
    ['pkg/testing/test_tools.py', 'pkg/testing/tools.py', 'pkg/testing/api.py'],
    ['pkg/sub/test_impl.py', 'pkg/core.py', 'pkg/sub/impl.py'],
    ['pkg/sub/impl_test.py', 'pkg/core.py', 'pkg/sub/impl.py'],
    ['other/test_flow.py', 'pkg/core.py', 'other/impl.py'],
    ['test_core.py', 'core.py', 'util.py'],
    ['src/test_core.py', 'src/core.py', 'src/util.py'],
  ])('%s leaves the product alone: %s, %s', (listed, solution, other) => {
    const code = [listed, 'other/__init__.py', 'other/a.py', 'other/b.py', 'other/impl.py'];
    expect(of([listed], [solution], code, [solution, other])).toEqual([null, null]);
  });

  test('is the inner one, where the outer one is a package', () => {
    const asked = ['pkg/testing/tests/base.py', 'pkg/testing/base.py'];
    expect(of(['pkg/testing/tests/test_tools.py'], ['pkg/testing/tools.py'], [], asked)).toEqual([
      'support',
      null,
    ]);
  });

  test('is not shadowed by modules, packages or other folders of its name', () => {
    const texts = { 'tests/test_a.py': 'import helpers\nfrom tools import x\n', 'tests/helpers.py': '' };
    const files = task(['tests/tools.py', 'pkg/core.py', 'tools.py'], texts);
    const more = { FAIL_TO_PASS: ['tests/test_a.py::test_x'], PASS_TO_PASS: [] };
    const { reasonOf } = protectionOf(instance(more), 'pytest', { files });
    const shadows = [
      'tests.py',
      'tests.cpython-312-x86_64-linux-gnu.so',
      'src/tests/helpers.py',
      'helpers.py',
      'helpers/__init__.py',
      'src/helpers.py',
      'test_a.py',
      'test_a/__init__.py',
    ];
    expect(shadows.map(reasonOf)).toEqual(Array(shadows.length).fill('test'));
    // What the task has under such a name is the project's own.
    expect(['tools.py', 'core.py', 'pkg/helpers.py', 'pkg/tests_api.py'].map(reasonOf)).toEqual(
      Array(4).fill(null),
    );
  });

  test('of a test without a folder: what would be imported in its place, and helpers beside it', () => {
    const files = task(['test_core.py', 'core.py', 'test_helpers.py', 'util.py']);
    const more = { FAIL_TO_PASS: ['test_x (test_core.T)'], PASS_TO_PASS: [], patch: edit('core.py') };
    const { reasonOf } = protectionOf(instance(more), 'python -m unittest', { files });
    const asked = ['test_core/__init__.py', 'test_core.abi3.so', 'test_helpers.py', 'core.py', 'util.py'];
    expect(asked.map(reasonOf)).toEqual(['test', 'test', 'support', null, null]);
  });

  test('is found where unittest’s ids do not name it', () => {
    const files = task(['suite/test_core.py', 'suite/base.py', 'pkg/core.py']);
    const more = { FAIL_TO_PASS: ['test_x (test_core.T)'], PASS_TO_PASS: [] };
    const { reasonOf, tests } = protectionOf(instance(more), 'python -m unittest discover -s suite', {
      files,
    });
    expect(['suite/test_core.py', 'suite/base.py', 'pkg/core.py'].map(reasonOf)).toEqual([
      'test',
      'support',
      null,
    ]);
    expect(tests).toContain('suite/test_core.py');
  });
});

describe('packages with the name of a tool', () => {
  const of = (
    path: string,
    command: string,
    more: { files?: TaskFiles; plugins?: string[]; installed?: string[] } = {},
  ) => protectionOf(instance(), command, more).reasonOf(path);

  test('are the project’s where the gold runs load no such tool', () => {
    const installed = ['coverage', 'pytest_cov', 'xdist'];
    expect(of('coverage/__init__.py', 'pytest', { plugins: ['anyio'], installed })).toBeNull();
    expect(of('coverage/__init__.py', 'pytest', { plugins: ['pytest_cov'], installed })).toBe('runner');
    expect(of('xdist/__init__.py', 'pytest -n 2', { plugins: [], installed })).toBe('runner');
  });

  test('are protected where the environment has them', () => {
    for (const path of ['pytest.py', 'src/_pytest/x.py', 'pluggy/__init__.py', 'unittest/case.py', 'py.py'])
      expect(of(path, 'pytest'), path).toBe('runner');
    expect(of('xdist/__init__.py', 'pytest -n 2', { installed: ['xdist'] })).toBe('runner');
    expect(of('coverage/x.py', 'coverage run -m pytest', { installed: ['coverage'] })).toBe('runner');
    expect(of('coverage/x.py', 'pytest', { installed: ['pytest_cov', 'coverage'] })).toBe('runner');
    expect(of('pytest_mock.py', 'pytest', { installed: ['pytest_mock'] })).toBe('runner');
    expect(of('nose2/__init__.py', 'nose2 -v')).toBe('runner');
    // Nothing is known of the environment: a new package of that name is no honest one.
    expect(of('xdist/__init__.py', 'pytest')).toBe('runner');
    expect(of('twisted/trial/__main__.py', 'python -m twisted.trial tests')).toBe('runner');
    expect(of('twisted/x.py', 'python -m twisted.trial tests', { installed: ['anyio'] })).toBeNull();
  });

  test('are the project’s where it has them, or the environment does not', () => {
    const files = task(['coverage/core.py', 'tox/__init__.py', 'py/path.py', 'packaging/tags.py']);
    for (const path of ['coverage/core.py', 'tox/__init__.py', 'packaging/tags.py'])
      expect(of(path, 'pytest', { files }), path).toBeNull();
    expect(of('py/path.py', 'python -m unittest', { files })).toBeNull();
    for (const path of ['coverage.py', 'nose/__init__.py', 'xdist.py', 'pytest_own.py'])
      expect(of(path, 'pytest', { installed: ['anyio'] }), path).toBeNull();
  });
});

test('a module that a configuration of pytest or a test names as a plugin', () => {
  const texts: Record<string, string> = {
    'conftest.py':
      'import pytest\npytest_plugins = [\n    "pkg.fixtures",  # ours\n    "installed.plugin",\n]\n',
    'pkg/sub/conftest.py': 'pytest_plugins: tuple = ("pkg.more",)\n',
    'tests/unit/test_a.py': "pytest_plugins = 'pkg.third'\n",
    'pkg/core.py': 'pytest_plugins = "pkg.other"\n',
  };
  const names = ['pkg/fixtures.py', 'pkg/more/__init__.py', 'src/pkg/third.py', 'pkg/other.py'];
  const files = task([...Object.keys(texts), ...names], texts);
  const { reasonOf } = protectionOf(instance(), 'make test', { files });
  expect(names.map(reasonOf)).toEqual(['runner', 'runner', 'runner', null]);
});

test('helpers that only tests import, beside tests and code alike', () => {
  const texts: Record<string, string> = {
    'test_core.py': 'from core import value\nfrom helpers import same\nimport fakes, mocks, shop_fixtures\n',
    'core.py': 'import mocks\n',
    'test_fakes.py': 'import fakes\n',
  };
  const names = ['helpers.py', 'fakes.py', 'mocks.py', 'shop_fixtures.py', 'core.py', 'new_helpers.py'];
  const files = task([...Object.keys(texts), ...names], texts);
  const ids = { FAIL_TO_PASS: ['test_core.py::test_x'], PASS_TO_PASS: [], patch: edit('other.py') };
  const of = (more: object) => protectionOf(instance({ ...ids, ...more }), 'pytest', { files });
  const { reasonOf } = of({});
  // Of another module that the code imports, or that has tests of its own, nobody knows.
  expect(names.map(reasonOf)).toEqual(['support', null, null, 'support', null, null]);
  expect(reasonOf('helpers/__init__.py')).toBe('test');
  expect(of({ patch: edit('helpers.py') }).reasonOf('helpers.py')).toBeNull();
});
