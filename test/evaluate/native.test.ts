/** Our own grader's answers in upstream's buckets, files and numbers. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Bench } from './bench.ts';

const EVALUATION = 'agent: { type: oracle }\nevaluation: { dataset: train, models: { base: {} } }\n';
const ADDRESS = 'evaluate.train';

/** Keys of a run-level report of swebench 5, with those that it writes where containers are at hand. */
const UPSTREAM_KEYS = [
  'total_instances',
  'submitted_instances',
  'completed_instances',
  'resolved_instances',
  'unresolved_instances',
  'infra_failure_instances',
  'ambiguous_failure_instances',
  'empty_patch_instances',
  'error_instances',
  'unstopped_instances',
  'completed_ids',
  'incomplete_ids',
  'empty_patch_ids',
  'submitted_ids',
  'resolved_ids',
  'unresolved_ids',
  'infra_failure_ids',
  'ambiguous_failure_ids',
  'failure_reasons',
  'error_ids',
  'unstopped_containers',
  'unremoved_images',
  'schema_version',
];

function mixed(): Bench {
  const bench = new Bench();
  bench.yaml = EVALUATION;
  const sample = 'base';
  bench.scored = [
    { instance: 'won', sample, timings: { total: 12_340 } },
    { instance: 'lost', sample, reason: 'not-resolved', partial: true },
    {
      instance: 'imports',
      sample,
      reason: 'not-resolved',
      hint: { tier: 'ambiguous', reason: 'missing_module' },
    },
    {
      instance: 'memory',
      sample,
      reason: 'not-resolved',
      hint: { tier: 'environment', reason: 'out_of_memory' },
    },
    { instance: 'mute', sample, reason: 'not-gradable' },
    {
      instance: 'cheat',
      sample,
      reason: 'tampering',
      integrity: [{ rule: 'runner-ended-early', detail: 'no end', effect: 'voided' }],
    },
    { instance: 'none', sample, patch: '', reason: 'empty-patch', exit: 'limits_exceeded' },
    { instance: 'garbled', sample, reason: 'patch-does-not-apply' },
    { instance: 'huge', sample, reason: 'patch-refused' },
    { instance: 'slow', sample, reason: 'time-limit' },
    { instance: 'unbuilt', sample, isBroken: true },
  ];
  for (const { instance } of bench.scored) bench.addInstance(instance, instance < 'm' ? 'o/a' : 'o/b');
  bench.invalid = ['unbuilt', 'slow'];
  return bench;
}

test('every outcome has its bucket, and the run-level report is upstream’s', async () => {
  const run = await mixed().run();
  const report = run.json(ADDRESS, 'base', 'report.json');
  expect(Object.keys(report)).toEqual(UPSTREAM_KEYS);
  expect(report).toMatchObject({
    schema_version: 2,
    total_instances: 11,
    submitted_instances: 11,
    completed_instances: 6,
    resolved_ids: ['won'],
    unresolved_ids: ['cheat', 'imports', 'lost', 'memory', 'mute'],
    empty_patch_ids: ['none'],
    error_ids: ['garbled', 'huge', 'slow', 'unbuilt'],
    incomplete_ids: [],
    infra_failure_ids: ['memory'],
    ambiguous_failure_ids: ['imports'],
    failure_reasons: {
      cheat: 'tampering',
      garbled: 'patch-does-not-apply',
      huge: 'patch-refused',
      imports: 'missing_module',
      memory: 'out_of_memory',
      mute: 'not-gradable',
      slow: 'time-limit',
      unbuilt: 'environment-failed',
    },
  });
  expect(Object.keys(report.failure_reasons)).toEqual(Object.keys(report.failure_reasons).sort());
});

