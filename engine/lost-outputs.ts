/**
 * A thing that a run found in the cache may be gone or damaged when it is read, because of a gc that did not see the
 * lease, or a bad disk. The reader then has a fault. Looking everything up once more finds what is gone, and makes it
 * again.
 */

import type { Cache } from '../cache/cache.ts';
import { isFault } from '../schemas/outcome.ts';
import { faultsIn } from './events.ts';
import type { RunEnd } from './run.ts';
import type { Selection } from './selection.ts';
import { outputsArePresent } from './stage-cache.ts';

/** True when the run was stopped by faults, and an output of an answered item is not there any more. */
export function lostOutputs(end: RunEnd, cache: Cache): boolean {
  const nodes = [...end.nodes.values()];
  if (!nodes.some(({ state, blocked }) => blocked !== null || faultsIn(state.counts) > 0)) return false;
  return nodes.some(({ state }) => {
    if (state.size() === 0) return false;
    const entries = state.entries();
    // The list of its items was damaged.
    if (state.isComplete() && entries.length < state.size()) return true;
    const answered = entries.filter((entry) => entry.key !== null);
    return answered.length > 0 && !outputsArePresent(cache, answered);
  });
}

/** Names, by node, of forced items that ended with a fault. A further look must not take their old answers. */
export function forcedFaults({ nodes }: RunEnd, selection: Selection): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [address, { state }] of nodes) {
    const faulty = state.entries().filter(({ outcome }) => isFault(outcome));
    const names = faulty.map(({ name }) => name).filter((name) => selection.forces(address, name));
    if (names.length > 0) found.set(address, new Set(names));
  }
  return found;
}
