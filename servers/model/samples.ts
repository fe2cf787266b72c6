/**
 * The samples that a model door gives out, in one numbered stream. One that was given out stays as it is, also after a restart, until
 * all of them together take more room than there is for them: then the oldest ones go.
 */
import { readdirSync, rmSync } from 'node:fs';
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

/** A file of the stream. */
interface Part {
  /** Number of its first sample. */
  first: number;
  path: string;
  file: LineFile;
  places: LinePlace[];
  sessions: Set<string>;
}

/** Parts that the room is divided into. */
const PARTS = 16;

export class SampleStream {
  readonly #folder: string;
  readonly #room: number;
  /** The oldest first. */
  readonly #parts: Part[] = [];
  /** By session that is open: calls that are trained by a sample. */
  readonly #trained = new Map<string, Set<number>>();
  readonly #waiting = new Set<() => void>();

  /** `room`: bytes for all samples. */
  constructor(folder: string, room: number) {
    this.#folder = folder;
    this.#room = room;
    const firsts = readdirSync(folder).flatMap((name) => {
      const first = PART_NAME.exec(name)?.[1];
      return first === undefined ? [] : [Number(first)];
    });
    for (const first of firsts.sort((a, b) => a - b)) this.#open(first);
    if (this.#parts.length === 0) this.#open(1);
  }

  /** How many went out. */
  get size(): number {
    const { first, places } = this.#parts.at(-1)!;
    return first + places.length - 1;
  }

  /** Number of the oldest sample that is kept, or of the next one where none is. */
  get oldest(): number {
    return this.#parts[0]!.first;
  }

  /** Calls of a session that are trained by a sample of the stream. */
  trained(session: string): ReadonlySet<number> {
    return this.#trained.get(session) ?? new Set();
  }

  /** Adds samples whose calls none trains yet. On the disk when it resolves. @throws when the disk does not take them. */
  async add(samples: readonly Omit<OutSample, 'number'>[]): Promise<void> {
    const touched = new Set<Part>();
    for (const sample of samples) {
      const known = this.trained(sample.session);
      if (sample.trained_calls.some((call) => known.has(call))) continue;
      const numbered = { number: this.size + 1, ...sample };
      const last = this.#parts.at(-1)!;
      const part = last.file.size < this.#room / PARTS ? last : this.#open(numbered.number);
      this.#note(part, numbered, part.file.add(numbered));
      touched.add(part);
    }
    if (touched.size === 0) return;
    await Promise.all([...touched].map(({ file }) => file.flush()));
    await this.#makeRoom();
    for (const tell of [...this.#waiting]) tell();
  }

  /** Nothing more comes of this session. */
  forget(session: string): void {
    this.#trained.delete(session);
  }

  /** Nothing more comes of any other session. */
  forgetOthers(open: ReadonlySet<string>): void {
    for (const session of this.#trained.keys()) if (!open.has(session)) this.#trained.delete(session);
  }

  /** At most `limit` samples after number `after`. If there is none, it waits for one, up to `wait` milliseconds. */
  async after(after: number, limit: number, wait: number, signal: AbortSignal): Promise<OutSample[]> {
    if (this.size <= after && wait > 0 && !signal.aborted) await this.#more(wait, signal);
    const found: OutSample[] = [];
    for (const { first, places, file } of this.#parts) {
      const from = Math.max(0, after + 1 - first);
      for (const place of places.slice(from, from + limit - found.length)) found.push(file.read(place));
    }
    return found;
  }

  async close(): Promise<void> {
    for (const tell of [...this.#waiting]) tell();
    await Promise.all(this.#parts.map(({ file }) => file.close()));
  }

  #open(first: number): Part {
    const path = join(this.#folder, partName(first));
    const held = { places: [], sessions: new Set<string>() };
    const file = LineFile.open<OutSample>(path, (sample, place) => this.#note(held, sample, place));
    const part: Part = { first, path, file, ...held };
    this.#parts.push(part);
    return part;
  }

  /** Removes the oldest parts that there is no room for. Those of sessions that are still open stay: their replies must not go out twice. */
  async #makeRoom(): Promise<void> {
    const isOver = () => this.#parts.reduce((sum, { file }) => sum + file.size, 0) > this.#room;
    while (this.#parts.length > 1 && isOver()) {
      const [{ path, file, sessions }] = this.#parts as [Part];
      if ([...sessions].some((session) => this.#trained.has(session))) return;
      this.#parts.shift();
      await file.close();
      rmSync(path, { force: true });
    }
  }

  #note(
    { places, sessions }: Pick<Part, 'places' | 'sessions'>,
    { session, trained_calls }: OutSample,
    place: LinePlace,
  ): void {
    places.push(place);
    sessions.add(session);
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

const PART_NAME = /^samples-(\d{12})\.jsonl$/;

function partName(first: number): string {
  return `samples-${String(first).padStart(12, '0')}.jsonl`;
}
