/** What holds for any text: nothing throws, results are closed sets, and work grows with the text's length only. */
import { describe, expect, test } from 'vitest';
import { layoutOf, readTestLog } from '../../grading/logs/log.ts';
import { testCommand } from '../../grading/logs/test-command.ts';
import { PRESETS } from '../../grading/rules/presets.ts';
import { gradeRun } from '../../grading/rules/verdict.ts';
import { findParser, parserNames } from '../../parsers/registry.ts';
import { isStatus } from '../../parsers/status.ts';
import { canonicalDiff } from '../../patches/ways.ts';
import { randomNumbers } from '../rig/random.ts';

const PIECES = [
  ...[
    'PASSED',
    'FAILED',
    'ERROR',
    'SKIPPED',
    'XFAIL',
    'XPASS',
    'SUBFAILED[m]',
    'SUBFAIL',
    'FAIL:',
    'ERROR:',
    'ok',
    'E',
    'F',
  ],
  ...[
    'a.py::t',
    'a.py::t[x - y]',
    'test_x (m.T)',
    'test_',
    '::',
    '[gw0]',
    '[ 50%]',
    '[1]',
    '[',
    ']',
    '(',
    ')',
    ' - ',
    ' ... ',
  ],
  ...[
    '=== short test summary info ===',
    '=== test session starts ===',
    '=== FAILURES ===',
    '=== 1 failed in 0.1s ===',
    '='.repeat(70),
  ],
  ...[
    '>>>>> Start Test Output',
    '>>>>> End Test Output',
    '>>>>> Test Exit Code: 1',
    '>>>>> Applied Patch (pred)',
  ],
  ...[
    'diff --git a/x b/y',
    '--- a/x',
    '+++ b/y',
    '@@ -1,2 +1,3 @@',
    'rename from "a',
    'GIT binary patch',
    '"\\303',
    '\\',
  ],
  ...[
    'Testing against Django installed in ',
    ' silenced).\nok',
    'Internal Server Error: /',
    '/\nok',
    ' .py:',
    '___ a.py:t ___',
  ],
  ...[
    ' ',
    ' ',
    ' ',
    '\n',
    '\n',
    '\n',
    '\t',
    '\r',
    '\r\n',
    '\0',
    '\x1b[31m',
    '\x1c',
    '\x85',
    '\ufeff',
    '\u2028',
    'ü',
    '\ud800',
    '😀',
  ],
  ...["'", '"', ';', '|', '&&', '#', '2>&1', 'pytest', '-k', '$(x)'],
];

function text(seed: number): string {
  const next = randomNumbers(seed);
  const count = Math.floor(next() * 60);
  return Array.from({ length: count }, () => PIECES[Math.floor(next() * PIECES.length)]).join(
    next() < 0.5 ? '' : ' ',
  );
}

const LISTS = { FAIL_TO_PASS: ['a.py::t', 'a.py::t[x'], PASS_TO_PASS: ['test_x (m.T)', ''] };
const parsers = parserNames().map((name) => findParser(name)!);

test('any log can be parsed and graded', () => {
  for (let seed = 0; seed < 1500; seed++) {
    const log = text(seed);
    for (const parser of parsers) {
      const run = readTestLog(log, parser, { layout: layoutOf(log) });
      for (const status of run.statusMap.values()) expect(isStatus(status)).toBe(true);
      for (const preset of PRESETS) {
        const verdict = gradeRun(run, LISTS, preset.rules);
        expect(verdict.reward).toBe(verdict.resolved ? 1 : 0);
      }
    }
  }
});

test('any text can be inspected as a patch and extended as a command', () => {
  for (let seed = 0; seed < 1500; seed++) {
    expect(() => canonicalDiff(text(seed), seed % 2 === 0 ? 'apply' : 'reverse')).not.toThrow();
    const lists = { FAIL_TO_PASS: [text(seed + 1)], PASS_TO_PASS: [], test_patch: text(seed + 2) };
    expect(() => testCommand(text(seed), lists)).not.toThrow();
  }
});

describe('hostile logs of megabytes are read in time that a quadratic parser would not need seconds but hours for', () => {
  const MEGABYTE = 1 << 20;
  const fill = (piece: string, size = MEGABYTE) => piece.repeat(Math.ceil(size / piece.length));
  const logs: [name: string, log: string][] = [
    ['one line of spaces', `a.py::t${fill(' ')}PASSED`],
    ['one line of dashes', `== short test summary info ==\nFAILED a.py::t[${fill(' - ')}`],
    ['one line of brackets', `== short test summary info ==\nFAILED a.py::t${fill('[] - ')}`],
    ['one line of underscores', fill('_ ')],
    ['one line of .py:', fill(' a.py:')],
    ['one line of subtests', `a.py::t${fill(' SUBFAIL')}`],
    ['one line of digits', `=== ${fill('1')} in 1.1s ===`],
    ['many empty lines', fill('\n')],
    ['many starts without an end', fill('x ... Testing against Django installed in \n')],
    ['many errors without an end', fill('x ... Internal Server Error: /a/\n')],
    ['many titles', fill('=== FAILURES ===\n')],
    ['many tests', fill('a.py::t PASSED [ 50%]\n')],
    ['many ids', fill('test_x (m.T) ... ')],
    ['one line of dots', fill(' ... ')],
    ['colour codes', fill('\x1b[31m[31m')],
  ];
  test.each(logs)('%s', (_name, log) => {
    for (const parser of parsers) expect(() => parser.parse(log)).not.toThrow();
  });

  test('a pytest log of 50 MB', () => {
    const lines = Array.from(
      { length: 550_000 },
      (_, i) =>
        `tests/test_file_${i % 100}.py::TestClass::test_method_number_${i}[some parameter] PASSED   [ 50%]`,
    );
    const log = lines.join('\n');
    expect(log.length).toBeGreaterThan(45 * MEGABYTE);
    expect(findParser('pytest')!.parse(log).size).toBe(550_000);
  });

  test('truncated ids against many tests', () => {
    const log = Array.from({ length: 50_000 }, (_, i) => `a.py::t[${i}] PASSED`).join('\n');
    const failToPass = Array.from({ length: 50_000 }, (_, i) => `a.py::t[${i}]`.slice(0, -1));
    const run = readTestLog(log, findParser('pytest')!, { layout: 'whole' });
    expect(gradeRun(run, { FAIL_TO_PASS: failToPass, PASS_TO_PASS: [] }, PRESETS[0]!.rules).resolved).toBe(
      true,
    );
  });

  test('patches', () => {
    for (const piece of [
      'diff --git a/x b/y\n',
      ' b/',
      '"\\303',
      'rename from a\n',
      '@@ -1,9 +1,9 @@\n',
      '+',
      '\\\n',
    ]) {
      expect(() => canonicalDiff(`diff --git "${fill(piece)}`, 'apply')).not.toThrow();
      expect(() => canonicalDiff(fill(piece), 'apply')).not.toThrow();
    }
  });
});
