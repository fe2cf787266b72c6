/** Rehearsals of verl with a planted agent loop: a sound one, and each fault that such a training would hide. */
import { expect, test } from 'vitest';
import { type Planted, rehearsed } from './planted.ts';

const TIMEOUT = 400_000;

test(
  'each written token is trained once, and nothing contradicts the project',
  async () => {
    const { code, result, stderr } = await rehearsed({ framework: 'verl' });
    expect(stderr).not.toContain('E007');
    expect(code).toBe(0);
    expect(result!.measured).toMatchObject({
      share: 1,
      drift: 0,
      foreign: 0,
      twice: 0,
      behind: 0,
      sequences: 8,
    });
    expect(result!.batch).toMatchObject({ sequences: 8, promised: 8, padding: 0, steps: 1, plannedSteps: 1 });
    expect(result!.functions).toMatchObject([{ path: 'planted_hooks.Loop', error: null }]);
  },
  TIMEOUT,
);

const FAULTS: [name: string, planted: Planted, key: string, message: RegExp][] = [
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
];

test.each(FAULTS)(
  '%s',
  async (_name, options, key, message) => {
    const { code, stderr, result } = await rehearsed({ framework: 'verl', ...options });
    expect(code, stderr).toBe(1);
    const found = result!.diagnostics.find((one) => message.test(one.message));
    expect(found, stderr).toMatchObject({ code: 'E007', file: 'p.yaml' });
    expect(found!.text).toContain(`${key}:`);
  },
  TIMEOUT,
);
