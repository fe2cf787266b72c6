/** The outcome of a validation, as a table. Tests: F1, F2 are FAIL_TO_PASS, P1, P2 are PASS_TO_PASS. */
import { describe, expect, test } from 'vitest';
import { type RunResult, ungradable } from '../../grading/logs/log.ts';
import { findPreset } from '../../grading/rules/presets.ts';
import {
  type ValidationChecks,
  validationVerdict,
  verdictBeforeGold,
} from '../../grading/rules/validation.ts';
import type { Status } from '../../parsers/status.ts';

const LETTERS: Record<string, Status> = {
  p: 'PASSED',
  f: 'FAILED',
  e: 'ERROR',
  s: 'SKIPPED',
  x: 'XFAIL',
  X: 'XPASS',
};

/**
 * `fp pp`: F1 FAILED, F2 PASSED, P1 and P2 PASSED; `-` missing; T timed out; K ended by force; C output cut; a bare `!` is no test at
 * all.
 */
function run(text: string): RunResult {
  const timedOut = text.includes('T');
  const letters = text.replace(/[TKC !]/g, '');
  const ids = ['a.py::F1', 'a.py::F2', 'a.py::P1', 'a.py::P2'];
  const statusMap = new Map<string, Status>();
  for (const [i, id] of ids.entries()) {
    const status = LETTERS[letters[i] ?? '-'];
    if (status !== undefined) statusMap.set(id, status);
  }
  const failing = [...statusMap.values()].some((status) => status === 'FAILED' || status === 'ERROR');
  const gradable = timedOut
    ? ungradable('timed-out', 'time limit')
    : text.includes('C')
      ? ungradable('output-cut', 'cut')
      : statusMap.size === 0
        ? ungradable('no-tests', 'the output names no test')
        : ({ ok: true } as const);
  return {
    statusMap,
    timedOut,
    gradable,
    exitCode: timedOut ? null : text.includes('K') ? 137 : failing ? 1 : 0,
  };
}

function checks(before: string, empty: string | null, gold: string[]): ValidationChecks {
  return {
    lists: { FAIL_TO_PASS: ['a.py::F1', 'a.py::F2'], PASS_TO_PASS: ['a.py::P1', 'a.py::P2'] },
    rules: findPreset('swebench-5')!.rules,
    before: run(before),
    empty: run(empty ?? before),
    gold: gold.map(run),
  };
}

const GOOD = 'pp pp';
const rows: [why: string, before: string, empty: string | null, gold: string[], outcome: string][] = [
  ['a sound task', 'ff pp', 'ff pp', [GOOD, GOOD], 'ok'],
  ['one gold run is enough', 'ff pp', null, [GOOD], 'ok'],
  ['one of two FAIL_TO_PASS fails before', 'fp pp', null, [GOOD], 'ok'],
  ['an error in the test itself is a failure', 'ef pp', null, [GOOD], 'ok'],
  ['the other FAIL_TO_PASS may be missing before', 'f- pp', null, [GOOD], 'ok'],
  ['a skipped PASS_TO_PASS is maintained', 'ff ps', null, ['pp ps'], 'ok'],
  ['an expected failure passes', 'ff px', null, ['px px'], 'ok'],

  ['nothing fails before', 'pp pp', null, [GOOD], 'no-failing-test'],
  ['skipped before is not failing', 'ss pp', null, [GOOD], 'no-failing-test'],
  ['expected to fail before is not failing', 'xx pp', null, [GOOD], 'no-failing-test'],
  ['no FAIL_TO_PASS is collected before, as their file needs the fix', '-- pp', null, [GOOD], 'ok'],
  ['not collected before, and not with gold', '-- pp', null, ['-- pp'], 'gold-fails'],
  ['one is not collected, the other passes', '-p pp', null, [GOOD], 'ok'],
  ['no test ran before, gold is sound: the module cannot be imported', '!', null, [GOOD, GOOD], 'ok'],
  ['ended by force before a test was reached', '! K', null, [GOOD, GOOD], 'no-failing-test'],
  ['ended by force before the other tests were reached', 'f- -- K', null, [GOOD], 'ok'],
  ['no test ran before nor after', '!', null, ['!', '!'], 'no-tests-ran'],
  ['no test ran before, gold timed out', '!', null, ['T'], 'time-limit'],

  ['PASS_TO_PASS fails before and passes with gold: noted', 'ff fp', null, [GOOD], 'ok'],
  ['PASS_TO_PASS missing before', 'ff -p', null, [GOOD], 'ok'],
  ['unexpected success before', 'ff Xp', null, [GOOD], 'ok'],
  ['PASS_TO_PASS passes at no time', 'ff fp', null, ['pp fp'], 'pass-to-pass-broken'],
  ['PASS_TO_PASS is there at no time', 'ff -p', null, ['pp -p', 'pp -p'], 'pass-to-pass-broken'],
  ['gold fails beside that', 'ff fp', null, ['pf fp'], 'gold-fails'],
  ['PASS_TO_PASS broken before, gold fails', 'ff fp', null, ['pf pp'], 'gold-fails'],

  ['gold leaves a test failing', 'ff pp', null, ['pf pp', 'pf pp'], 'gold-fails'],
  ['gold breaks PASS_TO_PASS', 'ff pp', null, ['pp fp'], 'gold-fails'],
  ['gold skips a FAIL_TO_PASS', 'ff pp', null, ['ps pp'], 'gold-fails'],
  ['gold loses a test', 'ff pp', null, ['p- pp'], 'gold-fails'],
  ['no test ran with gold', 'ff pp', null, ['!', '!'], 'gold-fails'],
  [
    'one test always fails, another flickers: the constant one decides',
    'ff pp',
    null,
    ['fp fp', 'fp pp'],
    'gold-fails',
  ],

  ['gold runs disagree on FAIL_TO_PASS', 'ff pp', null, [GOOD, 'pf pp'], 'repeats-disagree'],
  ['gold runs disagree on PASS_TO_PASS', 'ff pp', null, ['pp fp', GOOD, GOOD], 'repeats-disagree'],
  ['every gold run fails, each on another test', 'ff pp', null, ['fp pp', 'pf pp'], 'repeats-disagree'],
  ['one gold run has no tests', 'ff pp', null, [GOOD, '!'], 'repeats-disagree'],
  ['one gold run times out', 'ff pp', null, [GOOD, 'T'], 'repeats-disagree'],
  ['two untouched runs disagree', 'ff pp', 'pf pp', [GOOD], 'repeats-disagree'],
  ['two untouched runs disagree on PASS_TO_PASS', 'ff fp', 'ff pp', [GOOD], 'repeats-disagree'],
  ['one of two untouched runs times out', 'ff pp', 'T', [GOOD], 'repeats-disagree'],
  ['one of two untouched runs has no tests', '!', 'ff pp', [GOOD], 'repeats-disagree'],

  [
    'two untouched runs disagree, as the output of one was cut',
    'ff pp',
    'f- pp C',
    [GOOD],
    'no-failing-test',
  ],
  ['gold loses a test with what was cut', 'ff pp', null, [GOOD, 'p- pp C'], 'gold-fails'],

  ['the untouched tests hang', 'f T', null, [GOOD], 'time-limit'],
  ['both untouched runs hang', 'T', 'T', [GOOD], 'time-limit'],
  ['all gold runs hang', 'ff pp', null, ['T', 'T'], 'time-limit'],
  ['gold fails and hangs: what finished decides', 'ff pp', null, ['pf pp', 'T'], 'gold-fails'],
];

