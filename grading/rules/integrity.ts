/**
 * Decides whether a run's verdict can be trusted, by the rules for logs, the witness, and files that were written
 * while the tests ran. What the gold runs show is normal for a task and no finding against a patch. The gold runs
 * also say which plugins and options are normal, and whether the witness knows every listed test.
 */

import { named } from '../../basics/named.ts';
import { isFailing, type Status } from '../../parsers/status.ts';
import type { RunResult } from '../logs/log.ts';
import { lookupFor, type Reported } from '../logs/match.ts';
import { digestFindings, type GoldDigests, goldDigests } from './digests.ts';
import { doctestFindings, type GoldExamples, goldExamples } from './doctests.ts';
import { type Finding, type IntegrityRule, voided } from './findings.ts';
import { type GoldReports, goldReports, statusFindings } from './gold.ts';
import { logFindings } from './log-integrity.ts';
import type { KeptMutant } from './mutants.ts';
import { type GoldOperands, goldOperands } from './operands.ts';
import { type GoldReads, goldReads } from './reads.ts';
import type { GradingRules } from './rules.ts';
import { goldSwallowed, type Swallowed, swallowedFindings } from './swallowed.ts';
import type { WitnessEnd, WitnessRecord } from './witness.ts';

/** The results of one run of the tests. */
export interface RunEvidence {
  run: RunResult;
  log: string;
  parser: string;
  witness: WitnessRecord;
  /** Protected files, and files of the runner, that were written while the tests ran. */
  written: string[];
  /** Whether a witness that is loaded sees each test of the command (test-command.ts). */
  isSeenWhole: boolean;
}

/** What the validation of a task found out about its runner. */
export interface IntegrityBaseline {
  /** What the witness can tell: the status of every listed test, or only whether the runner ended by itself. */
  witness: 'none' | 'session' | 'tests';
  /** Rules that the task's own runs break. */
  excused: IntegrityRule[];
  /** The command's exit code is pytest's. */
  exit_code: boolean;
  /** What the gold runs have of each; see WitnessEnd. */
  modified: string[];
  forced: string[];
  failures: string[];
  plugins: string[];
  options: string[];
  early: string[];
  sessions: number;
  /** What is written while the gold patch is tested. */
  written: string[];
  /** What the gold runs report for the listed tests; null when none came to its end. */
  reports: GoldReports | null;
  /** Assertions that failed in listed tests that passed; null where the gold runs differ. */
  swallowed: Swallowed;
  /** Examples of doctests. */
  examples: GoldExamples;
  /** What meets at assertions in a gold run; null where it is not known. */
  operands: GoldOperands | null;
  /** What tests read in the gold runs, beside code. */
  reads: GoldReads;
  /** Digests of what ran as tests, helpers and runner, and what else is compared as it is; null where the gold runs differ. */
  digests: GoldDigests;
  /** Mutations of the gold patch's code that the listed tests catch; absent where none were looked for. */
  mutants?: KeptMutant[];
}

/** The baseline of a task without validation: nothing is excused or expected. */
const UNKNOWN: IntegrityBaseline = {
  witness: 'none',
  excused: [],
  exit_code: false,
  modified: [],
  forced: [],
  failures: [],
  plugins: [],
  options: [],
  early: [],
  sessions: 0,
  written: [],
  reports: null,
  swallowed: {},
  examples: {},
  operands: null,
  reads: { data: [], given: [], programs: [] },
  digests: {},
};

/** Rules that runs without a patch may excuse, too: those failures are the task's. */
const EXCUSED_BY_UNTOUCHED: readonly IntegrityRule[] = ['counts-disagree', 'lines-forged'];

/** Findings of a run. Those that the baseline excuses are reported, and have no effect. */
export function runFindings(
  evidence: RunEvidence,
  listed: readonly string[],
  rules: GradingRules,
  baseline: IntegrityBaseline | null,
): Finding[] {
  const known = baseline ?? UNKNOWN;
  const found = [
    ...logFindings({ ...evidence, listed }),
    ...witnessFindings(evidence, listed, rules, known, baseline !== null),
    ...statusFindings(evidence, listed, rules, known.reports),
    ...writtenFindings(unlike(evidence.written, known.written), known.reads.data),
  ];
  const others =
    baseline === null || known.witness === 'none'
      ? []
      : [
          ...unlikeGold(evidence, known),
          ...swallowedFindings(evidence, listed, known.swallowed),
          ...digestFindings(evidence.witness, known.digests),
          ...doctestFindings(evidence, listed, known.examples),
        ];
  return [
    ...found.map(
      (finding): Finding =>
        known.excused.includes(finding.rule) ? { ...finding, effect: 'excused' } : finding,
    ),
    ...others,
  ];
}

