/** The last lines of a build and what its end depends on: outcomes, warnings, conditions, exit codes. */
import { describe, expect, test } from 'vitest';
import type { SampleOutcomes } from '../../app/agent-outcomes.ts';
import { rateOf } from '../../basics/rates.ts';
import { holding, readConditions, unmetWarning } from '../../cli/fail-on.ts';
import { evaluationTable, outcomeLines, outcomeWarnings } from '../../cli/outcome-lines.ts';
import { buildSummary, exitCode } from '../../cli/summary.ts';
import { noCounts } from '../../engine/events.ts';
import type { RunEnd } from '../../engine/run.ts';
import { infra, isCacheable, isFault, type Outcome } from '../../schemas/outcome.ts';
import type { EvaluationMetrics } from '../../stages/evaluate/metrics.ts';
import { runToy } from '../rig/arithmetic.ts';
import { temporaryFolder } from '../rig/folder.ts';

const NOTHING_ELSE = { files: [], isolation: 'sandbox', warnings: [], badRows: [], remote: null };

const samples: SampleOutcomes = {
  address: 'rollouts.train',
  who: null,
  isBaseline: false,
  ended: 24,
  graded: 24,
  resolved: 7,
  rate: rateOf([...Array(12)].map((_, index) => ({ sum: index < 7 ? 1 : 0, count: 2 }))),
  judged: 24,
  pass: [{ k: 2, rate: 0.31, low: 0.14, high: 0.55, instances: 12, left_out: 0 }],
  exits: { submitted: 20, repeated_format_error: 4 },
  voided: {},
  examples: { submitted: 'rollouts.train@a#0', repeated_format_error: 'rollouts.train@b#0' },
};
const baseline = (who: string, resolved: number): SampleOutcomes => ({
  ...samples,
  who,
  baseline: who,
  isBaseline: true,
  ended: 12,
  graded: 12,
  judged: 12,
  resolved,
  exits: { submitted: 12 },
});

