/** What was measured of rows that lack FAIL_TO_PASS, in a project whose dataset has `discover_tests`. */
import { type Cache, readText } from '../../cache/cache.ts';
import type { Collection } from '../../contract/stage.ts';
import type { BadRow, TestLists } from '../../schemas/instance.ts';
import { type Infra, isFault, type Outcome } from '../../schemas/outcome.ts';

/** Why a row has no lists. */
export interface LeftOut {
  reason: string;
  detail: string;
  /** It was the machine, the network or a stop; the row may have lists. */
  isFault: boolean;
}

export type Discovered = ({ isMeasured: true } & TestLists) | ({ isMeasured: false } & LeftOut);

/** What was found of rows, by instance_id: their lists, where validation holds with them, too. */
export async function discoveredIn(
  ids: readonly string[],
  {
    discover,
    validate,
    bad,
    cache,
    begun,
  }: { discover: Collection; validate: Collection; bad: BadRow[]; cache: Cache; begun: ReadonlySet<string> },
): Promise<Map<string, Discovered>> {
  const found = new Map<string, Discovered>();
  for (const id of ids) {
    const unread = bad.find(({ instance_id, line }) => instance_id === id && line > 0);
    if (unread !== undefined) {
      found.set(id, left('invalid-row', `${unread.field} ${unread.message}`));
      continue;
    }
    const outcomes = [discover, validate].map((from) => from.entry(id)?.outcome ?? STOPPED);
    const wrong = outcomes.find(({ status }) => status !== 'ok');
    const lists = await readText(cache, discover.record(id)?.outputs.lists);
    if (wrong?.status === 'stopped') found.set(id, stopped(lists !== null, begun.has(id)));
    else if (wrong !== undefined || lists === null) found.set(id, leftOut(wrong ?? STOPPED));
    else found.set(id, { isMeasured: true, ...(JSON.parse(lists) as TestLists) });
  }
  return found;
}

const STOPPED: Infra = { status: 'stopped', reason: 'cancelled', detail: 'it was not reached' };

/** How far a row was when the run was stopped. */
function stopped(isMeasured: boolean, isBegun: boolean): Discovered {
  if (isMeasured) return leftOut({ ...STOPPED, detail: 'its tests are measured, it is not validated yet' });
  return leftOut(
    isBegun ? { ...STOPPED, detail: 'the run was stopped while its tests were measured' } : STOPPED,
  );
}

function leftOut(outcome: Outcome): Discovered {
  if (outcome.status === 'ok') throw new Error('a row that is sound is not left out');
  const reason = outcome.status === 'flaky' || outcome.status === 'timeout' ? outcome.status : outcome.reason;
  return { ...left(reason, outcome.detail), isFault: isFault(outcome) };
}

function left(reason: string, detail: string): { isMeasured: false } & LeftOut {
  return { isMeasured: false, reason, detail, isFault: false };
}
