/** What a project's own runner imports is protected; what it tests is not. */
import { describe, expect, test } from 'vitest';
import { protectionOf } from '../../grading/rules/protect.ts';
import { testFiles } from '../../patches/test-files.ts';
import { filesOf } from '../grade/task.ts';

const patch = (path: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;
const FILES = {
  'go.py':
    'import sys\nfrom checking import compare\nfrom harness.report import (\n  told,  # of it\n)\nimport pkg\n',
  'checking.py': 'from . import x\nimport levels\n',
  'levels.py': '',
  'harness/__init__.py': '',
  'harness/report.py': 'from .format import shown\n',
  'harness/format.py': '',
  'pkg/__init__.py': 'from pkg.core import value\n',
  'pkg/core.py': '',
  'pkg/runner.py': '',
  'shared.py': '',
  'tests/test_core.py': 'import pkg.core\nimport shared\n',
};

const reasons = (paths: string[], solution = 'pkg/core.py', files = FILES) => {
  const lists = { FAIL_TO_PASS: ['tests/test_core.py::test_x'], PASS_TO_PASS: [] };
  const instance = { patch: patch(solution), test_patch: '', ...lists };
  const { reasonOf } = protectionOf(instance, 'python go.py', { files: filesOf(files) });
  return paths.map(reasonOf);
};

describe('the modules that a start script imports', () => {
  test('are protected, and those that they import', () => {
    const own = ['go.py', 'checking.py', 'levels.py', 'harness/report.py', 'harness/format.py'];
    expect(reasons(own)).toEqual(own.map(() => 'runner'));
  });

  test('are not, if they are what is tested', () => {
    expect(reasons(['pkg/__init__.py', 'pkg/core.py', 'shared.py'])).toEqual([null, null, null]);
    // The solution changes it.
    expect(reasons(['checking.py'], 'checking.py')).toEqual([null]);
    // Modules at the root are the product where the solution changes some.
    expect(reasons(['checking.py'], 'shared.py')).toEqual([null]);
    const more = {
      ...FILES,
      'go.py': 'from pkg.runner import main\nfrom pkg.cli import start\n',
      'pkg/cli.py': '',
    };
    expect(reasons(['pkg/runner.py', 'pkg/cli.py'], 'pkg/core.py', more)).toEqual(['runner', null]);
  });
});

test('a module whose own docstrings are the tests is not hidden', () => {
  const ids = { FAIL_TO_PASS: ['pkg/core.py::pkg.core.value'], PASS_TO_PASS: ['docs/a.rst::a.rst'] };
  expect(testFiles({ ...ids, test_patch: '' }).hidden).toEqual([]);
  const mixed = { ...ids, PASS_TO_PASS: ['pkg/core.py::test_here'] };
  expect(testFiles({ ...mixed, test_patch: '' }).hidden).toEqual(['pkg/core.py']);
});