describe('what came out', () => {
  test('verdicts without a reward are counted, and an agent that is a baseline must resolve what that does', () => {
    const own = { ...samples, baseline: 'oracle', graded: 7, rate: rateOf([{ sum: 7, count: 7 }]) };
    expect(outcomeLines([own])[0]).toMatch(/resolved 7\/7 \(100\.0 %, .*\) \(17 without a reward\) · /);
    expect(outcomeWarnings([own])[0]).toMatch(
      /^the oracle resolves 7 of 24 \(17 without a reward\), and must resolve all: tasks or grading are wrong\n {2}swemake view 'grade\.train@\*#\*'$/,
    );
    expect(outcomeWarnings([{ ...own, baseline: 'noop', resolved: 0 }])).toEqual([]);
  });

  test('is told with samples and baselines apart', () => {
    expect(outcomeLines([samples, baseline('oracle', 12), baseline('noop', 0)])).toEqual([
      expect.stringMatching(
        /^rollouts\.train {7}resolved 7\/24 \(29\.2 %, 95 % interval by instance 14\.3–50\.4 %\) · pass@2 31\.0 % · oracle 12\/12 · noop 0\/12 · exits: submitted 20, repeated_format_error 4$/,
      ),
    ]);
  });

  test('counts a verdict without a reward against a baseline, in the line as in the warning', () => {
    const flaky = { ...baseline('oracle', 9), graded: 9, judged: 10, ended: 10 };
    expect(outcomeLines([samples, flaky])[0]).toContain(' · oracle 9/10 (1 without a reward) · ');
    expect(outcomeWarnings([flaky])[0]).toContain(
      'the oracle resolves 9 of 10 (1 without a reward), and must resolve all',
    );
    const results = { end: {} as RunEnd, outcomes: [flaky], evaluations: [] };
    expect(holding(readConditions(['oracle < 100%']) as never, results).held).toEqual([
      'oracle < 100%: rollouts.train has 90.0 %',
    ]);
  });

  test('is warned of when one way to end dominates, or a baseline is off', () => {
    expect(outcomeWarnings([samples, baseline('oracle', 12), baseline('noop', 0)])).toEqual([]);
    const bad = { ...samples, exits: { repeated_format_error: 20, submitted: 4 } };
    expect(outcomeWarnings([bad])[0]).toContain(
      '20 of 24 rollouts ended with repeated_format_error: agent.actions',
    );
    expect(outcomeWarnings([bad])[0]).toContain("swemake view 'rollouts.train@b#0'");
    expect(outcomeWarnings([baseline('oracle', 11)])[0]).toContain(
      'the oracle resolves 11 of 12, and must resolve all',
    );
    expect(outcomeWarnings([baseline('noop', 1)])[0]).toContain('no patch at all resolves 1 of 12');
  });

  test('of an evaluation is a table, best first', () => {
    const metrics = (name: string, resolved: number) =>
      ({
        name,
        dataset: 'eval',
        rates: { all: rateOf([{ sum: resolved, count: 3 }]) },
        counts: { empty_patch: 1, error: 0, incomplete: 0 },
        faults: [],
        cost: null,
        steps_mean: 4,
      }) as unknown as EvaluationMetrics;
    const table = evaluationTable([metrics('base', 1), metrics('tuned', 3)]);
    expect(table[0]).toMatch(/^evaluation +model +resolved/);
    expect(table.slice(1).map((line) => line.split(/ {2,}/).slice(1, 4))).toEqual([
      ['tuned', '3/3', '100.0 %'],
      ['base', '1/3', '33.3 %'],
    ]);
    expect(Math.max(...table.map((line) => line.length))).toBeLessThan(80);
    const fault = { instance_id: 'a', reason: 'infra: endpoint', detail: '' };
    const silent = { ...metrics('silent', 0), faults: [fault, fault, fault] };
    const partly = { ...metrics('partly', 1), faults: [fault] };
    const [, ...rows] = evaluationTable([partly, silent]).map((line) => line.split(/ {2,}/).slice(1, 5));
    expect(rows).toEqual([
      ['partly', '1/3', '33.3 %', expect.stringMatching(/^[0-9.]+–[0-9.]+ %$/)],
      ['silent', '0/3', '3 without an answer', '1'],
    ]);
    const absent = metrics('absent', 2);
    absent.counts.incomplete = 1;
    expect(evaluationTable([absent])[1]).toContain(' 1 without a prediction ');
  });

  test('says which of the resolved ones have doubts, in both tables, and only where some have', () => {
    const rate = rateOf([{ sum: 1, count: 2, doubted: 1 }]);
    const doubts = '1 of them doubtful, 0.0 % without';
    const one = { ...samples, ended: 2, graded: 2, judged: 2, resolved: 1, rate, exits: {} };
    expect(outcomeLines([{ ...one, who: 'fixwrite' }])[0]).toContain(`fixwrite 1/2 (${doubts})`);
    expect(outcomeLines([one])[0]).toMatch(
      / interval by instance [0-9.–]+ %\), 1 of them doubtful, 0\.0 % without ·/,
    );
    expect(outcomeLines([samples])[0]).not.toContain('doubtful');
    const metrics = (name: string, own: typeof rate) =>
      ({
        name,
        dataset: 'eval',
        rates: { all: own },
        counts: { empty_patch: 0, error: 0, incomplete: 0 },
        faults: [],
        cost: null,
        steps_mean: null,
      }) as unknown as EvaluationMetrics;
    const table = evaluationTable([
      metrics('fixwrite', rate),
      metrics('base', rateOf([{ sum: 0, count: 2 }])),
    ]);
    expect(table[1]).toContain(`  ${doubts}  `);
    expect(table[2]).not.toContain('doubtful');
  });
});

