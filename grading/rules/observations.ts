/**
 * What the witness observed in a run, compared with what it observed in the gold runs. Nothing of this is judged in the process that
 * runs the tests. What the gold runs themselves do not agree on is exempt.
 */
import { isFailing, type StatusMap } from '../../parsers/status.ts';
import { GOLD_MATCH, lookupFor } from '../logs/match.ts';
import type { ChangedFile } from '../suspicion/suspicion.ts';
import { type Effect, type Finding, findingAbout, type IntegrityRule } from './findings.ts';

/** Subject -> key -> values. */
export type Observations = Readonly<Record<string, ReadonlyMap<string, ReadonlySet<string>>>>;

/** The same of the gold runs; null for a key whose values differ among them. */
export type GoldObservations = Readonly<Record<string, Readonly<Record<string, readonly string[] | null>>>>;

interface Subject {
  /** What such a difference is; absent: the keys say it. */
  what?: string;
  /** Default: `runner-modified`. */
  rule?: IntegrityRule;
  /** When a key has a value that it has in no gold run; absent: that is usual. */
  other?: Effect;
  /** When a key is one that no gold run has; absent: that is usual. */
  added?: Effect;
  /** When a key of the gold runs is not told at all; absent: that is usual. */
  gone?: Effect;
  /** Values are digests of code, which are others under another build of Python. */
  isCode?: true;
  /** Keys are tests, of which only those count that are listed and passed. */
  isOfTests?: true;
}

/**
 * What is judged also without gold runs: nothing of it is usual then. modified: what of the runner is not what it was when it was
 * loaded. forced: tests.
 */
const ALONE: Readonly<Record<string, Subject>> = {
  // Each value names the test, and the place of the object that stands there.
  modified: { what: 'changed while it ran', other: 'masked', added: 'voided' },
  forced: { what: 'raised and were reported as passed', added: 'voided' },
};

/** What code under test asks for; the values are the files of that code. */
const ASKED: Readonly<Record<string, Subject>> = {
  used: { what: 'what code under test asks of the interpreter', other: 'masked', added: 'masked' },
  read: { what: 'files of tests that code under test reads', other: 'masked', added: 'masked' },
  traced: { rule: 'runner-traced', other: 'masked', added: 'masked' },
};

const BESIDE_GOLD: Readonly<Record<string, Subject>> = {
  ...ASKED,
  // Places of the functions that hooks called; of packages of the repository also `place hook` for hooks that decide.
  plugins: { what: 'plugins that the gold patch has not', added: 'voided' },
  // Of the environment and of the configuration file.
  options: { what: 'options that the gold patch has not', added: 'voided' },
  early: { what: 'loaded from the repository before the tests', added: 'voided' },
  module: { what: 'tests or helpers with other code', other: 'voided', gone: 'voided', isCode: true },
  function: { what: 'functions of tests that are other ones', other: 'voided', gone: 'voided', isCode: true },
  made: { what: 'functions of tests that are other ones', other: 'voided', isCode: true },
  names: { what: 'modules of tests that are other ones', other: 'voided', added: 'voided' },
  test: { what: 'tests of other code', other: 'voided', isCode: true },
  runner: { what: 'modules of the runner with other code', other: 'voided', isCode: true },
  hook: { what: 'hooks of other code', other: 'voided', added: 'voided', isCode: true },
  passed: { what: 'reported as passed by', other: 'voided', added: 'voided', isCode: true },
  result: { what: 'classes of results with other code', other: 'voided', added: 'voided', isCode: true },
  case: { what: 'methods that decide what tests come to', other: 'masked', added: 'voided', isCode: true },
  assertion: { what: 'assertions of other code', other: 'masked', added: 'masked', isCode: true },
  limit: { what: 'time limits of tests that ended or were stopped', other: 'masked' },
  setting: { what: 'another interpreter', other: 'voided', isCode: true },
  native: {
    what: 'modules of other folders, and compiled ones, that the gold patch has not',
    added: 'masked',
  },
  program: { what: 'programs that tests start', other: 'masked', gone: 'masked' },
  variable: { what: 'variables for programs that tests start', other: 'masked', added: 'masked' },
  foreign: { what: 'parts of other packages that tests use', other: 'masked', isCode: true },
  // Constants that the solution changes are left out.
  constant: { what: 'constants and classes of the code that tests ask for', other: 'masked' },
  item: { what: 'entries of constants that tests ask for', other: 'masked', gone: 'masked' },
  environ: { what: 'variables that tests ask for', other: 'masked', added: 'masked' },
  replaced: { what: 'parts of the runner that are other ones', added: 'voided' },
  path: { what: 'further folders of modules', added: 'masked' },
  folder: { what: 'another working folder of', other: 'masked' },
  library: { what: 'what libraries remember', other: 'masked', added: 'masked' },
  hooks: { what: 'finders of modules', other: 'masked', added: 'masked' },
  inherited: { what: 'properties that all objects have', added: 'masked' },
  doctest: { rule: 'doctest-edited', other: 'masked', gone: 'masked', isOfTests: true },
};

