/** What a report says of a dataset's rollouts, and when it is made again. */
import { describe, expect, test } from 'vitest';
import { Bench, type Scored } from '../evaluate/bench.ts';

const ADDRESS = 'report.train';

function bench(scored: Scored[]): Bench {
  const made = new Bench();
  made.addInstance('a', 'owner/one');
  made.addInstance('b', 'owner/one');
  made.addInstance('c', 'owner/two');
  made.addInstance('d', 'owner/two');
  made.invalid = ['d'];
  made.scored = scored;
  return made;
}

const SCORED: Scored[] = [
  {
    ...{ instance: 'a', sample: '0' },
    timings: {
      total: 10_000,
      waited: 2000,
      calls: [{ waited: 2000, took: 4000, attempts: 2 }],
      steps: [1000],
      queued: 500,
      open: 250,
    },
    summary: { steps: 4, actions: 3, prompt_tokens: 100, completion_tokens: 10, cost: 0.25, model: 'm@1' },
  },
  {
    ...{ instance: 'a', sample: '1', reason: 'not-resolved', partial: true, exit: 'limits_exceeded' },
    timings: {
      total: 20_000,
      calls: [{ waited: 0, took: 8000, attempts: 1 }],
      steps: [3000],
      queued: 1500,
      open: 750,
    },
    summary: { steps: 8, actions: 6, prompt_tokens: 300, completion_tokens: 30, cost: 0.5, model: 'm@1' },
  },
  {
    instance: 'b',
    sample: '0',
    reason: 'not-gradable',
    summary: { steps: 2, actions: 2, prompt_tokens: null, cost: null },
  },
  {
    ...{ instance: 'b', sample: '1', reason: 'tampering' },
    integrity: [
      { rule: 'tests-edited', detail: 'x', effect: 'dropped' },
      { rule: 'runner-ended-early', detail: 'y', effect: 'voided' },
    ],
    summary: { steps: 2, actions: 2, final_step_reward: -0.5 },
  },
  { instance: 'c', sample: '0', summary: { steps: 6, actions: 6, final_step_reward: 1 } },
  { instance: 'c', sample: '1', summary: { steps: 6, actions: 6 } },
  ...['a', 'b', 'c'].map((instance): Scored => ({ instance, sample: 'oracle' })),
  ...['a', 'b', 'c'].map(
    (instance): Scored => ({ instance, sample: 'noop', patch: '', reason: 'empty-patch' }),
  ),
];