describe('ends without an answer', () => {
  test('have a status by their reason, and are never kept', () => {
    const ends = [
      infra('cancelled', ''),
      infra('endpoint-refused', ''),
      infra('secret-missing', ''),
      infra('network', ''),
    ];
    expect(ends.map(({ status }) => status)).toEqual(['stopped', 'config', 'config', 'infra']);
    expect(ends.every((end) => isFault(end) && !isCacheable(end))).toBe(true);
    expect(isFault({ status: 'failed' })).toBe(false);
  });

  test.each([
    [
      'endpoint-refused',
      2,
      'config is no answer: nothing is recorded for 1 item; change what the message names',
    ],
    ['cancelled', 130, 'stopped is no answer: nothing is recorded for 1 item; the next build continues here'],
    ['network', 3, 'infra is no answer: nothing is recorded for 1 item; the next build tries again'],
  ] as const)('by %s exit with %i, and say what comes next', async (reason, code, line) => {
    const faults = new Map([['n1', 9]]);
    const { end } = await runToy(temporaryFolder(), { numbers: [1, 2], faults, reason });
    expect(exitCode(end)).toBe(code);
    const text = buildSummary(end, {
      files: [],
      isolation: 'sandbox',
      warnings: [],
      badRows: [],
      remote: null,
    });
    expect(text).toContain(line);
  });

  test('have their most frequent message, and the number of items that have it', async () => {
    const text = (outcomes: readonly Outcome[]) => {
      const counts = { ...noCounts(), failed: outcomes.length };
      const entries = () => outcomes.map((outcome, at) => ({ name: `a.${at}`, outcome }));
      const size = () => outcomes.length;
      const state = { counts, size, entries, has: () => false, planned: 0, remaining: 0 };
      const nodes = new Map([['grade.train', { blocked: null, state, reasons: new Map() }]]);
      const end = { nodes, executed: 1, cached: 0, counts, durationMs: 0, drained: false };
      return buildSummary(end as unknown as RunEnd, NOTHING_ELSE);
    };
    const failed = (detail: string): Outcome => ({ status: 'failed', reason: 'not-resolved', detail });
    const three = [failed('1 of a.0 fails'), failed('it only changes conftest.py'), failed('2 of a.2 fails')];
    expect(text(three)).toContain('3 failed not-resolved, 2 with this message: 1 of a.0 fails\n');
    expect(text(three.slice(1, 2))).toContain('1 failed not-resolved: it only changes conftest.py\n');
  });

  test('of rows are named by cause, with the recipe key that would help', () => {
    const counts = { ...noCounts(), ok: 1 };
    const state = { counts, size: () => 1, planned: 0, remaining: 0, address: 'filter.train' };
    const nodes = new Map([['filter.train', { blocked: null, state, reasons: new Map() }]]);
    const end = { nodes, executed: 1, cached: 0, counts, durationMs: 0, drained: false };
    const cause = (complaint: string, hint: string | null, ...instances: string[]) => ({
      ...{ complaint, hint, instances, status: 'failed (gold-fails)', environments: ['e'], commands: [] },
    });
    const causes = [
      cause("No module named 'a'", '`pip: [a]` in the recipe', 'x', 'y'),
      cause('3 of 4 fail', null, 'z'),
    ];
    const graded_with_less = [{ why: 'no witness: the output of the tests is believed', instances: ['v'] }];
    const shown = { ...NOTHING_ELSE, causes: [{ address: 'filter.train', causes, graded_with_less }] };
    expect(buildSummary(end as unknown as RunEnd, shown)).toContain(
      "filter.train         2 rows: No module named 'a'\n" +
        '                       would help: `pip: [a]` in the recipe\n' +
        '                     1 row: 3 of 4 fail\n' +
        '                     1 row graded with less: no witness: the output of the tests is believed\n',
    );
  });

  test('hold nothing that steers a terminal', () => {
    const blocked = infra('network', 'lost \x1b]0;title\x07\x1b[2J');
    const node = { blocked, state: { counts: noCounts(), size: () => 0 }, reasons: new Map() };
    const end = { nodes: new Map([['a', node]]), executed: 1, cached: 0, counts: noCounts() };
    const text = buildSummary(end as unknown as RunEnd, {
      files: [],
      isolation: 'sandbox',
      warnings: [],
      badRows: [],
      remote: null,
    });
    expect(text).toContain('not made: lost ␛]0;title␇␛[2J');
  });

  test('that are caused by others are one line', () => {
    const blocked = (address: string, reason: 'network' | 'upstream-infra') => [
      address,
      {
        blocked: infra(reason, 'rollouts.train: refused'),
        state: { counts: noCounts(), size: () => 0 },
        reasons: new Map(),
      },
    ];
    const nodes = new Map([
      blocked('a', 'network'),
      blocked('b', 'upstream-infra'),
      blocked('c', 'upstream-infra'),
    ] as never);
    const end = {
      nodes,
      executed: 1,
      cached: 0,
      counts: noCounts(),
      durationMs: 0,
      drained: false,
    } as unknown as RunEnd;
    const text = buildSummary(end, {
      files: [],
      isolation: 'sandbox',
      warnings: [],
      badRows: [],
      remote: null,
    });
    expect(text).toContain(
      'a                    not made: rollouts.train: refused\nnot made, because of the above: b, c (rollouts.train: refused)\n',
    );
  });
});

