/** An episode: one rollout of one instance with its verdict, as a trainer asks for it. What goes in and what comes out. */
import type { Policy } from '../../agent/policy.ts';
import type { RolloutTimings } from '../../agent/rollout.ts';
import type { SampleUnit, TrainingSample } from '../../agent/tokens/samples.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { GradeVerdict } from '../../stages/grade/verdict.ts';
import type { CallerPolicy } from './caller.ts';

export interface EpisodeRequest {
  /** Names the episode: asked for again, it is the same one. */
  id: string;
  instance: string;
  /** Null: the only one that has the instance. */
  dataset: string | null;
  /** Which rollout of the instance it is. */
  sample: string;
  /** Null: made from the project's seed. */
  seed: number | null;
  actor: Actor;
  unit: SampleUnit;
  /** The trainer's step; null when it does not say. */
  step: number | null;
}

/** Who answers in it. */
export type Actor =
  | ({ kind: 'model' } & RequestedModel)
  | { kind: 'baseline'; type: 'oracle' | 'noop' }
  /** Whoever asked, step by step. */
  | { kind: 'caller'; policy: CallerPolicy };

/** What of the project's model a request sets anew; null: as in the project. */
export interface RequestedModel {
  baseUrl: string | null;
  name: string | null;
  apiKey: string | null;
  /** Keys of the project's model. */
  sampling: Readonly<Record<string, unknown>>;
  /** Tokens of prompt and reply together. */
  context: number | null;
}

/** Weights that a call was answered by: from when it was sent, and when its reply came. */
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
  /** By call. */
  versions: CallVersions[];
  /** Digest of all that the project put in: the task, where it was worked on and graded, and the agent. */
  basis: string;
}

/** No verdict: why there is none, and whether the same request may come to one later. */
export interface NoVerdict {
  kind: 'fault' | 'refused';
  outcome: Exclude<Outcome, { status: 'ok' }>;
}

export type EpisodeEnd = Graded | NoVerdict;

/** Makes an episode; never throws for what machines, endpoints or tasks do. */
export type MakeEpisode = (request: EpisodeRequest, context: EpisodeContext) => Promise<EpisodeEnd>;

/** The `basis` that an episode would have now; null: there is no such task, or it is not to be had. */
export type BasisOf = (request: EpisodeRequest) => Promise<string | null>;

export interface EpisodeContext {
  signal: AbortSignal;
  /** Stands between the agent and whoever answers. */
  watch(policy: Policy): Policy;
  log(text: string): void;
}
