/**
 * Requests that carry an idempotency key: the first one does the work, whoever sends the same key meanwhile or afterwards
 * gets its answer. A fault of the machine is no answer and is not kept.
 */
import type { Answer } from './route.ts';

/** Milliseconds for which an answer is kept. */
const KEPT = 3_600_000;
/** Characters of all answers that are kept. */
const MOST = 64 << 20;

interface Known {
  answer: Promise<Answer>;
  /** When it was given; null: not yet. */
  at: number | null;
  size: number;
}

export class Answers {
  readonly #known = new Map<string, Known>();
  #size = 0;

  /** Null stands for no key. */
  share(key: string | null, work: () => Promise<Answer>): Promise<Answer> {
    if (key === null) return work();
    const known = this.#known.get(key);
    if (known !== undefined) return known.answer;
    const entry: Known = { answer: work(), at: null, size: 0 };
    this.#known.set(key, entry);
    entry.answer.then(
      (answer) => this.#keep(key, entry, answer),
      () => this.#known.delete(key),
    );
    return entry.answer;
  }

  #keep(key: string, entry: Known, answer: Answer): void {
    if (!('json' in answer) || (answer.status ?? 200) >= 300) {
      this.#known.delete(key);
      return;
    }
    entry.at = Date.now();
    entry.size = JSON.stringify(answer.json).length;
    this.#size += entry.size;
    for (const [other, { at, size }] of this.#known) {
      if (at === null) continue;
      if (this.#size <= MOST && Date.now() - at < KEPT) break;
      this.#known.delete(other);
      this.#size -= size;
    }
  }
}