describe('metrics.json', () => {
  test('counts instances, rollouts, rewards, reasons and findings, baselines apart', async () => {
    const run = await bench(SCORED).run();
    const report = run.json(ADDRESS, '', 'metrics.json');
    expect(report).toMatchObject({
      dataset: 'train',
      instances: { dataset: 4, validated: 3, rolled_out: 3, resolved: 2 },
      rollouts: { total: 6, graded: 6, resolved: 3, partial: 1 },
      rate: { resolved: 3, total: 6, rate: 0.5 },
      exit_statuses: { limits_exceeded: 1, submitted: 5 },
      reasons: { 'not-gradable': 1, 'not-resolved': 1, tampering: 1 },
      integrity: { 'tests-edited': { dropped: 1 }, 'runner-ended-early': { voided: 1 } },
      presets: ['swebench-5'],
      models: ['m@1'],
      baselines: {
        oracle: { rollouts: 3, graded: 3, resolved: 3 },
        noop: { rollouts: 3, graded: 3, resolved: 0 },
      },
      faults: {},
      alarms: [],
    });
    expect(report.pass).toMatchObject([
      { k: 1, rate: 0.5, instances: 3, left_out: 0 },
      { k: 2, rate: expect.closeTo(2 / 3, 12), instances: 3, left_out: 0 },
    ]);
    expect(report.by_repository).toMatchObject({
      'owner/one': { instances: 2, rollouts: 4, resolved: 1, reward_mean: 0.25 },
      'owner/two': { instances: 1, rollouts: 2, resolved: 2, reward_mean: 1 },
    });
  });

  test('means over what was reported, waits in seconds, tokens and cost as far as they are known', async () => {
    const run = await bench(SCORED).run();
    const { metrics, waits, prompt_tokens, cost } = run.json(ADDRESS, '', 'metrics.json');
    expect(metrics).toMatchObject({
      'agent/turns_mean': (4 + 8 + 2 + 2 + 6 + 6) / 6,
      'agent/turns_sum': 28,
      'agent/tool_calls_sum': 25,
      'agent/agent_run_time_mean': (8 + 20) / 2,
      'agent/model_query_time_sum_mean': 6,
      'agent/env_execution_time_sum_mean': 2,
      'agent/time_per_turn': (8 / 4 + 20 / 8) / 2,
      'agent/exit_status/submitted': 5 / 6,
      'agent/exit_status/limits_exceeded': 1 / 6,
      'agent/turns_mean_reward1': (4 + 6 + 6) / 3,
      'agent/turns_mean_reward0': (8 + 2 + 2) / 3,
      'reward/mean': 0.5,
      'reward/resolved_count': 3,
      'reward/resolved_ratio': 0.5,
      'reward/unresolved_count': 3,
      'reward/parser_unavailable_count': 1,
      'reward/parser_unavailable_ratio': 1 / 6,
      'reward/step_mean': 0.25,
    });
    expect(waits).toEqual({
      queued: { mean: 1, max: 1.5, sum: 2 },
      open: { mean: 0.5, max: 0.75, sum: 1 },
      endpoint: { mean: 1, max: 2, sum: 2 },
    });
    expect(cost).toBe(0.75);
    expect(prompt_tokens).toBeGreaterThanOrEqual(400);
  });

  test('the oracle below 1 and the empty patch above 0 are alarms', async () => {
    const scored = SCORED.map((one) => ({ ...one }));
    const of = (instance: string, sample: string) =>
      scored.find((one) => one.instance === instance && one.sample === sample)!;
    of('b', 'oracle').reason = 'not-resolved';
    delete of('c', 'noop').reason;
    Object.assign(of('a', 'oracle'), { fault: 'grade' });
    const run = await bench(scored).run();
    const { alarms, baselines } = run.json(ADDRESS, '', 'metrics.json');
    expect(alarms).toEqual([
      'the oracle does not resolve 1 instance: b (not-resolved)',
      'no patch at all resolves 1 instance: c',
    ]);
    expect(baselines.oracle).toEqual({ rollouts: 3, graded: 2, resolved: 1 });
    expect(run.text(ADDRESS, '', 'summary.md')).toContain(
      '**Alarm: the oracle does not resolve 1 instance: b (not-resolved).**',
    );
  });

  test('an agent that is the oracle must resolve all, also where the grader masks', async () => {
    const scored = SCORED.filter(({ sample }) => sample !== 'noop' && sample !== 'oracle').map((one) => ({
      ...one,
    }));
    scored[0]!.reason = 'doubtful';
    const made = bench(scored);
    made.yaml = 'agent: { type: oracle }\n';
    const run = await made.run();
    const [alarm] = run.json(ADDRESS, '', 'metrics.json').alarms;
    expect(alarm).toMatch(/^the oracle does not resolve \d instances: .*\(doubtful\)/);
  });

  test('what machines kept from an answer is named and left out of rates', async () => {
    const scored = SCORED.map((one) => ({ ...one }));
    scored[0]!.fault = 'rollouts';
    scored[2]!.fault = 'grade';
    scored[4]!.isBroken = true;
    const run = await bench(scored).run();
    const report = run.json(ADDRESS, '', 'metrics.json');
    expect(report).toMatchObject({
      rollouts: { total: 6, graded: 3, resolved: 1 },
      rate: { resolved: 1, total: 3 },
      faults: { endpoint: 1, 'workspace-lost': 1 },
      reasons: { 'environment-failed': 1, 'not-resolved': 1, tampering: 1 },
    });
    expect(run.text(ADDRESS, '', 'summary.md')).toContain(
      '**2 rollouts have no answer (1 endpoint, 1 workspace-lost).**',
    );
  });
});

describe('summary.md', () => {
  test('says it for people', async () => {
    const text = (await bench(SCORED).run()).text(ADDRESS, '', 'summary.md');
    expect(text).toContain('4 in the dataset, 3 validated, 3 rolled out, 2 resolved at least once');
    expect(text).toContain(
      'resolved, of the rollouts with a verdict: 50.0 % (3 of 6; 95 % interval by instance 12.5–87.5 %)',
    );
    expect(text).toContain('- pass@2: 66.7 % (3 instances; 95 % interval 20.8–93.9 %)');
    expect(text).toContain('| owner/one | 2 | 4 | 1 | 25.0 % | 2.7–80.2 % |');
    expect(text).toContain('| oracle | 3 | 3 | 3 |');
    expect(text).toContain('| for a workspace to be begun | 1.00 | 1.50 | 2.0 |');
    expect(text).not.toContain('Alarm');
  });

  test('of no rollouts is short', async () => {
    const text = (await bench([]).run()).text(ADDRESS, '', 'summary.md');
    expect(text).toContain('rollouts: 0, of which 0 have a verdict');
    expect(text).toContain('none to count');
  });
});

test('times are in no key: a report of cached rollouts shows what they took when they were made', async () => {
  const made = bench(SCORED);
  const before = (await made.run()).text(ADDRESS, '', 'metrics.json');
  const again = await made.run();
  expect(again.ran[ADDRESS]).toBe(0);
  expect(again.text(ADDRESS, '', 'metrics.json')).toBe(before);
  made.scored[1]!.reason = 'no-tests-ran';
  const changed = await made.run();
  expect(changed.ran).toMatchObject({ 'rollouts.train': 1, 'grade.train': 1, [ADDRESS]: 1 });
  expect(changed.json(ADDRESS, '', 'metrics.json').metrics['agent/agent_run_time_mean']).toBe(14);
});