export function observationsIn(
  entries: readonly (readonly [subject: string, key: string, value: string])[],
): Observations {
  // The code under test may write a record with the subject `constructor`, which all objects have.
  const observed = new Map<string, Map<string, Set<string>>>();
  for (const [subject, key, value] of entries) {
    const keys = observed.get(subject) ?? new Map<string, Set<string>>();
    observed.set(subject, keys.set(key, (keys.get(key) ?? new Set()).add(value)));
  }
  return Object.fromEntries(observed);
}

/** What the witness observed in gold runs. */
export function goldObservations(all: readonly Observations[]): GoldObservations {
  const runs = all.filter((run) => Object.keys(run).length > 0);
  const subjects = new Set(runs.flatMap((run) => Object.keys(run)));
  return Object.fromEntries([...subjects].sort().map((subject) => [subject, goldKeys(runs, subject)]));
}

/**
 * Without constants that the runs without a patch do not have, or have otherwise: what the solution changes says nothing about other
 * solutions.
 */
export function withoutSolved(gold: GoldObservations, untouched: readonly Observations[]): GoldObservations {
  const kept = Object.entries(gold).map(([subject, keys]) => {
    if (!OF_CODE.has(subject)) return [subject, keys] as const;
    const isSame = ([key, values]: [string, readonly string[] | null]) =>
      values !== null &&
      untouched.length > 0 &&
      untouched.every((run) => [...(run[subject]?.get(key) ?? [])].sort().join('\n') === values.join('\n'));
    return [subject, Object.fromEntries(Object.entries(keys).filter(isSame))] as const;
  });
  return Object.fromEntries(kept);
}

/** What tests ask the code under test for. */
const OF_CODE: ReadonlySet<string> = new Set(['constant', 'item']);

/** Subjects whose values differ from run to run. */
const BY_CHANCE: ReadonlySet<string> = new Set(['given']);

function goldKeys(runs: readonly Observations[], subject: string): Record<string, readonly string[] | null> {
  // Files that tests make have other names each time.
  const temporary = new Set(runs.flatMap((run) => [...(run.temporary?.keys() ?? [])]));
  const observed = runs.flatMap((run) => [...(run[subject]?.keys() ?? [])]);
  const keys = new Set(observed.filter((key) => !temporary.has(key.split(': ', 1)[0]!)));
  const valuesOf = (key: string) => {
    const lists = runs.map((run) => [...(run[subject]?.get(key) ?? [])].sort());
    const isSteady = lists.every((list) => list.join('\n') === lists[0]!.join('\n'));
    return isSteady || BY_CHANCE.has(subject) ? [...new Set(lists.flat())] : null;
  };
  return Object.fromEntries([...keys].sort().map((key) => [key, valuesOf(key)]));
}

interface Judged {
  observed: Observations;
  statuses: StatusMap;
  /** Code is loaded otherwise than in the gold runs, so that its digests say nothing. */
  isOtherCode?: boolean | undefined;
}

/** Replaced by a test by a function of its own, such as `open`, for as long as it runs: it is the task's file that does so. */
const BY_TEST = / by the test$/;

/** Findings that need no comparison; `gold`: null without gold runs. */
export function changesFound(run: Judged, gold: GoldObservations | null): Finding[] {
  const usual = gold?.modified ?? {};
  const isUsual = (key: string) =>
    BY_TEST.test(key) && (gold === null || Object.hasOwn(usual, key.replace(BY_TEST, '')));
  return differences(
    only(run, 'modified', (key) => !isUsual(key)),
    gold ?? {},
    ALONE,
    [],
  );
}

