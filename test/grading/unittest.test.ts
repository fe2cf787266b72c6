/** swemake's own unittest parser: against a real run, and the forms of older Pythons. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseUnittest } from '../../parsers/unittest.ts';

const MODULE = `
import unittest, sys
class T(unittest.TestCase):
    def test_ok(self): pass
    def test_doc(self):
        """First line of it.

        More."""
    def test_doc_dots(self):
        """Doc ... with dots ... ok"""
        self.fail("x")
    def test_fail(self): self.fail("x")
    def test_err(self): raise ValueError
    @unittest.skip("why - not ... ok")
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_xf(self): self.fail()
    @unittest.expectedFailure
    def test_xp(self): pass
    def test_print(self): sys.stderr.write("out\\nmore ... text\\n")
    def test_print_glued(self): sys.stderr.write("no newline")
    def test_print_misleading(self):
        sys.stderr.write("it looks ok\\nok")
        self.fail("x")
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i): self.assertNotEqual(i, 1)
    def test_sub_error(self):
        with self.subTest("message", i=1): raise ValueError
    def test_teardown(self): self.addCleanup(lambda: 1 / 0)
class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise ValueError
    def test_never(self): pass
class Late(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise ValueError
    def test_a(self): pass
`;
const EXPECTED: Record<string, string> = {
  'test_doc (m.T)': 'PASSED',
  'test_doc_dots (m.T)': 'FAILED',
  'test_err (m.T)': 'ERROR',
  'test_fail (m.T)': 'FAILED',
  'test_ok (m.T)': 'PASSED',
  'test_print (m.T)': 'PASSED',
  'test_print_glued (m.T)': 'PASSED',
  'test_print_misleading (m.T)': 'FAILED',
  'test_skip (m.T)': 'SKIPPED',
  'test_sub (m.T)': 'FAILED',
  'test_sub_error (m.T)': 'ERROR',
  'test_teardown (m.T)': 'ERROR',
  'test_xf (m.T)': 'XFAIL',
  'test_xp (m.T)': 'XPASS',
  'setUpClass (m.Broken)': 'ERROR',
  'test_a (m.Late)': 'PASSED',
  'tearDownClass (m.Late)': 'ERROR',
};

const folder = mkdtempSync(join(tmpdir(), 'swemake-unittest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'm.py'), MODULE);
const options = { cwd: folder, encoding: 'utf8', timeout: 20_000 } as const;
const available = spawnSync('python3', ['--version'], options).status === 0;
if (!available) console.log('skipped: there is no python3');

test.skipIf(!available)('agrees with unittest', () => {
  const run = spawnSync('python3', ['-m', 'unittest', '-v', 'm'], options);
  // Python 3.11 repeats the test's name inside of the brackets.
  const plain = (id: string) => id.replace(/^(\S+) \((.+)\.\1\)$/, '$1 ($2)');
  const statuses = [...parseUnittest(run.stdout + run.stderr)].map(([id, status]) => [plain(id), status]);
  expect(Object.fromEntries(statuses)).toEqual(EXPECTED);
});

describe('forms of older Pythons', () => {
  const parsed = (...lines: string[]) => Object.fromEntries(parseUnittest(lines.join('\n')));
  const RULE = '='.repeat(70);
  test('a test with failed subtests has no status of its own', () => {
    const log = [
      'test_a (m.T) ... test_b (m.T) ... ok',
      '',
      RULE,
      'FAIL: test_a (m.T) (i=1)',
      '-'.repeat(70),
      'Ran 2 tests in 0.001s',
    ];
    expect(parsed(...log)).toEqual({ 'test_a (m.T)': 'FAILED', 'test_b (m.T)': 'PASSED' });
  });
  test('a test with a docstring and failed subtests, too', () => {
    const log = [
      'test_a (m.T)',
      'Doc ... it ... test_b (m.T) ... ok',
      'test_c (m.T)',
      'Doc ... test_d (m.T)',
      'More ... ok',
      '',
      RULE,
      'FAIL: test_a (m.T) (i=1)',
      RULE,
      'FAIL: test_c (m.T) (i=1)',
      'Ran 4 tests in 0.001s',
    ];
    expect(parsed(...log)).toEqual({
      'test_a (m.T)': 'FAILED',
      'test_b (m.T)': 'PASSED',
      'test_c (m.T)': 'FAILED',
      'test_d (m.T)': 'PASSED',
    });
  });
  test('a class skipped before Python 3.12 names no test', () => {
    expect(parsed("skipped 'cls'", 'test_a (m.W) ... ok')).toEqual({ 'test_a (m.W)': 'PASSED' });
  });
  test('a module that cannot be imported', () => {
    const id = 'mod (unittest.loader._FailedTest)';
    expect(parsed(`${id} ... ERROR`, RULE, `ERROR: ${id}`)).toEqual({ [id]: 'ERROR' });
  });
  test('two runs in one log', () => {
    const one = [
      'test_a (m.T) ... FAIL',
      RULE,
      'FAIL: test_a (m.T)',
      'Ran 1 test in 0.1s',
      '',
      'FAILED (failures=1)',
    ];
    expect(parsed(...one, 'test_b (n.T) ... ok')).toEqual({
      'test_a (m.T)': 'FAILED',
      'test_b (n.T)': 'PASSED',
    });
  });
  test('a run that was cut off says nothing of its last test', () => {
    expect(parsed('test_a (m.T) ... ok', 'test_b (m.T) ... ')).toEqual({ 'test_a (m.T)': 'PASSED' });
  });
});