test('rates name their denominators, and numbers what stands in their way', async () => {
  const run = await mixed().run();
  const metrics = run.json(ADDRESS, 'base', 'metrics.json');
  expect(metrics.rates.all).toMatchObject({ resolved: 1, total: 11 });
  expect(metrics.rates.validated).toMatchObject({ resolved: 1, total: 9 });
  expect(metrics.counts).toEqual({ resolved: 1, unresolved: 5, empty_patch: 1, error: 4, incomplete: 0 });
  expect(metrics).toMatchObject({
    partial: 1,
    preset: 'swebench-5',
    faults: [],
    integrity: { 'runner-ended-early': { voided: 1 } },
    exit_statuses: { submitted: 9, limits_exceeded: 1 },
    unknown_ids: [],
    reasons: { 'not-resolved': 3, 'empty-patch': 1, tampering: 1, 'time-limit': 1 },
  });
  const counted = Object.values(metrics.reasons as Record<string, number>);
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(10);
  expect(metrics.by_repository['o/a']).toMatchObject({ resolved: 0, total: 5 });
  expect(metrics.by_repository['o/b']).toMatchObject({ resolved: 1, total: 6 });
  const text = run.text(ADDRESS, 'base', 'summary.md');
  expect(text).toContain('of all instances of the dataset: 9.1 % (1 of 11;');
  expect(text).toContain('of the instances that passed validation: 11.1 % (1 of 9;');
  expect(text).toContain('- unbuilt: environment-failed: it does not install');
  expect(text).toContain('- runner-ended-early: 1 voided');
});

test('a resolved instance with doubts stands beside the rate, and an unresolved one does not', async () => {
  const bench = mixed();
  const integrity = [{ rule: 'doubtful-code', detail: 'a.py:1', effect: 'noted' } as const];
  bench.scored = bench.scored.map((one) => (/^(won|lost)$/.test(one.instance) ? { ...one, integrity } : one));
  const run = await bench.run();
  const { rates } = run.json(ADDRESS, 'base', 'metrics.json');
  expect(rates.all).toMatchObject({ resolved: 1, total: 11, doubts: { resolved: 1, rate: 0 } });
  expect(run.text(ADDRESS, 'base', 'summary.md')).toMatch(
    /of all instances of the dataset: 9\.1 % \(1 of 11; .*\), 1 of them doubtful, 0\.0 % without$/m,
  );
});

test('files for other tools: predictions, results, summary, exit statuses, reports', async () => {
  const run = await mixed().run();
  const file = (name: string) => run.text(ADDRESS, 'base', name);
  expect(JSON.parse(file('preds.json')).won).toEqual({
    instance_id: 'won',
    model_name_or_path: expect.any(String),
    model_patch: expect.stringContaining('+base'),
  });
  const results = file('results.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results.map(({ instance_id }) => instance_id)).toEqual(
    results.map(({ instance_id }) => instance_id).sort(),
  );
  expect(results.find(({ instance_id }) => instance_id === 'won')).toMatchObject({
    resolved: true,
    elapsed: 12.3,
    n_steps: 3,
  });
  expect(JSON.parse(file('summary.json'))).toMatchObject({
    total: 10,
    resolved: 1,
    resolve_rate: 0.1,
    no_patch: 1,
  });
  const statuses = parse(file('run_batch_exit_statuses.yaml')).instances_by_exit_status;
  expect(Object.values(statuses).flat()).toHaveLength(10);
  expect(file('reports.jsonl').split('\n').filter(Boolean)).toHaveLength(10);
});