/**
 * The baseline from the runs of a validation. `gold`: runs with the gold patch. `untouched`: runs without. `typed`: the
 * gold run of which operands were recorded.
 */
export function baselineOf(
  gold: readonly RunEvidence[],
  untouched: readonly RunEvidence[],
  listed: readonly string[],
  rules: GradingRules,
  typed: RunEvidence | null = null,
): IntegrityBaseline {
  const ends = gold.map(({ witness }) => witness.end).filter((end) => end !== null);
  const closed = gold.length > 0 && ends.length === gold.length;
  const namesAll = gold.every(({ witness }) => unnamed(witness, listed, rules).length === 0);
  const seen = {
    witness: !closed ? ('none' as const) : namesAll ? ('tests' as const) : ('session' as const),
    exit_code: closed && [...gold, ...untouched].every(exitCodeAgrees),
    modified: union(ends.map((end) => end.modified)),
    forced: union(ends.map((end) => end.forced)),
    failures: union(ends.map(({ failure }) => (failure === null ? [] : [failure]))),
    plugins: union(ends.map((end) => end.plugins)),
    options: union(ends.map((end) => end.options)),
    early: union(ends.map((end) => end.early)),
    sessions: Math.max(0, ...ends.map((end) => end.sessions)),
    written: union(gold.map((run) => run.written)),
    reports: goldReports(gold, listed),
    swallowed: goldSwallowed(gold, listed),
    examples: goldExamples(gold),
    operands: typed === null ? null : goldOperands(typed, listed),
    reads: goldReads(gold),
    digests: goldDigests(gold.map(({ witness }) => witness.digests)),
  };
  const broken = (runs: readonly RunEvidence[]) =>
    runs.flatMap((run) => runFindings(run, listed, rules, { ...seen, excused: [] })).map(({ rule }) => rule);
  const excused = [
    ...broken(gold),
    ...broken(untouched).filter((rule) => EXCUSED_BY_UNTOUCHED.includes(rule)),
  ];
  return { ...seen, excused: [...new Set(excused)].sort() };
}

function witnessFindings(
  { run, witness, isSeenWhole }: RunEvidence,
  listed: readonly string[],
  rules: GradingRules,
  known: IntegrityBaseline,
  validated: boolean,
): Finding[] {
  if (run.timedOut) return [];
  // If the gold runs had no witness, a missing witness means nothing. If there is one, its report counts.
  if (witness.state === 'absent') {
    if (!validated || known.witness === 'none') return [];
    return [
      voided('runner-ended-early', 'the runner did not load the witness that it loads with the gold patch'),
    ];
  }
  if (witness.state === 'open')
    return [voided('runner-ended-early', 'the runner began and did not come to its own end')];
  if (witness.state === 'broken')
    return [voided('runner-modified', 'the witness’s record was written by others')];
  const found = [
    ...modifications(witness.end!, validated ? known : null),
    ...disagreements(run, witness, listed, rules, known),
  ];
  if (found.length === 0 && isSeenWhole) found.push(...unseen(run, witness, listed, rules));
  const { status } = witness.end!;
  if (known.exit_code && run.exitCode === 0 && status !== null && status !== 0)
    found.push(voided('exit-code-disagrees', `the command ended with 0, pytest with ${status}`));
  return found;
}

/** Ends what a test replaced by a function of its own, such as `open`, and for as long as it runs. */
const BY_TEST = / by the test$/;

/** `gold`: null without gold runs. Then what a test does is no finding: it is the task's file. */
function modifications({ modified, forced, failure }: WitnessEnd, gold: IntegrityBaseline | null): Finding[] {
  const known = gold ?? UNKNOWN;
  const isUsual = (name: string) =>
    gold === null
      ? BY_TEST.test(name)
      : [name, name.replace(BY_TEST, '')].some((one) => gold.modified.includes(one));
  const found = told(
    'changed while it ran',
    modified.filter((name) => !isUsual(name)),
  );
  found.push(...told('raised and were reported as passed', unlike(forced, known.forced)));
  if (failure !== null && failure !== 'failed' && !known.failures.includes(failure))
    found.push(voided('runner-modified', `pytest reports a failure as ${failure}`));
  return found;
}

