/**
 * Why an item would run, or last ran: the difference between the preimages of two of its keys, followed through
 * earlier stages to where it comes from. It knows nothing of caches or graphs, and asks `KnownItems` for what it
 * needs.
 */

import type { Digest } from '../basics/digest.ts';
import type { PastAnswer } from '../cache/history.ts';
import type { Part, Preimage } from '../cache/key.ts';
import { versionChange, versionReasons } from '../contract/versions.ts';
import type { Outcome } from '../schemas/outcome.ts';
import { type Difference, differences } from './explain-difference.ts';
import { changedRoles } from './reason.ts';

/** An item of a stage, or a stage with one item (`item` is empty then). */
export interface ItemAddress {
  address: string;
  item: string;
}

/** How an item stands in a plan. */
export type Now =
  | { kind: 'answered'; answer: PastAnswer }
  | { kind: 'would-run'; preimage: Preimage }
  /** Something upstream must be answered first: how many items, and a few of them. */
  | { kind: 'waits'; count: number; on: ItemAddress[] }
  | { kind: 'cannot'; outcome: Outcome }
  | { kind: 'absent' };

/** What is known of a project's items. */
export interface KnownItems {
  now(place: ItemAddress): Now;
  /** Answers that are still known, newest first. */
  answers(place: ItemAddress): PastAnswer[];
  /** The item that a digest of this role comes from, when it is one. */
  source(place: ItemAddress, role: string): ItemAddress | null;
  /** What the digests of a role stood for before and now; null when that is not known. */
  describe(place: ItemAddress, role: string, before: PastAnswer, now: NowKey): Promise<Difference[] | null>;
  /** Differences of notes that tell what is in an output. */
  notes(place: ItemAddress, before: PastAnswer, now: PastAnswer): Promise<Difference[]>;
}

/** The key that an earlier one is compared with, and the answer under it if there is one. */
interface NowKey {
  preimage: Preimage;
  answer: PastAnswer | null;
}

export interface Change {
  role: string;
  /** Contents before and now, when the role is a digest. */
  digests: { before: Digest | null; now: Digest | null } | null;
  lines: Difference[];
  /** Why the upstream item that it comes from is another one. */
  because: Cause | null;
  /** What is not known, in words. */
  note: string | null;
}

/** What changed upstream. */
export interface Cause {
  item: string;
  /** When it was answered, milliseconds since 1970; null when it is not known. */
  at: number | null;
  changes: Change[];
  /** Differences of notes, such as the list of packages. */
  notes: Difference[];
  note: string | null;
}

export interface LastAnswer {
  outcome: Outcome;
  run: string;
  at: number;
  durationMs: number;
  adopted: boolean;
  /** Taken from the remote cache. */
  remote: boolean;
  /** It took the place of an answer under the same key: nothing had changed, it was forced. */
  forced: boolean;
}

export interface Explanation {
  item: string;
  standing: 'fresh' | 'stale' | 'new' | 'waiting' | 'blocked' | 'gone';
  /** What differs from the answer that it is compared with. */
  changes: Change[];
  comparedWith: 'last success' | 'last answer' | null;
  /** Items that must be answered first: how many, and why the first few are not. */
  waitsFor: { count: number; items: Explanation[] };
  /** Why it cannot be made now. */
  fault: string | null;
  last: LastAnswer | null;
  lastSuccess: LastAnswer | null;
}

/** The role of a change of the stage's own code. */
export const SWEMAKE = 'swemake';

/** How far upstream an explanation goes. */
const DEPTH = 6;

/** Explains one item. */
export async function explain(place: ItemAddress, known: KnownItems, depth = DEPTH): Promise<Explanation> {
  const now = known.now(place);
  const answers = known.answers(place);
  // What came after the answer in use explains nothing of it, such as the other value of a key that was set back.
  const usable = now.kind === 'answered' ? [now.answer, ...earlierThan(now.answer, answers)] : answers;
  const success = usable.find(isOk);
  const found: Explanation = {
    item: addressText(place),
    standing: 'new',
    changes: [],
    comparedWith: null,
    waitsFor: { count: 0, items: [] },
    fault: null,
    last: lastAnswer(now.kind === 'answered' ? now.answer : answers[0]),
    lastSuccess: lastAnswer(success),
  };
  switch (now.kind) {
    case 'absent':
      return { ...found, standing: answers.length > 0 ? 'gone' : 'new' };
    case 'cannot':
      return { ...found, standing: 'blocked', fault: detailOf(now.outcome) };
    case 'waits': {
      const items = depth > 0 ? await Promise.all(now.on.map((one) => explain(one, known, depth - 1))) : [];
      return { ...found, standing: 'waiting', waitsFor: { count: now.count, items } };
    }
    case 'would-run': {
      const before = success ?? answers[0];
      if (before === undefined) return found;
      return {
        ...found,
        standing: 'stale',
        ...(await compared(place, before, { ...now, answer: null }, known)),
      };
    }
    case 'answered': {
      const { answer } = now;
      const earlier = earlierThan(answer, answers);
      const before = isOk(answer) || success === undefined ? earlier[0] : success;
      if (before === undefined) return { ...found, standing: 'fresh' };
      const with_ = { preimage: answer.preimage, answer };
      return { ...found, standing: 'fresh', ...(await compared(place, before, with_, known)) };
    }
  }
}

function isOk({ record }: PastAnswer): boolean {
  return record.outcome.status === 'ok';
}

