/** Which dataset an RL training learns from. */
import { type ResolvedConfig, validatedDatasets } from '../../contract/config.ts';
import { addressOf } from '../../contract/stage.ts';

/** None without trainer.rl. */
export function rlDatasets(config: ResolvedConfig): string[] {
  const { trainer, agent, evaluation } = config;
  if (trainer?.rl === undefined) return [];
  const named = trainer.rl.data.dataset ?? agent?.dataset;
  if (named !== undefined) return [named];
  return validatedDatasets(config).filter((dataset) => dataset !== evaluation?.dataset);
}

/** Those that a model is trained on. */
export function rlTrainDatasets(config: ResolvedConfig): string[] {
  return (config.trainer?.rl?.type ?? 'none') === 'none' ? [] : rlDatasets(config);
}

/** Address of the node that makes the checkpoint; null: the project makes none. */
export function rlTrainAddress(config: ResolvedConfig): string | null {
  const [dataset] = rlTrainDatasets(config);
  return dataset === undefined ? null : addressOf('rl-train', dataset);
}
