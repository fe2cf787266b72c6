/** Why an item is not in the cache: what differs between its key's preimage now and at its last answer. */

import { byCodeUnit, canonicalJson } from '../basics/canonical.ts';
import type { Cache } from '../cache/cache.ts';
import { binaryKey } from '../cache/database.ts';
import type { Preimage } from '../cache/key.ts';

/** One phrase; `new` when the item was never answered under this name. */
export function missReason(cache: Cache, address: string, preimage: Preimage): string {
  const { latest, preimages } = cache.database;
  const last = latest.get(address);
  const before = last === undefined ? undefined : preimages.get(binaryKey(last.key));
  if (before === undefined) return 'new';
  const changed = changedRoles(before.parts, preimage.parts);
  if (before.version !== preimage.version) changed.push(`version of the stage ${preimage.stage}`);
  return changed.length === 0 ? 'its outputs are gone' : `changed: ${changed.join(', ')}`;
}

/** Roles whose part differs between the parts of two preimages, sorted. */
export function changedRoles(before: Preimage['parts'], now: Preimage['parts']): string[] {
  const roles = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...roles]
    .filter((role) => canonicalJson(before[role] ?? null) !== canonicalJson(now[role] ?? null))
    .sort(byCodeUnit);
}
