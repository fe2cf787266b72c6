/** The numbers of a training while it prints them: every step for metrics.json, the newest for who watches. */

import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { whenAbsent } from '../../basics/absent.ts';
import { jsonObject } from '../../basics/json.ts';
import { shownOf } from '../../trainers/metrics.ts';
import type { Metric, MetricsReader } from '../../trainers/trainer.ts';

/** Steps that are kept; of a longer training every second, fourth … one. */
const MAX_STEPS = 20_000;
/** Characters of a line that is still being written. */
const MAX_LINE = 64 * 1024;

const NOWHERE = { earlier: [], add: () => undefined };

/** Steps of a training as they come, in a file that outlives a kill: a training that continues lists earlier ones, too. */
export class StepsFile {
  readonly earlier: readonly Metric[];

  /** `goesOn`: whether the steps of earlier starts count. */
  constructor(
    private readonly path: string,
    goesOn: boolean,
  ) {
    if (!goesOn) rmSync(path, { force: true });
    this.earlier = readSteps(path);
  }

  add(metric: Metric): void {
    appendFileSync(this.path, `\n${JSON.stringify(metric)}`);
  }
}

/** A line that was cut off is none. */
export function readSteps(path: string): Metric[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return whenAbsent([])(error);
  }
  return text.split('\n').flatMap((line) => jsonObject<Metric>(line) ?? []);
}

export class TrainingProgress {
  readonly #read: MetricsReader;
  readonly #total: number | null;
  readonly #done: number;
  readonly #startedAt: number;
  readonly #steps = new Map<number, Record<string, number>>();
  #every = 1;
  #rest = '';

  /** `total`: steps in all, where they are known; `done`: those before this start. */
  constructor(
    read: MetricsReader,
    total: number | null,
    done: number,
    now: number,
    private readonly file: Pick<StepsFile, 'earlier' | 'add'> = NOWHERE,
  ) {
    this.#read = read;
    this.#total = total;
    this.#done = done;
    this.#startedAt = now;
    for (const { step, values } of file.earlier) this.#keep(step, values);
  }

  /** Takes output as it comes; what to show, if that changed. */
  take(text: string, now: number): string | null {
    // A progress bar returns to the beginning of its line.
    const lines = `${this.#rest}${text}`.split(/\r\n|\n|\r/);
    this.#rest = lines.pop()!.slice(-MAX_LINE);
    let shown: string | null = null;
    for (const line of lines) {
      const metric = this.#read(line);
      if (metric === null) continue;
      this.#keep(metric.step, metric.values);
      this.file.add(metric);
      shown = this.#shown(metric.step, now);
    }
    return shown;
  }

  #keep(step: number, values: Record<string, number>): void {
    if (step % this.#every === 0 || this.#steps.has(step))
      this.#steps.set(step, { ...this.#steps.get(step), ...values });
    if (this.#steps.size <= MAX_STEPS) return;
    this.#every *= 2;
    for (const one of this.#steps.keys()) if (one % this.#every !== 0) this.#steps.delete(one);
  }

  #shown(step: number, now: number): string {
    const { loss, reward, tokensPerSecond } = shownOf({ step, values: this.#steps.get(step) ?? {} });
    const parts = [`step ${step}${this.#total === null ? '' : `/${this.#total}`}`];
    if (loss !== null) parts.push(`loss ${round(loss)}`);
    if (reward !== null) parts.push(`reward ${round(reward)}`);
    if (tokensPerSecond !== null) parts.push(`${Math.round(tokensPerSecond)} tokens/s`);
    const left = this.#left(step, now);
    if (left !== null) parts.push(`eta ${left}`);
    return parts.join(', ');
  }

  #left(step: number, now: number): string | null {
    const made = step - this.#done;
    if (this.#total === null || made < 1 || step >= this.#total) return null;
    const seconds = Math.round((((now - this.#startedAt) / made) * (this.#total - step)) / 1000);
    if (seconds < 60) return `${seconds}s`;
    return seconds < 3600 ? `${Math.round(seconds / 60)}m` : `${(seconds / 3600).toFixed(1)}h`;
  }

  /** metrics.json: the steps in their order. */
  metrics(): { steps: ({ step: number } & Record<string, number>)[] } {
    const steps = [...this.#steps].sort(([a], [b]) => a - b);
    return { steps: steps.map(([step, values]) => ({ ...values, step })) };
  }
}

function round(value: number): string {
  return Number(value.toPrecision(4)).toString();
}
