/** How far a training is said to be, for frameworks that count steps and for those that count epochs. */
import { expect, test } from 'vitest';
import type { SftConfig } from '../../schemas/generated/project.ts';
import { TrainingProgress } from '../../tasks/training/progress.ts';
import { sftSteps } from '../../trainers/arithmetic.ts';
import { SFT_TRAINERS } from '../../trainers/registry.ts';
import { Project } from '../rig/project.ts';
import { settingsOf, type Written } from './jobs.ts';

const MODEL = { id: 'Qwen/Qwen2.5-Coder-3B-Instruct', revision: '0123456789012345678901234567890123456789' };

async function stepsOf(type: 'torchtune' | 'trl', written: Written) {
  const project = new Project();
  const config = await settingsOf<SftConfig>(project, 'sft', { type, model: MODEL, ...written }, 2);
  return sftSteps(SFT_TRAINERS[type], config, 2, 40);
}

test.each([
  // Two GPUs see 40 conversations in 20 steps.
  ['torchtune', { epochs: 3 }, { steps: 60, saved: 20 }],
  ['torchtune', { epochs: 3, max_steps: 5 }, { steps: 15, saved: 5 }],
  ['torchtune', { epochs: 3, max_steps: 50 }, { steps: 60, saved: 20 }],
  // The last four of each GPU fill no batch.
  ['torchtune', { epochs: 3, batch_size: 8 }, { steps: 6, saved: 2 }],
  ['trl', { epochs: 3, batch_size: 8 }, { steps: 9, saved: 1 }],
  ['trl', { epochs: 3 }, { steps: 60, saved: 1 }],
  ['trl', { epochs: 3, max_steps: 5 }, { steps: 5, saved: 1 }],
] as const)('%s with %j', async (type, written, steps) => {
  expect(await stepsOf(type, written)).toEqual(steps);
});

test('torchtune that goes on after an epoch says what is left of all of them', async () => {
  const { steps, saved } = await stepsOf('torchtune', { epochs: 3, max_steps: 5 });
  const progress = new TrainingProgress(
    SFT_TRAINERS.torchtune.metrics(null, {} as SftConfig),
    steps,
    1 * saved,
    0,
  );
  expect(progress.take('Step 7 | loss:2.5 lr:0.001\n', 10_000)).toBe('step 7/15, loss 2.5, eta 40s');
});

test('slime cannot end within an epoch, and says so', async () => {
  const project = new Project();
  const slime = { type: 'slime', folder: '/slime', model: MODEL, max_steps: 5 };
  await expect(settingsOf(project, 'sft', slime)).rejects.toThrow('slime has no key');
});
