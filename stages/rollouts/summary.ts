/** What reducers need of a rollout without reading its trajectory. */
import type { Outcome } from '../../schemas/outcome.ts';
import type { ExitStatus, Trajectory } from '../../schemas/trajectory.ts';

/** The `summary` output of rollouts and predict. */
export interface RolloutSummary {
  instance_id: string;
  sample: string;
  /** null: a patch that someone else wrote. */
  exit_status: ExitStatus | null;
  steps: number;
  /** Requests to the model. */
  calls: number;
  /** Commands and tools that were run. */
  actions: number;
  /** null when a call's count is unknown. */
  prompt_tokens: number | null;
  completion_tokens: number | null;
  /** US dollars; null without prices. */
  cost: number | null;
  /** Identity of the model; null for baselines. */
  model: string | null;
  /** Mean of the judge's values over the scored steps; null without a judge. */
  final_step_reward: number | null;
  /** With `model.render: exact`: calls whose prompts were sent as ids. */
  token_in?: number;
  /** The same: calls that continue one, and whose prompts the endpoint rendered all the same. */
  fell_back?: number;
}

/** Whether a rollout with this outcome left a trajectory and a summary. */
export function leftTrajectory(outcome: Outcome): boolean {
  return outcome.status === 'ok' || (outcome.status === 'failed' && outcome.reason === 'content-filtered');
}

export function summaryOf(trajectory: Trajectory): RolloutSummary {
  const { calls, steps } = trajectory;
  // A prompt that did not fit was not read.
  const answered = calls.filter(({ reply }) => reply !== null);
  const tokenIn = calls.filter(({ token_in }) => token_in === true).length;
  const fellBack = calls.filter(({ fell_back }) => fell_back !== undefined).length;
  const values = steps.flatMap(({ reward }) => (reward === null ? [] : [reward.value]));
  return {
    instance_id: trajectory.instance_id,
    sample: trajectory.sample,
    exit_status: trajectory.exit_status,
    steps: steps.length,
    calls: calls.length,
    actions: steps.reduce((sum, step) => sum + step.observations.length, 0),
    prompt_tokens: total(answered.map((call) => call.prompt_tokens)),
    completion_tokens: total(answered.map((call) => call.completion_tokens)),
    cost: total(answered.map((call) => call.cost)),
    model: trajectory.model?.identity ?? null,
    final_step_reward: values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length,
    ...(tokenIn + fellBack > 0 && { token_in: tokenIn, fell_back: fellBack }),
  };
}

/** The sum, unless a part of it is unknown. */
function total(parts: readonly (number | null)[]): number | null {
  return parts.includes(null) ? null : parts.reduce((sum: number, part) => sum + part!, 0);
}
