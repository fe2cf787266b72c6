/** Rehearsals of SkyRL’s two generations with a planted generator: sound ones, and each fault that such a training would hide. */
import { expect, test } from 'vitest';
import { findsEach, rehearsed, soundlyRehearsed, TIMEOUT } from './planted.ts';

test.each(['skyrl', 'skyrl-train'] as const)(
  '%s: each written token is trained once, and nothing contradicts the project',
  async (framework) => {
    const { measured } = await soundlyRehearsed(framework);
    expect(new Set(measured!.rollouts.map(({ script }) => script))).toContain('overlong');
  },
  TIMEOUT,
);

test(
  'a row for each step: the later generation divides batches by tasks, the one before makes other steps than planned',
  async () => {
    const overrides = { 'generator.step_wise_trajectories': true };
    const later = await rehearsed({ framework: 'skyrl', overrides });
    expect(later.code, later.stderr).toBe(0);
    expect(later.result!.measured!.sequences).toBeGreaterThan(16);
    expect(later.result!.batch).toMatchObject({ steps: 1, plannedSteps: 1 });
    const before = await rehearsed({
      framework: 'skyrl-train',
      overrides: { '+generator.step_wise_trajectories': true },
    });
    expect(before.code, before.stderr).toBe(1);
    expect(before.stderr).toMatch(/\d+ optimizer steps for each rollout in place of 1/);
    expect(before.result!.measured).toMatchObject({ share: 1, drift: 0 });
  },
  TIMEOUT,
);

findsEach('skyrl', [
  [
    'hooks of swemake in a Python that lacks them',
    { generate: 'swemake_rollouts.skyrl_main' },
    'type',
    /the training’s Python lacks swemake_rollouts/,
  ],
  [
    'only the longest sequence of each rollout',
    { fault: 'longest' },
    'generate',
    /written tokens are trained, \d+%: the others are in no sequence/,
  ],
  ['masks that are shifted by one', { fault: 'shifted' }, 'generate', /positions are trained that the model/],
  ['ids that are tokenised again', { fault: 'retokenised' }, 'generate', /trained ids are not those that/],
  [
    'a mask on what the model was shown',
    { fault: 'shown' },
    'generate',
    /positions are trained that the model/,
  ],
  ['masks of another length', { fault: 'short' }, 'generate', /row 0 has \d+ loss_masks for \d+ ids/],
  ['a generator that gives nothing', { fault: 'lost' }, 'generate', /the generator gave nothing/],
  [
    'a context limit that reaches nothing',
    { fault: 'unlimited' },
    'max_context',
    /prompts were longer than max_context/,
  ],
  [
    'a filter that drops all',
    { fault: 'equal', overrides: { 'trainer.algorithm.dynamic_sampling.type': 'filter' } },
    'overrides',
    /all groups were dropped: all rewards in them are equal/,
  ],
  [
    'an evaluation set without rows',
    {
      overrides: {
        'trainer.eval_interval': 1,
        'trainer.eval_before_train': true,
        'data.val_data': ['/dev/null'],
      },
    },
    'overrides',
    /\/dev\/null has no rows/,
  ],
  [
    'GPUs that do not add up',
    { overrides: { 'generator.inference_engine.num_engines': 12 } },
    'overrides',
    /takes 12 GPUs .* and there are 8/,
  ],
  [
    'checkpoints in a folder of others',
    { overrides: { 'trainer.ckpt_path': '/tmp/shared/ckpt' } },
    'overrides',
    /no folder of this training/,
  ],
  ['a program that is not there', { generate: 'nowhere' }, 'folder', /-m nowhere is not found/],
]);
