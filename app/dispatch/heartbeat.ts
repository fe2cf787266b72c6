/** Says that a job is still wanted, over and over, until it is not. */
import { sleepUnless } from '../../basics/sleep.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Mailbox } from './mailbox.ts';
import type { Grant } from './shard.ts';

type Posted = { value: null } | { again: Infra };

export class Heartbeat {
  readonly #mailbox: Mailbox;
  readonly #id: string;
  readonly #every: number;
  readonly #drain: AbortSignal;
  readonly #ended = new AbortController();
  readonly #grant: Grant = { beat: 0, isRevoked: false, drains: false };
  #posting: Promise<unknown> = Promise.resolve();

  /** `lease`: milliseconds. */
  constructor(mailbox: Mailbox, id: string, lease: number, drain: AbortSignal) {
    this.#mailbox = mailbox;
    this.#id = id;
    this.#every = lease / 5;
    this.#drain = drain;
  }

  async begin(): Promise<Posted> {
    const posted = await this.#post();
    if ('value' in posted) void this.#keep();
    return posted;
  }

  /** The last word: said when this goes well. */
  async revoke(): Promise<Posted> {
    this.#grant.isRevoked = true;
    this.end();
    return this.#post();
  }

  end(): void {
    this.#ended.abort();
  }

  async #keep(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const news = this.#grant.drains ? signal : AbortSignal.any([signal, this.#drain]);
      await sleepUnless(this.#every, news);
      if (signal.aborted) return;
      this.#grant.drains = this.#drain.aborted;
      await this.#post();
    }
  }

  /** One at a time, so that a late one cannot undo the last word. */
  #post(): Promise<Posted> {
    const posting = this.#posting.then(async (): Promise<Posted> => {
      this.#grant.beat += 1;
      const problem = await this.#mailbox.post('grant', this.#id, this.#grant);
      return problem === null ? { value: null } : { again: infra('network', `the remote cache: ${problem}`) };
    });
    this.#posting = posting;
    return posting;
  }
}
