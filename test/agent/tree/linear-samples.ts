/**
 * Samples of calls that follow one another, in the plainest way: every prompt whole, and each call beside the one before. What
 * the quicker way through a tree gives is compared with it.
 */
import type { SampleUnit, TrainingSample } from '../../../agent/tokens/samples.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';

export function linearSamples({ calls, messages }: Trajectory, unit: SampleUnit): TrainingSample[] {
  const samples: TrainingSample[] = [];
  let whole: number[] = [];
  for (const [call, { tokens, reply }] of calls.entries()) {
    if (tokens === null || reply === null) continue;
    const prompt = [...whole.slice(0, tokens.shared), ...tokens.prompt_ids];
    whole = prompt.length === 0 ? [] : [...prompt, ...tokens.ids];
    const isLeftOut = unit === 'trajectory' && messages[reply]!.kind === 'rejected';
    if (prompt.length === 0 || tokens.ids.length === 0 || isLeftOut) continue;
    const last = samples.at(-1);
    const goesOn = unit !== 'step' && last !== undefined && last.ids.every((id, at) => id === prompt[at]);
    if (!goesOn)
      samples.push({ ids: [], loss_mask: [], logprobs: [], calls: [call, call], source: 'endpoint' });
    const sample = samples.at(-1)!;
    const rest = prompt.slice(sample.ids.length);
    sample.ids = [...sample.ids, ...rest, ...tokens.ids];
    sample.loss_mask = [
      ...sample.loss_mask,
      ...rest.map(() => 0 as const),
      ...tokens.ids.map(() => 1 as const),
    ];
    sample.logprobs =
      sample.logprobs === null || tokens.logprobs === null
        ? null
        : [...sample.logprobs, ...rest.map(() => 0), ...tokens.logprobs];
    sample.calls = [sample.calls[0], call];
  }
  return samples;
}
