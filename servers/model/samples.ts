/** The samples that a model door gives out, in one numbered stream. One that was given out stays as it is, also after a restart. */
import { join } from 'node:path';
import type { TrainingSample } from '../../agent/tokens/samples.ts';
import { LineFile, type LinePlace } from './line-file.ts';

/** One sample. Ids, mask and log-probabilities have the same length. */
export interface OutSample {
  /** From 1, without a gap. */
  number: number;
  session: string;
  instance_id: string;
  sample: string;
  token_ids: number[];
  /** 1 on what the model wrote. */
  loss_mask: (0 | 1)[];
  /** 0 where the mask is 0; null when those of any reply are not known. */
  logprobs: number[] | null;
  /** First and last call in it. */
  calls: [number, number];
  agent: string;
  /** The calls whose replies have the mask 1. */
  trained_calls: number[];
  /** Versions of the weights that wrote its replies, each once, in their order; empty: the engine names none. */
  weights: string[];
  source: TrainingSample['source'];
  /** What the judge made of its one reply by the next state; null: it was not judged. */
  step_reward: number | null;
  /** Of its session, given by its caller; null: not known. */
  reward: 0 | 1 | null;
}

export class SampleStream {
  readonly #file: LineFile;
  readonly #places: LinePlace[] = [];
  /** By session: calls that are trained by a sample. */
  readonly #trained = new Map<string, Set<number>>();
  readonly #waiting = new Set<() => void>();

  constructor(folder: string) {
    this.#file = LineFile.open<OutSample>(join(folder, 'samples.jsonl'), (sample, place) =>
      this.#note(sample, place),
    );
  }

  get size(): number {
    return this.#places.length;
  }

  /** Calls of a session that are trained by a sample of the stream. */
  trained(session: string): ReadonlySet<number> {
    return this.#trained.get(session) ?? new Set();
  }

  /** Adds samples whose calls none trains yet. On the disk when it resolves. @throws when the disk does not take them. */
  async add(samples: readonly Omit<OutSample, 'number'>[]): Promise<void> {
    for (const sample of samples) {
      const known = this.trained(sample.session);
      if (sample.trained_calls.some((call) => known.has(call))) continue;
      const numbered = { number: this.size + 1, ...sample };
      this.#note(numbered, this.#file.add(numbered));
    }
    await this.#file.flush();
    for (const tell of [...this.#waiting]) tell();
  }

  /** Nothing more comes of this session. */
  forget(session: string): void {
    this.#trained.delete(session);
  }

  /** At most `limit` samples after number `after`. If there is none, it waits for one, up to `wait` milliseconds. */
  async after(after: number, limit: number, wait: number, signal: AbortSignal): Promise<OutSample[]> {
    if (this.size <= after && wait > 0 && !signal.aborted) await this.#more(wait, signal);
    return this.#places.slice(after, after + limit).map((place) => this.#file.read<OutSample>(place));
  }

  async close(): Promise<void> {
    for (const tell of [...this.#waiting]) tell();
    await this.#file.close();
  }

  #note({ session, trained_calls }: OutSample, place: LinePlace): void {
    this.#places.push(place);
    const known = this.#trained.get(session) ?? new Set();
    for (const call of trained_calls) known.add(call);
    this.#trained.set(session, known);
  }

  #more(wait: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const tell = () => {
        clearTimeout(timer);
        this.#waiting.delete(tell);
        signal.removeEventListener('abort', tell);
        resolve();
      };
      const timer = setTimeout(tell, wait);
      this.#waiting.add(tell);
      signal.addEventListener('abort', tell, { once: true });
    });
  }
}
