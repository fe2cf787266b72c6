/**
 * Chooses rows: match, then sample, then slice. The sample depends on the seed and each row's id alone, so
 * neither the order of rows nor rows added later reshuffle it; what is chosen keeps the dataset's order.
 */
import { digestOf } from '../../basics/digest.ts';
import type { SelectConfig } from '../../schemas/generated/project.ts';

/** Takes rows one by one and holds on to no more than the sample needs. */
export class Selection<T> {
  private readonly config: SelectConfig;
  private readonly pattern: RegExp | null;
  private kept: { order: number; rank: string; value: T }[] = [];
  private count = 0;

  /** `config` must have passed the schema's checks. */
  constructor(config: SelectConfig) {
    this.config = config;
    this.pattern = config.match === undefined ? null : new RegExp(config.match, 'u');
  }

  /** True when every row that matches is chosen, so none need be held back. */
  get isImmediate(): boolean {
    return this.config.sample === undefined && this.config.slice === undefined;
  }

  matches(id: string): boolean {
    return this.pattern === null || this.pattern.test(id);
  }

  /** Offers a row that matches. */
  offer(id: string, value: T): void {
    const { sample, seed } = this.config;
    const rank = sample === undefined ? '' : digestOf(JSON.stringify(['sample', seed ?? 0, id]));
    this.kept.push({ order: this.count++, rank, value });
    if (sample !== undefined && this.kept.length >= 2 * sample + 64) this.shrink(sample);
  }

  /** What is chosen, in the order in which it was offered. */
  chosen(): T[] {
    if (this.config.sample !== undefined) this.shrink(this.config.sample);
    const values = this.kept.sort((a, b) => a.order - b.order).map((row) => row.value);
    return slice(values, this.config.slice);
  }

  private shrink(sample: number): void {
    this.kept.sort((a, b) => (a.rank < b.rank ? -1 : 1));
    this.kept.length = Math.min(this.kept.length, sample);
  }
}

/** Python's `values[start:end]`; text without a colon is an end. */
function slice<T>(values: T[], text: string | undefined): T[] {
  if (text === undefined) return values;
  const [start, end] = text.includes(':') ? text.split(':') : ['', text];
  const bound = (part: string | undefined) => (part?.trim() ? Number(part) : undefined);
  return values.slice(bound(start), bound(end));
}
