/** What a machine says of the items that it runs: posted when something is new, and often enough to be heard. */

import { setTimeout as sleep } from 'node:timers/promises';
import { sleepUnless } from '../../basics/sleep.ts';
import type { Mailbox } from './mailbox.ts';
import type { ItemReport, Report } from './shard.ts';

/** Milliseconds in which news are gathered. */
const GATHER = 250;

export class Reporter {
  readonly #mailbox: Mailbox;
  readonly #id: string;
  readonly #every: number;
  readonly #report: Report = { beat: 0, hasEnded: false, fault: null, lacks: [], items: {}, notes: {} };
  #news = new AbortController();
  #loop: Promise<void> | null = null;

  /** `every`: milliseconds between two posts at most. */
  constructor(mailbox: Mailbox, id: string, every: number) {
    this.#mailbox = mailbox;
    this.#id = id;
    this.#every = every;
  }

  begin(): void {
    this.#loop = this.#keep();
  }

  item(name: string, report: ItemReport): void {
    this.#report.items[name] = report;
    delete this.#report.notes[name];
    this.#news.abort();
  }

  has(name: string): boolean {
    return this.#report.items[name] !== undefined;
  }

  note(name: string, kind: 'waits' | 'progress', text: string): void {
    if (this.has(name)) return;
    this.#report.notes[name] = { kind, text };
    this.#news.abort();
  }

  /** The last word: nothing is written after it. Tried for as long as it might be waited for. */
  async end(why: Pick<Report, 'fault' | 'lacks'>, tries: number): Promise<void> {
    Object.assign(this.#report, why, { hasEnded: true });
    this.#news.abort();
    await this.#loop;
    for (let left = tries; left > 0; left -= 1) {
      if ((await this.#post()) === null) return;
      await sleep(1000);
    }
  }

  async #keep(): Promise<void> {
    while (!this.#report.hasEnded) {
      this.#news = new AbortController();
      await this.#post();
      await sleepUnless(this.#every, this.#news.signal);
      if (!this.#report.hasEnded) await sleep(GATHER);
    }
  }

  #post(): Promise<string | null> {
    this.#report.beat += 1;
    return this.#mailbox.post('report', this.#id, this.#report);
  }
}