function told(what: string, names: readonly string[]): Finding[] {
  return names.length === 0 ? [] : [voided('runner-modified', `${what}: ${named(names)}`)];
}

function unlike(names: readonly string[], known: readonly string[]): string[] {
  return names.filter((name) => !known.includes(name));
}

/** Listed tests that the log calls passed and the witness does not. */
function disagreements(
  { statusMap }: RunResult,
  witness: WitnessRecord,
  listed: readonly string[],
  rules: GradingRules,
  known: IntegrityBaseline,
): Finding[] {
  const ofLog = lookupFor(statusMap, rules);
  const ofWitness = lookupFor(witness.statuses, rules);
  const fails = (reports: Reported[]) => reports.some(({ status }) => isFailing(status));
  const wrong = listed.filter((id) => {
    const said = ofLog(id);
    if (said.length === 0 || fails(said)) return false;
    const seen = ofWitness(id);
    return seen.length === 0 ? known.witness === 'tests' : fails(seen);
  });
  return wrong.length === 0
    ? []
    : [voided('witness-disagrees', `called passed in the output: ${named(wrong)}`)];
}

/** Of a test that passes in the end. */
const PASSES: readonly Status[] = ['PASSED', 'XPASS', 'RERUN'];

/**
 * More listed tests that the log calls passed than the witness has seen pass. Ids are not compared, since a log may name
 * tests by other words (the first line of a docstring); so this needs no gold runs.
 */
function unseen(
  { statusMap }: RunResult,
  witness: WitnessRecord,
  listed: readonly string[],
  rules: GradingRules,
): Finding[] {
  const lookup = lookupFor(statusMap, rules);
  const said = new Set(
    listed.flatMap((id) => lookup(id).filter(({ status }) => status === 'PASSED')).map(({ test }) => test),
  );
  const seen = [...witness.statuses.values()].filter((status) => PASSES.includes(status)).length;
  if (said.size <= seen) return [];
  const detail = `called passed in the output: ${said.size} listed tests; the runner saw ${seen} tests pass`;
  return [voided('witness-disagrees', detail)];
}

/** Data of tests may be what their code makes anew, so that a change of it is only a doubt. */
function writtenFindings(written: readonly string[], data: readonly string[]): Finding[] {
  const rule = 'files-changed-during-tests';
  const own = written.filter((path) => !data.includes(path));
  const made = written.filter((path) => data.includes(path));
  return [
    ...(own.length === 0 ? [] : [voided(rule, named(own))]),
    ...(made.length === 0 ? [] : [{ rule, detail: named(made), effect: 'masked' } satisfies Finding]),
  ];
}

/**
 * Things that no gold run has: options, plugins, modules that replace the runner's, tests of other files, further
 * sessions.
 */
function unlikeGold({ witness: { end } }: RunEvidence, known: IntegrityBaseline): Finding[] {
  if (end === null) return [];
  // A project that is itself a pytest plugin may have any hooks.
  const isForeign = (label: string) => !label.includes(' ') || !known.early.includes(label.split(' ', 1)[0]!);
  const options = unlike(end.options, known.options);
  const found = [
    ...told('plugins that the gold patch has not', unlike(end.plugins, known.plugins).filter(isForeign)),
    ...told(
      'options that the gold patch has not',
      options.filter((one) => !TRACES.test(one)),
    ),
    ...traced(options.filter((one) => TRACES.test(one))),
    ...told('loaded from the repository before the tests', unlike(end.early, known.early)),
  ];
  if (end.sessions > known.sessions)
    found.push(voided('runner-modified', `${end.sessions} sessions, with the gold patch ${known.sessions}`));
  return found;
}

/** Asking to be called for each line or call is how tools measure code, and how an attack sees the variables of tests. */
const TRACES = /^sys\.(?:settrace|setprofile|monitoring)/;

function traced(labels: readonly string[]): Finding[] {
  if (labels.length === 0) return [];
  return [{ rule: 'runner-traced', detail: named(labels), effect: 'masked' }];
}

function unnamed(witness: WitnessRecord, listed: readonly string[], rules: GradingRules): string[] {
  const lookup = lookupFor(witness.statuses, rules);
  return listed.filter((id) => lookup(id).length === 0);
}

function exitCodeAgrees({ run, witness }: RunEvidence): boolean {
  const status = witness.end?.status ?? null;
  return status === null || run.timedOut || run.exitCode === status;
}

function union(lists: readonly string[][]): string[] {
  return [...new Set(lists.flat())].sort();
}
