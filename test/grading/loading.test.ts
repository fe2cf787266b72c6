/** Which files of tests do not load, and why, by what pytest and unittest print. */
import { expect, test } from 'vitest';
import {
  unloadedIds,
  unloadedIn,
  unloadedScripts,
  unloadedText,
  withTracebacks,
} from '../../grading/logs/loading.ts';

const PYTEST = `a/test_fine.py::test_a
==================================== ERRORS ====================================
________________________ ERROR collecting a/test_one.py ________________________
ImportError while importing test module '/testbed/a/test_one.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
a/test_one.py:1: in <module>
    import absent
E   ModuleNotFoundError: No module named 'absent'
________________________ ERROR collecting a/test_two.py ________________________
/usr/lib/python3.11/ast.py:50: in parse
    return compile(source, filename, mode, flags,
E     File "/testbed/a/test_two.py", line 1
E       raise ValueError: = 3
E           ^
E   SyntaxError: invalid syntax
_______________________ ERROR collecting a/test_three.py _______________________
'slow' not found in \`markers\` configuration option
____________________________ ERROR at setup of test_a ____________________________
E   KeyError: 'x'
=========================== short test summary info ============================
ERROR a/test_one.py
ERROR a/test_two.py
`;

test('of pytest', () => {
  expect(unloadedIn(PYTEST)).toEqual([
    { file: 'a/test_one.py', why: "ModuleNotFoundError: No module named 'absent'" },
    { file: 'a/test_two.py', why: 'SyntaxError: invalid syntax' },
    { file: 'a/test_three.py', why: "'slow' not found in `markers` configuration option" },
  ]);
  expect(unloadedIn('ERROR a/test_one.py\n')).toEqual([]);
});

test('of unittest', () => {
  const rule = '='.repeat(70);
  const log = `${rule}
ERROR: test_one (unittest.loader._FailedTest.test_one)
${'-'.repeat(70)}
ImportError: Failed to import test module: test_one
Traceback (most recent call last):
  File "/testbed/test_one.py", line 1, in <module>
    import absent
ModuleNotFoundError: No module named 'absent'


${rule}
ERROR: test_b (test_two.A.test_b)
${'-'.repeat(70)}
ValueError
`;
  expect(unloadedIn(log)).toEqual([
    { file: 'test_one', why: "ModuleNotFoundError: No module named 'absent'" },
  ]);
});

test('ids that stand for no test', () => {
  const ids = ['a/test_one.py', 'a', 'a/b', 'test_c.py', 'test_one (unittest.loader._FailedTest.test_one)'];
  const tests = ['a/test_one.py::test_a', 'test_a (b.C.test_a)', 'test_a (b/c)'];
  expect(unloadedIds([...tests, ...ids])).toEqual(ids.filter((id) => id !== 'a'));
  const scripts = ['a/b.test.js', 'c.spec.tsx', 'd.mjs'];
  const others = ['a/b.test.js > adds', 'TestA/b.c', 'pkg/TestA', '/testbed/a.js'];
  expect(unloadedScripts([...others, ...scripts])).toEqual(scripts);
});

test('files are told by their error, missing modules before others', () => {
  const lacks = "ModuleNotFoundError: No module named 'x'";
  const found = [
    { file: 'a.py', why: 'ValueError' },
    { file: 'b.py', why: 'ValueError' },
    { file: 'c.py', why: lacks },
  ];
  expect(unloadedText(['c.py'], found)).toBe(
    `c.py does not load: ${lacks}; a.py, b.py do not load: ValueError`,
  );
  expect(unloadedText(['c.py', 'd.py'], [])).toBe('c.py, d.py do not load');
  const many = Array.from({ length: 5 }, (_, at) => ({ file: `t${at}.py`, why: `E${at}` }));
  expect(unloadedText([], many)).toMatch(/^t0\.py does not load: E0; .*; and 2 more$/);
});

test('a command that hides tracebacks shows them', () => {
  expect(withTracebacks('pytest --tb=no -rA -p no:cacheprovider')).toBe(
    'pytest --tb=short -p no:cacheprovider',
  );
  expect(withTracebacks('pytest -rA')).toBeNull();
});
