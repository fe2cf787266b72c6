/**
 * Decides whether a task is sound from runs of its tests: untouched, with an empty patch, and with the gold patch.
 * Pure. The first rule that applies names the outcome; they are ordered so that the untouched state decides before
 * the gold runs (which need not be made then), except for what it cannot know: whether a test that was not collected is there
 * with the patch, whether one that fails before still fails then, and whether repeats disagree.
 */

import { isKilled } from '../../basics/killed.ts';
import { named } from '../../basics/named.ts';
import { isFailing } from '../../parsers/status.ts';
import { listedTests, type TestLists } from '../../schemas/instance.ts';
import { failed, flaky, type Outcome, timeout } from '../../schemas/outcome.ts';
import type { RunResult } from '../logs/log.ts';
import { isOutputCut, OUTPUT_CUT } from '../logs/long-output.ts';
import { lookupFor } from '../logs/match.ts';
import type { GradingRules } from './rules.ts';
import { failingOf, gradeRun } from './verdict.ts';

export interface ValidationChecks {
  lists: TestLists;
  rules: GradingRules;
  /** The tests on the untouched state, hidden tests in place. */
  before: RunResult;
  /** An empty patch through the grader, which is the same state. */
  empty: RunResult;
  /** The tests with the gold patch, one per repeat. */
  gold: readonly RunResult[];
}

/** The tests behind the outcome; each list is in the order of the instance. */
export interface ValidationTests {
  /** FAIL_TO_PASS that really failed before: they ran, and were FAILED or ERROR themselves. */
  failing_before: string[];
  /**
   * FAIL_TO_PASS that were not reported before. Where the gold patch lets them pass they count as failing: their module
   * imports what only the fix has. None where the run was ended by force: it says nothing of tests that it did not reach.
   */
  not_collected_before: string[];
  /** FAIL_TO_PASS that ran and did not fail: they passed or were skipped. */
  not_failing_before: string[];
  /** PASS_TO_PASS that do not pass before; noted, where they pass with the gold patch. */
  broken_before: string[];
  /** Tests of both lists that pass in no gold run. */
  failing_gold: string[];
  /** Tests of both lists on which repeats disagree. */
  unstable: string[];
}

export interface ValidationVerdict {
  outcome: Outcome;
  tests: ValidationTests;
}

/** The outcome of a validation. Throws when there is no gold run and the untouched state leaves it open. */
export function validationVerdict(checks: ValidationChecks): ValidationVerdict {
  const early = verdictBeforeGold(checks);
  if (early !== null) return early;
  if (checks.gold.length === 0) throw new RangeError('validation needs at least one gold run');
  const tests = { ...testsBefore(checks), ...testsOfGold(checks) };
  return { outcome: outcomeWithGold(checks, tests), tests };
}

/** What the untouched state alone decides; null when the gold runs are needed. */
export function verdictBeforeGold(checks: ValidationChecks): ValidationVerdict | null {
  const tests: ValidationTests = { ...testsBefore(checks), failing_gold: [], unstable: [] };
  const outcome = outcomeBefore(checks, tests);
  return outcome === null ? null : { outcome, tests };
}

function outcomeBefore(checks: ValidationChecks, tests: ValidationTests): Outcome | null {
  const { before, empty, lists } = checks;
  if (lists.FAIL_TO_PASS.length === 0)
    return failed('no-failing-test', 'the instance lists no FAIL_TO_PASS test');
  if (before.timedOut && empty.timedOut)
    return timeout('the tests ran into their time limit before the patch');
  // Which results were cut differs from run to run.
  if ([before, empty].some(isOutputCut)) return failed('no-failing-test', OUTPUT_CUT);
  const disagreeing = untouchedRepeatsDisagree(checks);
  if (disagreeing.length > 0) {
    tests.unstable = disagreeing;
    return flaky(`two runs of the untouched state disagree on ${named(disagreeing)}`);
  }
  if (before.timedOut !== empty.timedOut)
    return flaky('one of two runs of the untouched state ran into the time limit');
  // What was not collected fails before, if it is there with the gold patch.
  if (tests.failing_before.length + tests.not_collected_before.length === 0) {
    const found = tests.not_failing_before;
    const none = `none of ${found.length} FAIL_TO_PASS tests fails before the patch: ${named(found)}`;
    return failed('no-failing-test', wasCutOff(before) ? cutOff(before) : none);
  }
  if (gradeRun(empty, lists, checks.rules).reward === 1)
    return failed('empty-patch-passes', 'the grader gives an empty patch the full reward');
  return null;
}

