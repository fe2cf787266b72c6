/** Which lists runs of a row's tests give, and why there are none. */
import { expect, test } from 'vitest';
import { unloadedIds } from '../../grading/logs/loading.ts';
import type { RunResult } from '../../grading/logs/log.ts';
import { OUTPUT_CUT } from '../../grading/logs/long-output.ts';
import { measuredRow } from '../../grading/rules/measured.ts';
import type { Status } from '../../parsers/status.ts';

const run = (statuses: Record<string, Status>, more: Partial<RunResult> = {}): RunResult => ({
  statusMap: new Map(Object.entries(statuses)),
  exitCode: 1,
  timedOut: false,
  gradable: { ok: true },
  ...more,
});
const FAILS = run({ a: 'FAILED', b: 'PASSED' });
const PASSES = run({ a: 'PASSED', b: 'PASSED' }, { exitCode: 0 });
const outcomeOf = (before: RunResult[], gold: RunResult[]) => measuredRow(before, gold).outcome;

test('lists are what repeats agree on', () => {
  const { outcome, lists } = measuredRow([FAILS, FAILS], [PASSES, PASSES]);
  expect(outcome).toEqual({ status: 'ok' });
  expect(lists).toMatchObject({ FAIL_TO_PASS: ['a'], PASS_TO_PASS: ['b'] });
  expect(outcomeOf([FAILS, PASSES], [PASSES, PASSES])).toMatchObject({
    status: 'flaky',
    detail: 'no test begins to pass each time; repeats disagree on a',
  });
});

test('canaries of the witnesses are no tests', () => {
  const canary = 'TestSwemake0123456789abcdefPasses';
  const [before, gold] = [FAILS, PASSES].map((one) =>
    run({ ...Object.fromEntries(one.statusMap), [canary]: 'PASSED' }),
  );
  expect(measuredRow([before!, before!], [gold!, gold!]).lists?.PASS_TO_PASS).toEqual(['b']);
});

test('tests that the witness does not see are listed only where no other test shows the fix', () => {
  const unseen = /^doc/;
  const before = run({ a: 'FAILED', doc: 'FAILED', docs: 'PASSED', b: 'PASSED' });
  const gold = run({ a: 'PASSED', doc: 'PASSED', docs: 'PASSED', b: 'PASSED' }, { exitCode: 0 });
  expect(measuredRow([before, before], [gold, gold], { unseen }).lists).toMatchObject({
    FAIL_TO_PASS: ['a'],
    PASS_TO_PASS: ['b'],
  });
  const alone = run({ a: 'PASSED', doc: 'FAILED', docs: 'PASSED', b: 'PASSED' });
  expect(measuredRow([alone, alone], [gold, gold], { unseen }).lists).toMatchObject({
    FAIL_TO_PASS: ['doc'],
    PASS_TO_PASS: ['a', 'b'],
  });
});

