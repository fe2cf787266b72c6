/**
 * A build without targets of a project that trains by RL: its training, what that needs, and nothing that would ask the
 * model, which only the trainer serves. It says so before it starts.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';

const LONG = 120_000;
const TRAINER =
  '{ type: command, command: "cp $PROMPT_DATA $OUTPUT_DIR/model", model: { path: base }, gpus: 1, rows: slime }';

let project: Project;

beforeAll(() => {
  // Nothing listens there: a rollout would wait, and then be a fault.
  project = rolloutProject({
    url: 'http://127.0.0.1:9/v1',
    instances: 2,
    env: { CUDA_VISIBLE_DEVICES: '3' },
  });
  mkdirSync(project.path('base'));
  writeFileSync(project.path('base/config.json'), '{}');
  const yaml = readFileSync(project.path('p.yaml'), 'utf8')
    .replace('deployments:', 'deployments:\n  gpu: { type: process, resources: { gpu: 1 } }')
    .replace('trainer: { sft: { type: none } }', `trainer: { rl: ${TRAINER} }`);
  writeFileSync(project.path('p.yaml'), yaml);
});

test('the plan names what only a named target makes', { timeout: LONG }, async () => {
  const plan = await project.run('plan', 'p.yaml');
  expect(plan.stdout).toMatch(/^made only when named: rollouts\.train, grade\.train, report\.train$/m);
  expect(plan.stdout).not.toMatch(/^rollouts\.train/m);
});

test('the build says what it will run, and runs it', { timeout: LONG }, async () => {
  const end = await project.run('build', 'p.yaml');
  expect([end.code, end.stdout]).toEqual([0, expect.stringContaining('made 6 targets')]);
  const said = end.stderr.split('\n');
  const at = said.findIndex((line) => line.startsWith('to run: '));
  expect(said[at]).toMatch(/^to run: (environments\.train 1 · )?validate\.train (up to )?2/);
  expect(said.slice(at + 1, at + 4)).toEqual([
    expect.stringMatching(/^and, how much is not known yet: .*rl-train\.train$/),
    expect.stringMatching(/^time: .*which never ran here$/),
    'made only when named: rollouts.train, grade.train, report.train',
  ]);
  // It came before the first stage that does more than read had ended.
  expect(said.findIndex((line) => line.startsWith('validate.train'))).toBeGreaterThan(at);
});

test('a second one does nothing, and says nothing of what it would run', { timeout: LONG }, async () => {
  const again = await project.run('build', 'p.yaml');
  expect(again.stdout).toMatch(/^nothing to do: 6 targets are up to date/m);
  expect(again.stderr).not.toContain('to run:');
});

test('a training that ran before has a time, and its GPUs are told', { timeout: LONG }, async () => {
  const end = await project.run(
    'build',
    'p.yaml',
    '--set',
    'trainer.rl.command=cp $PROMPT_DATA $OUTPUT_DIR/other',
  );
  expect(end.code).toBe(0);
  expect(end.stderr).toMatch(/^to run: rl-train\.train 1 \(1 GPU\)$/m);
  expect(end.stderr).toMatch(/^time: about \d+ s \(from earlier runs\)$/m);
});

test('a named target is made', { timeout: LONG }, async () => {
  const plan = await project.run('plan', 'p.yaml', 'rollouts');
  expect(plan.stdout).toMatch(/^rollouts\.train +/m);
  expect(plan.stdout).not.toContain('made only when named');
});
