/**
 * Follows the journal of the project's newest run: what runs, what failed, how fast it goes. It reads only what was added
 * since the last look, so a run of days costs no more than one of minutes.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { newestRun, runIds, type StoredEvent } from '../../app/run-history.ts';
import { RunFold } from '../../app/run-state.ts';
import { isAbsent } from '../../basics/absent.ts';
import { jsonObject } from '../../basics/json.ts';
import { addressText } from '../../engine/explain.ts';
import { isFault } from '../../schemas/outcome.ts';
import type { LiveRun } from '../shapes.ts';

const PAUSE_MS = 500;
const SHOWN = 24;
/** The rate is computed over this time. */
const WINDOW_MS = 120_000;
const CHUNK = 1 << 20;

export interface LastFault {
  status: string;
  reason: string;
  detail: string;
  log: string;
}

export class LiveJournal {
  readonly #runs: string;
  readonly #project: string;
  readonly #changed: (isAnswer: boolean) => void;
  readonly #failed: (error: unknown) => void;
  /** How many items the next build would still run; null: not known. */
  readonly #remaining: () => number | null;
  #timer: NodeJS.Timeout | null = null;
  #newest = '';
  #run: string | null = null;
  #fold: RunFold | null = null;
  #offset = 0;
  #rest = Buffer.alloc(0);
  #failures: LiveRun['failures'] = [];
  #ends: number[] = [];
  #state = '';
  readonly faults = new Map<string, LastFault>();

  constructor(
    runs: string,
    project: string,
    remaining: () => number | null,
    changed: (isAnswer: boolean) => void,
    failed: (error: unknown) => void,
  ) {
    this.#runs = runs;
    this.#project = project;
    this.#remaining = remaining;
    this.#changed = changed;
    this.#failed = failed;
  }

  async start(): Promise<void> {
    // A run's folder may be cleared away while it is read.
    await this.#look().catch((error: unknown) => {
      if (!isAbsent(error)) this.#failed(error);
    });
    this.#timer = setTimeout(() => void this.start(), PAUSE_MS);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const newest = runIds(this.#runs)[0] ?? '';
    if (newest !== this.#newest) {
      const run = await newestRun(this.#runs, this.#project);
      // The first line of a run that just began may not be there yet.
      if (run === newest || newest === '') this.#newest = newest;
      if (run !== this.#run) this.#begin(run);
    }
    if (this.#run === null) return;
    const [some, isAnswer] = this.#readMore(this.#run);
    const state = this.#fold!.state().state;
    if (some || state !== this.#state) this.#changed(isAnswer || state !== this.#state);
    this.#state = state;
  }

  #begin(run: string | null): void {
    this.#run = run;
    this.#fold = run === null ? null : new RunFold(run);
    this.#offset = 0;
    this.#rest = Buffer.alloc(0);
    this.#failures = [];
    this.#ends = [];
    this.faults.clear();
  }

  /** Whether there was something new, and whether an item was answered. */
  #readMore(run: string): [boolean, boolean] {
    let isAnswer = false;
    let some = false;
    const file = openSync(join(this.#runs, run, 'events.jsonl'), 'r');
    try {
      const chunk = Buffer.alloc(CHUNK);
      for (;;) {
        const read = readSync(file, chunk, 0, CHUNK, this.#offset);
        if (read === 0) return [some, isAnswer];
        some = true;
        this.#offset += read;
        const text = Buffer.concat([this.#rest, chunk.subarray(0, read)]);
        const end = text.lastIndexOf(10);
        this.#rest = Buffer.from(text.subarray(end + 1));
        for (const line of text.toString('utf8', 0, Math.max(0, end)).split('\n')) {
          const event = jsonObject<StoredEvent>(line);
          if (event === null) continue;
          if (event.type === 'item-finished') isAnswer = true;
          this.#add(event);
        }
      }
    } finally {
      closeSync(file);
    }
  }

  #add(event: StoredEvent): void {
    this.#fold!.add(event);
    if (event.type !== 'item-finished') return;
    this.#ends.push(Date.parse(event.at));
    const item = addressText({ address: event.stage, item: event.item });
    const { outcome } = event;
    if (outcome.status === 'ok') return void this.faults.delete(item);
    const { status, reason, detail } = outcome;
    this.#failures.unshift({ item, status, reason, detail, at: event.at });
    this.#failures.length = Math.min(this.#failures.length, SHOWN);
    if (isFault(outcome)) this.faults.set(item, { status, reason, detail, log: event.log ?? '' });
  }

  now(): LiveRun | null {
    if (this.#fold === null) return null;
    const { stages, ...state } = this.#fold.state();
    const running = stages.flatMap(({ stage, running: items }) =>
      items.map(({ item, since }) => ({ item: addressText({ address: stage, item }), since })),
    );
    return {
      ...state,
      stages: stages.map(({ stage, items, counts, running: live }) => ({
        stage,
        items,
        done: Object.values(counts).reduce((sum, count) => sum + count, 0),
        running: live.length,
      })),
      running: running.sort((a, b) => (a.since < b.since ? -1 : 1)).slice(0, SHOWN),
      failures: this.#failures,
      eta: state.state === 'running' ? this.#eta() : null,
    };
  }

  #eta(): number | null {
    const since = Date.now() - WINDOW_MS;
    this.#ends = this.#ends.filter((at) => at >= since);
    const remaining = this.#remaining();
    if (remaining === null || this.#ends.length < 2) return null;
    const [first, last] = [this.#ends[0]!, this.#ends.at(-1)!];
    const each = Math.max(1, last - first) / (this.#ends.length - 1);
    const left = Math.round(remaining * each - (Date.now() - last));
    return left > 0 ? left : null;
  }
}
