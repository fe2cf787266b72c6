/**
 * Ends rows whose tests take far longer than those of the rows beside and before them, as tests do that never end. Such a
 * row has no answer, so nothing is kept under a key that does not hold this limit. A run's time is that between two headings
 * in the row's log: the workspace and the build before the tests count, too.
 */
import { setMaxListeners } from 'node:events';
import { awakeNow } from '../../basics/awake.ts';
import type { RunEvent } from '../../engine/events.ts';

/** Calls something again and again, until what it returns is called. */
type Repeat = (tick: () => void) => () => void;

const TICK_MS = 1000;
/** A row that has not said for so long that it waits is working again. */
const WAIT_MS = 45_000;
/** No limit is shorter, in seconds. */
const LEAST = 30;

/** Seconds after which a row gives its place to others, as long as no run has ended. */
const POSTPONED_AFTER = 120;

/** Seconds for a run where the longest of the others took so many. */
export function limitFor(longest: number): number {
  return Math.max(LEAST, Math.ceil(Math.min(longest * 10, longest * 2 + 60)));
}

/** Why a row was ended, in seconds. */
export interface OverLimit {
  limit: number;
  /** Of the longest run of the others. */
  longest: number;
}

interface Running {
  /** Milliseconds since its last heading, without waits. */
  worked: number;
  /** Its time does not count before. */
  restsUntil: number;
  /** A run was hindered, and is made again within the stage's own limit. */
  isAgain: boolean;
  controller: AbortController;
}

/** The heading of a run that has ended, with its seconds. */
const RUN = /^== .+ · exit code \S+ · (\d+(?:\.\d+)?) s$/gm;

export class RunLimit {
  /** Rows that were ended. */
  readonly ended = new Map<string, OverLimit>();
  /** Rows that gave their place to others; the caller tries them again. */
  readonly postponed = new Set<string>();
  readonly #stages: readonly string[];
  readonly #now: () => number;
  readonly #end: () => void;
  readonly #running = new Map<string, Running>();
  /** Waits for other processes that belong to no row. */
  readonly #waits = new Set<string>();
  /** Seconds; null: no run has ended yet. */
  #longest: number | null = null;
  #at: number;
  /** Rows that are not begun yet. */
  #waiting = new Set<string>();

  /** `stages`: addresses of those whose items are rows. */
  constructor(stages: readonly string[], now: () => number = awakeNow, repeat: Repeat = everySecond) {
    this.#stages = stages;
    this.#now = now;
    this.#at = now();
    this.#end = repeat(() => this.#tick());
  }

  stop(): void {
    this.#end();
  }

  /** Rows that are measured next. */
  expect(rows: readonly string[]): void {
    this.#waiting = new Set(rows);
  }

  /** Aborted when the row's work in this stage is ended; null for other stages. */
  signalOf(stage: string, item: string): AbortSignal | null {
    if (!this.#stages.includes(stage)) return null;
    this.#waiting.delete(item);
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    // It may still wait for another process that works on the same.
    const restsUntil = Number.POSITIVE_INFINITY;
    this.#running.set(item, { worked: 0, restsUntil, isAgain: false, controller });
    return controller.signal;
  }

  /** Learns from the log of a row that was measured earlier. */
  learn(log: string): void {
    for (const [, seconds] of log.matchAll(RUN)) this.#took(Number(seconds));
  }

  follow(event: RunEvent): void {
    this.#count();
    if (event.type === 'lock-waits' && event.item === '') this.#waits.add(event.lock);
    if (event.type === 'lock-ended' && event.item === '') this.#waits.delete(event.lock);
    if (!('item' in event) || !this.#stages.includes(event.stage)) return;
    if (event.type === 'item-finished') this.#waiting.delete(event.item);
    const running = this.#running.get(event.item);
    if (running === undefined) return;
    switch (event.type) {
      case 'item-started':
        Object.assign(running, { worked: 0, restsUntil: this.#at, isAgain: false });
        return;
      case 'item-waits':
        running.restsUntil = this.#at + WAIT_MS;
        return;
      case 'lock-waits':
        running.restsUntil = Number.POSITIVE_INFINITY;
        return;
      case 'lock-ended':
        running.restsUntil = this.#at;
        return;
      case 'item-log':
        this.#read(event.text, running);
        return;
      case 'item-finished':
        this.#running.delete(event.item);
    }
  }

  #read(text: string, running: Running): void {
    running.restsUntil = this.#at;
    if (!text.startsWith('== ')) return;
    const [heading] = text.split('\n', 1);
    if (!running.isAgain && heading!.match(RUN) !== null) this.#took(running.worked / 1000);
    running.isAgain = heading!.includes(' and is run once more');
    running.worked = 0;
  }

  #took(seconds: number): void {
    this.#longest = Math.max(this.#longest ?? 0, seconds);
  }

  /** Adds the time since the last call to every row that works. */
  #count(): void {
    const now = this.#now();
    const passed = now - this.#at;
    this.#at = now;
    if (this.#waits.size > 0) return;
    for (const one of this.#running.values()) if (one.restsUntil < now) one.worked += passed;
  }

  #tick(): void {
    this.#count();
    if (this.#longest === null) {
      this.#postpone();
      return;
    }
    const limit = limitFor(this.#longest);
    for (const [item, { worked, isAgain, controller }] of this.#running) {
      if (isAgain || worked <= limit * 1000 || controller.signal.aborted) continue;
      this.ended.set(item, { limit, longest: Math.ceil(this.#longest) });
      controller.abort();
    }
  }

  /** Nothing is known of how long runs take: others that wait show it, and a row that never ends would keep them from it. */
  #postpone(): void {
    for (const [item, { worked, isAgain, controller }] of this.#running) {
      if (this.#waiting.size === 0) return;
      if (isAgain || worked <= POSTPONED_AFTER * 1000 || this.postponed.has(item)) continue;
      this.postponed.add(item);
      controller.abort();
    }
  }
}

/** By a timer that keeps no process alive. */
function everySecond(tick: () => void): () => void {
  const timer = setInterval(tick, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
