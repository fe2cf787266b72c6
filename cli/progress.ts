/**
 * What a run shows while it runs. On a terminal, a block with a line for each running stage and its items is redrawn
 * in place. Elsewhere, a line is printed when something ends, and once a minute one about what still runs. Both are made
 * from the run's events.
 */

import type { CommandIo } from '../app/io.ts';
import { redrawn, shown, visible } from '../app/shown.ts';
import { formatCount } from '../basics/plural.ts';
import { type LockWait, type RunEvent, waitText } from '../engine/events.ts';
import { addressOf } from '../engine/run.ts';
import { isFault, type Outcome, type OutcomeStatus } from '../schemas/outcome.ts';
import { formatDuration } from './duration.ts';
import { type LiveStage, LiveStages } from './live-stage.ts';
import { fold, nameWithin } from './screen.ts';
import { type Repeat, repeatedly, StillRunning } from './still-running.ts';
import { type Paint, paintFor, toneOf } from './style.ts';

export interface Progress {
  show(event: RunEvent): void;
  /** Lines that stay. */
  say(lines: readonly string[]): void;
  /** Ctrl-C was pressed: says so at once, and from then on what still ends. */
  stopping(): void;
  /** Ends the display; nothing of it stays on a terminal but the finished lines. */
  stop(): void;
}

const REDRAW_MS = 100;
/** Running items named below a stage's line, and lines of the whole block. */
const NAMED_ITEMS = 3;
const MAX_LINES = 16;
const NOT_OK: readonly OutcomeStatus[] = ['failed', 'flaky', 'timeout', 'infra', 'config', 'stopped'];

/** The display that fits `io`. */
export function createProgress(
  io: CommandIo,
  now: () => number = Date.now,
  repeat: Repeat = repeatedly,
): Progress {
  return io.isTTY && io.env.TERM !== 'dumb'
    ? new TerminalProgress(io, now)
    : new PlainProgress(io, now, repeat);
}

/** The line of a stage that came to its end; null for what needs no line. `worked`: milliseconds. */
function endLine(event: RunEvent, worked: number | null, paint: Paint): string | null {
  switch (event.type) {
    case 'stage-finished': {
      const { counts, items, cached, executed, durationMs } = event;
      const parts = [`${formatCount(cached)} cached`, `${formatCount(executed)} run`];
      for (const status of NOT_OK)
        if (counts[status] > 0) parts.push(paint(toneOf(status), `${formatCount(counts[status])} ${status}`));
      return `${name(event.stage)} ${formatCount(items)} · ${parts.join(' · ')}  ${formatDuration(worked ?? durationMs)}`;
    }
    case 'stage-blocked':
      // Items below one that was reported need no line of their own.
      if ('reason' in event.outcome && event.outcome.reason === 'upstream-infra') return null;
      return `${name(event.stage)} cannot be made: ${detailOf(event.outcome)}`;
    case 'item-retried':
      return `${name(event.stage)} ${event.item}: try ${event.attempt} ended with ${event.outcome.status}: ${detailOf(event.outcome)}`;
    default:
      return null;
  }
}

/**
 * Some ends are usual and get no line of their own; the summary counts them. A patch that solves nothing is what
 * grading is for. Faults of an earlier stage and broken environments were reported where they happened. Stopped items
 * were stopped by the user.
 */
function isUsual({ stage, item, outcome }: { stage: string; item: string; outcome: Outcome }): boolean {
  if (outcome.status === 'stopped') return true;
  if (isFault(outcome)) return outcome.reason === 'upstream-infra' && item !== '';
  if (outcome.status !== 'failed') return false;
  return stage.startsWith('grade.') || outcome.reason === 'environment-failed';
}

function detailOf(outcome: Outcome): string {
  return 'detail' in outcome ? visible(outcome.detail) : '';
}

function name(stage: string): string {
  return stage.padEnd(20);
}

/**
 * At most so many items of a stage with the same message are shown: an endpoint or index that is down ends many of
 * them alike.
 */
const SAME_WORDS = 3;

interface Failure {
  stage: string;
  item: string;
  outcome: Exclude<Outcome, { status: 'ok' }>;
  /** The last with these words that is printed. */
  isLast: boolean;
}

/** Failures in the order in which they happen; null for one that was shown already. */
class Failures {
  readonly #times = new Map<string, number>();

