/**
 * One node of the graph during a run. Items live in flat arrays, since there may be a hundred thousand; every
 * change of an item's state goes through `answer`, which keeps the counters right.
 */
import type { Cache } from '../cache/cache.ts';
import { binaryKey } from '../cache/database.ts';
import { digestOfList } from '../cache/key.ts';
import type { ActionKey, Digest } from '../schemas/digest.ts';
import { isCacheable, type Outcome } from '../schemas/outcome.ts';
import type { ActionRecord } from '../schemas/record.ts';
import type { Collection, Entry, Item, Stage, StageNode } from '../stages/stage.ts';
import { type Counts, noCounts } from './events.ts';

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
  #load: (() => Entry[]) | null = null;
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
  #records = new Map<string, ActionRecord>();

  constructor(node: StageNode, stage: Stage, cache: Cache) {
    this.node = node;
    this.stage = stage;
    this.#cache = cache;
  }

  get address(): string {
    return this.node.address;
  }

  /** Takes the expanded items. Names must be unique. */
  open(items: Item[]): void {
    this.items = items;
    this.#size = items.length;
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

  /** Takes a finished stage that was found in the cache; its entries are read when somebody asks for one. */
  restore(size: number, load: () => Entry[]): void {
    this.fresh = true;
    this.#size = size;
    this.#load = load;
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

  unanswered(name: string): Unanswered | null {
    const index = this.#index.get(name);
    return (index === undefined ? undefined : this.#unanswered[index]) ?? null;
  }

  indexOf(name: string): number | undefined {
    return this.#index.get(name);
  }

  /** Every item has an answer that may be cached. */
  isComplete(): boolean {
    return this.fresh || (this.remaining === 0 && this.planned + this.left + this.counts.infra === 0);
  }

  /** Keeps a record in memory for readers in the same run; the database serves all others. */
  remember(name: string, record: ActionRecord): void {
    if (this.items.length <= 1000) this.#records.set(name, record);
  }

  size(): number {
    return this.#size;
  }

  has(name: string): boolean {
    this.#loaded();
    return this.#index.has(name);
  }

  entry(name: string): Entry | null {
    const entries = this.#loaded();
    const index = this.#index.get(name);
    return (index === undefined ? undefined : entries[index]) ?? null;
  }

  entries(): Entry[] {
    return this.#loaded().filter((entry) => entry !== undefined);
  }

  record(name: string): ActionRecord | null {
    const known = this.#records.get(name);
    if (known !== undefined) return known;
    const entry = this.entry(name);
    if (entry === null || entry.key === null) return null;
    return this.#cache.database.records.get(binaryKey(entry.key)) ?? null;
  }
}

/** Merkle root over a collection: names and what each item contributes, in the node's own order. */
export function collectionRoot(entries: readonly Entry[]): Digest {
  return digestOfList(
    'collection',
    entries.flatMap((entry) => [entry.name, entry.digest]),
  );
}