/** Answers under other keys that were made before this one, newest first. */
function earlierThan({ key, record }: PastAnswer, answers: readonly PastAnswer[]): PastAnswer[] {
  return answers
    .filter((one) => one.key !== key && one.record.startedAt < record.startedAt)
    .sort((a, b) => b.record.startedAt - a.record.startedAt);
}

async function compared(
  place: ItemAddress,
  before: PastAnswer,
  now: NowKey,
  known: KnownItems,
): Promise<Pick<Explanation, 'changes' | 'comparedWith'>> {
  return {
    changes: await changesBetween(place, before, now, known, DEPTH),
    comparedWith: before.record.outcome.status === 'ok' ? 'last success' : 'last answer',
  };
}

async function changesBetween(
  place: ItemAddress,
  before: PastAnswer,
  now: NowKey,
  known: KnownItems,
  depth: number,
): Promise<Change[]> {
  const changes: Change[] = [];
  if (before.preimage.version !== now.preimage.version)
    changes.push(codeChange(before.preimage, now.preimage));
  for (const role of changedRoles(before.preimage.parts, now.preimage.parts)) {
    const [old, fresh] = [before.preimage.parts[role], now.preimage.parts[role]];
    const digests = { before: digestIn(old), now: digestIn(fresh) };
    if (digests.before === null && digests.now === null) {
      const lines = differences(role, valueIn(old), valueIn(fresh));
      changes.push({ role, digests: null, lines, because: null, note: null });
    } else changes.push(await digestChange(place, role, digests, before, now, known, depth));
  }
  return changes;
}

async function digestChange(
  place: ItemAddress,
  role: string,
  digests: { before: Digest | null; now: Digest | null },
  before: PastAnswer,
  now: NowKey,
  known: KnownItems,
  depth: number,
): Promise<Change> {
  const change: Change = { role, digests, lines: [], because: null, note: null };
  if (digests.before === null || digests.now === null) return change;
  const source = known.source(place, role);
  if (source !== null && depth > 0)
    return {
      ...change,
      because: await causeOf(
        source,
        { before: digests.before, now: digests.now, until: madeAt(now) },
        known,
        depth - 1,
      ),
    };
  const lines = await known.describe(place, role, before, now);
  return lines === null
    ? { ...change, note: 'what it held before is not known any more' }
    : { ...change, lines };
}

/** When the answer under a key was begun; infinity for one that is still to be made. */
function madeAt({ answer }: NowKey): number {
  return answer?.record.startedAt ?? Number.POSITIVE_INFINITY;
}

/** Why the item at `place` contributes `now` where it contributed `before`, by what was answered `until` then. */
async function causeOf(
  place: ItemAddress,
  { before, now, until }: { before: Digest; now: Digest; until: number },
  known: KnownItems,
  depth: number,
): Promise<Cause> {
  const answers = known.answers(place);
  const current = known.now(place);
  const all = current.kind === 'answered' ? [current.answer, ...answers] : answers;
  const old = all.find((answer) => answer.record.digest === before);
  const same = all.filter((answer) => answer.record.digest === now);
  const fresh = same.find((answer) => answer.record.startedAt <= until) ?? same[0];
  // An equal answer of a later run says how it differs, and not when it changed. Nor does one that was gone back to.
  const isDated =
    fresh !== undefined &&
    fresh.record.startedAt <= until &&
    (old === undefined || old.record.startedAt <= fresh.record.startedAt);
  const cause: Cause = {
    item: addressText(place),
    at: isDated ? fresh.record.startedAt : null,
    changes: [],
    notes: [],
    note: null,
  };
  if (old === undefined && isDated && fresh.record.replaced !== undefined)
    return { ...cause, note: `it was forced: run ${fresh.record.run} ran it again with nothing changed` };
  if (old === undefined || fresh === undefined)
    return { ...cause, note: 'its earlier answer is not known any more: it was cleared away' };
  return {
    ...cause,
    changes: await changesBetween(place, old, { preimage: fresh.preimage, answer: fresh }, known, depth),
    notes: await known.notes(place, old, fresh),
  };
}

function codeChange(before: Preimage, now: Preimage): Change {
  const { stage } = now;
  const reasons = versionReasons(stage, before.version, now.version);
  const place = versionChange(stage, before.version, now.version);
  const shown = reasons.length === 0 ? ['why is not known'] : reasons;
  return {
    role: SWEMAKE,
    digests: null,
    lines: [{ place, before: [], now: shown }],
    because: null,
    note: null,
  };
}

function digestIn(part: Part | undefined): Digest | null {
  return part !== undefined && 'digest' in part ? part.digest : null;
}

function valueIn(part: Part | undefined) {
  return part !== undefined && 'value' in part ? part.value : undefined;
}

function lastAnswer(answer: PastAnswer | undefined): LastAnswer | null {
  if (answer === undefined) return null;
  const { outcome, run, startedAt, durationMs, adopted, remote, replaced } = answer.record;
  return {
    outcome,
    run,
    at: startedAt,
    durationMs,
    adopted: adopted === true,
    remote: remote === true,
    forced: replaced !== undefined,
  };
}

function detailOf(outcome: Outcome): string {
  return 'detail' in outcome ? `${outcome.reason}: ${outcome.detail}` : outcome.status;
}

/** `stage.dataset@item`, or the stage alone for its single item. */
export function addressText({ address, item }: ItemAddress): string {
  return item === '' ? address : `${address}@${item}`;
}