  of(event: RunEvent): Failure | null {
    if (event.type !== 'item-finished' || event.outcome.status === 'ok' || isUsual(event)) return null;
    const { stage, item, outcome } = event;
    const words = `${stage} ${outcome.status} ${outcome.detail.split('\n')[0]!.replace(/\d+/g, '0')}`;
    const times = (this.#times.get(words) ?? 0) + 1;
    this.#times.set(words, times);
    return times > SAME_WORDS ? null : { stage, item, outcome, isLast: times === SAME_WORDS };
  }
}

const MORE_ALIKE = `${' '.repeat(11)}further ones that end with these words are only counted`;

/** Pause between two lines that say that a stage waits: an endpoint that is down holds up many items at once. */
const WAITS_MS = 30_000;

function lockLine(event: LockWait): string {
  const words = [event.stage === '' ? '' : name(event.stage), event.item, visible(waitText(event))];
  return words.filter((word) => word !== '').join(' ');
}

/** What a stage waits for, or how far a long item is, now and then. */
class Waits {
  readonly #now: () => number;
  readonly #shownAt = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  line(event: RunEvent): string | null {
    if (event.type === 'lock-waits') return this.#spaced(event.stage, lockLine(event));
    if (event.type !== 'item-waits' && event.type !== 'item-progress') return null;
    const begin = event.type === 'item-waits' ? 'waits: ' : '';
    return this.#spaced(event.stage, `${name(event.stage)} ${begin}${visible(event.detail)}`);
  }

  #spaced(stage: string, line: string): string | null {
    const last = this.#shownAt.get(stage);
    if (last !== undefined && this.#now() - last < WAITS_MS) return null;
    this.#shownAt.set(stage, this.#now());
    return line;
  }
}

class PlainProgress implements Progress {
  readonly #io: CommandIo;
  readonly #waits: Waits;
  readonly #stages: LiveStages;
  readonly #failures = new Failures();
  readonly #still: StillRunning;

  constructor(io: CommandIo, now: () => number, repeat: Repeat) {
    this.#io = io;
    this.#waits = new Waits(now);
    this.#stages = new LiveStages(now);
    this.#still = new StillRunning(this.#stages, { now, repeat, say: (line) => this.say([line]) });
  }

  show(event: RunEvent): void {
    const worked = event.type === 'stage-finished' ? this.#stages.worked(event.stage) : null;
    this.#stages.follow(event);
    const line = endLine(event, worked, (_, text) => text) ?? this.#waits.line(event);
    if (line !== null) this.#io.stderr.write(shown(`${line}\n`));
    const failure = this.#failures.of(event);
    if (failure === null) return;
    const { outcome, stage, item } = failure;
    const named = `  ${outcome.status.padEnd(8)} ${addressOf(stage, item)}  ${visible(outcome.detail)}\n`;
    this.#io.stderr.write(failure.isLast ? shown(`${named}${MORE_ALIKE}\n`) : shown(named));
  }

  say(lines: readonly string[]): void {
    this.#io.stderr.write(shown(lines.map((line) => `${visible(line)}\n`).join('')));
  }

  stopping(): void {
    const running = [...this.#stages.open.values()].reduce((sum, stage) => sum + stage.running.size, 0);
    this.#io.stderr.write(shown(stoppingText(running)));
  }

  stop(): void {
    this.#still.stop();
  }
}

function stoppingText(running: number): string {
  if (running === 0) return 'stopping\n';
  const what = running === 1 ? '1 running action is' : `${formatCount(running)} running actions are`;
  return `stopping: ${what} finished first; Ctrl-C once more ends ${running === 1 ? 'it' : 'them'} now\n`;
}

class TerminalProgress implements Progress {
  readonly #io: CommandIo;
  readonly #now: () => number;
  readonly #paint: Paint;
  readonly #stages: LiveStages;
  readonly #timer: NodeJS.Timeout;
  readonly #startedAt: number;
  readonly #failures = new Failures();
  #isStopping = false;
  #drawn = 0;

  constructor(io: CommandIo, now: () => number) {
    this.#io = io;
    this.#now = now;
    this.#startedAt = now();
    this.#paint = paintFor(io.env, true);
    this.#stages = new LiveStages(now);
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
    this.#timer.unref();
  }

