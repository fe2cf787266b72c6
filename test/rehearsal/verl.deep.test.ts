/** Rehearsals of verl with a planted agent loop: a sound one, and each fault that such a training would hide. */
import { expect, test } from 'vitest';
import { findsEach, soundlyRehearsed, TIMEOUT } from './planted.ts';

test(
  'each written token is trained once, and nothing contradicts the project',
  async () => {
    const { functions } = await soundlyRehearsed('verl');
    expect(functions).toMatchObject([{ path: 'planted_hooks.Loop', error: null }]);
  },
  TIMEOUT,
);

findsEach('verl', [
  ['sequences that are dropped', { fault: 'dropped' }, 'generate', /written tokens are trained, \d+%/],
  ['masks that are shifted by one', { fault: 'shifted' }, 'generate', /positions are trained that the model/],
  ['ids that are tokenised again', { fault: 'retokenised' }, 'generate', /trained ids are not those that/],
  ['prompts that are cut', { fault: 'cut' }, 'generate', /trained behind another prompt than the model saw/],
  [
    'a loop that raises',
    { fault: 'raises' },
    'generate',
    /rollouts failed: RuntimeError: there is no verdict/,
  ],
  ['a loop without a reward', { fault: 'lost' }, 'generate', /gave no reward_score/],
  [
    'outputs by step, which make more optimizer steps',
    { fault: 'steps' },
    'type',
    /optimizer steps for each rollout/,
  ],
  [
    'a list of outputs for the first trainer',
    { fault: 'steps', overrides: { 'trainer.use_v1': false } },
    'generate',
    /a list of outputs, which verl takes with trainer.use_v1 alone/,
  ],
  [
    'a limit of replies that the loop does not read',
    { fault: 'unread' },
    'max_response',
    /no effect: SWEMAKE_MAX_RESPONSE is passed on, and no function of the rollouts read it/,
  ],
  [
    'a loop that nothing registers',
    { overrides: { 'actor_rollout_ref.rollout.agent.agent_loop_config_path': null } },
    'generate',
    /no agent loop of this name is registered/,
  ],
  [
    'an evaluation set without rows',
    { overrides: { 'trainer.val_before_train': true, 'data.val_files': '/dev/null' } },
    'overrides',
    /\/dev\/null has no rows/,
  ],
  [
    'checkpoints in a folder of others',
    { overrides: { 'trainer.default_local_dir': '/tmp/shared/ckpt' } },
    'overrides',
    /no folder of this training/,
  ],
]);
