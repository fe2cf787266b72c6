/** Warnings before the first action of a build runs, and once more when the rows of its datasets were read. */

import { earlyLines, earlyProblems, rowProblems } from '../app/doctor/early.ts';
import { forecast } from '../app/forecast.ts';
import type { CommandIo } from '../app/io.ts';
import type { Session } from '../app/session.ts';
import { bugOf, bugTrace } from '../basics/bug.ts';
import type { RunEvent } from '../engine/events.ts';
import { forecastLines, leftOutLine } from './forecast-text.ts';
import type { Scope, TargetOptions } from './targets.ts';

export class EarlyWarnings {
  /** Stages whose start says that rows of their dataset are known now. */
  readonly #unread = new Set<string>();
  readonly #running: Promise<void>[] = [];
  #first: Promise<void> | null = null;

  constructor(
    readonly session: Session,
    readonly scope: Scope,
    readonly options: TargetOptions,
    readonly io: CommandIo,
    /** Prints lines above the progress. */
    readonly say: (lines: readonly string[]) => void,
    /** Whether the forecast is printed too. */
    readonly hasForecast: boolean,
  ) {}

  /** Before the first action. A second walk, after something damaged was replaced, prints nothing. */
  beforeFirst(): Promise<void> {
    this.#first ??= this.#tried(this.#look());
    return this.#first;
  }

  onEvent(event: RunEvent): void {
    if (event.type !== 'stage-opened' || !this.#unread.delete(event.stage)) return;
    this.#running.push(this.#tried(this.#lookAtRows()));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** An error of a look ends no build: the build replaces what is damaged when it needs it. */
  async #tried(look: Promise<void>): Promise<void> {
    try {
      await look;
    } catch (error) {
      const bug = bugOf(error);
      const why = bug === null ? (error as Error).message : bugTrace(bug);
      this.say([`warning: warnings about this build may be missing: ${why}`]);
    }
  }

  async #look(): Promise<void> {
    const seen = await this.#forecast();
    if (this.hasForecast) {
      const leftOut = leftOutLine(this.scope.leftOut);
      this.say([...forecastLines(seen), ...(leftOut === null ? [] : [leftOut])]);
    }
    const { problems, unread } = await earlyProblems(seen.end, this.session, this.io, this.options.jobs);
    this.say(earlyLines(problems));
    for (const dataset of unread) this.#unread.add(`environments.${dataset}`);
  }

  async #lookAtRows(): Promise<void> {
    const { end } = await this.#forecast();
    this.say(earlyLines(await rowProblems(end, this.session, this.io)));
  }

  #forecast() {
    const { graph, selection } = this.scope;
    const { jobs, stop } = this.options;
    return forecast(this.session, { graph, selection, jobs, drain: stop.drain });
  }
}
