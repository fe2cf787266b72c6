/** The models that a project asks. */
import type { ModelConfig, ModelOverrides } from '../schemas/generated/project.ts';
import type { ResolvedConfig } from './config.ts';

/** The agent's, its judge's, its user's, and those of the evaluation. */
export function askedModels({
  agent,
  evaluation,
}: Pick<ResolvedConfig, 'agent' | 'evaluation'>): (ModelConfig | ModelOverrides)[] {
  const own = [agent?.model, agent?.step_rewards?.model, agent?.user?.model, evaluation?.agent?.user?.model];
  return [...own.filter((model) => model !== undefined), ...Object.values(evaluation?.models ?? {})];
}
