/**
 * What the gold runs of a validation report for the listed tests. A status other than PASSED counts only if gold runs
 * show the same status for the same test. So `pytest.xfail()` in tested code is no way to pass, and a test that the
 * task expects to fail still counts.
 */
import { isFailing, type Status, type StatusMap } from '../../parsers/status.ts';
import type { RunResult } from '../logs/log.ts';
import { GOLD_MATCH, lookupFor, otherUnittestForm, type Reported } from '../logs/match.ts';
import { rerunsIn, scanSessions } from '../logs/pytest-session.ts';
import { type Finding, findingAbout } from './findings.ts';
import type { GradingRules } from './rules.ts';
import type { WitnessRecord } from './witness.ts';

/**
 * Listed id -> reported tests -> status. An id with one test that passed is left out. An id that no gold run reports
 * has no tests.
 */
export type GoldStatuses = Readonly<Record<string, Readonly<Record<string, Status>>>>;

export interface GoldReports {
  /** By the output of the tests. */
  log: GoldStatuses;
  /** By the witness; empty where it knows no tests. */
  witness: GoldStatuses;
  /** Listed ids for which the gold runs differ; for these only PASSED counts. */
  unsteady: string[];
  /** Some gold run tried a test again. */
  reruns: boolean;
}

/** The results of a run that statuses are read from. */
export interface ReportedRun {
  run: RunResult;
  witness: WitnessRecord;
  log: string;
}

/** pytest's exit codes when nothing failed: success, and no test found. */
const NOTHING_FAILED: readonly (number | null)[] = [0, 5];

/** Null when no gold run ended by itself. */
export function goldReports(runs: readonly ReportedRun[], listed: readonly string[]): GoldReports | null {
  const ended = runs.filter(({ run }) => !run.timedOut);
  if (ended.length === 0) return null;
  const unsteady = new Set<string>();
  const log = goldStatuses(
    ended.map(({ run }) => run.statusMap),
    listed,
    unsteady,
  );
  const seen = ended.map(({ witness }) => witness.statuses);
  const witness = seen.every(({ size }) => size > 0) ? goldStatuses(seen, listed, unsteady) : {};
  const reruns = ended.some((run) => rerunsIn(run.log) > 0);
  return { log, witness, unsteady: listed.filter((id) => unsteady.has(id)), reruns };
}

function goldStatuses(
  runs: readonly StatusMap[],
  listed: readonly string[],
  unsteady: Set<string>,
): GoldStatuses {
  const lookups = runs.map((statuses) => lookupFor(statuses, GOLD_MATCH));
  const found: Record<string, Record<string, Status>> = {};
  for (const id of listed) {
    const reports = lookups.map((lookup) => lookup(id));
    const tests = new Map<string, Status>();
    for (const { test } of reports.flat()) {
      const status = agreedStatus(
        reports.map((report) => report.find((one) => one.test === test)?.status ?? null),
      );
      if (status === null) unsteady.add(id);
      else tests.set(test, status);
    }
    const [only] = tests;
    const isPlain =
      tests.size === 1 && only![1] === 'PASSED' && (only![0] === id || only![0] === otherUnittestForm(id));
    if (!isPlain && !unsteady.has(id)) found[id] = Object.fromEntries(tests);
  }
  return found;
}

/** The status if it is the same in all runs, else null. A test that once needed a second try may need it again. */
function agreedStatus(statuses: readonly (Status | null)[]): Status | null {
  const different = new Set(statuses);
  if (different.size === 1) return statuses[0]!;
  const passed = [...different].every((status) => status === 'PASSED' || status === 'RERUN');
  return passed ? 'RERUN' : null;
}

/** A grade for each reported test of a listed id, and one for each of the gold runs' tests that is missing. */
export function gradesByGold(
  reports: readonly Reported[],
  gold: Readonly<Record<string, Status>> = {},
): ('pass' | 'fail')[] {
  const gone = Object.keys(gold).filter((test) => !reports.some((report) => report.test === test));
  return [
    ...reports.map((report) => (isAsGold(report, gold) ? 'pass' : 'fail')),
    ...gone.map(() => 'fail' as const),
  ];
}

function isAsGold({ test, status }: Reported, gold: Readonly<Record<string, Status>>): boolean {
  return status === 'PASSED' || (!isFailing(status) && gold[test] === status);
}

/** Listed tests that neither passed nor failed, with another status than in the gold runs. */
export function statusFindings(
  reported: ReportedRun,
  listed: readonly string[],
  rules: GradingRules,
  gold: GoldReports | null,
): Finding[] {
  if (reported.run.timedOut) return [];
  const unlike = unlikeGold(reported, listed, rules, gold);
  const gone = gold === null || !nothingFailed(reported) ? [] : goneTests(reported.run, listed, gold);
  const hidden = gold === null || gold.reruns ? 0 : unnamedReruns(reported);
  if (hidden > 0) unlike.push(`${hidden} reruns`);
  // A preset with upstream's rule ignores the findings, and says so.
  const effect = rules.status === 'gold' ? 'voided' : 'relaxed';
  return [
    ...findingAbout('status-unlike-gold', effect, unlike),
    ...findingAbout('tests-missing', effect, gone),
  ];
}

function unlikeGold(
  { run, witness }: ReportedRun,
  listed: readonly string[],
  rules: GradingRules,
  gold: GoldReports | null,
): string[] {
  const lookups = [
    { of: lookupFor(run.statusMap, GOLD_MATCH), gold: gold?.log ?? {} },
    { of: lookupFor(witness.statuses, GOLD_MATCH), gold: gold?.witness ?? {} },
  ];
  const byPreset = lookupFor(run.statusMap, rules);
  const found = new Set<string>();
  for (const id of listed) {
    const isNamed = lookups.some(({ of }) => of(id).length > 0);
    const seen = isNamed ? lookups : [{ of: byPreset, gold: gold?.log ?? {} }];
    for (const one of seen) {
      for (const report of one.of(id)) {
        if (!isFailing(report.status) && !isAsGold(report, one.gold[id] ?? {}))
          found.add(`${report.status} ${report.test}`);
      }
    }
  }
  return [...found];
}

/** A program that starts the runner may have another exit code. Then the runner's last line decides. */
function nothingFailed({ run, log }: ReportedRun): boolean {
  if ([...run.statusMap.values()].some(isFailing)) return false;
  if (NOTHING_FAILED.includes(run.exitCode)) return true;
  const { ended, counts } = scanSessions(log);
  return ended > 0 && ['failed', 'error', 'errors'].every((word) => counts[word] === undefined);
}

/** Listed tests that the gold runs report and this one does not. */
function goneTests(run: RunResult, listed: readonly string[], gold: GoldReports): string[] {
  const lookup = lookupFor(run.statusMap, GOLD_MATCH);
  return listed.flatMap((id) => {
    const tests = lookup(id).map(({ test }) => test);
    const expected = gold.log[id];
    if (expected === undefined) return tests.length > 0 || gold.unsteady.includes(id) ? [] : [id];
    return Object.keys(expected).filter((test) => !tests.includes(test));
  });
}

/** Reruns that the runner counted without naming the test. */
function unnamedReruns({ run, witness, log }: ReportedRun): number {
  const isNamed = [run.statusMap, witness.statuses].some((map) => [...map.values()].includes('RERUN'));
  return isNamed ? 0 : rerunsIn(log);
}
