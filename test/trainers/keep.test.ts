/** Which checkpoints on the way stay after a training, in the folders of each framework. */
import { expect, test } from 'vitest';
import { leftOut } from '../../tasks/training/train.ts';
import { RL_TRAINERS, SFT_TRAINERS } from '../../trainers/registry.ts';

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

test('a command may name its folders as it likes, so that nothing of them is removed', () => {
  expect(SFT_TRAINERS.command.saved).toBeUndefined();
});
