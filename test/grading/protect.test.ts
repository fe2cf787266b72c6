/** Which files a patch may not change, and what is left of it. */
import { describe, expect, test } from 'vitest';
import { type Candidate, candidateOf, tooLarge } from '../../grading/candidate.ts';
import type { PatchTree } from '../../grading/patch-place.ts';
import { readPatch } from '../../grading/patch-read.ts';
import { writePatch } from '../../grading/patch-write.ts';
import { protectionOf } from '../../grading/protect.ts';

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
  paths.map((path) => protectionOf(instance(more), command, globs).reasonOf(path));

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
    ).toEqual([null, null, null, 'test']);
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

  test('of the test patch are put back, data too', () => {
    expect(reasons(['data/x.json'], { test_patch: edit('data/x.json') })).toEqual(['test']);
  });
});

/** A tree in which there is everything that a patch changes. */
const FULL: PatchTree = { entry: (path) => (/\.\w+$/.test(path) ? 'file' : 'folder'), isCrlf: () => false };

describe('a candidate', () => {
  const protection = protectionOf(instance(), 'pytest');
  const of = (diff: string, tree = FULL) => candidateOf(readPatch(diff), tree, 'apply', protection);
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
