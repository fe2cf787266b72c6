/**
 * One node of the graph during a run. Items live in flat arrays, since there may be a hundred thousand; every
 * change of an item's state goes through `answer`, which keeps the counters right.
 */
import { type ActionKey, type Digest, digestOf } from '../basics/digest.ts';
import type { Cache } from '../cache/cache.ts';
import { chunkRoot, collectionRoot } from '../cache/collection-root.ts';
import { binaryKey } from '../cache/database.ts';
import { eachItem, type ItemList, itemLine, listLine, readList } from '../cache/stage-manifest.ts';
import type { Chunk, Collection, Entry, EntryList, Item, Stage, StageNode } from '../contract/stage.ts';
import { isCacheable, type Outcome } from '../schemas/outcome.ts';
import type { ActionRecord } from '../schemas/record.ts';
import type { AnsweredChunk } from './answered-chunk.ts';
import { type Counts, faultsIn, noCounts, type StageProgress } from './events.ts';

/** Some items of a node that are looked at together: opened one by one, or found answered. */
export type FoundChunk = { items: Item[]; from: Chunk | null } | { answered: AnsweredChunk };

/** Why an item has no answer and gets none in this run. */
export type Unanswered = 'planned' | 'not-requested';

export class NodeState implements Collection {
  readonly node: StageNode;
  readonly stage: Stage;
  readonly #cache: Cache;
  items: Item[] = [];
  readonly #index = new Map<string, number>();
  #entries: (Entry | undefined)[] = [];
  #size = 0;
  #chunks: FoundChunk[] = [];
  /** Index of each chunk's first item. */
  #starts: number[] = [];
  #answered: Map<string, Entry> | null = null;
  #load: (() => Entry[]) | null = null;
  #isGiven = false;
  #restored: () => ItemList[] = () => [];
  #unanswered: (Unanswered | undefined)[] = [];
  /** Items not yet answered, planned or left out. */
  remaining = 0;
  /** How many upstream answers each item still waits for. */
  pending: Int32Array = new Int32Array(0);
  /** Item name -> downstream items that wait for it. */
  readonly waiters = new Map<string, { state: NodeState; index: number }[]>();
  counts: Counts = noCounts();
  cached = 0;
  executed = 0;
  planned = 0;
  left = 0;
  startedAt = 0;
  /** The stage-level record was found: nothing below was looked at. */
  fresh = false;
  root: Digest | null = null;
  /** The manifest that lists its answers; null while some are missing. */
  listedIn: Digest | null = null;
  #records = new Map<string, ActionRecord>();

  constructor(node: StageNode, stage: Stage, cache: Cache) {
    this.node = node;
    this.stage = stage;
    this.#cache = cache;
  }

  get address(): string {
    return this.node.address;
  }

  /** Takes the expanded items, chunk by chunk. Names must be unique. `items` holds those that are not answered yet. */
  open(chunks: FoundChunk[]): void {
    const items = chunks.flatMap((chunk) => ('items' in chunk ? chunk.items : []));
    this.items = items;
    this.#chunks = chunks;
    this.#size = items.length;
    let start = 0;
    for (const chunk of chunks) {
      this.#starts.push(start);
      if ('items' in chunk) start += chunk.items.length;
      else this.#addAnswered(chunk.answered);
    }
    this.startedAt = Date.now();
    this.#entries = new Array(items.length);
    this.#unanswered = new Array(items.length);
    this.pending = new Int32Array(items.length);
    this.remaining = items.length;
    for (const [index, item] of items.entries()) {
      if (this.#index.has(item.name)) throw new Error(`${this.address}: two items are named "${item.name}"`);
      this.#index.set(item.name, index);
    }
  }

  #addAnswered({ list, counts }: AnsweredChunk): void {
    this.#size += list.items;
    this.cached += list.items;
    for (const status of Object.keys(counts) as (keyof Counts)[]) this.counts[status] += counts[status];
  }

  /**
   * Takes a finished stage that was found in the cache; the blobs that list its items, and its entries, are read when
   * somebody asks for them.
   */
  restore(lists: () => ItemList[], size: number, load: () => Entry[]): void {
    this.fresh = true;
    this.#restored = lists;
    this.#size = size;
    this.#load = load;
  }

  /** Takes some answers of a node that another machine has opened; nothing else of it is known here. */
  give(entries: Entry[]): void {
    this.#isGiven = true;
    this.restore(
      () => [],
      entries.length,
      () => entries,
    );
    for (const { outcome } of entries) this.counts[outcome.status] += 1;
  }

