/**
 * Whether a build still waits for what this machine makes. Each new beat of the grant renews the lease, counted from
 * the moment at which reading it began. The sender runs the items elsewhere only after it has revoked the grant and
 * the time of a lease has passed. So two machines never make answers for one run at the same time.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { sleepUnless } from '../../basics/sleep.ts';
import type { Mailbox } from './mailbox.ts';
import type { Grant } from './shard.ts';

export class Lease {
  readonly #mailbox: Mailbox;
  readonly #id: string;
  readonly #milliseconds: number;
  readonly #over = new AbortController();
  readonly #drained = new AbortController();
  readonly #stopped = new AbortController();
  #beat = -1;
  #renewedAt = performance.now();

  constructor(mailbox: Mailbox, id: string, seconds: number) {
    this.#mailbox = mailbox;
    this.#id = id;
    this.#milliseconds = seconds * 1000;
  }

  /** Aborted when the lease is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Aborted when nothing more is to be begun. */
  get drained(): AbortSignal {
    return this.#drained.signal;
  }

  /** True at this moment, whatever was read before. */
  holds(): boolean {
    if (performance.now() - this.#renewedAt >= this.#milliseconds) this.#over.abort();
    return !this.#over.signal.aborted;
  }

  /** Reads the grant until it was seen once. False when there is none in a lease's time. */
  async begin(): Promise<boolean> {
    while (this.#beat < 0 && this.holds()) {
      await this.#read();
      if (this.#beat < 0 && this.holds()) await sleep(Math.min(1000, this.#milliseconds / 8));
    }
    void this.#keep();
    return this.holds();
  }

  end(): void {
    this.#stopped.abort();
  }

  async #keep(): Promise<void> {
    while (this.holds() && !this.#stopped.signal.aborted) {
      await sleepUnless(this.#milliseconds / 5, this.#stopped.signal);
      if (!this.#stopped.signal.aborted) await this.#read();
    }
  }

  async #read(): Promise<void> {
    const began = performance.now();
    const message = await this.#mailbox.read<Grant>('grant', this.#id);
    if (message.kind !== 'found') return;
    const { beat, isRevoked, drains } = message.value;
    if (isRevoked) this.#over.abort();
    if (drains) this.#drained.abort();
    if (beat === this.#beat || !this.holds()) return;
    this.#beat = beat;
    this.#renewedAt = began;
  }
}
