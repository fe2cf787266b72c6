/**
 * Training samples of a rollout as JSON Lines: token ids, a mask of the tokens that the model wrote, their
 * log-probabilities, and the rewards of the rollout and its steps. For trainers that take tokens instead of text.
 */
import { finalReward } from '../judge/score.ts';
import { type SampleUnit, trainingSamples } from '../tokens/samples.ts';
import type { ModelTokenizer } from '../tokens/tokenizer.ts';
import type { Trained } from '../tree/labels.ts';
import type { ExportedRollout, ExportFile, ExportName } from './rollout.ts';

/** Settings for samples. */
export interface SampleSettings {
  unit: SampleUnit;
  /** Of a tree of calls: whose replies. */
  train: Trained;
  /** For replies whose ids the endpoint did not give; null: those give no sample. */
  tokenizer: ModelTokenizer | null;
  /** Weight of the steps' mean value in the final reward; null: the project has no judge of steps. */
  coefficient: number | null;
}

/** One file of lines per rollout; none without a trajectory or without a single sample. */
export function tokenFiles(
  { trajectory, verdict, instance_id, sample }: ExportedRollout,
  { name }: ExportName,
  { unit, train, tokenizer, coefficient }: SampleSettings,
): ExportFile[] {
  if (trajectory === null) return [];
  const samples = trainingSamples(trajectory, unit, tokenizer, train);
  if (samples.length === 0) return [];
  const values = trajectory.steps.map(({ reward }) => reward?.value ?? null);
  const scored = values.filter((value) => value !== null);
  // Without a verdict the reward is null, and not 0.
  const outcome = verdict?.reward ?? null;
  const earned = {
    outcome,
    step_values: values,
    reward: outcome === null || coefficient === null ? outcome : finalReward(outcome, scored, coefficient),
    reward_scale: coefficient === null ? '0 or 1' : '±1 + coefficient × steps',
  };
  const lines = samples.map((one, index) => ({ instance_id, sample, part: index, ...one, ...earned }));
  return [{ path: `${name}.jsonl`, text: lines.map((line) => `${JSON.stringify(line)}\n`).join('') }];
}
