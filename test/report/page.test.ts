/** The report's page and figures from made-up numbers: names that attack it, and datasets that are large. */
import { expect, test } from 'vitest';
import type { ReportData, RolloutGroup } from '../../app/report/data.ts';
import { histogramFigure } from '../../app/report/figures.ts';
import { reportFigures, reportPage } from '../../app/report/page.ts';
import { rateOf } from '../../basics/rates.ts';
import { noCounts } from '../../engine/events.ts';

const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><svg onload=alert(1)>',
  '</title>\u0000\u001b[2J&lt;script&gt;',
];

function group(name: string, rollouts: number): RolloutGroup {
  const rate = rateOf([...Array(10)].map((_, index) => ({ sum: index % 3, count: 4 })));
  return {
    stage: `rollouts.${name}`,
    who: name,
    rollouts,
    graded: rollouts,
    rate,
    pass: [1, 2, 4].map((k) => ({ k, rate: 0.5, low: 0.2, high: 0.8, instances: 10, left_out: 0 })),
    turns: Array.from({ length: rollouts }, (_, index) => index % 75),
    seconds: Array.from({ length: rollouts }, (_, index) => (index % 991) / 7),
    exits: [[name, rollouts]],
    reasons: [[name, 3]],
    findings: [[name, 2]],
    repositories: [{ repo: name, rate }],
    promptTokens: 1,
    completionTokens: null,
    cost: 1.5,
    models: [name],
  };
}

function dataOf(names: readonly string[], rollouts: number): ReportData {
  return {
    project: names[0]!,
    version: '0',
    stages: names.map((stage) => ({ stage, items: rollouts, counts: noCounts(), digest: null })),
    funnels: [{ dataset: names[0]!, steps: names.map((name, count) => ({ name, count })) }],
    groups: names.map((name) => group(name, rollouts)),
    evaluations: [],
    training: names.map((name) => ({ name, rollouts: 1, graded: 1, reward: 0.5, metrics: {} })),
  };
}

test('whatever names hold is text, in the page and in files', () => {
  const data = dataOf(ATTACKS, 8);
  const page = reportPage(data, { lock: null, config: 'x', profiles: ATTACKS, settings: ATTACKS });
  const figures = reportFigures(data);
  for (const text of [page, ...figures.map(({ svg }) => svg)]) {
    // Tags of ours alone, none with a handler; what stands in quotes is a value.
    expect(text.replace(/"[^"]*"/g, '""')).not.toMatch(/<(script|img|iframe)|<svg onload|<[^>]*\son\w+\s*=/i);
    expect(text.includes('\u0000') || text.includes('\u001b')).toBe(false);
  }
  expect(page.match(/<\/style>/g)).toHaveLength(1 + figures.length);
  expect(figures.every(({ name }) => /^[A-Za-z0-9._-]+$/.test(name))).toBe(true);
});

test('sixty thousand rollouts are no larger than a few', () => {
  const few = reportPage(dataOf(['base'], 100), { lock: null, config: '', profiles: [], settings: [] });
  const many = reportPage(dataOf(['base'], 60_000), { lock: null, config: '', profiles: [], settings: [] });
  expect(many.length).toBeLessThan(2 * few.length);
  expect(many.length).toBeLessThan(3 * 1024 * 1024);
});

test('every value is in one bar of a histogram', () => {
  const counted = (values: number[]) =>
    [...histogramFigure('t', values, 's').matchAll(/: (\d+)<\/title>/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  for (const values of [
    [5],
    [0, 1, 2, 3],
    [0.1, 99.9, 50],
    Array.from({ length: 500 }, (_, index) => index ** 1.5),
  ])
    expect(counted(values)).toBe(values.length);
  expect(histogramFigure('t', [], 's')).toContain('nothing to count');
});

test('figures are of the agent and of evaluated models; baselines stand in the table alone', () => {
  const named = (stage: string, who: string) => ({ ...group('x', 8), stage, who });
  const groups = [
    named('rollouts.train', ''),
    named('rollouts.train', 'oracle'),
    named('rollouts.train', 'noop'),
    named('predict.eval', 'noop'),
  ];
  const data = { ...dataOf(['train'], 8), groups };
  const names = reportFigures(data).map(({ name }) => name);
  expect(names.filter((name) => /rollouts\.train/.test(name))).toEqual(
    ['pass', 'turns', 'times', 'exits', 'repositories'].map((kind) => `${kind}-rollouts.train`),
  );
  // A model may have that name.
  expect(names).toContain('turns-predict.eval-noop');
  const page = reportPage(data, { lock: null, config: '', profiles: [], settings: [] });
  expect(page).toContain('<td>oracle in rollouts.train</td>');
});

test('a rate with doubts says so in the table, and one without says nothing', () => {
  const data = dataOf(['train'], 8);
  const page = (rate: RolloutGroup['rate']) =>
    reportPage(
      { ...data, groups: [{ ...group('x', 8), rate }] },
      { lock: null, config: '', profiles: [], settings: [] },
    );
  expect(page(rateOf([{ sum: 1, count: 2, doubted: 1 }]))).toContain(
    '<td>50.0 % (1 of them doubtful, 0.0 % without)</td>',
  );
  expect(page(rateOf([{ sum: 1, count: 2 }]))).not.toContain('doubtful');
});