describe('--fail-on', () => {
  test('reads names, stages, operators, shares and bounds of intervals', () => {
    expect(
      readConditions([
        'resolved < 30%',
        'validate.train.failed>5',
        'pass@2 <= 0.5',
        'resolved.high < 30 %',
        'oracle<100%',
        'grade.train.noop != 0',
        'limits_exceeded > 10%',
        'rollouts.train.rollouts < 40',
      ]),
    ).toMatchObject([
      { stage: null, name: 'resolved', operator: '<', bound: 0.3, isShare: true },
      { stage: 'validate.train', name: 'failed', operator: '>', bound: 5, isShare: false },
      { name: 'pass@2', bound: 0.5, isShare: true },
      { name: 'resolved', interval: 'high', bound: 0.3 },
      { stage: null, name: 'oracle', bound: 1, isShare: true },
      { stage: 'grade.train', name: 'noop', operator: '!=', bound: 0 },
      { name: 'limits_exceeded', bound: 0.1, isShare: true },
      { stage: 'rollouts.train', name: 'rollouts', bound: 40, isShare: false },
    ]);
    for (const wrong of [
      'resolved',
      'nonsense < 3',
      'failed = 3',
      'resolved < x',
      'failed.low < 3',
      'oracle < 100',
    ])
      expect(readConditions([wrong]), wrong).toMatchObject({ kind: 'usage' });
  });

  test('holds by counts and by rates, baselines left out', async () => {
    const { end } = await runToy(temporaryFolder(), { numbers: [1, -2] });
    const outcomes = [samples, baseline('oracle', 12), baseline('noop', 0)];
    const hold = (...texts: string[]) =>
      holding(readConditions(texts) as never, { end: end as RunEnd, outcomes, evaluations: [] }).held;
    expect(hold('failed > 0')).toEqual(['failed > 0: square.x has 1']);
    expect(hold('square.failed > 1', 'sum.failed > 0', 'failed > 50%')).toEqual([]);
    expect(hold('failed >= 50%')).toEqual(['failed >= 50%: square.x has 50.0 %']);
    expect(hold('resolved < 30%')).toEqual(['resolved < 30%: rollouts.train has 29.2 %']);
    expect(hold('pass@2 < 0.3', 'pass@4 < 1')).toEqual([]);
    // The interval reaches from 14.3 to 50.4 %.
    expect(hold('resolved.high < 50%', 'resolved.low < 10%')).toEqual([]);
    expect(hold('resolved.low < 15%')).toEqual(['resolved.low < 15%: rollouts.train has 14.3 %']);
    expect(hold('rollouts != 24', 'graded < 100%')).toEqual([]);
    expect(hold('repeated_format_error > 10%')).toEqual([
      'repeated_format_error > 10%: rollouts.train has 16.7 %',
    ]);
  });

  test('takes baselines, with a verdict without a reward as not resolved', () => {
    const end = { nodes: new Map() } as unknown as RunEnd;
    const hold = (text: string, ...outcomes: SampleOutcomes[]) =>
      holding(readConditions([text]) as never, { end, outcomes, evaluations: [] });
    expect(hold('oracle < 100%', baseline('oracle', 12)).held).toEqual([]);
    expect(hold('noop > 0%', baseline('noop', 0)).held).toEqual([]);
    expect(hold('noop > 0%', baseline('noop', 1)).held).toEqual(['noop > 0%: rollouts.train has 8.3 %']);
    const masked = { ...baseline('oracle', 11), graded: 11 };
    expect(hold('oracle < 100%', masked).held).toEqual(['oracle < 100%: rollouts.train has 91.7 %']);
    expect(outcomeWarnings([masked])[0]).toContain('the oracle resolves 11 of 12');
  });

  test('says which condition had nothing to compare with', () => {
    const end = { nodes: new Map() } as unknown as RunEnd;
    const conditions = readConditions(['oracle < 100%', 'resolved < 30%']) as never;
    const { held, unmet } = holding(conditions, { end, outcomes: [samples], evaluations: [] });
    expect([held.length, unmet]).toEqual([1, ['oracle < 100%']]);
    expect(unmetWarning(unmet)).toEqual([
      '1 condition of --fail-on had nothing to compare with, and so does not hold: oracle < 100%',
    ]);
    expect(unmetWarning([])).toEqual([]);
  });

  test('an evaluation has the rate of all its instances', () => {
    const end = { nodes: new Map() } as unknown as RunEnd;
    const predicted = { ...samples, address: 'predict.eval', who: 'base' };
    const evaluated = {
      name: 'base',
      dataset: 'eval',
      rates: { all: rateOf([...Array(30)].map((_, index) => ({ sum: index < 7 ? 1 : 0, count: 1 }))) },
    } as unknown as EvaluationMetrics;
    const hold = (text: string) =>
      holding(readConditions([text]) as never, { end, outcomes: [predicted], evaluations: [evaluated] }).held;
    expect(hold('resolved < 25%')).toEqual(['resolved < 25%: evaluate.eval of base has 23.3 %']);
    expect(hold('predict.resolved < 30%')).toEqual([
      'predict.resolved < 30%: predict.eval of base has 29.2 %',
    ]);
  });
});
