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

/** Whether an answer is there: `later`: the store did not take it now; `never`: it holds a secret, or writing is refused. */
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
  /** Will write the answer under `key`; one that was not made just now only if it is not there. Returns at once. */
  push(key: ActionKey, isNew: boolean): void;
  pushStage(key: ActionKey, isNew: boolean): void;
  /** Writes the answer under `key` now. `isNew`: what is believed to be there counts for nothing. */
  send(key: ActionKey, isNew: boolean): Promise<Sending>;
  /** Entries that were not taken since their writer is not trusted, by key. */
  untrusted(): ReadonlyMap<ActionKey, Untrusted>;
  /** What went to and fro by now. */
  traffic(): Traffic;
  /** Waits for what was offered, up to `limit` milliseconds or until `signal`, and begins no more. */
  settle(limit: number, signal: AbortSignal): Promise<RemoteReport>;
  close(): Promise<void>;
}
