/** What was measured of rows that lack FAIL_TO_PASS, in a project whose dataset has `discover_tests`. */
import { type Cache, readText } from '../../cache/cache.ts';
import type { Collection, Entry } from '../../contract/stage.ts';
import type { BadRow, TestLists } from '../../schemas/instance.ts';
import { type Infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import { excerptOf } from '../../stages/filter/excerpt.ts';

/** Why a row has no lists. */
export interface LeftOut {
  reason: string;
  detail: string;
  /** The keys of a recipe that would help, as far as the log tells them; null: it tells none. */
  hint: string | null;
  /** What was printed by the runs that decided; null: nothing is kept. */
  log: string | null;
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
    environments,
  }: {
    discover: Collection;
    validate: Collection;
    bad: BadRow[];
    cache: Cache;
    begun: ReadonlySet<string>;
    environments: Collection;
  },
): Promise<Map<string, Discovered>> {
  const found = new Map<string, Discovered>();
  for (const id of ids) {
    const unread = bad.find(({ instance_id, line }) => instance_id === id && line > 0);
    if (unread !== undefined) {
      found.set(id, left('invalid-row', `${unread.field} ${unread.message}`));
      continue;
    }
    const ends = [discover, validate].map((from) => ({ from, outcome: from.entry(id)?.outcome ?? STOPPED }));
    const end = ends.find(({ outcome }) => outcome.status !== 'ok');
    const wrong = end?.outcome;
    const lists = await readText(cache, discover.record(id)?.outputs.lists);
    if (wrong?.status === 'stopped') found.set(id, stopped(lists !== null, begun.has(id)));
    else if (wrong !== undefined || lists === null) {
      const from = end?.from === discover ? failedEnvironment(wrong, environments) : null;
      const record = from ?? end?.from.record(id);
      const log = await readText(cache, record?.notes.log);
      found.set(id, leftOut(wrong ?? STOPPED, log));
    } else found.set(id, { isMeasured: true, ...(JSON.parse(lists) as TestLists) });
  }
  return found;
}

/** The record of an environment that could not be built for the reason of an outcome; null: it is no such outcome. */
function failedEnvironment(outcome: Outcome | undefined, environments: Collection): ActionRecord | null {
  if (outcome?.status !== 'failed' || outcome.reason !== 'environment-failed') return null;
  const isCause = ({ outcome: built }: Entry) => 'detail' in built && built.detail === outcome.detail;
  const cause = environments.entries().find(isCause);
  return cause === undefined ? null : environments.record(cause.name);
}

const STOPPED: Infra = { status: 'stopped', reason: 'cancelled', detail: 'it was not reached' };

/** How far a row was when the run was stopped. */
function stopped(isMeasured: boolean, isBegun: boolean): Discovered {
  if (isMeasured) return leftOut({ ...STOPPED, detail: 'its tests are measured, it is not validated yet' });
  return leftOut(
    isBegun ? { ...STOPPED, detail: 'the run was stopped while its tests were measured' } : STOPPED,
  );
}

/** Reasons of which the log may say more. */
const EXPLAINED: readonly string[] = ['no-tests-ran', 'gold-fails', 'pass-to-pass-broken', 'build-failed'];

function leftOut(outcome: Outcome, log: string | null = null): Discovered {
  if (outcome.status === 'ok') throw new Error('a row that is sound is not left out');
  const reason = outcome.status === 'flaky' || outcome.status === 'timeout' ? outcome.status : outcome.reason;
  const { detail } = outcome;
  const known = { ...left(reason, detail), log, isFault: isFault(outcome) };
  const [isUnloaded, isHidden] = [/ do(?:es)? not load\b/, / do(?:es)? not load$/].map((one) =>
    one.test(detail),
  );
  if (log === null || !(EXPLAINED.includes(reason) || isUnloaded)) return known;
  const { complaint, hint } = excerptOf(log, outcome);
  const isWanted = isUnloaded ? isHidden : reason === 'no-tests-ran';
  const isTold = complaint === null || !isWanted || detail.includes(complaint);
  return { ...known, detail: isTold ? detail : `${detail}: ${complaint}`, hint };
}

function left(reason: string, detail: string): { isMeasured: false } & LeftOut {
  return { isMeasured: false, reason, detail, hint: null, log: null, isFault: false };
}

/** The detail, with what would help. */
export function toldWhy({ detail, hint }: Pick<LeftOut, 'detail' | 'hint'>): string {
  return hint === null ? detail : `${detail}; what would help: ${hint}`;
}