describe('the outcome', () => {
  test.each(rows)('%s', (_why, before, empty, gold, expected) => {
    const { outcome } = validationVerdict(checks(before, empty, gold));
    expect('reason' in outcome ? outcome.reason : outcome.status).toBe(expected);
  });

  test('what the untouched state decides, the gold runs cannot change', () => {
    for (const [, before, empty] of rows) {
      const early = verdictBeforeGold(checks(before, empty, []));
      if (early === null) continue;
      for (const gold of [GOOD, 'ff ff', '!', 'T']) {
        expect(validationVerdict(checks(before, empty, [gold]))).toEqual(early);
      }
    }
  });

  test('open without a gold run is a bug of the caller', () => {
    expect(() => validationVerdict(checks('ff pp', null, []))).toThrow(RangeError);
  });

  test('an instance without FAIL_TO_PASS has no failing test', () => {
    const all = checks('ff pp', null, [GOOD]);
    const { outcome } = validationVerdict({ ...all, lists: { ...all.lists, FAIL_TO_PASS: [] } });
    expect(outcome).toMatchObject({ status: 'failed', reason: 'no-failing-test' });
  });

  test('gold that passes while the command fails is not believed', () => {
    const all = checks('ff pp', null, [GOOD, GOOD]);
    const lying = { ...run(GOOD), exitCode: 1 };
    const both = validationVerdict({ ...all, gold: [lying, lying] }).outcome;
    expect(both).toMatchObject({ status: 'failed', reason: 'gold-fails' });
    const one = validationVerdict({ ...all, gold: [lying, run(GOOD)] }).outcome;
    expect(one).toMatchObject({ status: 'flaky' });
  });

  test('an empty patch can only pass under laxer rules', () => {
    const all = checks('ff pp', null, [GOOD]);
    const statusMap = new Map<string, Status>([...all.before.statusMap, ['b.py::F1x', 'PASSED']]);
    const rules = { ...all.rules, verdict: 'exit-code' as const };
    const before = { ...all.before, statusMap, exitCode: 0 };
    expect(validationVerdict({ ...all, rules, before, empty: before }).outcome).toMatchObject({
      reason: 'empty-patch-passes',
    });
  });
});

describe('what is reported', () => {
  test('the tests behind the outcome', () => {
    const { tests } = validationVerdict(checks('f- pp', null, ['pf pp', 'pf fp']));
    expect(tests).toEqual({
      failing_before: ['a.py::F1'],
      not_collected_before: ['a.py::F2'],
      not_failing_before: [],
      broken_before: [],
      failing_gold: ['a.py::F2'],
      unstable: ['a.py::P1'],
    });
  });

  test('the detail names the first tests and counts the rest', () => {
    const many = ['a', 'b', 'c', 'd', 'e'];
    const before = new Map<string, Status>([['f', 'FAILED']]);
    const statusMap = new Map<string, Status>([
      ['f', 'FAILED'],
      ['g', 'PASSED'],
    ]);
    const broken: RunResult = { statusMap, timedOut: false, exitCode: 1, gradable: { ok: true } };
    const lists = { FAIL_TO_PASS: ['f'], PASS_TO_PASS: many };
    const { outcome } = validationVerdict({
      ...checks('ff pp', null, []),
      before: { ...broken, statusMap: before },
      gold: [{ ...broken, statusMap: new Map([['f', 'PASSED']]) }],
      lists,
    });
    expect(outcome).toMatchObject({
      detail: '5 of 5 PASS_TO_PASS tests pass neither before nor with the gold patch: a, b, c and 2 more',
    });
  });
});
