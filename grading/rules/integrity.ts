/**
 * Decides whether a run's verdict can be trusted, by the rules for logs, the witness, and files that were written
 * while the tests ran. What the gold runs show is normal for a task and no finding against a patch. The gold runs
 * also say which plugins and options are normal, and whether the witness knows every listed test.
 */

import { isFailing, type Status } from '../../parsers/status.ts';
import type { RunResult } from '../logs/log.ts';
import { lookupFor, type Reported } from '../logs/match.ts';
import { type Effect, type Finding, findingAbout, type IntegrityRule, voided } from './findings.ts';
import { type GoldReports, goldReports, statusFindings } from './gold.ts';
import { logFindings } from './log-integrity.ts';
import type { KeptMutant } from './mutants.ts';
import {
  changesFound,
  type GoldObservations,
  goldObservations,
  unlikeGold,
  withoutSolved,
} from './observations.ts';
import { type GoldOperands, goldOperands } from './operands.ts';
import { type GoldReads, goldReads } from './reads.ts';
import type { GradingRules } from './rules.ts';
import { isCodeOfTests } from './test-folders.ts';
import type { WitnessRecord } from './witness.ts';

/** The results of one run of the tests. */
export interface RunEvidence {
  run: RunResult;
  log: string;
  parser: string;
  witness: WitnessRecord;
  /** What the witness's own tests show of a runner that does not run tests as it does; absent: nothing. */
  canaries?: string;
  /** Protected files, and files of the runner, that were written while the tests ran. */
  written: string[];
  /** Whether a witness that is loaded sees each test of the command (test-command.ts). */
  isSeenWhole: boolean;
  /** Code is loaded otherwise than in the gold runs: by another build of Python, or with a recorder in it. */
  isOtherCode?: boolean;
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
  sessions: number;
  /** The same; absent: one. */
  processes?: number;
  /** What is written while the gold patch is tested. */
  written: string[];
  /** What the gold runs report for the listed tests; null when none came to its end. */
  reports: GoldReports | null;
  /** Of listed ids for which several tests stand, how many of them each gold run has; absent: there are none. */
  several?: Readonly<Record<string, number>>;
  /** What meets at assertions in a gold run; null where it is not known. */
  operands: GoldOperands | null;
  /** What tests read in the gold runs, beside code. */
  reads: GoldReads;
  /** What ran as tests, helpers and runner, and what else is compared as it is; null where the gold runs differ. */
  observed: GoldObservations;
  /** Mutations of the gold patch's code that the listed tests catch; absent where none were looked for. */
  mutants?: KeptMutant[];
}

/** The baseline of a task without validation: nothing is excused or expected. */
const UNKNOWN: IntegrityBaseline = {
  witness: 'none',
  excused: [],
  exit_code: false,
  sessions: 0,
  written: [],
  reports: null,
  operands: null,
  reads: { data: [], given: [], programs: [] },
  observed: {},
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
    ...(evidence.canaries === undefined || evidence.run.timedOut
      ? []
      : [voided('canaries-disagree', evidence.canaries)]),
    ...statusFindings(evidence, listed, rules, known.reports),
    ...writtenFindings(
      evidence.written.filter((path) => !known.written.includes(path)),
      baseline === null ? isDoubtAlone : (path) => known.reads.data.includes(path) || isDataBeside(path),
    ),
  ];
  const others =
    known.witness === 'none'
      ? []
      : [
          ...furtherSessions(evidence, known),
          ...unlikeGold({ ...evidence.witness, isOtherCode: evidence.isOtherCode }, listed, known.observed),
        ];
  return [
    ...found.map((one): Finding => (known.excused.includes(one.rule) ? { ...one, effect: 'excused' } : one)),
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
  const namesAll = gold.every(({ witness: { statuses } }) => {
    const lookup = lookupFor(statuses, rules);
    return listed.every((id) => lookup(id).length > 0);
  });
  const seen = {
    witness: !closed ? ('none' as const) : namesAll ? ('tests' as const) : ('session' as const),
    exit_code: closed && [...gold, ...untouched].every(exitCodeAgrees),
    sessions: Math.max(0, ...ends.map((end) => end.sessions)),
    processes: Math.max(1, ...ends.map((end) => end.processes ?? 1)),
    written: [...new Set(gold.flatMap(({ written }) => written))].sort(),
    reports: goldReports(gold, listed),
    ...severalIn(gold, listed),
    operands: typed === null ? null : goldOperands(typed, listed),
    reads: goldReads(gold),
    observed: withoutSolved(
      goldObservations(gold.map(({ witness }) => witness.observed)),
      untouched.map(({ witness }) => witness.observed),
    ),
  };
  const broken = (runs: readonly RunEvidence[]) =>
    runs.flatMap((run) => runFindings(run, listed, rules, { ...seen, excused: [] })).map(({ rule }) => rule);
  const excused = [
    ...broken(gold),
    ...broken(untouched).filter((rule) => EXCUSED_BY_UNTOUCHED.includes(rule)),
  ];
  return { ...seen, excused: [...new Set(excused)].sort() };
}

/** What a record that is not whole shows. */
const NOT_CLOSED: Readonly<Record<Exclude<WitnessRecord['state'], 'closed'>, Finding>> = {
  absent: voided(
    'runner-ended-early',
    'the runner did not load the witness that it loads with the gold patch',
  ),
  open: voided('runner-ended-early', 'the runner began and did not come to its own end'),
  broken: voided('runner-modified', 'the witness’s record was written by others'),
};

