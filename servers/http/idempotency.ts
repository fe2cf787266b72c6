/**
 * Requests with an idempotency key. The first one does the work. Requests with the same key, at the same time or
 * later, get its answer. A fault of the machine is not kept. If an answer was dropped because of its size, its key is
 * remembered, so the work is not done twice.
 */
import { type Answer, NO_VERDICT, refusal } from './route.ts';

/** Milliseconds for which an answer is kept. */
const KEPT = 3_600_000;
/** Characters of all answers that are kept. */
const MAX_CHARACTERS = 64 << 20;

interface Known {
  answer: Promise<Answer>;
  /** When it was given, milliseconds of performance.now(); null: not yet. */
  at: number | null;
  size: number;
}

const DROPPED = refusal(409, 'infra', 'the answer to this request was too large to be kept', NO_VERDICT);

export class IdempotentAnswers {
  readonly #known = new Map<string, Known>();
  /** Keys of answers that are not kept any more, with when they were given; the oldest first. */
  readonly #dropped = new Map<string, number>();
  #size = 0;

  /** Null stands for no key. */
  share(key: string | null, work: () => Promise<Answer>): Promise<Answer> {
    if (key === null) return work();
    const known = this.#known.get(key);
    if (known !== undefined) return known.answer;
    if (this.#dropped.has(key)) return Promise.resolve(DROPPED);
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
    const now = performance.now();
    entry.at = now;
    entry.size = JSON.stringify(answer.json).length;
    this.#size += entry.size;
    for (const [other, { at, size }] of this.#known) {
      if (at === null) continue;
      const isOld = now - at >= KEPT;
      if (this.#size <= MAX_CHARACTERS && !isOld) break;
      this.#known.delete(other);
      this.#size -= size;
      if (!isOld) this.#dropped.set(other, now);
    }
    for (const [other, at] of this.#dropped) {
      if (now - at < KEPT) break;
      this.#dropped.delete(other);
    }
  }
}
