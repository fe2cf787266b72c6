/** Rehearsals of a command that trains with TRL’s GRPO: a sound one, and each fault that such a training would hide. */
import { expect, test } from 'vitest';
import { findsEach, rehearsed, soundlyRehearsed, TIMEOUT } from './planted.ts';

test(
  'each written token is trained once, and nothing contradicts the project',
  async () => {
    const { replaced } = await soundlyRehearsed('trl');
    expect(replaced.join('\n')).toContain('trl.GRPOTrainer: a stand-in');
  },
  TIMEOUT,
);

test(
  'a checkpoint of SFT that is not there yet has a stand-in, which the training begins with',
  async () => {
    const { code, result, stderr } = await rehearsed({ framework: 'trl', fromSft: true });
    expect(code, stderr).toBe(0);
    const { replaced } = result!;
    expect(replaced.join('\n')).toMatch(/the checkpoint of trainer\.sft: .*rehearsal\/sft-checkpoint/);
    expect(replaced.join('\n')).not.toContain('weights: none');
  },
  TIMEOUT,
);

findsEach('trl', [
  [
    'a program that begins with the base model',
    { generate: 'base', fromSft: true },
    'command',
    /begins with owner\/base, and trainer\.rl\.model says: with the checkpoint of trainer\.sft/,
  ],
  ['sequences that are dropped', { fault: 'dropped' }, 'type', /written tokens are trained, \d+%/],
  ['masks that are shifted by one', { fault: 'shifted' }, 'type', /positions are trained that the model/],
  ['ids that are tokenised again', { fault: 'retokenised' }, 'type', /trained ids are not those that/],
  ['no mask', { fault: 'unmasked' }, 'type', /positions are trained that the model did not write/],
  ['no log-probabilities', { fault: 'lost' }, 'type', /rollout_func gave no logprobs/],
  ['a completion too few', { fault: 'few' }, 'type', /rollout_func gave 7 prompt_ids for 8 prompts/],
  ['a trainer that generates by itself', { generate: 'alone' }, 'command', /no rollout_func/],
  [
    'a program that does not train',
    { generate: 'nothing' },
    'command',
    /made no GRPOTrainer of TRL that trains/,
  ],
  ['no rows', { generate: 'empty' }, 'command', /train_dataset has no rows/],
  ['evaluations without rows', { generate: 'evaluates' }, 'command', /no rows for them \(eval_dataset\)/],
  ['checkpoints in a folder of others', { generate: 'shared' }, 'type', /no folder of this training/],
]);
