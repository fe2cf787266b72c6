/**
 * What lies in the remote store, as far as this host knows: it wrote it there or took it from there. That is believed for
 * a day, since the store may drop what nobody asked for.
 */
import type { Json } from '../../basics/canonical.ts';
import { type ActionKey, type Digest, digestOf } from '../../basics/digest.ts';
import type { Blob } from '../blobs.ts';
import type { Database } from '../database.ts';

/** Milliseconds. */
const BELIEVED = 24 * 3600 * 1000;

export type SentKind = 'item' | 'stage';

interface Mark {
  at: number;
  /** Of an answer: its layers, each with the blob that says how it travels. */
  layers: Record<Digest, Blob>;
}

export class SentMarks {
  readonly #memos: Database['memos'];
  readonly #store: string;

  /** `store`: the name of the remote store. */
  constructor({ memos }: Pick<Database, 'memos'>, store: string) {
    this.#memos = memos;
    this.#store = digestOf(store).slice(0, 12);
  }

  /** Its layers; null when it must be written, or looked for. */
  layersOf(kind: SentKind, key: ActionKey): Record<Digest, Blob> | null {
    const mark = this.#memos.get(this.#name(kind, key)) as unknown as Mark | undefined;
    return mark !== undefined && Math.abs(Date.now() - mark.at) < BELIEVED ? mark.layers : null;
  }

  async note(kind: SentKind, key: ActionKey, layers: Record<Digest, Blob>): Promise<void> {
    await this.#memos.put(this.#name(kind, key), { at: Date.now(), layers } as unknown as Json);
  }

  /** Keys of all answers that are marked. */
  answers(): ActionKey[] {
    const start = this.#name('item', '' as ActionKey);
    return [...this.#memos.getKeys({ start, end: `${start}~` })].map(
      (name) => name.slice(start.length) as ActionKey,
    );
  }

  #name(kind: SentKind, key: ActionKey): string {
    return `sent ${this.#store} ${kind} ${key}`;
  }
}
