/** Which tests a command runs for an instance, and which files hold them. */
import { describe, expect, test } from 'vitest';
import { isSeenWhole, testCommand } from '../../grading/logs/test-command.ts';
import { fileOfId, testDirectives, testFiles } from '../../patches/test-files.ts';

const smith = {
  FAIL_TO_PASS: ['tests/test_b.py::T::test_x[a b]', 'tests/test_a.py::test_y'],
  PASS_TO_PASS: ['tests/test_b.py::test_z', 'my tests/test_c.py::test'],
  test_patch: '',
};
const FILES = "'my tests/test_c.py' tests/test_a.py tests/test_b.py";

const patch = (...paths: string[]) =>
  paths
    .map((path) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`)
    .join('');
const bench = (...paths: string[]) => ({
  FAIL_TO_PASS: ['test_x (admin.tests.T)'],
  PASS_TO_PASS: [],
  test_patch: patch(...paths),
});

describe('a pytest command gets the files of the listed tests', () => {
  test.each([
    ['pytest -rA', `pytest -rA ${FILES}`],
    ['python -m pytest -q', `python -m pytest -q ${FILES}`],
    ['/root/.local/bin/uv run pytest -v', `/root/.local/bin/uv run pytest -v ${FILES}`],
    ['PYTHONPATH=. FOO="a b" pytest', `PYTHONPATH=. FOO="a b" pytest ${FILES}`],
    ['timeout 60 pytest -x', `timeout 60 pytest -x ${FILES}`],
    ['cd sub && pytest -rA 2>&1 | tee log', `cd sub && pytest -rA ${FILES} 2>&1 | tee log`],
    ['pytest -rA; echo done', `pytest -rA ${FILES}; echo done`],
    ["pytest -k 'a; b' # all", `pytest -k 'a; b' ${FILES} # all`],
    ['pytest -rA > out.txt', `pytest -rA ${FILES} > out.txt`],
    ['pytest tests/test_a.py -v', "pytest tests/test_a.py -v 'my tests/test_c.py' tests/test_b.py"],
    ['pip install pytest\npytest -rA', `pip install pytest\npytest -rA ${FILES}`],
    ['pytest --color=no -rA -k', "pytest --color=no -rA -k 'test_x or test_y or test_z or test'"],
  ])('%s', (recipe, expected) => expect(testCommand(recipe, smith)).toBe(expected));
});

describe('other commands are left as they are', () => {
  test.each([
    'python -m unittest -v',
    'make test',
    'python test.py --verbose',
    'echo pytest',
    'pip install pytest',
    '',
  ])('%s', (recipe) => expect(testCommand(recipe, smith)).toBe(recipe));
});

describe('a test patch names the tests', () => {
  test('pytest', () => {
    const instance = bench('tests/test_b.py', 'tests/data.json', 'tests/test_a.py');
    expect(testCommand('pytest -rA', instance)).toBe('pytest -rA tests/test_b.py tests/test_a.py');
  });
  test('django: labels', () => {
    const instance = bench('tests/admin/tests.py', 'tests/model_forms/models.py');
    const recipe = './tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1';
    expect(testCommand(recipe, instance)).toBe(`${recipe} admin.tests model_forms.models`);
  });
  test('sympy and tox', () => {
    const instance = bench('sympy/core/tests/test_x.py');
    const recipe = "PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning' bin/test -C --verbose";
    expect(testCommand(recipe, instance)).toBe(`${recipe} sympy/core/tests/test_x.py`);
    expect(testCommand('tox --current-env -epy39 -v --', instance)).toBe(
      'tox --current-env -epy39 -v -- sympy/core/tests/test_x.py',
    );
  });
  test('pytest is given the files that the row names, other runners are not', () => {
    const row = { ...bench('tests/test_b.py', 'tests/typed.py'), test_files: ['tests/test_b.py'] };
    expect(testCommand('pytest -rA', row)).toBe('pytest -rA tests/test_b.py');
    expect(testCommand('./tests/runtests.py', row)).toBe('./tests/runtests.py test_b typed');
  });
  test('files that the patch deletes are not run, renamed ones are run under the new name', () => {
    const diff = [
      'diff --git a/t/gone.py b/t/gone.py\ndeleted file mode 100644\n--- a/t/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n',
      'diff --git a/t/old.py b/t/new.py\nsimilarity index 100%\nrename from t/old.py\nrename to t/new.py\n',
    ].join('');
    expect(testDirectives(diff)).toEqual(['t/new.py']);
  });
});

describe('whether the witness sees all tests of a command', () => {
  test.each([
    'pytest -rA t.py',
    'PYTHONWARNINGS="ignore::UserWarning" /opt/env/bin/pytest -n 2',
    'python -W ignore -m pytest -q',
    'python3.9 -m unittest -v',
    './tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1 admin',
  ])('%s: yes', (command) => expect(isSeenWhole(command)).toBe(true));

  test.each([
    '',
    'make test',
    'tox -e py -- pytest',
    'pytest a.py && pytest b.py',
    'pytest | tee log',
    'python tests/run.py',
    'coverage run -m pytest',
    './tests/runtests.py --verbosity 2',
    'unittest -v',
  ])('%s: not known', (command) => expect(isSeenWhole(command)).toBe(false));
});

describe('files of tests', () => {
  test.each([
    ['a/b.py::T::t[c::d]', 'a/b.py'],
    ['../dev/tests/t.py::x', 'tests/t.py'],
    ['test_x (pack.mod.Class)', 'pack/mod.py'],
    ['test_x (pack.mod.Class.test_x)', 'pack/mod.py'],
    ['test_x (__main__.Class)', null],
    ['A docstring (of a test).', null],
    ['test_plain', null],
  ])('%s', (id, file) => expect(fileOfId(id)).toBe(file));

  test('tests that the source holds are hidden; a test patch is put back', () => {
    expect(testFiles(smith)).toEqual({
      hidden: ['tests/test_a.py', 'tests/test_b.py'],
      restored: ['my tests/test_c.py', 'tests/test_a.py', 'tests/test_b.py'],
    });
    expect(testFiles(bench('tests/t.py', 'tests/data.json'))).toEqual({
      hidden: [],
      restored: ['admin/tests.py', 'tests/data.json', 'tests/t.py'],
    });
  });
});
