/** What a change of the project runs again, from rollouts to training data: what depends on it, and nothing else. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { solve } from '../rig/solver.ts';

// Beside other work a build takes its time.
vi.setConfig({ testTimeout: 300_000 });

const INSTANCES = 3;
let server: ModelServer;
let project: Project;

beforeAll(async () => {
  server = await startModelServer((request) => solve(request));
  project = rolloutProject({ url: server.url, instances: INSTANCES, rollouts: 2, model: 'temperature: 0.8' });
  expect((await project.build('p.yaml')).code).toBe(0);
}, 300_000);
afterAll(() => server.stop());

/** Stage -> actions that ran, for those that ran any; the change is kept. */
async function changed(from: string, to: string): Promise<Record<string, number>> {
  const path = project.path('p.yaml');
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  const built = await project.build('p.yaml');
  expect(built.code).toBe(0);
  const ran = built.stages.filter(({ executed }) => executed > 0);
  return Object.fromEntries(ran.map(({ stage, executed }) => [stage.split('.')[0], executed]));
}

describe('a build after', () => {
  test('nothing: nothing', async () => {
    const asked = server.requests.length;
    expect(await changed('name: tiny', 'name: tiny')).toEqual({});
    expect(server.requests.length).toBe(asked);
  });

  test('another seed of the balance: the balance and what follows it', async () => {
    const ran = await changed(
      'sft: { type: none }',
      'sft: { type: none, balance: { per_instance: 1, seed: 5 } }',
    );
    expect(Object.keys(ran).sort()).toEqual(['balance', 'sft-data']);
    const again = await changed('seed: 5', 'seed: 6');
    expect(Object.keys(again)).toContain('balance');
    expect(Object.keys(again).filter((stage) => !['balance', 'sft-data'].includes(stage))).toEqual([]);
  });

  test('another grading preset: verdicts, and what is made of them', async () => {
    const asked = server.requests.length;
    const ran = await changed('trainer:', 'grading: { preset: swebench-4 }\ntrainer:');
    // Both samples of an instance have the same patch, which is graded once.
    expect(ran).toMatchObject({ grade: INSTANCES, golden: 1 });
    expect(ran).not.toHaveProperty('rollouts');
    expect(ran).not.toHaveProperty('validate');
    expect(server.requests.length).toBe(asked);
  });

  test('more rollouts: only the samples that are new', async () => {
    const ran = await changed('rollouts: 2', 'rollouts: 4');
    expect(ran.rollouts).toBe(INSTANCES * 2);
    const started = project.events().filter((event) => event.type === 'item-started');
    const latest = started.filter((event) => event.stage === 'rollouts.train').slice(-INSTANCES * 2);
    expect(new Set(latest.map((event) => String(event.item).split('#')[1]))).toEqual(new Set(['2', '3']));
    // Its patches are those of the other samples, so their verdicts are known.
    expect(ran).not.toHaveProperty('grade');
  });

  test('another address of the same model: nothing, though nobody answers there', async () => {
    expect(await changed(server.url, 'http://127.0.0.1:9/v1')).toEqual({});
    expect(await changed('http://127.0.0.1:9/v1', server.url)).toEqual({});
  });

  test('another way to wait for it: nothing', async () => {
    expect(
      await changed('temperature: 0.8', 'temperature: 0.8, timeout: 5m, retry: 1h, concurrency: 3'),
    ).toEqual({});
  });

  test('another temperature: every sample', async () => {
    const ran = await changed('temperature: 0.8', 'temperature: 0.7');
    expect(ran.rollouts).toBe(INSTANCES * 4);
  });

  test('another identity of the model: every sample', async () => {
    expect((await changed('scripted@1', 'scripted@2')).rollouts).toBe(INSTANCES * 4);
  });

  test('another problem statement: the samples of its instance', async () => {
    const path = project.path('rows.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"m1 is wrong"', '"m1 is wrong, see above"'));
    const why = await project.run('why', 'rollouts.train@tiny.1#0');
    expect(why.stdout).toContain('m1 is wrong, see above');
    const ran = await changed('name: tiny', 'name: tiny');
    expect(ran.rollouts).toBe(4);
    expect(ran).not.toHaveProperty('validate');
  });

  test('a baseline: its samples, and their verdicts', async () => {
    const ran = await changed('  rollouts: 4', '  rollouts: 4\n  baselines: [oracle, noop]');
    expect(ran.rollouts).toBe(INSTANCES * 2);
    const built = await project.build('p.yaml');
    const verdicts = built.stages.find(({ stage }) => stage === 'grade.train')!.outcomes;
    // Four samples and the oracle solve each instance, noop solves none.
    expect(verdicts).toMatchObject({ ok: INSTANCES * 5, failed: INSTANCES });
  });
});
