/** Why an item is not in the cache: what differs between its key's preimage now and at its last answer. */
import type { Cache } from '../cache/cache.ts';
import { canonicalJson } from '../cache/canonical.ts';
import { binaryKey } from '../cache/database.ts';
import type { Preimage } from '../cache/key.ts';

/** One phrase; `new` when the item was never answered under this name. */
export function missReason(cache: Cache, address: string, preimage: Preimage): string {
  const { latest, preimages } = cache.database;
  const last = latest.get(address);
  const before = last === undefined ? undefined : preimages.get(binaryKey(last.key));
  if (before === undefined) return 'new';
  const changed = changedRoles(before, preimage);
  return changed.length === 0 ? 'its outputs are gone' : `changed: ${changed.join(', ')}`;
}

/** Roles whose part differs between two preimages of the same item, sorted. */
export function changedRoles(before: Preimage, now: Preimage): string[] {
  const roles = new Set([...Object.keys(before.parts), ...Object.keys(now.parts)]);
  const changed = [...roles].filter(
    (role) => canonicalJson(before.parts[role] ?? null) !== canonicalJson(now.parts[role] ?? null),
  );
  if (before.version !== now.version) changed.push(`version of the stage ${now.stage}`);
  return changed.sort();
}