function outcomeWithGold(checks: ValidationChecks, tests: ValidationTests): Outcome {
  const { before, gold } = checks;
  const finished = gold.filter((run) => !run.timedOut);
  const unbuilt = unbuiltOf(gold);
  if (unbuilt !== null && gold.every(({ statusMap }) => statusMap.size === 0)) return unbuilt;
  if (before.statusMap.size === 0 && gold.every((run) => run.statusMap.size === 0 && !run.timedOut))
    return failed('no-tests-ran', `no test ran, neither before nor after the patch (${whyEmpty(before)})`);
  const runs = `${gold.length} gold ${gold.length === 1 ? 'run' : 'runs'}`;
  if (gold.some(isOutputCut)) return failed('gold-fails', OUTPUT_CUT);
  if (finished.length === 0) return timeout(`the tests ran into their time limit in ${runs}`);
  if (tests.failing_gold.length > 0) return failsWithGold(checks, tests);
  const verdicts = gold.map((run) => gradeRun(run, checks.lists, checks.rules));
  const bad = verdicts.filter((verdict) => verdict.reward === 0);
  if (bad.length === 0) return { status: 'ok' };
  if (tests.unstable.length > 0) return flaky(`${runs} disagree on ${named(tests.unstable)}`);
  const [why = 'not solved'] = bad.flatMap(({ gradable }) => (gradable.ok ? [] : [gradable.detail]));
  if (bad.length === gold.length) return failed('gold-fails', `no gold run can be graded: ${why}`);
  return flaky(`${bad.length} of ${runs} did not pass: ${why}`);
}

/** The outcome where what the tests need does not compile with the gold patch; null where it does. */
export function unbuiltOf(gold: readonly RunResult[]): Outcome | null {
  const details = gold.flatMap(({ gradable }) =>
    !gradable.ok && gradable.reason === 'build-failed' ? [gradable.detail] : [],
  );
  return details.length === 0 ? null : failed('build-failed', `with the gold patch: ${details[0]}`);
}

/** Tests that pass at no time are told apart from those that the gold patch should have made pass. */
function failsWithGold({ lists }: ValidationChecks, tests: ValidationTests): Outcome {
  const never = tests.failing_gold.filter((id) => tests.broken_before.includes(id));
  if (never.length < tests.failing_gold.length)
    return failed('gold-fails', `the gold patch leaves failing: ${named(tests.failing_gold)}`);
  const share = `${never.length} of ${lists.PASS_TO_PASS.length}`;
  const what = 'PASS_TO_PASS tests pass neither before nor with the gold patch';
  return failed('pass-to-pass-broken', `${share} ${what}: ${named(never)}`);
}

function testsBefore(
  checks: ValidationChecks,
): Pick<ValidationTests, 'failing_before' | 'not_collected_before' | 'not_failing_before' | 'broken_before'> {
  const { before, lists, rules } = checks;
  const lookup = lookupFor(before.statusMap, rules);
  const fails = (id: string) => {
    const statuses = lookup(id);
    return statuses.length > 0 && statuses.every(({ status }) => isFailing(status));
  };
  // The exit code is not cross-checked here: in the untouched state tests are meant to fail.
  const graded = gradeRun({ ...before, gradable: { ok: true } }, lists, testRules(rules));
  return {
    failing_before: lists.FAIL_TO_PASS.filter(fails),
    not_collected_before: wasCutOff(before) ? [] : lists.FAIL_TO_PASS.filter((id) => lookup(id).length === 0),
    not_failing_before: lists.FAIL_TO_PASS.filter((id) => lookup(id).length > 0 && !fails(id)),
    broken_before: graded.tests_status?.PASS_TO_PASS.failure ?? [],
  };
}

/** A run that was ended by force: by a limit of its workspace, or by what it did itself. */
export function wasCutOff({ exitCode, gradable }: RunResult): boolean {
  return isKilled(exitCode) || (!gradable.ok && gradable.reason === 'markers-missing');
}

/** Why a run before the patch that was ended by force says nothing. */
export function cutOff(before: RunResult): string {
  return `the tests were ended by force before the patch (${whyEmpty(before)}), so none is known to fail`;
}

function testsOfGold(checks: ValidationChecks): Pick<ValidationTests, 'failing_gold' | 'unstable'> {
  const failures = checks.gold
    .filter((run) => !run.timedOut && run.statusMap.size > 0)
    .map((run) => failingTests(run, checks));
  const ids = listedTests(checks.lists);
  const inAll = (id: string) => failures.length > 0 && failures.every((set) => set.has(id));
  const inSome = (id: string) => failures.some((set) => set.has(id)) && !inAll(id);
  return { failing_gold: ids.filter(inAll), unstable: ids.filter(inSome) };
}

/** Listed tests on which the run before and the separate empty run disagree: both saw the same state. */
function untouchedRepeatsDisagree(checks: ValidationChecks): string[] {
  const { before, empty, lists } = checks;
  if (before.timedOut || empty.timedOut) return [];
  const [one, two] = [failingTests(before, checks), failingTests(empty, checks)];
  return listedTests(lists).filter((id) => one.has(id) !== two.has(id));
}

function failingTests(run: RunResult, checks: ValidationChecks): ReadonlySet<string> {
  const graded = gradeRun({ ...run, gradable: { ok: true } }, checks.lists, testRules(checks.rules));
  return new Set(graded.tests_status === null ? [] : failingOf(graded.tests_status));
}

/** The rules for single tests, without what judges a run as a whole. */
function testRules(rules: GradingRules): GradingRules {
  return { ...rules, verdict: 'tests', exit_code_crosscheck: false };
}

/** Why a run names no test. */
export function whyEmpty(run: RunResult): string {
  const why = run.gradable.ok ? 'the output names no test' : run.gradable.detail;
  return run.exitCode === null ? why : `${why}; exit code ${run.exitCode}`;
}