/** The run with those keys of a subject that `counts` accepts. */
function only(
  run: Judged,
  subject: string,
  counts: (key: string, values: ReadonlySet<string>) => boolean,
): Judged {
  const keys = [...(run.observed[subject] ?? [])].filter(([key, values]) => counts(key, values));
  return { ...run, observed: { ...run.observed, [subject]: new Map(keys) } };
}

/** What the witness observed in no gold run, of listed tests and of the run as a whole. */
export function unlikeGold(run: Judged, listed: readonly string[], gold: GoldObservations): Finding[] {
  // A project that is itself a plugin of pytest may have any hooks.
  const isOwn = (label: string) =>
    label.includes(' ') && Object.hasOwn(gold.early ?? {}, label.split(' ', 1)[0]!);
  const passed = passedTests(run, listed);
  return [
    ...differences(
      only(run, 'plugins', (label) => !isOwn(label)),
      gold,
      BESIDE_GOLD,
      passed,
    ),
    ...fewerExamples(run, gold.examples ?? {}),
    ...otherChances(run, gold.given ?? {}),
    ...moreFailures(run, gold.failures ?? {}, passed),
    ...missedAssertions(run, gold.asserted ?? {}, passed),
  ];
}

/** Words of code that asks the interpreter for what `used` tells of. */
const ASKS = /frame|\b(?:ctypes|gc|inspect|marshal|traceback|types)\b|__code__/;

/**
 * Without gold runs: what code of files that the patch changes asks for, and listed tests that passed although subtests were skipped in
 * them, or assertions failed. Some tests want that, which gold runs show.
 */
export function doubtsAlone(
  run: Judged,
  listed: readonly string[],
  changed: readonly ChangedFile[],
  solution: string,
): Finding[] {
  const isSilent = ({ before }: ChangedFile) => !ASKS.test(`${before}${solution}`);
  const files = new Set(changed.filter(isSilent).map(({ path }) => path));
  const own = Object.keys(ASKED).reduce(
    (left, subject) => only(left, subject, (_, by) => [...by].some((one) => files.has(one))),
    run,
  );
  const passed = passedTests(run, listed);
  const skipped = passed.filter((test) => run.observed.skipped?.has(`${SUBTESTS}${test}`));
  return [
    ...differences(own, {}, ASKED, []),
    ...findingAbout('assertions-missed', 'masked', skipped, 'subtests were skipped: '),
    ...moreFailures(run, {}, passed),
  ];
}

/** Listed tests that passed, as the witness names them; all that passed where it knows none of the listed names. */
export function passedTests({ statuses }: Pick<Judged, 'statuses'>, listed: readonly string[]): string[] {
  const lookup = lookupFor(statuses, GOLD_MATCH);
  const known = listed.flatMap((id) => lookup(id));
  const all = known.length > 0 ? known : [...statuses].map(([test, status]) => ({ test, status }));
  return all.flatMap(({ test, status }) => (status === 'PASSED' ? [test] : []));
}

function differences(
  { observed: all, statuses, isOtherCode = false }: Judged,
  gold: GoldObservations,
  subjects: Readonly<Record<string, Subject>>,
  passed: readonly string[],
): Finding[] {
  // A module that cannot be imported is no finding.
  const hasFailed = [...statuses.values()].some(isFailing);
  const found = new Map<string, { rule: IntegrityRule; effect: Effect; what: string; keys: string[] }>();
  const add = (effect: Effect | undefined, { rule = 'runner-modified', what }: Subject, key: string) => {
    if (effect === undefined) return;
    const label = `${rule} ${effect} ${what}`;
    const one = found.get(label) ?? { rule, effect, what: what === undefined ? '' : `${what}: `, keys: [] };
    found.set(label, one);
    one.keys.push(key);
  };
  for (const [name, subject] of Object.entries(subjects)) {
    if (isOtherCode && subject.isCode === true) continue;
    const usual = gold[name] ?? {};
    const observed = all[name] ?? new Map<string, Set<string>>();
    const counts = (key: string) => subject.isOfTests !== true || passed.includes(key);
    for (const [key, values] of observed) {
      if (!counts(key)) continue;
      if (!Object.hasOwn(usual, key)) add(subject.added, subject, key);
      else if (usual[key] !== null && [...values].some((value) => !usual[key]!.includes(value)))
        add(subject.other, subject, name === 'passed' ? [...values].join(', ') : key);
    }
    if (subject.gone !== undefined && (subject.isOfTests === true || !hasFailed))
      for (const [key, values] of Object.entries(usual))
        if (values !== null && !observed.has(key) && counts(key)) add(subject.gone, subject, key);
  }
  return [...found.values()].flatMap(({ rule, effect, what, keys }) =>
    findingAbout(rule, effect, keys, what),
  );
}

