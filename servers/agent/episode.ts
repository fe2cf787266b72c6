/**
 * An episode: one rollout of one instance with its verdict, as a trainer requests it. Types of the request and of the
 * result.
 */

import type { Policy } from '../../agent/policy.ts';
import type { RolloutTimings } from '../../agent/rollout.ts';
import type { AgentType } from '../../agent/settings.ts';
import type { SampleUnit, TrainingSample } from '../../agent/tokens/samples.ts';
import type { Trained } from '../../agent/tree/labels.ts';
import type { GradeVerdict } from '../../grading/grade-verdict.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { CallerPolicy } from './caller.ts';

export interface EpisodeRequest {
  /** Id of the episode: a request with the same id gets the same episode. */
  id: string;
  instance: string;
  /** Null: the only dataset that has the instance. */
  dataset: string | null;
  /** Which rollout of the instance it is. */
  sample: string;
  /** Null: made from the project's seed. */
  seed: number | null;
  actor: Actor;
  unit: SampleUnit;
  /** Of an agent whose calls are a tree: whose replies. */
  train: Trained;
  /** Null: the project's judge, if it has one. */
  judge: RequestedJudge | null;
  /** The trainer's step; null when it gives none. */
  step: number | null;
}

/** The source of replies. */
export type Actor =
  | ({ kind: 'model' } & RequestedModel)
  | { kind: 'baseline'; type: AgentType }
  /** The client that asked, step by step. */
  | { kind: 'caller'; policy: CallerPolicy };

/** Settings of the project's model that a request replaces; null: as in the project. */
export interface RequestedModel {
  baseUrl: string | null;
  name: string | null;
  apiKey: string | null;
  /** Keys of the project's model. */
  sampling: Readonly<Record<string, unknown>>;
  /** Tokens of prompt and reply together. */
  context: number | null;
}

/** A judge of steps that the trainer serves. Without an own key it is asked without one: no secret of the project is for it. */
export interface RequestedJudge {
  baseUrl: string;
  name: string;
  apiKey: string | null;
  /** Votes on each step. */
  votes: number;
  /** Weight of the steps in the final reward, beside the outcome. */
  coefficient: number;
  temperature: number;
  /** Most tokens of one judgement. */
  maxTokens: number;
}

/** Versions of the weights when a call was sent and when its reply came. */
export interface CallVersions {
  first: number | null;
  last: number | null;
}

export interface Graded {
  kind: 'graded';
  trajectory: Trajectory;
  timings: RolloutTimings;
  verdict: GradeVerdict;
  /** Milliseconds that grading took. */
  graded: number;
  samples: TrainingSample[];
  /** Replies whose ids are not known, which are in no sample; absent in older files. */
  withoutIds?: number;
  /** Weight of the steps in the final reward; null, or absent in older files: no judge was asked. */
  coefficient?: number | null;
  /** By call. */
  versions: CallVersions[];
  /** Digest of everything that the project contributed: the task, where it was worked on and graded, and the agent. */
  basis: string;
}

/** Why there is no verdict, and whether the same request may get one later. */
export interface NoVerdict {
  kind: 'fault' | 'refused';
  outcome: Exclude<Outcome, { status: 'ok' }>;
}

export type EpisodeEnd = Graded | NoVerdict;

/** Makes an episode. Never throws because of machines, endpoints or tasks. */
export type MakeEpisode = (request: EpisodeRequest, context: EpisodeContext) => Promise<EpisodeEnd>;

/** The `basis` of an episode now; null: there is no such task, or it is not available. */
export type BasisOf = (request: EpisodeRequest) => Promise<string | null>;

export interface EpisodeContext {
  signal: AbortSignal;
  /** Wraps the policy, to record the versions of the weights. */
  watch(policy: Policy): Policy;
  log(text: string): void;
}
