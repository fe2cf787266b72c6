/**
 * What a run shows while it runs: on a terminal one line per running stage, redrawn in place; elsewhere plain
 * lines when something ends. Both are made from the run's events.
 */

import type { CommandIo } from '../app/io.ts';
import { noCounts, type RunEvent, type StageProgress } from '../engine/events.ts';
import { addressOf } from '../engine/run.ts';
import type { Outcome } from '../schemas/outcome.ts';
import { formatCount, formatDuration } from './duration.ts';

interface StageLine {
  items: number;
  now: () => StageProgress;
  running: number;
  startedAt: number;
}

export interface Progress {
  show(event: RunEvent): void;
  /** Ends the display; nothing of it stays on a terminal but the finished lines. */
  stop(): void;
}

const REDRAW_MS = 100;

/** The display that fits `io`. */
export function createProgress(io: CommandIo, now: () => number = Date.now): Progress {
  return io.isTTY && io.env.TERM !== 'dumb' ? new TerminalProgress(io, now) : new PlainProgress(io, now);
}

/** The line of a stage that came to its end; null for what needs no line. */
function endLine(event: RunEvent): string | null {
  switch (event.type) {
    case 'stage-finished': {
      const { counts, items, cached, executed, durationMs } = event;
      const parts = [`${formatCount(cached)} cached`, `${formatCount(executed)} run`];
      for (const status of ['failed', 'flaky', 'timeout', 'infra'] as const) {
        if (counts[status] > 0) parts.push(`${formatCount(counts[status])} ${status}`);
      }
      return `${name(event.stage)} ${formatCount(items)} · ${parts.join(' · ')}  ${formatDuration(durationMs)}`;
    }
    case 'stage-blocked':
      return `${name(event.stage)} cannot be made: ${'detail' in event.outcome ? event.outcome.detail : ''}`;
    case 'item-retried':
      return `${name(event.stage)} ${event.item}: try ${event.attempt} ended with ${event.outcome.status}: ${'detail' in event.outcome ? event.outcome.detail : ''}`;
    default:
      return null;
  }
}

/**
 * A patch that solves nothing is what grading is for, and a fault upstream was told where it happened: the summary
 * counts them, a line for each would be noise.
 */
function isUsual({ stage, item, outcome }: { stage: string; item: string; outcome: Outcome }): boolean {
  if (outcome.status === 'infra') return outcome.reason === 'upstream-infra' && item !== '';
  return stage.startsWith('grade.') && outcome.status === 'failed';
}

function name(stage: string): string {
  return stage.padEnd(20);
}

/** Pause between two lines that say that a stage waits; a dead endpoint holds many items up at once. */
const WAITS_MS = 30_000;

/** What a stage waits for, now and then. */
class Waits {
  readonly #now: () => number;
  readonly #told = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  line(event: RunEvent): string | null {
    if (event.type !== 'item-waits') return null;
    const last = this.#told.get(event.stage);
    if (last !== undefined && this.#now() - last < WAITS_MS) return null;
    this.#told.set(event.stage, this.#now());
    return `${name(event.stage)} waits: ${event.detail}`;
  }
}

class PlainProgress implements Progress {
  readonly #io: CommandIo;
  readonly #waits: Waits;

  constructor(io: CommandIo, now: () => number) {
    this.#io = io;
    this.#waits = new Waits(now);
  }

  show(event: RunEvent): void {
    const line = endLine(event) ?? this.#waits.line(event);
    if (line !== null) this.#io.stderr.write(`${line}\n`);
    if (event.type === 'item-finished' && event.outcome.status !== 'ok' && !isUsual(event)) {
      this.#io.stderr.write(
        `  ${event.outcome.status.padEnd(8)} ${addressOf(event.stage, event.item)}  ${event.outcome.detail}\n`,
      );
    }
  }

  stop(): void {}
}

class TerminalProgress implements Progress {
  readonly #io: CommandIo;
  readonly #now: () => number;
  readonly #stages = new Map<string, StageLine>();
  readonly #timer: NodeJS.Timeout;
  readonly #waits: Waits;
  #drawn = 0;

  constructor(io: CommandIo, now: () => number) {
    this.#io = io;
    this.#now = now;
    this.#waits = new Waits(now);
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
    this.#timer.unref();
  }

  show(event: RunEvent): void {
    this.#count(event);
    const line = endLine(event) ?? this.#waits.line(event);
    if (line === null) return;
    this.#erase();
    this.#io.stderr.write(`${line}\n`);
    this.#draw();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#erase();
  }

  #count(event: RunEvent): void {
    if (event.type === 'stage-opened') {
      const now = event.now ?? (() => ({ cached: 0, executed: 0, done: 0, counts: noCounts() }));
      this.#stages.set(event.stage, { items: event.items, now, running: 0, startedAt: this.#now() });
    } else if (event.type === 'stage-finished' || event.type === 'stage-blocked') {
      this.#stages.delete(event.stage);
    } else if (event.type === 'item-started' && event.attempt === 1) {
      const line = this.#stages.get(event.stage);
      if (line !== undefined) line.running += 1;
    } else if (event.type === 'item-finished') {
      const line = this.#stages.get(event.stage);
      if (line !== undefined) line.running = Math.max(0, line.running - 1);
    }
  }

  #draw(): void {
    this.#erase();
    // A line that the terminal breaks would be two to erase.
    const width = (this.#io.stderr.columns ?? 80) - 1;
    const lines = [...this.#stages].map(([stage, line]) => this.#text(stage, line).slice(0, width));
    this.#io.stderr.write(lines.map((line) => `${line}\n`).join(''));
    this.#drawn = lines.length;
  }

  #text(stage: string, line: StageLine): string {
    const { cached, executed, done, counts } = line.now();
    const elapsed = this.#now() - line.startedAt;
    const rate = executed / Math.max(elapsed / 1000, 0.001);
    const parts = [`${formatCount(done)}/${formatCount(line.items)}`];
    if (cached > 0) parts.push(`${formatCount(cached)} cached`);
    for (const status of ['failed', 'flaky', 'timeout', 'infra'] as const)
      if (counts[status] > 0) parts.push(`${formatCount(counts[status])} ${status}`);
    parts.push(`${line.running} running`);
    if (executed > 0)
      parts.push(`${rate.toFixed(1)}/s`, `eta ${formatDuration(((line.items - done) / rate) * 1000)}`);
    return `${name(stage)} ${parts.join('  ')}  ${formatDuration(elapsed)}`;
  }

  #erase(): void {
    if (this.#drawn > 0) this.#io.stderr.write(`\u001b[${this.#drawn}A\u001b[0J`);
    this.#drawn = 0;
  }
}
