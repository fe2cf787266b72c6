/**
 * Assertions that failed in tests that passed: code under test caught what they raised. Some tests do so themselves, so
 * the gold runs say what is usual. A test for which they differ is exempt.
 */

import { named } from '../../basics/named.ts';
import { lookupFor, type MatchRules } from '../logs/match.ts';
import type { Finding } from './findings.ts';
import type { WitnessRecord } from './witness.ts';

/** Test, as the witness names it -> how many; null where the gold runs differ. A test that is not here has none. */
export type Swallowed = Readonly<Record<string, number | null>>;

interface Watched {
  witness: Pick<WitnessRecord, 'failures' | 'statuses'>;
}

const MATCH: MatchRules = { truncated_ids: 'prefix', match: 'exact' };

export function goldSwallowed(gold: readonly Watched[], listed: readonly string[]): Swallowed {
  const runs = gold.map((run) => swallowedIn(run, listed));
  const tests = new Set(runs.flatMap((run) => [...run.keys()]));
  const countOf = (test: string) => {
    const counts = new Set(runs.map((run) => run.get(test) ?? 0));
    return counts.size === 1 ? [...counts][0]! : null;
  };
  return Object.fromEntries([...tests].sort().map((test) => [test, countOf(test)]));
}

/** A finding if more assertions failed in some listed test that passed than in the gold runs. */
export function swallowedFindings(run: Watched, listed: readonly string[], known: Swallowed): Finding[] {
  const more = [...swallowedIn(run, listed)].filter(([test, count]) => {
    const usual = Object.hasOwn(known, test) ? known[test]! : 0;
    return usual !== null && count > usual;
  });
  if (more.length === 0) return [];
  const detail = named(more.map(([test, count]) => `${count} in ${test}`));
  return [{ rule: 'failures-swallowed', detail, effect: 'masked' }];
}

function swallowedIn({ witness }: Watched, listed: readonly string[]): Map<string, number> {
  if (witness.failures.size === 0) return new Map();
  const lookup = lookupFor(witness.statuses, MATCH);
  const passed = new Set(
    listed.flatMap((id) => lookup(id).flatMap(({ test, status }) => (status === 'PASSED' ? [test] : []))),
  );
  return new Map([...witness.failures].filter(([test]) => passed.has(test)));
}
