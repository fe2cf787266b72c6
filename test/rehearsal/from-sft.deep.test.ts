/** Rehearsals of an RL training that begins with the checkpoint of SFT, which is not there yet, in each framework that takes the path of a model. */
import { expect, test } from 'vitest';
import { findsEach, soundlyRehearsed, TIMEOUT } from './planted.ts';

/** What names the model in the framework. */
const MODEL_KEYS = {
  slime: 'hf-checkpoint',
  miles: 'hf-checkpoint',
  skyrl: 'trainer.policy.model.path',
  'skyrl-train': 'trainer.policy.model.path',
  verl: 'actor_rollout_ref.model.path',
} as const;

for (const [framework, key] of Object.entries(MODEL_KEYS) as [keyof typeof MODEL_KEYS, string][]) {
  test(
    `${framework}: it begins with the checkpoint, and each written token is trained once`,
    async () => {
      const { replaced } = await soundlyRehearsed(framework, { fromSft: true });
      expect(replaced.join('\n')).toMatch(/the checkpoint of trainer\.sft: .*rehearsal\/sft-checkpoint/);
    },
    TIMEOUT,
  );
  findsEach(framework, [
    [
      `${framework}: the base model in place of the checkpoint`,
      { overrides: { [key]: 'owner/base' }, fromSft: true },
      'overrides',
      /begins with owner\/base, and trainer\.rl\.model says: with the checkpoint of trainer\.sft/,
    ],
  ]);
}
