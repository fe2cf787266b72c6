/** The remote cache as the local one and the engine know it: what it can bring, what it is offered. */
import type { ActionKey, Digest } from '../../basics/digest.ts';
import type { Question } from '../traces.ts';
import type { Traffic } from './client.ts';
import type { Untrusted } from './signature.ts';

export interface RemoteReport {
  name: string;
  traffic: Traffic;
  /** Answers that were taken from it. */
  taken: number;
  /** Answers that were written to it. */
  given: number;
  /** Answers that were to be written and are not. */
  left: number;
  warnings: string[];
  /** Answers that were taken and that somebody had adopted: address and key. */
  adopted: [address: string, key: ActionKey][];
}

/**
 * Whether an answer is there: `later`: the store did not take it now; `never`: another
 * try would fail, too, as for an answer that holds a secret. */
export type Sending = 'there' | 'later' | 'never';

export interface RemoteCache {
  /** Puts the answer under `key` into the local cache, with all that it names. False for a miss of any kind. */
  fetchItem(key: ActionKey, address: string): Promise<boolean>;
  /** The same for a whole finished stage whose trace begins at `base` and holds now. */
  fetchStage(
    base: ActionKey,
    ask: (question: Question) => Promise<Digest | null>,
    addressOf: (item: string) => string,
  ): Promise<boolean>;
  /** Queues the answer under `key` for writing, and returns at once. An older answer is written only if the store is not known to have it. */
  push(key: ActionKey, isNew: boolean): void;
  pushStage(key: ActionKey, isNew: boolean): void;
  /** Writes the answer under `key` now. `isNew`: marks of earlier writes are ignored. */
  send(key: ActionKey, isNew: boolean): Promise<Sending>;
  /** Entries that were not taken since their writer is not trusted, by key. */
  untrusted(): ReadonlyMap<ActionKey, Untrusted>;
  /** Traffic so far. */
  traffic(): Traffic;
  /** Waits for queued writes, up to `limit` milliseconds or until `signal`. Then no new write begins. */
  settle(limit: number, signal: AbortSignal): Promise<RemoteReport>;
  close(): Promise<void>;
}
