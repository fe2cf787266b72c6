/**
 * What the witness told of code as it was loaded, compared with what it told in the gold runs. Nothing of this is judged in
 * the process that runs the tests. What the gold runs themselves do not agree on is exempt.
 */
import { named } from '../../basics/named.ts';
import { isFailing, type StatusMap } from '../../parsers/status.ts';
import type { Effect, Finding } from './findings.ts';

/** Subject -> key -> values. */
export type Told = Readonly<Record<string, ReadonlyMap<string, ReadonlySet<string>>>>;

/** The same of the gold runs; null for a key whose values differ among them. */
export type GoldDigests = Readonly<Record<string, Readonly<Record<string, readonly string[] | null>>>>;

interface Subject {
  /** What such a difference is. */
  what: string;
  /** When a key has a value that it has in no gold run. */
  other: Effect;
  /** When a key is one that no gold run has; absent: that is usual. */
  added?: Effect;
  /** When a key of the gold runs is not told at all; absent: that is usual. */
  gone?: Effect;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  module: { what: 'tests or helpers with other code', other: 'voided', gone: 'voided' },
  function: { what: 'functions of tests that are other ones', other: 'voided', gone: 'voided' },
  made: { what: 'functions of tests that are other ones', other: 'voided' },
  names: { what: 'modules of tests that are other ones', other: 'voided', added: 'voided' },
  test: { what: 'tests of other code', other: 'voided' },
  runner: { what: 'modules of the runner with other code', other: 'voided' },
  hook: { what: 'hooks of other code', other: 'voided', added: 'voided' },
  passed: { what: 'reported as passed by', other: 'voided', added: 'voided' },
  result: { what: 'classes of results with other code', other: 'voided', added: 'voided' },
  case: { what: 'methods that decide what tests come to', other: 'masked', added: 'voided' },
  assertion: { what: 'assertions of other code', other: 'masked', added: 'masked' },
  limit: { what: 'time limits of tests that ended or were stopped', other: 'masked' },
  setting: { what: 'another interpreter', other: 'voided' },
  hooks: { what: 'finders of modules', other: 'masked', added: 'masked' },
};

export function toldIn(entries: readonly [subject: string, key: string, value: string][]): Told {
  const told: Record<string, Map<string, Set<string>>> = {};
  for (const [subject, key, value] of entries) {
    told[subject] ??= new Map();
    const keys = told[subject];
    keys.set(key, (keys.get(key) ?? new Set()).add(value));
  }
  return told;
}

/** What gold runs told. A run that recorded something else in place of digests says nothing about them. */
export function goldDigests(all: readonly Told[]): GoldDigests {
  const runs = all.filter((run) => Object.keys(run).length > 0);
  const subjects = new Set(runs.flatMap((run) => Object.keys(run)));
  return Object.fromEntries([...subjects].sort().map((subject) => [subject, goldKeys(runs, subject)]));
}

function goldKeys(runs: readonly Told[], subject: string): Record<string, readonly string[] | null> {
  // Files that tests make have other names each time.
  const temporary = new Set(runs.flatMap((run) => [...(run.temporary?.keys() ?? [])]));
  const told = runs.flatMap((run) => [...(run[subject]?.keys() ?? [])]);
  const keys = new Set(told.filter((key) => !temporary.has(key.split(': ', 1)[0]!)));
  const valuesOf = (key: string) => {
    const lists = runs.map((run) => [...(run[subject]?.get(key) ?? [])].sort());
    const isSteady = lists.every((list) => list.join('\n') === lists[0]!.join('\n'));
    return isSteady ? lists[0]! : null;
  };
  return Object.fromEntries([...keys].sort().map((key) => [key, valuesOf(key)]));
}

interface Judged {
  digests: Told;
  statuses: StatusMap;
}

export function digestFindings({ digests, statuses }: Judged, gold: GoldDigests): Finding[] {
  // A module that cannot be imported is no finding.
  const hasFailed = [...statuses.values()].some(isFailing);
  const found = new Map<string, string[]>();
  const add = (effect: Effect | undefined, what: string, key: string) => {
    if (effect !== undefined)
      found.set(`${effect} ${what}`, [...(found.get(`${effect} ${what}`) ?? []), key]);
  };
  for (const [subject, { what, other, added, gone }] of Object.entries(SUBJECTS)) {
    const usual = gold[subject] ?? {};
    const told = digests[subject] ?? new Map<string, Set<string>>();
    for (const [key, values] of told) {
      if (!Object.hasOwn(usual, key)) add(added, what, key);
      else if (usual[key] !== null && [...values].some((value) => !usual[key]!.includes(value)))
        add(other, what, subject === 'passed' ? [...values].join(', ') : key);
    }
    if (gone !== undefined && !hasFailed)
      for (const [key, values] of Object.entries(usual))
        if (values !== null && !told.has(key)) add(gone, what, key);
  }
  return [
    ...[...found].map(([label, keys]): Finding => {
      const [effect, ...what] = label.split(' ');
      return {
        rule: 'runner-modified',
        detail: `${what.join(' ')}: ${named(keys)}`,
        effect: effect as Effect,
      };
    }),
    ...fewerExamples(digests.examples, gold.examples, hasFailed),
  ];
}

/** How the key of a test's subtests begins; a test that enters none tells nothing. */
const SUBTESTS = 'subtests of ';

/** Tests with fewer examples than in the gold runs, of doctest or Hypothesis, or with fewer subtests. */
function fewerExamples(
  told: Told[string] | undefined,
  gold: GoldDigests[string] | undefined,
  hasFailed: boolean,
): Finding[] {
  const fewer = Object.entries(gold ?? {}).filter(([test, usual]) => {
    const none = test.startsWith(SUBTESTS) && !hasFailed ? ['0'] : null;
    const counts = told?.get(test) ?? none;
    return (
      usual !== null &&
      counts !== null &&
      Math.max(...[...counts].map(Number)) < Math.min(...usual.map(Number))
    );
  });
  if (fewer.length === 0) return [];
  const detail = `fewer examples than with the gold patch: ${named(fewer.map(([test]) => test))}`;
  return [{ rule: 'runner-modified', detail, effect: 'masked' }];
}
