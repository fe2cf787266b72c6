/** Stages while they run, as the display sees them: which items run, which of them wait, and how long each has worked. */
import { noCounts, type RunEvent, type StageProgress, waitText } from '../engine/events.ts';

const MAX_SILENCE_MS = 45_000;
/** With fewer answers, or less work, the remaining time cannot be estimated. */
const FEW_ANSWERS = 3;
const LITTLE_WORK_MS = 2000;

export interface LiveItem {
  startedAt: number;
  /** The last line that it wrote. */
  step: string;
  /** What it waits for; null: it works. */
  waits: string | null;
  /** When it last reported that. */
  waitsAt: number;
}

export class LiveStage {
  readonly items: number;
  readonly now: () => StageProgress;
  readonly running = new Map<string, LiveItem>();
  #workedMs = 0;
  #workingSince: number | null = null;
  /** How many items were answered, and how long that took, when the last answer came. */
  #answered = { executed: 0, worked: 0 };

  constructor(items: number, now: () => StageProgress) {
    this.items = items;
    this.now = now;
  }

  start(item: string, at: number): void {
    this.running.set(item, { startedAt: at, step: '', waits: null, waitsAt: 0 });
    this.#settle(at);
  }

  end(item: string, at: number): void {
    this.running.delete(item);
    this.#settle(at);
  }

  say(item: string, text: string, at: number): void {
    const running = this.running.get(item);
    const lines = text.trim().split('\n');
    const line = (lines.findLast((one) => one.startsWith('== ')) ?? lines.at(-1)!).replace(/^== /, '');
    if (running === undefined || line === '') return;
    running.step = line;
    running.waits = null;
    this.#settle(at);
  }

  /** `isLasting`: it waits until it ends or says something else, without a word in between. */
  wait(item: string, detail: string, at: number, isLasting = false): void {
    const running = this.running.get(item);
    const waitsAt = isLasting ? Number.POSITIVE_INFINITY : at;
    if (running !== undefined) Object.assign(running, { waits: detail, waitsAt });
    this.#settle(at);
  }

  /** An item that has not reported for a while that it waits is working again: pauses between tries are shorter. */
  look(at: number): void {
    for (const one of this.running.values()) if (at - one.waitsAt > MAX_SILENCE_MS) one.waits = null;
    this.#settle(at);
  }

  get waiting(): LiveItem[] {
    return [...this.running.values()].filter(({ waits }) => waits !== null);
  }

  /** Milliseconds in which an item worked and did not only wait. */
  worked(at: number): number {
    return this.#workedMs + (this.#workingSince === null ? 0 : at - this.#workingSince);
  }

  /** All running items wait, so their end is not known. */
  get isStuck(): boolean {
    return this.running.size > 0 && this.waiting.length === this.running.size;
  }

  /** Answers a millisecond, by what was answered so far; null: too little. */
  rate(at: number): number | null {
    const { executed } = this.now();
    const worked = this.worked(at);
    return executed < FEW_ANSWERS || worked < LITTLE_WORK_MS ? null : executed / worked;
  }

  /**
   * Milliseconds that are left, by what items took until the last answer came, less the work since then. null: not known, also
   * where the present items take longer than those before.
   */
  left(at: number): number | null {
    const { done, executed } = this.now();
    const worked = this.worked(at);
    if (executed !== this.#answered.executed) this.#answered = { executed, worked };
    const remaining = this.items - done;
    if (remaining <= 0) return 0;
    if (this.rate(at) === null || this.isStuck) return null;
    const last = this.#answered;
    const left = (remaining * last.worked) / last.executed - (worked - last.worked);
    return left > 0 ? left : null;
  }

  /** The clock stops while all running items wait. */
  #settle(at: number): void {
    const isWorking = this.running.size > this.waiting.length;
    if (isWorking && this.#workingSince === null) this.#workingSince = at;
    if (isWorking || this.#workingSince === null) return;
    this.#workedMs += at - this.#workingSince;
    this.#workingSince = null;
  }
}

/** Every stage that is open, followed through the events. */
export class LiveStages {
  readonly open = new Map<string, LiveStage>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds that the stage worked; null: none of its items was run. */
  worked(stage: string): number | null {
    return this.open.get(stage)?.worked(this.#now()) ?? null;
  }

  follow(event: RunEvent): void {
    const at = this.#now();
    switch (event.type) {
      case 'stage-opened': {
        const now = event.now ?? (() => ({ cached: 0, executed: 0, done: 0, counts: noCounts() }));
        this.open.set(event.stage, new LiveStage(event.items, now));
        return;
      }
      case 'stage-finished':
      case 'stage-blocked':
        this.open.delete(event.stage);
        return;
      case 'item-started':
        if (event.attempt === 1) this.open.get(event.stage)?.start(event.item, at);
        return;
      case 'item-log':
        this.open.get(event.stage)?.say(event.item, event.text, at);
        return;
      case 'item-waits':
        this.open.get(event.stage)?.wait(event.item, event.detail, at);
        return;
      case 'lock-waits':
        this.open.get(event.stage)?.start(event.item, at);
        this.open.get(event.stage)?.wait(event.item, waitText(event), at, true);
        return;
      case 'lock-ended':
      case 'item-finished':
        this.open.get(event.stage)?.end(event.item, at);
    }
  }
}
