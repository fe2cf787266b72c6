/**
 * Answers that rest on something that was not found, during a run. Before one is taken, its questions are asked again where
 * that is due. It is not taken if one of them has another answer by now.
 */
import type { ActionKey } from '../basics/digest.ts';
import { isOverturned, restingKeys } from '../cache/absences.ts';
import type { Cache } from '../cache/cache.ts';
import { binaryKey } from '../cache/database.ts';
import type { Entry } from '../contract/stage.ts';
import type { Absence } from '../schemas/absence.ts';
import type { ActionRecord } from '../schemas/record.ts';

/** Asks again what is due of these questions, and keeps the answers. Never rejects. */
export type AskAgain = (absences: readonly Absence[]) => Promise<void>;

export class RestingAnswers {
  readonly #cache: Cache;
  readonly #ask: AskAgain | null;
  readonly #keys = new Map<string, Set<ActionKey>>();

  /** `ask`: null where no server is asked; what was learned before counts all the same. */
  constructor(cache: Cache, ask: AskAgain | null) {
    this.#cache = cache;
    this.#ask = ask;
  }

  /** True when the answer must not be taken. */
  async isOverturned(record: ActionRecord): Promise<boolean> {
    if (record.absent === undefined) return false;
    await this.#ask?.(record.absent);
    return isOverturned(this.#cache.database, record);
  }

  /** True when one of a stage's answers must not be taken; the entries are read only if some of its answers rest on such. */
  async areOverturned(stage: string, entries: () => Iterable<Pick<Entry, 'key'>>): Promise<boolean> {
    const keys = this.#keysOf(stage);
    if (keys.size === 0) return false;
    const { records } = this.#cache.database;
    const resting: ActionRecord[] = [];
    for (const { key } of entries()) {
      const record = key === null || !keys.has(key) ? undefined : records.get(binaryKey(key));
      if (record !== undefined) resting.push(record);
    }
    await this.#ask?.(resting.flatMap(({ absent = [] }) => absent));
    return resting.some((record) => isOverturned(this.#cache.database, record));
  }

  #keysOf(stage: string): Set<ActionKey> {
    const keys = this.#keys.get(stage) ?? restingKeys(this.#cache.database, stage);
    this.#keys.set(stage, keys);
    return keys;
  }
}
