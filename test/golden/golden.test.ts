/** Which trajectories are golden, what is said of the others, and what the stage waits for. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonLines, parseLines } from '../../stages/golden/line.ts';
import { Bench } from '../sft-data/bench.ts';
import { BASH_TURNS, bash } from '../sft-data/trajectories.ts';

const GOLDEN = 'golden.train';
const names = (lines: readonly { instance_id?: unknown; sample?: unknown }[]) =>
  lines.map(({ instance_id, sample }) => `${instance_id}#${sample}`);

describe('golden', () => {
  test('waits while an instance has no verdict of validation, and nothing below is made smaller', async () => {
    const bench = new Bench();
    bench.addInstances('a', 'b');
    bench.played = [
      { instance: 'a', sample: '0' },
      { instance: 'b', sample: '0' },
    ];
    const whole = await bench.run();
    expect(names(await whole.lines(GOLDEN, 'golden.jsonl'))).toEqual(['a#0', 'b#0']);
    bench.addInstances('c');
    bench.unvalidated.add('b');
    // Its answer is gone, and nobody can give it now.
    rmSync(join(bench.folder, '.swemake'), { recursive: true });
    const held = await bench.run();
    expect(held.outcome(GOLDEN)).toMatchObject({ status: 'infra', reason: 'upstream-infra' });
    expect(held.outcome(GOLDEN)).toMatchObject({ detail: expect.stringContaining('1 of 3 instances') });
    for (const below of ['balance.train', 'sft-data.train'])
      expect(held.outcome(below)).toMatchObject({ status: 'infra', reason: 'upstream-infra' });
    bench.unvalidated.clear();
    const again = await bench.run();
    expect(names(await again.lines(GOLDEN, 'golden.jsonl'))).toEqual(['a#0', 'b#0']);
  });

  test('takes clean ends with reward 1, in the dataset’s order, and says of each other one why not', async () => {
    const bench = new Bench();
    bench.addInstances('b', 'a');
    bench.played = [
      { instance: 'a', sample: '10' },
      { instance: 'a', sample: '9' },
      { instance: 'b', sample: '0', exit: 'limits_exceeded' },
      { instance: 'b', sample: '1', reward: 0 },
      {
        instance: 'b',
        sample: '2',
        turns: [
          bash('Look.', 'curl -s https://github.com/owner/tool/x.py', 'def a(): return 2 # the code'),
          ...BASH_TURNS,
        ],
      },
      { instance: 'b', sample: '3' },
      { instance: 'b', sample: 'oracle' },
      { instance: 'b', sample: 'noop', reward: 0 },
    ];
    const run = await bench.run();
    const golden = await run.lines(GOLDEN, 'golden.jsonl');
    expect(names(golden)).toEqual(['b#3', 'a#9', 'a#10']);
    expect(golden[0]).toMatchObject({ reward: 1, steps: 3 });
    expect(await run.lines(GOLDEN, 'dropped.jsonl')).toEqual([
      { instance_id: 'b', sample: '0', why: 'exit', detail: 'it ended with limits_exceeded' },
      { instance_id: 'b', sample: '1', why: 'reward', detail: 'reward 0: not-resolved: a test fails' },
      { instance_id: 'b', sample: '2', why: 'leak', detail: 'network at step 0' },
    ]);
    const leaks = await run.lines<{
      instance_id: string;
      sample: string;
      findings: { rule: string; severity: string }[];
    }>(GOLDEN, 'leaks.jsonl');
    expect(names(leaks)).toEqual(['b#0', 'b#1', 'b#2', 'b#3', 'a#9', 'a#10']);
    expect(leaks.map(({ findings }) => findings.map(({ rule, severity }) => `${rule} ${severity}`))).toEqual([
      [],
      [],
      ['network leak'],
      [],
      [],
      [],
    ]);
    expect(JSON.parse(await run.text(GOLDEN, 'summary.json'))).toMatchObject({
      rollouts: 6,
      golden: 3,
      dropped: { exit: 1, reward: 1, leak: 1 },
      leaks: { network: 1 },
      presets: ['strict'],
      isolation: { rollouts: 'sandbox', grade: 'sandbox', validate: 'sandbox' },
    });
  });

  test('follows its policy', async () => {
    const bench = new Bench();
    bench.addInstances('a');
    bench.played = [
      { instance: 'a', sample: '0', exit: 'limits_exceeded', reward: 0 },
      { instance: 'a', sample: '1', turns: [...BASH_TURNS.slice(0, 2), ...BASH_TURNS] },
      {
        instance: 'a',
        sample: '2',
        turns: [bash('Look.', 'git show origin/main', '+ code'), ...BASH_TURNS.slice(2)],
      },
    ];
    const golden = async (...set: string[]) =>
      names(await (await bench.run(...set)).lines(GOLDEN, 'golden.jsonl'));
    expect(await golden()).toEqual(['a#1']);
    expect(await golden('trainer.sft.golden.leaks=keep')).toEqual(['a#1', 'a#2']);
    expect(await golden('trainer.sft.golden.max_steps=4')).toEqual([]);
    expect(await golden('trainer.sft.golden.reward=0', 'trainer.sft.golden.exit=[limits_exceeded]')).toEqual([
      'a#0',
    ]);
  });

  test('does not depend on the order of the rollouts', async () => {
    const bench = new Bench();
    bench.addInstances('a', 'b');
    bench.played = ['a', 'b'].flatMap((instance) => ['0', '1'].map((sample) => ({ instance, sample })));
    const before = await (await bench.run()).text(GOLDEN, 'golden.jsonl');
    bench.played.reverse();
    expect(await (await bench.run()).text(GOLDEN, 'golden.jsonl')).toBe(before);
  });

  test.each(['rollouts', 'grade'] as const)(
    'is not made while %s lacks an answer, and says of which',
    async (fault) => {
      const bench = new Bench();
      bench.addInstances('a');
      bench.played = [
        { instance: 'a', sample: '0' },
        { instance: 'a', sample: '1', fault },
      ];
      const held = await bench.run();
      expect(held.outcome(GOLDEN)).toMatchObject({
        status: 'infra',
        reason: 'upstream-infra',
        detail: '1 of 2 rollouts have no verdict yet (a#1); build again',
      });
      expect(held.outcome('sft-data.train')).toMatchObject({ status: 'infra' });
      delete bench.played[1]!.fault;
      const again = await bench.run();
      expect(again.ran).toMatchObject({
        'rollouts.train': fault === 'rollouts' ? 1 : 0,
        'grade.train': 1,
        [GOLDEN]: 1,
      });
      expect(await again.lines(GOLDEN, 'golden.jsonl')).toHaveLength(2);
    },
  );

  test('does not wait for baselines', async () => {
    const bench = new Bench();
    bench.addInstances('a');
    bench.played = [
      { instance: 'a', sample: '0' },
      { instance: 'a', sample: 'oracle', fault: 'grade' },
    ];
    expect((await bench.run()).outcome(GOLDEN)).toEqual({ status: 'ok' });
  });

  test('refuses what was made without isolation, unless the project allows it', async () => {
    const bench = new Bench();
    bench.addInstances('a');
    bench.played = [{ instance: 'a', sample: '0' }];
    bench.isolation = 'local';
    const refused = await bench.run();
    for (const address of [GOLDEN, 'balance.train', 'sft-data.train'])
      expect(refused.outcome(address)).toMatchObject({ status: 'failed', reason: 'weak-isolation' });
    expect(refused.outcome(GOLDEN)).toMatchObject({
      detail: expect.stringContaining('set validation.allow_isolation: local') as string,
    });
    expect(refused.outcome('balance.train')).toMatchObject({ detail: 'golden.train failed' });
    const allowed = await bench.run('validation.allow_isolation=local');
    expect(allowed.outcome('sft-data.train')).toEqual({ status: 'ok' });
    expect(await allowed.text('sft-data.train', 'README.md')).toContain('Made without isolation');
  });

  test('names rollouts that made no trajectory', async () => {
    const bench = new Bench();
    bench.addInstances('a');
    bench.played = [
      { instance: 'a', sample: '0' },
      { instance: 'a', sample: '1', broken: true },
    ];
    const run = await bench.run();
    expect(await run.lines(GOLDEN, 'dropped.jsonl')).toEqual([
      {
        instance_id: 'a',
        sample: '1',
        why: 'no-trajectory',
        detail: 'environment-failed: it does not install',
      },
    ]);
  });
});

test('lines are lines to every reader', () => {
  const value = { text: 'a\u2028b\u0085c\r\nd' };
  expect(jsonLines([value, value]).split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(3);
  expect(parseLines(jsonLines([value]))).toEqual([value]);
});