  show(event: RunEvent): void {
    const worked = event.type === 'stage-finished' ? this.#stages.worked(event.stage) : null;
    this.#stages.follow(event);
    const line = endLine(event, worked, this.#paint) ?? this.#failure(event) ?? this.#stageWaits(event);
    if (line !== null) this.#print(`${line}\n`);
  }

  say(lines: readonly string[]): void {
    const folded = lines.flatMap((line) => fold(visible(line), this.#width()));
    this.#print(folded.map((line) => `${line}\n`).join(''));
  }

  stopping(): void {
    this.#isStopping = true;
    const running = [...this.#stages.open.values()].reduce((sum, stage) => sum + stage.running.size, 0);
    this.#print(stoppingText(running));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#erase();
  }

  #print(text: string): void {
    this.#erase();
    this.#io.stderr.write(shown(text));
    this.#draw();
  }

  /** Name and reason of an item that failed. A name that is too long is a glob that commands take, too. */
  #failure(event: RunEvent): string | null {
    const failure = this.#failures.of(event);
    if (failure === null) return null;
    const { outcome, stage, item } = failure;
    const named = nameWithin(addressOf(stage, item), this.#width() - 11);
    const status = this.#paint(toneOf(outcome.status), outcome.status.padEnd(8));
    const detail = visible(outcome.detail).split('\n')[0]!;
    const more = failure.isLast ? `\n${cut(MORE_ALIKE, this.#width())}` : '';
    const room = this.#width() - 13 - named.length;
    if (detail.length <= room) return `  ${status} ${named}  ${detail}${more}`;
    const folded = fold(`${' '.repeat(11)}${detail}`, this.#width()).slice(0, 3);
    return [`  ${status} ${named}`, ...folded.map((text) => cut(text, this.#width()))].join('\n') + more;
  }

  /** A stage without a line on the display yet cannot show that it waits. */
  #stageWaits(event: RunEvent): string | null {
    if (event.type === 'lock-waits' && event.stage === '') return cut(lockLine(event), this.#width());
    if (event.type !== 'item-waits' || this.#stages.open.has(event.stage)) return null;
    return cut(`${name(event.stage)} waits: ${visible(event.detail)}`, this.#width());
  }

  #width(): number {
    return (this.#io.stderr.columns ?? 80) - 1;
  }

  #draw(): void {
    this.#erase();
    for (const live of this.#stages.open.values()) live.look(this.#now());
    const lines = [...this.#stages.open].flatMap(([stage, live]) => this.#linesOf(stage, live));
    if (this.#stages.open.size > 1) lines.push(this.#overall());
    // A line that the terminal breaks would be two to erase.
    const last = lines.slice(-MAX_LINES).map((line) => cut(line, this.#width()));
    this.#io.stderr.write(shown(last.map((line) => `${line}\n`).join('')));
    this.#drawn = last.length;
  }

  #linesOf(stage: string, live: LiveStage): string[] {
    const line = this.#stageLine(stage, live);
    const waiting = live.waiting;
    const first = waiting[0]?.waits ?? null;
    const wait = first === null ? [] : this.#waitLines(waiting.length, visible(first));
    const working = [...live.running].filter(([, { waits }]) => waits === null);
    const items = working.slice(0, NAMED_ITEMS).map(([item, one]) => this.#itemLine(item, one));
    return [line, ...wait, ...items.filter((text) => text !== '')];
  }

  /** Until when it waits is never cut: on a narrow terminal it has a line of its own. */
  #waitLines(count: number, detail: string): string[] {
    const line = `  ${count} waiting: ${detail}`;
    const at = detail.indexOf('; again in ');
    if (line.length <= this.#width() || at < 0) return [line];
    return [`  ${count} waiting: ${detail.slice(0, at)}`, `    ${detail.slice(at + 2)}`];
  }

  #itemLine(item: string, { startedAt, step }: { startedAt: number; step: string }): string {
    if (item === '') return '';
    const took = formatDuration(this.#now() - startedAt);
    const room = this.#width() - 4 - took.length - 2;
    const shown = item.length <= room ? item : `…${item.slice(item.length - room + 1)}`;
    const left = room - shown.length - 2;
    const doing = left < 8 || step === '' ? '' : `  ${cut(visible(step), left)}`;
    return `    ${shown}${doing}  ${took}`;
  }

  #stageLine(stage: string, live: LiveStage): string {
    const { cached, done, counts } = live.now();
    const at = this.#now();
    const parts = [`${formatCount(done)}/${formatCount(live.items)}`];
    if (cached > 0) parts.push(`${formatCount(cached)} cached`);
    for (const status of NOT_OK)
      if (counts[status] > 0) parts.push(`${formatCount(counts[status])} ${status}`);
    const working = live.running.size - live.waiting.length;
    if (working > 0) parts.push(`${working} ${this.#isStopping ? 'ending' : 'running'}`);
    const perMs = this.#isStopping ? null : live.rate(at);
    if (perMs !== null) parts.push(rate(perMs * 1000));
    const left = live.left(at);
    if (left !== null && left > 0 && !this.#isStopping) parts.push(`eta ${formatDuration(left)}`);
    parts.push(formatDuration(live.worked(at)));
    // On a narrow terminal whole parts are left out: a number that is cut would be wrong.
    while (parts.length > 1 && name(stage).length + 1 + parts.join('  ').length > this.#width()) parts.pop();
    return `${name(stage)} ${parts.join('  ')}`;
  }

  /** Stages run at the same time, so the slowest one decides how long all of them take. */
  #overall(): string {
    const lives = [...this.#stages.open.values()];
    const lefts = lives.map((live) => live.left(this.#now()));
    const known = lefts.filter((left) => left !== null);
    const at = formatDuration(this.#now() - this.#startedAt);
    const isOpen = this.#isStopping || known.length < lefts.length || known.length === 0;
    const eta = isOpen ? '' : ` · these stages: about ${formatDuration(Math.max(...known))} left`;
    return `${at} so far${eta}`;
  }

  #erase(): void {
    if (this.#drawn > 0) this.#io.stderr.write(redrawn(this.#drawn));
    this.#drawn = 0;
  }
}

/** Items a second, or a minute where they take long. */
function rate(perSecond: number): string {
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(1)}/min`;
}

/** At most so many characters, the last of which says that there are more. */
export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