const FEWER = 'fewer examples than with the gold patch: ';

/** How the key of a test's subtests begins; a test that enters none tells nothing. */
const SUBTESTS = 'subtests of ';

/** Of a list that may be longer than what a function takes as arguments. */
function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
}

/** Tests with fewer examples of doctest than in the gold runs, or with fewer subtests. */
function fewerExamples({ observed, statuses }: Judged, gold: GoldObservations[string]): Finding[] {
  const hasFailed = [...statuses.values()].some(isFailing);
  const fewer = Object.entries(gold).filter(([test, usual]) => {
    const none = test.startsWith(SUBTESTS) && !hasFailed ? ['0'] : null;
    const counts = observed.examples?.get(test) ?? none;
    return (
      usual !== null && counts !== null && largest([...counts].map(Number)) < Math.min(...usual.map(Number))
    );
  });
  return findingAbout(
    'runner-modified',
    'masked',
    fewer.map(([test]) => test),
    FEWER,
  );
}

/**
 * Percentage points. Hypothesis makes examples by chance, and rejects a part of them: in twelve runs of the same code one test had a share of 13 to
 * 32 %, another one of 25 to 47 %.
 */
const MORE_REJECTED = 40;

/** Tests of Hypothesis with less than half of the examples of the gold runs, or with many more that do not count. */
function otherChances({ observed }: Judged, gold: GoldObservations[string]): Finding[] {
  const fewer: string[] = [];
  const rejected: string[] = [];
  for (const [test, usual] of Object.entries(gold)) {
    const own = [...(observed.given?.get(test) ?? [])].map(givenIn);
    const known = (usual ?? []).map(givenIn);
    if (own.length === 0 || known.length === 0) continue;
    const [passed, least] = [
      largest(own.map((one) => one.passed)),
      Math.min(...known.map((one) => one.passed)),
    ];
    const [share, most] = [largest(own.map((one) => one.share)), Math.max(...known.map((one) => one.share))];
    if (passed < least / 2) fewer.push(test);
    if (share - most >= MORE_REJECTED) rejected.push(test);
  }
  return [
    ...findingAbout('runner-modified', 'masked', fewer, FEWER),
    ...findingAbout('runner-modified', 'masked', rejected, 'many examples that are rejected: '),
  ];
}

/** `100 20`: examples that passed, and the percentage of those that did not count. */
function givenIn(value: string): { passed: number; share: number } {
  const [passed = 0, share = 0] = value.split(' ').map(Number);
  return { passed, share };
}

/** Assertions that failed in tests that passed, more of them than in the gold runs: code under test caught what they raised. */
function moreFailures(
  { observed }: Judged,
  gold: GoldObservations[string],
  passed: readonly string[],
): Finding[] {
  const more = [...(observed.failures ?? [])].flatMap(([test, counts]) => {
    const usual = Object.hasOwn(gold, test) ? gold[test]! : ['0'];
    const [count] = counts;
    return usual !== null && passed.includes(test) && Number(count) > Number(usual[0])
      ? [`${count} in ${test}`]
      : [];
  });
  return findingAbout('failures-swallowed', 'masked', more);
}

/** There are more assertions than the witness looks for. */
const MANY = '*';

/** Tests that passed without an assertion that they reach in the gold runs, each with the first place. */
function missedAssertions(
  { observed }: Judged,
  gold: GoldObservations[string],
  passed: readonly string[],
): Finding[] {
  const placesOf = (values: Iterable<string>) => new Set([...values].flatMap((value) => value.split(' ')));
  const isPassed = new Set(passed);
  const missed = Object.entries(gold).flatMap(([test, usual]) => {
    if (usual === null || !isPassed.has(test)) return [];
    const wanted = placesOf(usual);
    const reached = placesOf(observed.asserted?.get(test) ?? []);
    if (wanted.has(MANY) && reached.size > 0) return [];
    const left = [...wanted].filter((place) => !reached.has(place));
    const named = left.find((place) => place.includes(':'));
    return left.length === 0 ? [] : [named === undefined ? test : `${test}, ${named}`];
  });
  return findingAbout('assertions-missed', 'masked', missed, 'passed without an assertion: ');
}
