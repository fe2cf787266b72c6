/** What is kept of the gold runs, and what is held against a run that differs from them. */
import { describe, expect, test } from 'vitest';
import { goldReports, type ReportedRun, statusFindings } from '../../grading/rules/gold.ts';
import { findPreset } from '../../grading/rules/presets.ts';
import type { Status } from '../../parsers/status.ts';

const map = (entries: Record<string, Status>) => new Map(Object.entries(entries));

function run(entries: Record<string, Status>, more: { witness?: Record<string, Status>; log?: string } = {}) {
  return {
    run: { statusMap: map(entries), exitCode: 0, timedOut: false, gradable: { ok: true } },
    witness: {
      state: 'closed',
      statuses: map(more.witness ?? {}),
      reads: [],
      observed: {},
      operands: { kinds: new Map(), reached: new Map() },
      end: null,
    },
    log: more.log ?? '',
  } as ReportedRun;
}

const LISTED = ['t.py::a', 't.py::b'];
const RERUN_LOG = '=== test session starts ===\n=== 2 passed, 1 rerun in 0.10s ===\n';

describe('of the gold runs', () => {
  test('only what is not one plain pass is kept', () => {
    const runs = [
      run({ 't.py::a': 'PASSED', 't.py::b': 'XFAIL' }),
      run({ 't.py::a': 'PASSED', 't.py::b': 'XFAIL' }),
    ];
    expect(goldReports(runs, LISTED)).toEqual({
      log: { 't.py::b': { 't.py::b': 'XFAIL' } },
      witness: {},
      unsteady: [],
      reruns: false,
    });
  });

  test('a status on which they disagree is kept as that, and counts for nothing', () => {
    const runs = [
      run({ 't.py::a': 'PASSED', 't.py::b': 'SKIPPED' }),
      run({ 't.py::a': 'RERUN', 't.py::b': 'PASSED' }),
    ];
    expect(goldReports(runs, LISTED)).toMatchObject({
      log: { 't.py::a': { 't.py::a': 'RERUN' } },
      unsteady: ['t.py::b'],
    });
    expect(goldReports(runs, LISTED)!.log).not.toHaveProperty('t.py::b');
  });

  test('every test of a cut-off id is kept, and both ways of unittest are one', () => {
    const listed = ['t.py::c[x', 'd (m.T)', 'gone'];
    const runs = [run({ 't.py::c[x 1]': 'PASSED', 't.py::c[x 2]': 'PASSED', 'd (m.T.d)': 'PASSED' })];
    expect(goldReports(runs, listed)!.log).toEqual({
      't.py::c[x': { 't.py::c[x 1]': 'PASSED', 't.py::c[x 2]': 'PASSED' },
      gone: {},
    });
  });

  test('nothing is known when none came to its end', () => {
    const late = run({});
    late.run.timedOut = true;
    expect(goldReports([late], LISTED)).toBeNull();
    expect(goldReports([], LISTED)).toBeNull();
  });
});

describe('a run unlike gold', () => {
  const plain = goldReports([run({ 't.py::a': 'PASSED', 't.py::b': 'PASSED' })], LISTED);
  const found = (one: ReportedRun, preset = 'strict', gold = plain) =>
    statusFindings(one, LISTED, findPreset(preset)!.rules, gold).map(
      ({ rule, effect, detail }) => `${effect} ${rule}: ${detail}`,
    );

  test.each(['XFAIL', 'XPASS', 'SKIPPED', 'RERUN'] as const)('with %s is named', (status) => {
    const one = run({ 't.py::a': status, 't.py::b': 'PASSED' });
    expect(found(one)).toEqual([`voided status-unlike-gold: ${status} t.py::a`]);
    for (const preset of ['swebench-5', 'swebench-4', 'minisandbox-compat', 'returncode'])
      expect(found(one, preset)).toEqual([`relaxed status-unlike-gold: ${status} t.py::a`]);
    expect(found(one, 'strict', null)).toEqual(found(one));
    expect(found(one, 'strict', goldReports([one], LISTED))).toEqual([]);
  });

  test('is named when only the witness saw it', () => {
    const statuses = { 't.py::a': 'PASSED', 't.py::b': 'PASSED' } as const;
    const one = run(statuses, { witness: { ...statuses, 't.py::a': 'XFAIL' } });
    expect(found(one)).toEqual(['voided status-unlike-gold: XFAIL t.py::a']);
    expect(found(one, 'strict', goldReports([one], LISTED))).toEqual([]);
  });

  test('whose tests are gone though nothing failed is named; after a failure it is no news', () => {
    const one = run({ 't.py::b': 'PASSED' });
    expect(found(one)).toEqual(['voided tests-missing: t.py::a']);
    expect(found(one, 'returncode')).toEqual(['relaxed tests-missing: t.py::a']);
    expect(found(one, 'strict', null)).toEqual([]);
    one.run.exitCode = 2;
    expect(found(one)).toEqual([]);
    expect(found(run({ 't.py::b': 'PASSED', 't.py': 'ERROR' }))).toEqual([]);
  });

  test('with reruns that only the last line counts is named', () => {
    const statuses = { 't.py::a': 'PASSED', 't.py::b': 'PASSED' } as const;
    const one = run(statuses, { log: RERUN_LOG });
    expect(found(one)).toEqual(['voided status-unlike-gold: 1 reruns']);
    expect(found(one, 'strict', goldReports([one], LISTED))).toEqual([]);
    const flaky = 'test_a failed (1 runs remaining out of 2).\n';
    expect(found(run(statuses, { log: flaky }))).toEqual(['voided status-unlike-gold: 1 reruns']);
    const long = `${' failed;'.repeat(200_000)} (1 runs remaining out of 2).\n`;
    expect(found(run(statuses, { log: long }))).toEqual(['voided status-unlike-gold: 1 reruns']);
  });
});
