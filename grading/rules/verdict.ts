/**
 * The grader: statuses of tests and the instance's two lists in, a verdict out. Pure. How it deals with what is
 * missing, skipped or expected to fail is data (`GradingRules`); presets.ts names the usual sets.
 */

import { isFailing, type Status, type StatusMap } from '../../parsers/status.ts';
import type { TestLists } from '../../schemas/instance.ts';
import { type Gradable, type RunResult, ungradable } from '../logs/log.ts';
import { lookupFor } from '../logs/match.ts';
import { type GoldStatuses, gradesByGold } from './gold.ts';
import type { GradingRules } from './rules.ts';

export interface TestGroup {
  success: string[];
  failure: string[];
}

export interface TestsStatus {
  FAIL_TO_PASS: TestGroup;
  PASS_TO_PASS: TestGroup;
}

export interface Verdict {
  resolved: boolean;
  /** Some, not all FAIL_TO_PASS pass and every PASS_TO_PASS does. */
  partial: boolean;
  reward: 0 | 1;
  gradable: Gradable;
  /** Which listed tests passed; null when the run is not gradable. */
  tests_status: TestsStatus | null;
  /** Truncated ids whose tests disagree; they count as failed. */
  ambiguous: string[];
}

/** Listed tests that do not pass. */
export function failingOf({ FAIL_TO_PASS, PASS_TO_PASS }: TestsStatus): string[] {
  return [...FAIL_TO_PASS.failure, ...PASS_TO_PASS.failure];
}

/**
 * Grades one run of the tests. `exitCode` is needed for the cross-check and for `verdict: exit-code`; `gold` is what
 * the gold runs report, null when there were none.
 */
export function gradeTests(
  statusMap: StatusMap,
  lists: TestLists,
  rules: GradingRules,
  exitCode: number | null = null,
  gold: GoldStatuses | null = null,
): Verdict {
  if (rules.verdict === 'exit-code') return exitCodeVerdict(exitCode);
  const gradable = crossCheck(statusMap, rules, exitCode);
  if (!gradable.ok) return ungradedVerdict(gradable);
  const lookup = lookupFor(statusMap, rules);
  const ambiguous: string[] = [];
  const gradesOf = (skipped: Grade) => (id: string) =>
    rules.status === 'gold'
      ? gradesByGold(lookup(id), gold?.[id])
      : lookup(id).map(({ status }) => gradeOf(status, rules, skipped));
  const f2p = gradeList(lists.FAIL_TO_PASS, gradesOf(rules.skipped_f2p), rules, ambiguous);
  const p2p = gradeList(lists.PASS_TO_PASS, gradesOf(rules.skipped_p2p), rules, ambiguous);
  const maintained = p2p.failure.length === 0;
  const resolved = maintained && f2p.failure.length === 0;
  const partial = maintained && !resolved && f2p.success.length > 0;
  const tests_status = { FAIL_TO_PASS: f2p, PASS_TO_PASS: p2p };
  return { resolved, partial, reward: resolved ? 1 : 0, gradable, tests_status, ambiguous };
}

/** Grades a run as it was read from its log. */
export function gradeRun(
  run: RunResult,
  lists: TestLists,
  rules: GradingRules,
  gold: GoldStatuses | null = null,
): Verdict {
  const usable = run.gradable.ok || (rules.verdict === 'exit-code' && !run.timedOut);
  return usable ? gradeTests(run.statusMap, lists, rules, run.exitCode, gold) : ungradedVerdict(run.gradable);
}

/** The verdict of a run that proves nothing. */
function ungradedVerdict(gradable: Gradable): Verdict {
  return { resolved: false, partial: false, reward: 0, gradable, tests_status: null, ambiguous: [] };
}

/** A failing exit code without a failing test: the output was forged, cut off, or the runner itself broke. */
function crossCheck(statusMap: StatusMap, rules: GradingRules, exitCode: number | null): Gradable {
  if (!rules.exit_code_crosscheck || exitCode === null || exitCode === 0) return { ok: true };
  for (const status of statusMap.values()) if (isFailing(status)) return { ok: true };
  return ungradable('exit-code-mismatch', `the tests exited with ${exitCode}, but no test failed`);
}

function exitCodeVerdict(exitCode: number | null): Verdict {
  const resolved = exitCode === 0;
  const gradable: Gradable = { ok: true };
  return { resolved, partial: false, reward: resolved ? 1 : 0, gradable, tests_status: null, ambiguous: [] };
}

type Grade = 'fail' | 'ignore' | 'pass';

function gradeList(
  ids: readonly string[],
  gradesOf: (id: string) => Grade[],
  rules: GradingRules,
  ambiguous: string[],
): TestGroup {
  const group: TestGroup = { success: [], failure: [] };
  for (const id of ids) {
    const grades = new Set(gradesOf(id));
    if (grades.size === 0) grades.add(rules.missing);
    if (grades.size > 1) ambiguous.push(id);
    const grade = grades.size === 1 ? [...grades][0] : 'fail';
    if (grade === 'pass') group.success.push(id);
    if (grade === 'fail') group.failure.push(id);
  }
  return group;
}

function gradeOf(status: Status, rules: GradingRules, skipped: Grade): Grade {
  if (status === 'PASSED' || status === 'RERUN') return 'pass';
  if (status === 'XFAIL') return rules.xfail;
  if (status === 'SKIPPED') return skipped;
  // Upstream's parsers do not know XPASS, so such a test is missing there.
  if (status === 'XPASS') return rules.missing;
  return 'fail';
}
