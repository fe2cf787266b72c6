/** Which datasets are rolled out, and under which names. */
import { type ResolvedConfig, validatedDatasets } from '../../contract/config.ts';

/** Datasets that the agent works on: every validated one but the benchmark. */
export function rolloutDatasets(config: ResolvedConfig): string[] {
  const { agent, evaluation } = config;
  if (agent === undefined) return [];
  if (agent.dataset !== undefined) return [agent.dataset];
  return validatedDatasets(config).filter((dataset) => dataset !== evaluation?.dataset);
}

/** The dataset that models are evaluated on; none without an evaluation. */
export function evaluationDatasets(config: ResolvedConfig): string[] {
  return config.evaluation === undefined ? [] : [config.evaluation.dataset];
}
