/** The grader's rules, one by one, and what the presets make of the same run. */
import { describe, expect, test } from 'vitest';
import type { GoldStatuses } from '../../grading/rules/gold.ts';
import { DEFAULT_PRESET, findPreset, PRESETS, relaxations } from '../../grading/rules/presets.ts';
import { gradeTests } from '../../grading/rules/verdict.ts';
import { STATUSES, type Status } from '../../parsers/status.ts';

const rules = (name: string) => findPreset(name)!.rules;
const map = (entries: Record<string, Status>) => new Map(Object.entries(entries));
const LISTS = { FAIL_TO_PASS: ['a.py::F'], PASS_TO_PASS: ['a.py::P'] };

function statusesOf(f: Status | null, p: Status | null) {
  const statuses = new Map<string, Status>();
  if (f !== null) statuses.set('a.py::F', f);
  if (p !== null) statuses.set('a.py::P', p);
  return statuses;
}

function grade(f: Status | null, p: Status | null, preset = DEFAULT_PRESET, exitCode: number | null = null) {
  return gradeTests(statusesOf(f, p), LISTS, rules(preset), exitCode);
}

describe('one status at a time', () => {
  const table: [Status | null, f2p: boolean, p2p: boolean][] = [
    ['PASSED', true, true],
    ['XFAIL', true, true],
    ['RERUN', true, true],
    ['SKIPPED', false, true],
    ['XPASS', false, false],
    ['FAILED', false, false],
    ['ERROR', false, false],
    [null, false, false],
  ];
  test.each(table)('%s under swebench-5', (status, f2p, p2p) => {
    expect(grade(status, 'PASSED', 'swebench-5').resolved).toBe(f2p);
    expect(grade('PASSED', status, 'swebench-5').resolved).toBe(p2p);
  });
  test.each(table)('%s counts by default when it is PASSED, or what the gold runs show', (status) => {
    const resolved = (gold: GoldStatuses | null) =>
      gradeTests(statusesOf(status, status), LISTS, rules(DEFAULT_PRESET), null, gold).resolved;
    expect(resolved(null)).toBe(status === 'PASSED');
    for (const shown of STATUSES) {
      const gold = { 'a.py::F': { 'a.py::F': shown }, 'a.py::P': { 'a.py::P': shown } };
      const isShown = status === shown && status !== 'FAILED' && status !== 'ERROR';
      expect(resolved(gold), shown).toBe(status === 'PASSED' || isShown);
    }
  });
});

describe('with what the gold runs show', () => {
  const lists = { FAIL_TO_PASS: ['a.py::F[x'], PASS_TO_PASS: [] };
  const gold = { 'a.py::F[x': { 'a.py::F[x y]': 'PASSED', 'a.py::F[x z]': 'XFAIL' } } as const;
  const resolved = (entries: Record<string, Status>) =>
    gradeTests(map(entries), lists, rules(DEFAULT_PRESET), 0, gold).resolved;
  test('each test of a cut-off id has its own status', () => {
    expect(resolved({ 'a.py::F[x y]': 'PASSED', 'a.py::F[x z]': 'XFAIL' })).toBe(true);
    expect(resolved({ 'a.py::F[x y]': 'PASSED', 'a.py::F[x z]': 'PASSED' })).toBe(true);
    expect(resolved({ 'a.py::F[x y]': 'XFAIL', 'a.py::F[x z]': 'XFAIL' })).toBe(false);
    expect(resolved({ 'a.py::F[x y]': 'XFAIL', 'a.py::F[x z]': 'PASSED' })).toBe(false);
  });
  test('none of the tests of a cut-off id may be gone, whatever came in its place', () => {
    expect(resolved({ 'a.py::F[x z]': 'XFAIL' })).toBe(false);
    expect(resolved({ 'a.py::F[x q]': 'PASSED', 'a.py::F[x z]': 'XFAIL' })).toBe(false);
    expect(resolved({ 'a.py::F[x y]': 'PASSED', 'a.py::F[x q]': 'XFAIL', 'a.py::F[x z]': 'XFAIL' })).toBe(
      false,
    );
  });
});

test('reward, partial and groups', () => {
  const statuses = map({ f: 'PASSED', g: 'FAILED', p: 'PASSED' });
  const verdict = gradeTests(
    statuses,
    { FAIL_TO_PASS: ['f', 'g'], PASS_TO_PASS: ['p'] },
    rules(DEFAULT_PRESET),
    1,
  );
  expect(verdict).toEqual({
    resolved: false,
    partial: true,
    reward: 0,
    gradable: { ok: true },
    tests_status: {
      FAIL_TO_PASS: { success: ['f'], failure: ['g'] },
      PASS_TO_PASS: { success: ['p'], failure: [] },
    },
    ambiguous: [],
  });
});

test('ids are matched exactly', () => {
  const statuses = map({ 'b/a.py::F': 'PASSED', 'a.py::FF': 'PASSED', 'a.py::P': 'PASSED' });
  expect(gradeTests(statuses, LISTS, rules(DEFAULT_PRESET)).resolved).toBe(false);
});

