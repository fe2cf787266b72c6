/** Answers of a run that rest on something that was not found: every summary counts them. */
import { lastAsked, restingKeys } from '../cache/absences.ts';
import type { Cache } from '../cache/cache.ts';
import { binaryKey } from '../cache/database.ts';
import type { RunEnd } from '../engine/run.ts';
import { soughtText } from './ask-again.ts';
import { DAY } from './asking.ts';

export interface Rests {
  /** `dataset.train`. */
  address: string;
  /** Rows of a dataset, or items of any other stage. */
  count: number;
  what: 'row' | 'item';
  /** Different questions, and one of them in words. */
  questions: number;
  first: string;
  /** When a build asks next, milliseconds since 1970. */
  next: number;
}

/** The nodes of a run with such answers. */
export function restsOf({ nodes }: RunEnd, { database }: Cache): Rests[] {
  return [...nodes.values()].flatMap(({ state, blocked }): Rests[] => {
    const keys = blocked === null ? restingKeys(database, state.node.stage) : new Set();
    if (keys.size === 0) return [];
    let count = 0;
    let next = Number.POSITIVE_INFINITY;
    const questions = new Set<string>();
    let isOfRows = false;
    for (const { key } of state.eachEntry()) {
      const absent =
        key === null || !keys.has(key) ? [] : (database.records.get(binaryKey(key))?.absent ?? []);
      if (absent.length === 0) continue;
      const rows = absent.reduce((sum, absence) => sum + (absence.rows ?? 0), 0);
      isOfRows ||= rows > 0;
      count += rows === 0 ? 1 : rows;
      for (const absence of absent) {
        questions.add(soughtText(absence.sought));
        const { asked, tried = asked } = lastAsked(database, absence);
        next = Math.min(next, Math.max(asked, tried) + DAY);
      }
    }
    const [first] = questions;
    if (first === undefined) return [];
    const what = isOfRows ? 'row' : 'item';
    return [{ address: state.address, count, what, questions: questions.size, first, next }];
  });
}
