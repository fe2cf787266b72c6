/**
 * What is remembered of an item beyond its last answer: a few earlier keys and the last one that was `ok`. It is
 * what `why` compares with; a key whose record was removed is passed over.
 */
import type { ActionKey } from '../basics/digest.ts';
import type { ActionRecord } from '../schemas/record.ts';
import { binaryKey, type Database, type Latest } from './database.ts';
import type { Preimage } from './key.ts';

/** Earlier keys that are kept per item. */
const KEPT = 8;

export interface PastAnswer {
  key: ActionKey;
  record: ActionRecord;
  preimage: Preimage;
}

/** What `latest` holds of an item once it was answered under `key`; `before` is what it held until then. */
export function withAnswer(
  before: Latest | undefined,
  { key, run, isOk }: { key: ActionKey; run: string; isOk: boolean },
): Latest {
  const known = before === undefined ? [] : [before.key, ...(before.earlier ?? [])];
  const earlier = known.filter((one) => one !== key).slice(0, KEPT);
  const ok = isOk ? key : before?.ok === key ? undefined : before?.ok;
  return { key, run, ...(earlier.length > 0 ? { earlier } : {}), ...(ok === undefined ? {} : { ok }) };
}

/** The answers of an item that are still known, newest first. */
export function answersOf(database: Database, address: string): PastAnswer[] {
  const latest = database.latest.get(address);
  if (latest === undefined) return [];
  const { key, earlier = [], ok } = latest;
  const keys = [...new Set([key, ...earlier, ...(ok === undefined ? [] : [ok])])];
  return keys.flatMap((one) => answerOf(database, one) ?? []);
}

/** The answer under `key`, or null when its record or preimage is gone. */
export function answerOf(database: Database, key: ActionKey): PastAnswer | null {
  const record = database.records.get(binaryKey(key));
  const preimage = database.preimages.get(binaryKey(key));
  return record === undefined || preimage === undefined ? null : { key, record, preimage };
}
