/** Projects to begin with where one has no rows of one's own: known datasets, and how a first look at them is taken. */
import { basename } from 'node:path';
import type { FormatKind } from '../../formats/kind.ts';
import { FORMATS } from '../../formats/registry.ts';
import type { SurveyedRows } from './project-text.ts';

export interface Template {
  what: string;
  rows: SurveyedRows;
  isBenchmark: boolean;
}

const WITH_TEMPLATE = FORMATS.flatMap((format) => {
  const { template } = format.init;
  return template === null ? [] : [{ format, template }];
});

/** By the names of their formats, benchmarks last. Beside these there is `quickstart`, which is copied as it is. */
export const TEMPLATES: Readonly<Record<string, Template>> = Object.fromEntries(
  WITH_TEMPLATE.map(({ format, template: { source, split, what, isBenchmark } }) => {
    return [format.name, { what, rows: unseen(format, source, split), isBenchmark }] as const;
  }).sort(([, a], [, b]) => Number(a.isBenchmark) - Number(b.isBenchmark)),
);

export const QUICKSTART = 'quickstart';

export const TEMPLATE_NAMES = [QUICKSTART, ...Object.keys(TEMPLATES)];

/** What is known of a dataset of the hub, so that it need not be fetched to begin. */
export function knownDataset(id: string): Template | null {
  const found = Object.values(TEMPLATES).find(({ rows }) => rows.source.toLowerCase() === id.toLowerCase());
  if (found !== undefined) return found;
  for (const { format, template } of WITH_TEMPLATE) {
    const { others, isBenchmark } = template;
    if (others?.ids.test(id)) return { what: '', rows: unseen(format, id, others.split), isBenchmark };
  }
  return null;
}

/** Whether rows that are no known dataset are a benchmark: they have the columns of one, and are not called rows to train on. */
export function isBenchmark({ format, source, split }: SurveyedRows): boolean {
  const isOfBenchmark = format.init.template?.isBenchmark === true;
  return isOfBenchmark && ![basename(source), split ?? ''].some((name) => /(?<![a-z])train/i.test(name));
}

function unseen(format: FormatKind, source: string, split: string): SurveyedRows {
  return { source, split, format, rows: null, isAll: false, bad: 0, repos: [], sample: 20 };
}