test('machines and endpoints that failed are named, counted as errors, and made up for by the next run', async () => {
  const bench = mixed();
  bench.scored[0] = { ...bench.scored[0]!, fault: 'grade' };
  bench.scored[1] = { ...bench.scored[1]!, fault: 'rollouts' };
  const held = await bench.run();
  const metrics = held.json(ADDRESS, 'base', 'metrics.json');
  expect(metrics.faults).toEqual([
    { instance_id: 'won', reason: 'infra: workspace-lost', detail: 'the host is gone' },
    { instance_id: 'lost', reason: 'infra: endpoint', detail: 'the endpoint is down' },
  ]);
  expect(held.text(ADDRESS, 'base', 'summary.md')).toContain('**2 instances have no answer');
  const report = held.json(ADDRESS, 'base', 'report.json');
  expect(report.infra_failure_ids).toEqual(['lost', 'memory', 'won']);
  expect(report.error_ids).toContain('won');
  expect(report.unresolved_ids).not.toContain('won');
  delete bench.scored[0]!.fault;
  delete bench.scored[1]!.fault;
  const whole = await bench.run();
  expect(whole.ran).toMatchObject({ 'predict.train': 1, 'grade.train': 2, [ADDRESS]: 1 });
  expect(whole.json(ADDRESS, 'base', 'metrics.json').faults).toEqual([]);
  expect((await bench.run()).ran[ADDRESS]).toBe(0);
});

test('several models are items of their own: one that changes leaves the others alone', async () => {
  const bench = new Bench();
  bench.yaml = EVALUATION.replace('base: {}', 'base: {}, sft: {}');
  bench.addInstances('a', 'b');
  bench.scored = ['a', 'b'].flatMap((instance) => [
    { instance, sample: 'base', reason: 'not-resolved' as const },
    { instance, sample: 'sft' },
  ]);
  const first = await bench.run();
  expect(first.json(ADDRESS, 'base', 'metrics.json').rates.all.resolved).toBe(0);
  expect(first.json(ADDRESS, 'sft', 'metrics.json').rates.all.resolved).toBe(2);
  bench.scored[1]!.patch = 'diff --git a/other b/other\n';
  expect((await bench.run()).ran).toMatchObject({ 'predict.train': 1, 'grade.train': 1, [ADDRESS]: 1 });
});

test('patches that someone else wrote: what their files leave out is incomplete, what they have too much is named', async () => {
  const bench = new Bench();
  bench.yaml = 'evaluation: { dataset: train, predictions: { published: [one.json, two.jsonl] } }\n';
  bench.addInstances('a', 'b', 'c');
  bench.write(
    'one.json',
    JSON.stringify({ a: { model_patch: 'diff', instance_id: 'a' }, x: { model_patch: 'd' } }),
  );
  bench.write('two.jsonl', '{"instance_id":"b","model_patch":null}\n');
  const sample = 'published';
  bench.scored = [
    { instance: 'a', sample, isForeign: true },
    { instance: 'b', sample, isForeign: true, patch: '', reason: 'empty-patch' },
    { instance: 'c', sample, isForeign: true, patch: '', reason: 'empty-patch' },
  ];
  const run = await bench.run();
  expect(run.json(ADDRESS, sample, 'report.json')).toMatchObject({
    total_instances: 3,
    submitted_ids: ['a', 'b'],
    resolved_ids: ['a'],
    empty_patch_ids: ['b'],
    incomplete_ids: ['c'],
  });
  // It is an empty patch to grading, and no second instance: the summary says so.
  expect(run.text(ADDRESS, sample, 'summary.md')).toContain(
    '1 without a prediction (`empty-patch` in grade)',
  );
  expect(run.json(ADDRESS, sample, 'metrics.json')).toMatchObject({
    unknown_ids: ['x'],
    model: null,
    cost: null,
  });
  expect(Object.keys(run.json(ADDRESS, sample, 'preds.json'))).toEqual(['a', 'b']);
  bench.write('two.jsonl', '{"instance_id":"b","model_patch":""}\n{"instance_id":"c","model_patch":""}\n');
  const more = await bench.run();
  expect(more.json(ADDRESS, sample, 'report.json')).toMatchObject({
    incomplete_ids: [],
    empty_patch_ids: ['b', 'c'],
  });
  bench.write('two.jsonl', '{"instance_id":"a","model_patch":"other"}\n');
  expect((await bench.run()).outcome(ADDRESS, sample)).toMatchObject({
    status: 'infra',
    detail: 'one.json and two.jsonl hold different patches of a',
  });
});