test('unittest ids are the same test before and since Python 3.11', () => {
  const statuses = map({ 'test_a (m.T.test_a)': 'PASSED', 'test_b (m.T)': 'PASSED' });
  const lists = { FAIL_TO_PASS: ['test_a (m.T)'], PASS_TO_PASS: ['test_b (m.T.test_b)'] };
  expect(gradeTests(statuses, lists, rules(DEFAULT_PRESET)).resolved).toBe(true);
  expect(
    gradeTests(statuses, { ...lists, PASS_TO_PASS: ['test_a (m)'] }, rules(DEFAULT_PRESET)).resolved,
  ).toBe(false);
});

test('empty lists are held', () => {
  const verdict = gradeTests(
    map({ a: 'PASSED' }),
    { FAIL_TO_PASS: [], PASS_TO_PASS: [] },
    rules(DEFAULT_PRESET),
  );
  expect(verdict.resolved).toBe(true);
});

describe('truncated ids', () => {
  const lists = { FAIL_TO_PASS: ['a.py::F[x'], PASS_TO_PASS: [] };
  const gradeOne = (entries: Record<string, Status>, preset = DEFAULT_PRESET) =>
    gradeTests(map(entries), lists, rules(preset));
  test('stand for the ids that they begin, when these agree', () => {
    const both: Record<string, Status> = { 'a.py::F[x y]': 'PASSED', 'a.py::F[x z]': 'XFAIL' };
    expect(gradeOne(both, 'swebench-5').resolved).toBe(true);
    expect(gradeOne({ 'a.py::F[x y]': 'FAILED', 'a.py::F[x z]': 'ERROR' }).ambiguous).toEqual([]);
  });
  test('fail and are reported when they disagree', () => {
    const verdict = gradeOne({ 'a.py::F[x y]': 'PASSED', 'a.py::F[x z]': 'FAILED' });
    expect(verdict).toMatchObject({ resolved: false, ambiguous: ['a.py::F[x'] });
  });
  test('an exact match comes first', () => {
    expect(gradeOne({ 'a.py::F[x': 'PASSED', 'a.py::F[x z]': 'FAILED' }).resolved).toBe(true);
  });
  test('are exact under swebench-4', () => {
    expect(gradeOne({ 'a.py::F[x y]': 'PASSED' }, 'swebench-4').resolved).toBe(false);
  });
  test('a whole id is never a prefix', () => {
    const verdict = gradeTests(
      map({ 'a.py::F[x]y': 'PASSED' }),
      { FAIL_TO_PASS: ['a.py::F[x]'], PASS_TO_PASS: [] },
      rules(DEFAULT_PRESET),
    );
    expect(verdict.resolved).toBe(false);
  });
});

describe('the exit code', () => {
  test('that fails without a failing test makes the run worthless', () => {
    const verdict = grade('PASSED', 'PASSED', DEFAULT_PRESET, 1);
    expect(verdict).toMatchObject({ resolved: false, reward: 0, tests_status: null });
    expect(verdict.gradable).toMatchObject({ ok: false, reason: 'exit-code-mismatch' });
  });
  test('does not matter when a test failed, when it is 0, and when it is not known', () => {
    expect(grade('PASSED', 'FAILED', DEFAULT_PRESET, 1).gradable.ok).toBe(true);
    expect(grade('PASSED', 'PASSED', DEFAULT_PRESET, 0).resolved).toBe(true);
    expect(grade('PASSED', 'PASSED', DEFAULT_PRESET, null).resolved).toBe(true);
  });
});

describe('presets', () => {
  test('skipped tests are ignored up to swebench-4, and count for swebench-5', () => {
    expect(grade('SKIPPED', 'PASSED', 'swebench-4').resolved).toBe(true);
    expect(grade('SKIPPED', 'PASSED', 'swe-smith').resolved).toBe(true);
    expect(grade('SKIPPED', 'PASSED', 'swebench-5').resolved).toBe(false);
  });
  test('minisandbox-compat: names without files, parts of names, nothing but PASSED', () => {
    const statuses = map({ 'b.py::C::test_it': 'PASSED', 'b.py::test_other_more': 'PASSED' });
    const lists = { FAIL_TO_PASS: ['a.py::C::test_it'], PASS_TO_PASS: ['a.py::test_other'] };
    expect(gradeTests(statuses, lists, rules('minisandbox-compat')).resolved).toBe(true);
    expect(grade('XFAIL', 'PASSED', 'minisandbox-compat').resolved).toBe(false);
  });
  test('returncode looks at nothing else', () => {
    expect(grade('FAILED', null, 'returncode', 0).resolved).toBe(true);
    expect(grade('PASSED', 'PASSED', 'returncode', 1).resolved).toBe(false);
    expect(grade('PASSED', 'PASSED', 'returncode', null).resolved).toBe(false);
  });
  test('each but the default says where it is laxer', () => {
    for (const preset of PRESETS) {
      expect(relaxations(preset.rules).length > 0).toBe(preset.name !== DEFAULT_PRESET);
    }
  });
});
