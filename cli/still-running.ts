/**
 * What still runs, as a line now and then. Without a terminal a stage prints nothing until it ends, which may take hours: a
 * log file would not tell whether anything goes on.
 */
import type { CommandIo } from '../app/io.ts';
import { shown, visible } from '../app/shown.ts';
import { formatCount } from '../basics/plural.ts';
import type { RunEvent } from '../engine/events.ts';
import { formatDuration } from './duration.ts';
import { type LiveStage, LiveStages } from './live-stage.ts';

/** Calls something again and again, until what it returns is called. */
export type Repeat = (tick: () => void) => () => void;

const TICK_MS = 5000;
const PAUSE_MS = 60_000;

/** By a timer that keeps no process alive. */
export function repeatedly(tick: () => void): () => void {
  const timer = setInterval(tick, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export interface StillRunningOptions {
  now: () => number;
  repeat: Repeat;
  say(line: string): void;
  /** What a stage is called; by its address if absent. */
  nameOf?(stage: string): string;
}

export class StillRunning {
  readonly #stages: LiveStages;
  readonly #options: StillRunningOptions;
  readonly #end: () => void;
  /** When the last line was said, or when something began to run after a time in which nothing ran. */
  #since: number | null = null;

  constructor(stages: LiveStages, options: StillRunningOptions) {
    this.#stages = stages;
    this.#options = options;
    this.#end = options.repeat(() => this.#tick());
  }

  stop(): void {
    this.#end();
  }

  /** One line about all stages, at most once a minute. A stage whose items all wait has lines of its own about that. */
  #tick(): void {
    const { now, say, nameOf = (stage) => stage } = this.#options;
    const at = now();
    const parts: string[] = [];
    for (const [stage, live] of this.#stages.open) {
      live.look(at);
      const text = runningText(live, at);
      if (text !== null) parts.push(`${nameOf(stage)} ${text}`);
    }
    if (parts.length === 0) this.#since = null;
    else if (this.#since === null) this.#since = at;
    else if (at - this.#since >= PAUSE_MS) {
      this.#since = at;
      say(`still running: ${parts.join(' · ')}`);
    }
  }
}

/** `3/10, 2 running, longest psf__requests-1 4:10`; null where no item works. */
function runningText(live: LiveStage, at: number): string | null {
  const working = [...live.running].filter(([, { waits }]) => waits === null);
  const [longest] = working.sort(([, a], [, b]) => a.startedAt - b.startedAt);
  if (longest === undefined) return null;
  const [item, { startedAt }] = longest;
  const done = `${formatCount(live.now().done)}/${formatCount(live.items)}`;
  const took = formatDuration(at - startedAt);
  const named = item === '' ? `for ${took}` : `longest ${item} ${took}`;
  const waiting = live.waiting.length;
  const also = waiting === 0 ? '' : `, ${formatCount(waiting)} waiting`;
  return `${done}, ${formatCount(working.length)} running${also}, ${named}`;
}

export interface CandidateLines {
  show(event: RunEvent): void;
  stop(): void;
}

/** What commands that measure rows print meanwhile: a line for each row that is finished, and one about what still runs. `progress`: how far the command is by its own count. */
export function candidateLines(
  io: CommandIo,
  now: () => number = Date.now,
  repeat: Repeat = repeatedly,
  progress: (() => string) | null = null,
): CandidateLines {
  const say = (line: string) => void io.stderr.write(shown(`${visible(line)}\n`));
  const stages = new LiveStages(now);
  // The dataset is made for this command, so its name says nothing.
  const nameOf = (stage: string) => stage.split('.')[0]!;
  const ahead = () => (progress === null ? '' : `; ${progress()}`);
  const still = new StillRunning(stages, { now, repeat, say: (line) => say(`${line}${ahead()}`), nameOf });
  const finished = new Set<string>();
  return {
    show(event) {
      stages.follow(event);
      if (event.type !== 'item-finished') return;
      const { item, outcome } = event;
      const stage = nameOf(event.stage);
      const isLast = stage === 'validate' || (stage === 'discover' && outcome.status !== 'ok');
      if (!isLast || outcome.status === 'stopped' || finished.has(item)) return;
      finished.add(item);
      say(`  measured: ${item}, ${outcome.status}`);
    },
    stop: () => still.stop(),
  };
}