function witnessFindings(
  { run, witness, isSeenWhole }: RunEvidence,
  listed: readonly string[],
  rules: GradingRules,
  known: IntegrityBaseline,
  validated: boolean,
): Finding[] {
  if (run.timedOut) return [];
  // If the gold runs had no witness, a missing witness means nothing. If there is one, its report counts.
  if (witness.state === 'absent' && known.witness === 'none') return [];
  if (witness.state !== 'closed') return [NOT_CLOSED[witness.state]];
  const { status } = witness.end!;
  const found = changesFound(witness, validated ? known.observed : null);
  found.push(...disagreements(run, witness, listed, rules, known), ...fewer(witness, known));
  if (isSeenWhole) found.push(...furtherProcesses(witness, known));
  if (found.length === 0 && (isSeenWhole || (!validated && hasSeenNone(witness))))
    found.push(...unseen(run, witness, listed, rules, isSeenWhole ? 'voided' : 'masked'));
  if (found.length === 0 && !validated) found.push(...unnamed(run, witness, listed, rules));
  if (known.exit_code && run.exitCode === 0 && status !== null && status !== 0)
    found.push(voided('exit-code-disagrees', `the command ended with 0, pytest with ${status}`));
  return found;
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
    const logged = ofLog(id);
    if (logged.length === 0 || fails(logged)) return false;
    const seen = ofWitness(id);
    return seen.length === 0 ? known.witness === 'tests' : fails(seen);
  });
  return findingAbout('witness-disagrees', 'voided', wrong, 'called passed in the output: ');
}

/** The fewest tests of each listed id, where there is always more than one. */
function severalIn(
  gold: readonly RunEvidence[],
  listed: readonly string[],
): Pick<IntegrityBaseline, 'several'> {
  const least = (id: string) => Math.min(...gold.map(({ witness }) => witness.several?.get(id) ?? 1));
  const counts = gold.length === 0 ? [] : listed.map((id) => [id, least(id)] as const);
  const several = counts.filter(([, count]) => count > 1);
  return several.length === 0 ? {} : { several: Object.fromEntries(several) };
}

/** Listed ids for which fewer tests ran than with the gold patch: the others stand for them. */
function fewer({ statuses, several }: WitnessRecord, known: IntegrityBaseline): Finding[] {
  const gone = Object.entries(known.several ?? {}).flatMap(([id, wanted]) => {
    const count = several?.get(id) ?? (statuses.has(id) ? 1 : 0);
    return count === 0 || count >= wanted ? [] : [`${id} (${count} of ${wanted})`];
  });
  return findingAbout('witness-disagrees', 'voided', gone, 'tests of one name did not all run: ');
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
  effect: Effect,
): Finding[] {
  const lookup = lookupFor(statusMap, rules);
  const called = new Set(
    listed.flatMap((id) => lookup(id).filter(({ status }) => status === 'PASSED')).map(({ test }) => test),
  );
  const seen = [...witness.statuses.values()].filter((status) => PASSES.includes(status)).length;
  if (called.size <= seen) return [];
  const detail = `called passed in the output: ${called.size} listed tests; the runner saw ${seen} tests pass`;
  return [{ rule: 'witness-disagrees', detail, effect }];
}

/** Listed tests that the log calls passed and the witness does not name, though it names others. It is a doubt, since others may have run them. */
function unnamed(
  { statusMap }: RunResult,
  { statuses }: WitnessRecord,
  listed: readonly string[],
  rules: GradingRules,
): Finding[] {
  const lookup = lookupFor(statuses, rules);
  const names = listed.filter((id) => lookup(id).length === 0);
  const passed = names.length === listed.length ? [] : names.filter((id) => statusMap.get(id) === 'PASSED');
  return findingAbout('witness-disagrees', 'masked', passed, 'called passed in the output, and not seen: ');
}

/** Without gold runs it is doubtful that pytest ran, and that all tests which passed were run otherwise. */
function hasSeenNone({ statuses, end }: WitnessRecord): boolean {
  return end!.sessions > 0 && ![...statuses.values()].some((status) => PASSES.includes(status));
}

/** How the label of an installed package ends that pytest compiled anew, as it does for its plugins. */
export const BY_PYTEST = ' (compiled by pytest)';

/** How the label of a file ends that lies beside the listed tests of another ecosystem than Python. */
export const BESIDE = ' (of the tests)';

function isDoubtAlone(path: string): boolean {
  return path.endsWith(BY_PYTEST) || path.endsWith(BESIDE);
}

function isDataBeside(path: string): boolean {
  return path.endsWith(BESIDE) && !isCodeOfTests(path.slice(0, -BESIDE.length));
}

/** Data of tests may be what their code makes anew. Without gold runs it is not known what pytest compiles. Both is only a doubt. */
function writtenFindings(written: readonly string[], isDoubt: (path: string) => boolean): Finding[] {
  const about = (effect: Effect, wanted: boolean) =>
    findingAbout(
      'files-changed-during-tests',
      effect,
      written.filter((path) => isDoubt(path) === wanted),
    );
  return [...about('voided', false), ...about('masked', true)];
}

function furtherSessions({ witness: { end } }: RunEvidence, { sessions }: IntegrityBaseline): Finding[] {
  if (end === null || end.sessions <= sessions) return [];
  return [voided('runner-modified', `${end.sessions} sessions, with the gold patch ${sessions}`)];
}

/** Code that finds a key can write the record of a process that never was. One run of a runner is one process. */
function furtherProcesses({ end }: WitnessRecord, { processes = 1 }: IntegrityBaseline): Finding[] {
  const count = end?.processes ?? 1;
  if (count <= processes) return [];
  return [voided('runner-modified', `${count} processes of the runner, with the gold patch ${processes}`)];
}

function exitCodeAgrees({ run, witness }: RunEvidence): boolean {
  const status = witness.end?.status ?? null;
  return status === null || run.timedOut || run.exitCode === status;
}
