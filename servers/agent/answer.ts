/**
 * The answer of `/run`. A fault has a null reward, never 0; `status` names it for the trainer. In a sequence, ids,
 * masks and log-probabilities have the same length, and each part names the version of the weights that wrote it.
 */
import type { TrainingSample } from '../../agent/tokens/samples.ts';
import { mainTrajectory } from '../../agent/tree/lines.ts';
import { instanceReport } from '../../grading/instance-report.ts';
import type { ExitStatus } from '../../schemas/trajectory.ts';
import type { CallVersions, EpisodeEnd, EpisodeRequest, Graded, NoVerdict } from './episode.ts';
import { agentMetrics } from './metrics.ts';

/** ok: the agent ended by itself. truncated, timeout: a limit ended it. error: no verdict. aborted: it was cancelled. */
type EpisodeStatus = 'ok' | 'truncated' | 'timeout' | 'error' | 'aborted';

const STATUS: Readonly<Record<ExitStatus, EpisodeStatus>> = {
  submitted: 'ok',
  limits_exceeded: 'truncated',
  time_exceeded: 'timeout',
  repeated_format_error: 'truncated',
  context_exceeded: 'truncated',
  truncated: 'truncated',
  workspace_killed: 'truncated',
  content_filtered: 'error',
  // Its work so far is graded.
  crashed: 'truncated',
  // The agent chose to end, so the reward judges it.
  gave_up: 'ok',
};

/** Names that Miles and Harbor's server know. They take any other name for a fault. */
const EXIT: Readonly<Record<ExitStatus, string>> = {
  submitted: 'Submitted',
  limits_exceeded: 'LimitsExceeded',
  time_exceeded: 'TimeLimitExceeded',
  repeated_format_error: 'LimitsExceeded',
  context_exceeded: 'SequenceLengthLimitExceeded',
  truncated: 'RolloutTruncated',
  workspace_killed: 'LimitsExceeded',
  content_filtered: 'ContentFiltered',
  crashed: 'LimitsExceeded',
  gave_up: 'Submitted',
};

export interface Sequence {
  token_ids: number[];
  /** 1 for tokens that the model wrote, else 0. */
  loss_mask: (0 | 1)[];
  /** 0 where the mask is 0; null when those of any reply are not known. */
  logprobs: number[] | null;
  /** First and last call in it. */
  calls: [number, number];
  /** Of an agent whose calls are a tree: who asked, and the calls that it trains. */
  agent?: string;
  trained_calls?: number[];
  /** Lowest and highest version of the weights that wrote its replies; null when the trainer gave none. */
  policy_versions: [number, number] | null;
  source: TrainingSample['source'];
  /** The judge's value of the step, for a sequence of one step; else null. */
  step_reward: number | null;
}

export function episodeAnswer(
  request: Omit<EpisodeRequest, 'actor'>,
  end: EpisodeEnd,
): Record<string, unknown> {
  const { id, instance, dataset, sample, step } = request;
  const about = { id, instance_id: instance, dataset, sample, step };
  return end.kind === 'graded'
    ? { ...about, ...gradedAnswer(instance, end) }
    : { ...about, ...faultAnswer(end) };
}

function gradedAnswer(instance: string, episode: Graded): Record<string, unknown> {
  const { trajectory, verdict } = episode;
  return {
    ok: true,
    // Without a reward a trainer must leave the rollout out, however it ended.
    status: verdict.reward === null ? 'error' : STATUS[trajectory.exit_status],
    exit_status: EXIT[trajectory.exit_status],
    exit_detail: trajectory.exit_detail,
    reward: verdict.reward,
    reason: verdict.reason,
    error: null,
    retryable: false,
    patch: trajectory.patch,
    messages: mainTrajectory(trajectory).messages,
    sequences: sequencesOf(episode),
    replies_without_ids: episode.withoutIds ?? 0,
    step_rewards: trajectory.steps.map(({ reward }) => reward?.value ?? null),
    step_votes: trajectory.steps.map(({ reward }) => reward?.votes ?? null),
    step_coefficient: episode.coefficient ?? null,
    eval_report: JSON.parse(instanceReport(instance, verdict, null)) as object,
    agent_metrics: agentMetrics(episode),
  };
}

function faultAnswer({ kind, outcome }: NoVerdict): Record<string, unknown> {
  const isCancelled = outcome.status === 'stopped';
  return {
    ok: false,
    status: isCancelled ? 'aborted' : 'error',
    exit_status: isCancelled ? 'Aborted' : kind === 'refused' ? 'TaskNotFound' : 'AgentError',
    exit_detail: outcome.detail,
    reward: null,
    reason: outcome.reason,
    error: outcome.detail,
    retryable: kind === 'fault' && !isCancelled,
    patch: '',
    messages: [],
    sequences: [],
    replies_without_ids: 0,
    step_rewards: [],
    step_votes: [],
    step_coefficient: null,
    eval_report: {},
    agent_metrics: {},
  };
}

/** @throws when lengths disagree: such a sequence would train the wrong tokens. */
function sequencesOf({ samples, versions, trajectory }: Graded): Sequence[] {
  return samples.map(({ ids, loss_mask, logprobs, calls, source, agent, trained_calls: trained }) => {
    if (loss_mask.length !== ids.length || (logprobs !== null && logprobs.length !== ids.length))
      throw new Error(`a sequence of ${ids.length} ids has masks or log-probabilities of another length`);
    const [first, last] = calls;
    const wrote =
      trained?.map((call) => versions[call] ?? { first: null, last: null }) ??
      versions.slice(first, last + 1);
    const reward =
      first === last ? (trajectory.steps.find(({ call }) => call === first)?.reward?.value ?? null) : null;
    return {
      token_ids: ids,
      loss_mask,
      logprobs,
      calls,
      ...(agent === undefined || trained === undefined ? {} : { agent, trained_calls: trained }),
      policy_versions: versionsOf(wrote),
      source,
      step_reward: reward,
    };
  });
}

function versionsOf(calls: readonly CallVersions[]): [number, number] | null {
  const known = calls.flatMap(({ first, last }) => [first, last]).filter((version) => version !== null);
  return known.length === 0 ? null : [Math.min(...known), Math.max(...known)];
}
