/** swemake's own pytest parser: against pytest itself, and line forms of other versions and plugins. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parsePytest } from '../../parsers/pytest.ts';
import { runSuite, writeSuite } from './pytest-suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'swemake-pytest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeSuite(folder);
const available = runSuite(folder, ['--version']) !== null;
if (!available) console.log('skipped: python3 has no pytest');

const parsed = (log: string) => Object.fromEntries(parsePytest(log));

describe.skipIf(!available)('agrees with pytest', () => {
  const FILES = ['test_a.py', 'test_nested.py'];
  test.each([
    '-rA',
    '-v -rA',
    '-vv -rA --color=yes',
    '-q -rA',
    '--verbose --disable-warnings --color=no --tb=no',
    '-v -o console_output_style=count --tb=short',
    '-v -o console_output_style=classic',
    '-v --tb=line -rA',
    '-v --no-header --durations=5',
    '-v --no-summary',
  ])('under %s', (text) => {
    const options = text.split(' ');
    const run = runSuite(folder, [...options, ...FILES]);
    if (run === null) throw new Error('pytest is gone');
    const truth = { ...run.truth };
    // Only -v names skipped tests; the summary counts their places.
    if (!options.some((option) => /^-v|--verbose/.test(option))) delete truth['test_a.py::test_skip'];
    expect(parsed(run.log)).toEqual(truth);
  });

  test('two sessions in one log both count, and the worst report of a test wins', () => {
    const one = runSuite(folder, ['-v', 'test_a.py', '-k', 'test_method or test_warns']);
    const two = runSuite(folder, ['-rA', 'test_a.py', '-k', 'test_fail']);
    expect(parsed(`${one?.log}\n${two?.log}`)).toEqual({ ...one?.truth, ...two?.truth });
  });

  test('a module that cannot be imported is an error of its file, not of its tests', () => {
    const run = runSuite(folder, [
      '-v',
      '-rA',
      '--continue-on-collection-errors',
      'test_gone.py',
      'test_nested.py',
    ]);
    expect(parsed(run?.log ?? '')).toEqual({ 'test_gone.py': 'ERROR', ...run?.truth });
  });
});

describe('reads', () => {
  const cases: [name: string, log: string, statuses: Record<string, string>][] = [
    [
      'reasons of several lines, as -vv writes them',
      [
        '============================= test session starts ==============================',
        'a.py::test_a SKIPPED (one',
        'two)                                     [ 50%]',
        'a.py::test_b ',
        'XFAIL (three',
        'four) [100%]',
        '========================= 1 skipped, 1 xfailed in 0.01s ========================',
      ].join('\n'),
      { 'a.py::test_a': 'SKIPPED', 'a.py::test_b': 'XFAIL' },
    ],
    [
      'xdist',
      '[gw0] [ 50%] PASSED a.py::t[x y] \n[gw12] [100%] FAILED a.py::u \n[gw1] ERROR a.py::v\n[gw1] [1/2] SKIPPED a.py::w ',
      { 'a.py::t[x y]': 'PASSED', 'a.py::u': 'FAILED', 'a.py::v': 'ERROR', 'a.py::w': 'SKIPPED' },
    ],
    ['an id that looks like progress', 'a.py::t[100%] PASSED   [100%]', { 'a.py::t[100%]': 'PASSED' }],
    ['CRLF', 'a.py::t PASSED [ 50%]\r\na.py::u FAILED\r\n', { 'a.py::t': 'PASSED', 'a.py::u': 'FAILED' }],
    [
      'durations at the edge',
      'a.py::t PASSED      1.25ms\na.py::u FAILED   1m 3s',
      { 'a.py::t': 'PASSED', 'a.py::u': 'FAILED' },
    ],
    [
      'live logs between a test and its status',
      'a.py::t \n---- live log call ----\nINFO x\nPASSED    [ 50%]',
      { 'a.py::t': 'PASSED' },
    ],
    [
      'a title that a test printed under -s',
      'a.py::t == mine ==\nPASSED\n=== mine ===\na.py::u PASSED',
      { 'a.py::t': 'PASSED', 'a.py::u': 'PASSED' },
    ],
    ['skips with a reason', 'a.py::t SKIPPED (it PASSED (once)) [ 3%]', { 'a.py::t': 'SKIPPED' }],
    [
      'summary without frame',
      '=== short test summary info ===\nFAILED a.py::t - x\n1 failed in 0.1s\nPASSED a.py::u',
      { 'a.py::t': 'FAILED' },
    ],
    [
      'old XPASS with a reason',
      '== short test summary info ==\nXPASS a.py::t[x y] always\nXPASS a.py::u odd',
      { 'a.py::t[x y]': 'XPASS', 'a.py::u': 'XPASS' },
    ],
    [
      'old XFAIL with a reason below',
      '== short test summary info ==\nXFAIL a.py::t\n  reason: PASSED x',
      { 'a.py::t': 'XFAIL' },
    ],
    [
      'skip counts as no test',
      '== short test summary info ==\nSKIPPED [2] a.py:3: no\nSKIPPED a.py::t - no',
      { 'a.py::t': 'SKIPPED' },
    ],
    [
      'a doubtful id through its progress line',
      'a.py::t[x] - y] FAILED\n== short test summary info ==\nFAILED a.py::t[x] - y] - boom',
      { 'a.py::t[x] - y]': 'FAILED' },
    ],
  ];
  test.each(cases)('%s', (_name, log, statuses) => expect(parsed(log)).toEqual(statuses));

  test('a failed subtest fails its test, whose own report may say PASSED', () => {
    const forms = [
      'a.py::t SUBFAILED[m m] (i=1)   [ 88%]\na.py::t PASSED',
      'a.py::t PASSED\n== short test summary info ==\nSUBFAILED[m m] (i=(1, 2)) a.py::t - assert 1',
      'a.py::t [m m] (i=1) SUBFAIL\na.py::t PASSED',
      'a.py::t PASSED\n== short test summary info ==\n[m m] (i=1) SUBFAIL a.py::t - assert 0',
      '[gw1] [ 84%] [m m] (i=1) SUBFAIL a.py::t\n[gw1] [ 85%] PASSED a.py::t',
    ];
    for (const log of forms) expect(parsed(log)).toEqual({ 'a.py::t': 'FAILED' });
  });
});

describe('does not read', () => {
  test.each([
    ['a status without a test', 'PASSED [100%]\nFAILED\nERROR'],
    ['usage errors', 'ERROR: not found: /a.py::t\n(no name in [<Module a.py>])'],
    [
      'output of tests under a section',
      '=== FAILURES ===\na.py::t PASSED\n--- Captured stdout ---\nb.py::u PASSED',
    ],
    ['dots of a quiet run', 'a.py ..F.s                     [100%]'],
    ['indented reports of an inner run', '    a.py::t PASSED'],
  ])('%s', (_name, log) => expect(parsed(log)).toEqual({}));
});