test('runs that say nothing give no lists', () => {
  const late = run({}, { timedOut: true });
  const none = run({}, { gradable: { ok: false, reason: 'no-tests', detail: 'the output names no test' } });
  const unbuilt = run({}, { gradable: { ok: false, reason: 'build-failed', detail: 'x.go:1: no' } });
  const reasonOf = (before: RunResult[], gold: RunResult[]) => {
    const outcome = outcomeOf(before, gold);
    return outcome.status === 'ok' ? 'ok' : outcome.reason;
  };
  expect(reasonOf([late, late], [])).toBe('time-limit');
  expect(reasonOf([late, FAILS], [])).toBe('repeats-disagree');
  expect(reasonOf([FAILS, FAILS], [PASSES, late])).toBe('time-limit');
  expect(reasonOf([FAILS, FAILS], [none, none])).toBe('no-tests-ran');
  expect(reasonOf([FAILS, FAILS], [unbuilt, unbuilt])).toBe('build-failed');
  const cut = run({ a: 'PASSED' }, { gradable: { ok: false, reason: 'output-cut', detail: '' } });
  expect(reasonOf([FAILS, cut], [PASSES, PASSES])).toBe('no-failing-test');
  expect(outcomeOf([FAILS, FAILS], [PASSES, cut])).toMatchObject({
    reason: 'gold-fails',
    detail: OUTPUT_CUT,
  });
  // The names say so when another parser than the runner's read the output.
  expect(outcomeOf([PASSES, PASSES], [PASSES, PASSES])).toMatchObject({
    reason: 'no-failing-test',
    detail: 'no test begins to pass with the gold patch, which ran: a, b',
  });
  const crashed = run({ a: 'PASSED' }, { exitCode: 7 });
  expect(outcomeOf([crashed, crashed], [crashed, crashed])).toMatchObject({
    detail:
      'no test begins to pass with the gold patch, which ran: a; the command ended with code 7, though none of them failed, so others may not have run',
  });
  // The witness's own test that must fail explains the code.
  const canary = run({ a: 'PASSED', 'swemake 0123456789abcdef fails': 'FAILED' });
  expect(outcomeOf([canary, canary], [canary, canary])).toMatchObject({
    detail: expect.stringMatching(/ran: a$/),
  });
  // What was not reached because the process was ended would be taken for tests that fail.
  expect(reasonOf([FAILS, run({}, { exitCode: 137 })], [PASSES, PASSES])).toBe('no-failing-test');
  expect(reasonOf([PASSES, PASSES], [FAILS, FAILS])).toBe('gold-fails');
});

test('where ids name files, those of the test patch and with a failing test are listed', () => {
  const ids = ['a.js > fails', 'a.js > b', 'b.js > c', 'c.js > d', 'no file'];
  const all = (status: Status): Record<string, Status> =>
    Object.fromEntries(ids.map((id, at) => [id, at === 0 ? status : 'PASSED']));
  const [before, gold] = [run(all('FAILED')), run(all('PASSED'), { exitCode: 0 })];
  const fileOf = (id: string) => (id.includes(' > ') ? id.split(' > ')[0]! : null);
  const passing = (known: object) => measuredRow([before, before], [gold, gold], known).lists?.PASS_TO_PASS;
  expect(passing({ fileOf, patched: ['c.js', 'data.txt'] })).toEqual(['a.js > b', 'c.js > d', 'no file']);
  expect(passing({ fileOf, patched: [] })).toEqual(ids.slice(1));
  expect(passing({ patched: ['c.js'] })).toEqual(ids.slice(1));
  expect(passing({ fileOf: () => null, patched: ['c.js'] })).toEqual(ids.slice(1));
});

test('files of tests that do not load with the gold patch are no tests', () => {
  const known = { unloaded: unloadedIds };
  const lost = run({ 'tests/test_a.py': 'ERROR' });
  expect(measuredRow([lost, lost], [lost, lost], known).outcome).toMatchObject({
    reason: 'no-tests-ran',
    detail: 'no test ran with the gold patch: tests/test_a.py does not load',
  });
  const errors = [{ file: 'tests/test_a.py', why: "ModuleNotFoundError: No module named 'b'" }];
  expect(measuredRow([lost, lost], [lost, lost], { ...known, errors }).outcome).toMatchObject({
    detail:
      "no test ran with the gold patch: tests/test_a.py does not load: ModuleNotFoundError: No module named 'b'",
  });
  const some = run({ 'tests/test_a.py': 'ERROR', 'tests/test_b.py::b': 'PASSED' });
  expect(measuredRow([some, some], [some, some], known).outcome).toMatchObject({
    reason: 'no-failing-test',
    detail:
      'no test begins to pass with the gold patch, which ran: tests/test_b.py::b; tests/test_a.py does not load',
  });
  // Where nothing is known of such ids they are told as tests.
  expect(measuredRow([lost, lost], [lost, lost]).outcome).toMatchObject({ reason: 'no-failing-test' });
  const fixed = run({ 'tests/test_a.py::a': 'PASSED' });
  expect(measuredRow([lost, lost], [fixed, fixed], known).lists).toMatchObject({
    FAIL_TO_PASS: ['tests/test_a.py::a'],
  });
});
