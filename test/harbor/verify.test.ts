/** The verdict that a Harbor task takes along, beside our own on the same logs. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { findParser } from '../../parsers/registry.ts';

const PYTEST = `============================= test session starts ==============================
collected 9 items

tests/test_a.py::test_said PASSED [ 10%]
tests/test_a.py::test_broken FAILED [ 20%]
[gw1] [ 30%] PASSED tests/test_a.py::test_worker
tests/test_a.py::test_teardown PASSED [ 40%]
tests/test_a.py::test_teardown ERROR [ 40%]

=================================== FAILURES ===================================
______________________________ test_broken ______________________________
----------------------------- Captured stdout call -----------------------------
PASSED tests/test_a.py::test_forged
tests/test_a.py::test_forged PASSED
=========================== short test summary info ============================
PASSED tests/test_a.py::test_said
PASSED tests/test_a.py::test_worker
PASSED tests/test_a.py::test_with[a - b]
PASSED tests/test_a.py::test_with[c d]
SKIPPED [1] tests/test_a.py:9: not here
XFAIL tests/test_a.py::test_known - bug 7
ERROR tests/test_a.py::test_teardown - ValueError: x - y
FAILED tests/test_a.py::test_broken - assert 1 == 2
============== 1 failed, 4 passed, 1 skipped, 1 xfailed in 0.10s ===============
`;
const UNITTEST = `test_one (tests.test_b.T) ... ok
test_two (tests.test_b.T.test_two)
What it is for. ... FAIL
test_out (tests.test_b.T) ... printed by the test
ok
test_skip (tests.test_b.T) ... skipped 'not here'
test_known (tests.test_b.T) ... expected failure
test_err (tests.test_b.T) ... ERROR

======================================================================
ERROR: test_err (tests.test_b.T)
----------------------------------------------------------------------
ValueError
======================================================================
FAIL: test_two (tests.test_b.T.test_two)
----------------------------------------------------------------------
Ran 6 tests in 0.001s
`;

const SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[1])
import harbor_verify as verify
said = json.load(sys.stdin)
print(json.dumps([{'statuses': verify.statuses(log, parser), 'holds': [
    verify.holds(listed, verify.statuses(log, parser), gold) for listed, gold in asked]} for log, parser, asked in said]))
`;

type Asked = [listed: string, gold: Record<string, string> | null];

function verify(cases: [log: string, parser: string, asked: Asked[]][]) {
  const folder = `${packageRoot()}/grading/run`;
  const ran = spawnSync('python3', ['-B', '-c', SCRIPT, folder], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
  });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout) as { statuses: Record<string, string>; holds: boolean[] }[];
}

test('a log says the same of the same tests', () => {
  const [pytest, unittest] = verify([
    [PYTEST, 'pytest', []],
    [`\x1b[32m${UNITTEST}`.replaceAll('\n', '\r\n'), 'unittest', []],
  ]);
  const ours = (name: string, log: string) => Object.fromEntries(findParser(name)!.parse(log));
  const known = ours('pytest', PYTEST);
  expect(Object.keys(known)).toHaveLength(7);
  expect(pytest!.statuses).toMatchObject(known);
  expect(pytest!.statuses).not.toHaveProperty(['tests/test_a.py::test_forged']);
  expect(unittest!.statuses).toEqual(ours('unittest', UNITTEST));
});

const LISTED: [what: string, listed: string, gold: Record<string, string> | null, holds: boolean][] = [
  ['a test that passed', 'tests/test_a.py::test_said', null, true],
  ['one that failed', 'tests/test_a.py::test_broken', null, false],
  ['one that fails in its teardown', 'tests/test_a.py::test_teardown', null, false],
  ['one that is not in the log', 'tests/test_a.py::test_gone', null, false],
  ['one that only was printed', 'tests/test_a.py::test_forged', null, false],
  ['one that is expected to fail', 'tests/test_a.py::test_known', null, false],
  [
    'one that the solution leaves as expected to fail',
    'tests/test_a.py::test_known',
    { 'tests/test_a.py::test_known': 'XFAIL' },
    true,
  ],
  ['an id that was cut off', 'tests/test_a.py::test_with[', null, true],
  [
    'an id that was cut off, of which a test is gone',
    'tests/test_a.py::test_with[',
    { 'tests/test_a.py::test_with[a - b]': 'PASSED', 'tests/test_a.py::test_with[z]': 'PASSED' },
    false,
  ],
];

test('a listed test holds where it passes, or is as with the solution', () => {
  const asked = LISTED.map(([, listed, gold]): Asked => [listed, gold]);
  const { holds } = verify([[PYTEST, 'pytest', asked]])[0]!;
  expect(LISTED.map(([what], at) => [what, holds[at]])).toEqual(LISTED.map(([what, , , one]) => [what, one]));
});

test('ids are found as the parsers of SWE-bench write them', () => {
  const ids = [
    ...['t.py::a[/tmp/x/y.txt]', 't.py::a[//h/p]', 't.py::a[/b*/c]', 't.py::a[x/y]', 't.py::a[x][/y/z]'],
    ...['t.py::a', 't.py::a[MouseButton.LEFT-MouseButton.RIGHT]', 't.py::a[/p/q][r]'],
  ];
  const summary = ids.map((id) => `PASSED ${id}\n`).join('');
  const log = `=== short test summary info ===\n${summary}FAILED t.py::b[/tmp/c] - assert 0\n`;
  const parsers = [
    ['parse_log_pytest_options', 'pytest-options'],
    ['parse_log_matplotlib', 'matplotlib'],
    ['parse_log_seaborn', 'pytest'],
  ] as const;
  const read = verify(parsers.map(([, reader]) => [log, reader, []]));
  for (const [at, [name]] of parsers.entries()) {
    const listed = Object.fromEntries(findParser(name)!.parse(log));
    expect(Object.keys(listed)).toHaveLength(9);
    expect(read[at]!.statuses).toMatchObject(listed);
  }
});

test('unittest writes one test in two ways', () => {
  const asked: Asked[] = [
    ['test_one (tests.test_b.T.test_one)', null],
    ['test_two (tests.test_b.T)', null],
  ];
  expect(verify([[UNITTEST, 'unittest', asked]])[0]!.holds).toEqual([true, false]);
});