  #loaded(): (Entry | undefined)[] {
    if (this.#load !== null) {
      const entries = this.#load();
      this.#load = null;
      this.#entries = entries;
      this.items = entries.map((entry) => ({ name: entry.name, needs: {}, data: null }));
      for (const [index, entry] of entries.entries()) this.#index.set(entry.name, index);
    }
    return this.#entries;
  }

  answer(index: number, key: ActionKey | null, outcome: Outcome, digest: Digest, executed: boolean): void {
    this.#entries[index] = { name: this.items[index]!.name, key, outcome, digest };
    this.counts[outcome.status] += 1;
    if (executed) this.executed += 1;
    else if (isCacheable(outcome)) this.cached += 1;
    this.remaining -= 1;
  }

  leaveOut(index: number, why: Unanswered): void {
    this.#unanswered[index] = why;
    if (why === 'planned') this.planned += 1;
    else this.left += 1;
    this.remaining -= 1;
  }

  progress(): StageProgress {
    const { cached, executed, counts } = this;
    return { cached, executed, done: this.#size - this.remaining, counts };
  }

  unanswered(name: string): Unanswered | null {
    const index = this.#index.get(name);
    return (index === undefined ? undefined : this.#unanswered[index]) ?? null;
  }

  indexOf(name: string): number | undefined {
    return this.#index.get(name);
  }

  /** Every item has an answer that may be cached. */
  isComplete(): boolean {
    return this.fresh || (this.remaining === 0 && this.planned + this.left + faultsIn(this.counts) === 0);
  }

  /** Keeps a record in memory for readers in the same run; the database serves all others. */
  remember(name: string, record: ActionRecord): void {
    if (this.#size <= 1000) this.#records.set(name, record);
  }

  size(): number {
    return this.#size;
  }

  has(name: string): boolean {
    this.#loaded();
    return this.#index.has(name) || this.#answeredEntry(name) !== null;
  }

  entry(name: string): Entry | null {
    const entries = this.#loaded();
    const index = this.#index.get(name);
    return index === undefined ? this.#answeredEntry(name) : (entries[index] ?? null);
  }

  entries(): Entry[] {
    const own = this.#loaded();
    if (this.#chunks.length === 0) return own.filter((entry) => entry !== undefined);
    return this.#chunks.flatMap((chunk, index) =>
      'answered' in chunk ? this.#entriesIn(chunk.answered) : this.#entriesOf(index),
    );
  }

  /** Like `entries`, but what is stored is read line by line and not kept, for who looks at every item once. */
  *eachEntry(): Generator<Entry> {
    if (this.#load !== null && !this.#isGiven)
      for (const { digest } of this.#restored()) yield* eachItem(this.#cache.blobs, digest);
    else if (this.#load !== null || this.#chunks.length === 0) yield* this.entries();
    else
      for (const [index, chunk] of this.#chunks.entries())
        if ('answered' in chunk) yield* eachItem(this.#cache.blobs, chunk.answered.list.digest);
        else yield* this.#entriesOf(index);
  }

  lists(): EntryList[] {
    if (this.fresh) return this.#storedLists().map((list) => this.#stored(list));
    return this.#chunks.map((chunk, index) => {
      if ('answered' in chunk) return this.#stored(chunk.answered.list);
      const entries = this.#entriesOf(index);
      const digest = digestOf(entries.map(itemLine).join(''));
      return { digest, size: entries.length, entries: () => entries };
    });
  }

  #stored(list: ItemList): EntryList {
    return { digest: list.digest, size: list.items, entries: () => this.#entriesIn({ list }) };
  }

  /** None when the list turns out damaged: the node then has fewer entries than items. */
  #entriesIn({ list }: Pick<AnsweredChunk, 'list'>): Entry[] {
    return readList(this.#cache.blobs, list.digest) ?? [];
  }

  /** The answered entries of an opened chunk. */
  #entriesOf(index: number): Entry[] {
    const [start, end] = [this.#starts[index], this.#starts[index + 1]];
    return this.#entries.slice(start, end).filter((entry) => entry !== undefined);
  }

  #answeredEntry(name: string): Entry | null {
    if (this.#answered === null) {
      const entries = this.#storedLists().flatMap((list) => this.#entriesIn({ list }));
      this.#answered = new Map(entries.map((entry) => [entry.name, entry]));
    }
    return this.#answered.get(name) ?? null;
  }

  /** The lists of items that were found in the cache. */
  #storedLists(): ItemList[] {
    if (this.fresh) return this.#restored();
    return this.#chunks.flatMap((chunk) => ('answered' in chunk ? chunk.answered.list : []));
  }

  /**
   * A list of its items turns out damaged. A reader of fewer items than there are would take the others for gone. The
   * lists' bytes are held against their names; parsing them is left to those who need the items.
   */
  isDamaged(): boolean {
    if (this.#isGiven) return false;
    const lists = this.#storedLists();
    const listed = lists.reduce((sum, { items }) => sum + items, 0);
    if (this.fresh && listed !== this.#size) return true;
    return lists.some(({ digest }) => this.#cache.blobs.read(digest) === null);
  }

  /** Text of the manifest; `kept` has the lists of the chunks that were opened. */
  manifest(kept: ReadonlyMap<Chunk, ItemList>): string {
    const texts = this.#chunks.map((chunk, index) => {
      if ('answered' in chunk) return listLine(chunk.answered.list);
      if (chunk.from !== null) return listLine(kept.get(chunk.from)!);
      return this.#entriesOf(index).map(itemLine).join('');
    });
    return texts.join('');
  }

  /** Chunks that were answered item by item. */
  openedChunks(): { chunk: Chunk; entries: Entry[] }[] {
    return this.#chunks.flatMap((chunk, index) =>
      'items' in chunk && chunk.from !== null ? { chunk: chunk.from, entries: this.#entriesOf(index) } : [],
    );
  }

  /** Merkle root over the collection: over its chunks, and in each over names and what every item contributes. */
  computeRoot(): Digest {
    if (this.root !== null) return this.root;
    const roots = this.#chunks.map((chunk, index) =>
      'answered' in chunk ? chunk.answered.root : chunkRoot(this.#entriesOf(index)),
    );
    return collectionRoot(roots);
  }

  record(name: string): ActionRecord | null {
    const known = this.#records.get(name);
    if (known !== undefined) return known;
    const entry = this.entry(name);
    if (entry === null || entry.key === null) return null;
    const record = this.#cache.database.records.get(binaryKey(entry.key)) ?? null;
    if (record !== null) this.remember(name, record);
    return record;
  }
}
