/**
 * Finds the reported tests that a listed id names. By default exactly one, in any spelling of Python's versions.
 * SWE-bench lists some ids cut inside their brackets, and SWE-MiniSandbox takes any test whose name contains the
 * listed one.
 */
import type { Status, StatusMap } from '../../parsers/status.ts';

/** A test as it was reported. */
export interface Reported {
  test: string;
  status: Status;
}

/** The reported tests that an id stands for; empty when the log names none. */
export type Lookup = (id: string) => Reported[];

export interface MatchRules {
  truncated_ids: 'prefix' | 'exact';
  match: 'exact' | 'minisandbox';
}

/** Rules for what is compared with the gold runs, whatever the preset is. */
export const GOLD_MATCH: MatchRules = { truncated_ids: 'prefix', match: 'exact' };

export function lookupFor(statusMap: StatusMap, rules: MatchRules): Lookup {
  if (rules.match === 'minisandbox') return minisandboxLookup(statusMap);
  const prefixes = rules.truncated_ids === 'prefix' ? prefixLookup(statusMap) : () => [];
  return (id) => {
    for (const test of [id, otherUnittestForm(id)]) {
      const status = statusMap.get(test);
      if (status !== undefined) return [{ test, status }];
    }
    return isTruncated(id) ? prefixes(id) : [];
  };
}

/** `name (Class)` for `name (Class.name)` and back: Python 3.11 changed how unittest writes the same test. */
export function otherUnittestForm(id: string): string {
  const [, name, owner] = /^(\w+) \(([\w.]+)\)$/.exec(id) ?? [];
  if (name === undefined || owner === undefined) return id;
  return owner.endsWith(`.${name}`)
    ? `${name} (${owner.slice(0, -name.length - 1)})`
    : `${name} (${owner}.${name})`;
}

/** More brackets are opened than closed. */
function isTruncated(id: string): boolean {
  return id.split('[').length > id.split(']').length;
}

/** Ids are sorted when the first truncated one is looked up, so that all ids with a prefix are adjacent. */
function prefixLookup(statusMap: StatusMap): Lookup {
  let sorted: string[] | null = null;
  return (prefix) => {
    sorted ??= [...statusMap.keys()].sort(byCodeUnit);
    const found: Reported[] = [];
    for (let i = lowerBound(sorted, prefix); sorted[i]?.startsWith(prefix); i++) {
      const test = sorted[i] as string;
      found.push({ test, status: statusMap.get(test) as Status });
    }
    return found;
  };
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Without the file, and then the first test whose name contains the listed one. */
function minisandboxLookup(statusMap: StatusMap): Lookup {
  const byName = new Map<string, Reported>();
  for (const [test, status] of statusMap) byName.set(nameInFile(test), { test, status });
  return (id) => {
    const name = nameInFile(id);
    const exact = byName.get(name);
    if (exact !== undefined) return [exact];
    for (const [candidate, reported] of byName) if (candidate.includes(name)) return [reported];
    return [];
  };
}

function nameInFile(id: string): string {
  const colons = id.indexOf('::');
  return colons < 0 ? id : id.slice(colons + 2).replaceAll('::', '.');
}
