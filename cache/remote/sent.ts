/**
 * What the remote store contains, as far as this host knows: what it wrote there or read from there. That is trusted
 * for a day, since the store may drop what is not requested. A store drops the newest entries last. If these are gone,
 * the store was emptied or restored, and nothing older is trusted.
 */
import { asJson, type Json } from '../../basics/canonical.ts';
import { type ActionKey, type Digest, digestOf } from '../../basics/digest.ts';
import type { Blob } from '../blobs.ts';
import { type Database, remembered } from '../database.ts';
import type { RemoteClient } from './client.ts';

/** Milliseconds. */
const TTL_MS = 24 * 3600 * 1000;
/** Answers that are looked for. */
const NEWEST = 4;

export type SentKind = 'item' | 'stage';

interface Mark {
  at: number;
  /** Of an answer: its layers, each with the blob that says how it travels. */
  layers: Record<Digest, Blob>;
}

export class SentMarks {
  readonly #memos: Database['memos'];
  readonly #store: string;
  readonly #writes: boolean;
  /** What came last when this run began. */
  readonly #before: readonly ActionKey[];

  /** `store`: the name of the remote store. `writes`: this run may write there, and so looks at what came last. */
  constructor({ memos }: Pick<Database, 'memos'>, store: string, writes = false) {
    this.#memos = memos;
    this.#store = digestOf(store).slice(0, 12);
    this.#writes = writes;
    this.#before = this.#newest();
  }

  /** Its layers; null when it must be written, or looked for. */
  layersOf(kind: SentKind, key: ActionKey): Record<Digest, Blob> | null {
    const mark = this.#mark(kind, key);
    return mark !== null && Math.abs(Date.now() - mark.at) < TTL_MS ? mark.layers : null;
  }

  async note(kind: SentKind, key: ActionKey, layers: Record<Digest, Blob>): Promise<void> {
    await this.#memos.put(this.#name(kind, key), asJson({ at: Date.now(), layers }));
    if (kind !== 'item' || !this.#writes) return;
    const others = this.#newest().filter((one) => one !== key);
    await this.#put('newest', [key, ...others.slice(0, NEWEST - 1)]);
  }

  /** Asks the store for what came last before this run; where that is gone, no mark is believed. True: so it is. */
  async forgetWhatIsGone(client: Pick<RemoteClient, 'isGone'>): Promise<boolean> {
    const gone = await Promise.all(this.#before.map((key) => client.isGone('ac', key)));
    if (!gone.includes(true)) return false;
    await this.#put('since', Date.now());
    await this.#put('newest', []);
    return true;
  }

  /** Keys of all answers that are marked. */
  answers(): ActionKey[] {
    const start = this.#name('item', '' as ActionKey);
    return [...this.#memos.getKeys({ start, end: `${start}~` })]
      .map((name) => name.slice(start.length) as ActionKey)
      .filter((key) => this.#mark('item', key) !== null);
  }

  #mark(kind: SentKind, key: ActionKey): Mark | null {
    const mark = remembered<Mark>(this.#memos, this.#name(kind, key));
    const since = (this.#memos.get(`sent ${this.#store} since`) as number | undefined) ?? 0;
    return mark !== undefined && mark.at > since ? mark : null;
  }

  /** The answers that were marked last, the last one first. */
  #newest(): ActionKey[] {
    return (this.#memos.get(`sent ${this.#store} newest`) as ActionKey[] | undefined) ?? [];
  }

  async #put(what: 'newest' | 'since', value: Json): Promise<void> {
    await this.#memos.put(`sent ${this.#store} ${what}`, value);
  }

  #name(kind: SentKind, key: ActionKey): string {
    return `sent ${this.#store} ${kind} ${key}`;
  }
}
