/** Which checkpoints on the way stay after a training, in the folders of each framework. */
import { expect, test } from 'vitest';
import type { SftConfig } from '../../schemas/generated/project.ts';
import { leftOut, worse } from '../../tasks/training/tidy.ts';
import { RL_TRAINERS, SFT_TRAINERS } from '../../trainers/registry.ts';
import { Project } from '../rig/project.ts';
import { jobOf, settingsOf } from './jobs.ts';

const steps = (folder: string) => ['2', '10', '9'].map((step) => `${folder}${step}`);
const TRAJECTORIES = ['swe_rollouts', 'swe_rollouts/django__django-12345__1700000000', 'logs', 'logs/7'];

test.each([
  ['slime', RL_TRAINERS.slime, ['ckpt/iter_', 'hf/']],
  ['miles', RL_TRAINERS.miles, ['ckpt/iter_', 'hf/']],
  ['skyrl', RL_TRAINERS.skyrl, ['ckpt/global_step_', 'export/global_step_']],
  ['skyrl for SFT', SFT_TRAINERS.skyrl, ['ckpt/global_step_']],
  ['verl', RL_TRAINERS.verl, ['global_step_']],
  ['verl for SFT', SFT_TRAINERS.verl, ['global_step_']],
  ['trl', SFT_TRAINERS.trl, ['checkpoint-']],
  ['torchtune', SFT_TRAINERS.torchtune, ['epoch_']],
] as const)('%s: the newest in each folder, by number', (_, { saved }, folders) => {
  const all = folders.flatMap(steps);
  const gone = (count: number) => leftOut([...TRAJECTORIES, ...all], saved!, count);
  expect(gone(1)).toEqual(folders.flatMap((folder) => [`${folder}9`, `${folder}2`]));
  expect(gone(2)).toEqual(folders.map((folder) => `${folder}2`));
  expect(gone(3)).toEqual([]);
});

test('TRL removes no checkpoint on the way that keep may name', async () => {
  const project = new Project();
  const limitOf = async (keep: string | number) => {
    const config = await settingsOf<SftConfig>(project, 'sft', { type: 'trl', model: { id: 'a/b' }, keep });
    return (SFT_TRAINERS.trl.launch(jobOf(config)).files['trl.yaml'] as Record<string, unknown>)
      .save_total_limit;
  };
  expect(await limitOf('all')).toBeUndefined();
  expect(await limitOf('best')).toBeUndefined();
  expect(await limitOf('last')).toBe(2);
  expect(await limitOf(5)).toBe(5);
});

test('a command may name its folders as it likes, so that nothing of them is removed', () => {
  expect(SFT_TRAINERS.command.saved).toBeUndefined();
});

const CHECKPOINTS = ['checkpoint-2', 'checkpoint-4', 'checkpoint-6'];
const trl = (numbers: Record<string, number>[]) =>
  worse(
    [...TRAJECTORIES, ...CHECKPOINTS],
    SFT_TRAINERS.trl.saved!,
    numbers.map((values, index) => ({ step: index + 1, values })),
    (number) => number,
  );

test('the best has the highest reward; without rewards the lowest loss; the newest of equal ones', () => {
  const rewards = [1, 0.2, 1, 0.7, 1, 0.5].map((reward) => ({ reward, loss: 1 - reward }));
  expect(trl(rewards)).toEqual(['checkpoint-2', 'checkpoint-6']);
  expect(trl([5, 4, 0, 2, 0, 3].map((loss) => ({ loss })))).toEqual(['checkpoint-2', 'checkpoint-6']);
  expect(trl([5, 2, 0, 2, 0, 3].map((loss) => ({ loss })))).toEqual(['checkpoint-2', 'checkpoint-6']);
});

test('a step without a number is not the best, and without any nothing goes', () => {
  expect(trl([{}, { loss: 3 }, {}, {}, {}, { loss: Number.NaN }])).toEqual(['checkpoint-4', 'checkpoint-6']);
  expect(trl([])).toEqual([]);
});

test('epochs are numbered from 0, and their step is the last one in them', () => {
  const steps = [9, 9, 1, 0, 0, 8].map((loss, index) => ({ step: index + 1, values: { loss } }));
  const epochs = ['epoch_0', 'epoch_1'];
  expect(worse(epochs, SFT_TRAINERS.torchtune.saved!, steps, (number) => (number + 1) * 3)).toEqual([
    'epoch_1',
  ]);
});
