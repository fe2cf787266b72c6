/**
 * Doctests whose examples are not those of the gold runs: the docstring is in a file that a patch may change, and what it
 * expects decides the verdict. Examples are compared by digests that the witness records.
 */
import { named } from '../../basics/named.ts';
import { lookupFor, type MatchRules } from '../logs/match.ts';
import type { Finding } from './findings.ts';
import type { WitnessRecord } from './witness.ts';

/** Doctest, as the witness names it -> digest of its examples; null where the gold runs differ. */
export type GoldExamples = Readonly<Record<string, string | null>>;

interface Watched {
  witness: Pick<WitnessRecord, 'examples' | 'statuses'>;
}

const MATCH: MatchRules = { truncated_ids: 'prefix', match: 'exact' };

export function goldExamples(gold: readonly Watched[]): GoldExamples {
  const tests = new Set(gold.flatMap(({ witness }) => [...witness.examples.keys()]));
  const digestOf = (test: string) => {
    const seen = new Set(gold.map(({ witness }) => witness.examples.get(test)?.join() ?? ''));
    return seen.size === 1 && !/^$|,/.test([...seen][0]!) ? [...seen][0]! : null;
  };
  return Object.fromEntries([...tests].sort().map((test) => [test, digestOf(test)]));
}

/** A finding if a listed doctest that passed has other examples, or changed them. */
export function doctestFindings(
  { witness }: Watched,
  listed: readonly string[],
  known: GoldExamples,
): Finding[] {
  if (witness.examples.size === 0 && Object.keys(known).length === 0) return [];
  const lookup = lookupFor(witness.statuses, MATCH);
  const tests = listed.flatMap((id) =>
    lookup(id).flatMap(({ test, status }) => (status === 'PASSED' ? [test] : [])),
  );
  const other = tests.filter((test) => {
    const gold = Object.hasOwn(known, test) ? known[test]! : undefined;
    const own = witness.examples.get(test)?.join();
    return gold === undefined ? false : gold !== null && own !== gold;
  });
  if (other.length === 0) return [];
  return [{ rule: 'doctest-edited', detail: named([...new Set(other)]), effect: 'masked' }];
}
