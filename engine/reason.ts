/** Why an item is not in the cache: what differs between its key's preimage now and at its last answer. */

import { byCodeUnit, canonicalJson } from '../basics/canonical.ts';
import type { Cache } from '../cache/cache.ts';
import { binaryKey } from '../cache/database.ts';
import type { Preimage } from '../cache/key.ts';
import { versionChange } from '../contract/versions.ts';

/** The reason of an item that was never answered under its name. */
export const NEVER_ANSWERED = 'new';

/** One phrase. */
export function missReason(cache: Cache, address: string, preimage: Preimage): string {
  const { latest, preimages } = cache.database;
  const last = latest.get(address);
  const before = last === undefined ? undefined : preimages.get(binaryKey(last.key));
  if (before === undefined) return NEVER_ANSWERED;
  const roles = changedRoles(before.parts, preimage.parts);
  const changed = [
    ...(before.version === preimage.version
      ? []
      : [versionChange(preimage.stage, before.version, preimage.version)]),
    ...(roles.length === 0 ? [] : [`changed: ${roles.join(', ')}`]),
  ];
  return changed.length === 0 ? 'its outputs are gone' : changed.join(', ');
}

/** Roles whose part differs between the parts of two preimages, sorted. */
export function changedRoles(before: Preimage['parts'], now: Preimage['parts']): string[] {
  const roles = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...roles]
    .filter((role) => canonicalJson(before[role] ?? null) !== canonicalJson(now[role] ?? null))
    .sort(byCodeUnit);
}
