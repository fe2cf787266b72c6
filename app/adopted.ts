/** Which answers were taken over by `accept`, for summaries. They are noted, since reading every record would be slow. */

import type { ActionKey } from '../basics/digest.ts';
import type { Database } from '../cache/database.ts';
import type { RunEnd } from '../engine/run.ts';

/** Notes that the item's answer under `key` is an adopted one. */
export async function rememberAdopted(
  database: Database,
  project: string,
  item: string,
  key: ActionKey,
): Promise<void> {
  await database.memos.put(memo(project), { ...known(database, project), [item]: key });
}

/** The warning about such an item. */
export function adoptedText(item: string, end: RunEnd): string {
  const [address, name] = parted(item);
  const outcome = end.nodes.get(address)?.state.record(name)?.outcome;
  return outcome?.status === 'failed' && outcome.reason === 'given-up'
    ? `${item} was counted as failed by hand: ${outcome.detail}`
    : `${item} was adopted, not made here`;
}

function parted(item: string): [address: string, name: string] {
  const at = item.indexOf('@');
  return at < 0 ? [item, ''] : [item.slice(0, at), item.slice(at + 1)];
}

/** Items of a run's end whose answer was adopted and not made anew since. */
export function adoptedItems(database: Database, project: string, end: RunEnd): string[] {
  return Object.entries(known(database, project)).flatMap(([item, key]) => {
    const [address, name] = parted(item);
    const state = end.nodes.get(address)?.state;
    if (state?.entry(name)?.key !== key) return [];
    return state.record(name)?.adopted === true ? [item] : [];
  });
}

function known(database: Database, project: string): Record<string, string> {
  return (database.memos.get(memo(project)) ?? {}) as Record<string, string>;
}

function memo(project: string): string {
  return `adopted ${project}`;
}
