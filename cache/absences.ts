/**
 * Answers that rest on something that was not found, and when it was last asked for. The record has the question and the
 * answer that it rests on. Beside it is kept what was learned since, so that asking changes no record and no key: an answer
 * is overturned where the question has another answer by now.
 */
import { asJson, canonicalJson } from '../basics/canonical.ts';
import type { ActionKey } from '../basics/digest.ts';
import type { Absence, Sought } from '../schemas/absence.ts';
import type { ActionRecord } from '../schemas/record.ts';
import { binaryKey, type Database, remembered } from './database.ts';
import { digestOfList } from './key.ts';
import { Pending } from './pending.ts';

/** What was learned of a question. */
export interface LastAsked {
  answer: string;
  /** When it was answered, milliseconds since 1970. */
  asked: number;
  /** When somebody was last asked and gave no answer; absent: never since. */
  tried?: number;
}

type Memos = Pick<Database, 'memos'>;

/** Names a question: the same for all answers that rest on it. */
export function nameOfSought(sought: Sought): string {
  return `sought ${digestOfList('sought', [canonicalJson(sought)])}`;
}

/** What is known of the question by now. */
export function lastAsked({ memos }: Memos, { sought, answer, asked }: Absence): LastAsked {
  return remembered<LastAsked>(memos, nameOfSought(sought)) ?? { answer, asked };
}

/** Keeps what a question was answered. */
export async function keepAsked({ memos }: Memos, sought: Sought, last: LastAsked): Promise<void> {
  await memos.put(nameOfSought(sought), asJson(last));
}

/** True when a question that the answer rests on is answered differently by now, so that it must be made again. */
export function isOverturned(database: Memos, { absent = [] }: Pick<ActionRecord, 'absent'>): boolean {
  return absent.some((absence) => lastAsked(database, absence).answer !== absence.answer);
}

/** The keys of a stage's answers that rest on something that was not found. */
export function restingKeys({ memos }: Memos, stage: string): Set<ActionKey> {
  const start = restsOn(stage, '' as ActionKey);
  const names = [...memos.getKeys({ start, end: `${start}~` })];
  return new Set(names.map((name) => name.slice(start.length) as ActionKey));
}

/** The keys of all such answers, with their stages. */
export function allRestingKeys({ memos }: Memos): Map<ActionKey, string> {
  const names = [...memos.getKeys({ start: 'absent ', end: 'absent ~' })];
  return new Map(
    names.map((name) => {
      const [, stage, key] = name.split(' ');
      return [key as ActionKey, stage!];
    }),
  );
}

/** The writes by which a published answer is found again here; they belong to the same transaction as its record. */
export function noteAbsences(
  { memos }: Memos,
  stage: string,
  key: ActionKey,
  { absent = [], remote }: ActionRecord,
): Promise<unknown>[] {
  const name = restsOn(stage, key);
  if (absent.length === 0) return memos.get(name) === undefined ? [] : [memos.remove(name)];
  const isNews = (absence: Absence) =>
    // An answer from elsewhere may be older than what is known here.
    remote !== true || lastAsked({ memos }, absence).asked <= absence.asked;
  return [
    memos.put(name, true),
    ...absent
      .filter(isNews)
      .map(({ sought, answer, asked }) => memos.put(nameOfSought(sought), { answer, asked })),
  ];
}

/** Forgets answers that were removed. */
export async function dropAbsences({ memos, records }: Pick<Database, 'memos' | 'records'>): Promise<void> {
  const writes = new Pending();
  for (const name of [...memos.getKeys({ start: 'absent ', end: 'absent ~' })])
    if (!records.doesExist(binaryKey(name.slice(-64) as ActionKey))) await writes.add(memos.remove(name));
  await writes.settled();
}

function restsOn(stage: string, key: ActionKey): string {
  return `absent ${stage} ${key}`;
}
