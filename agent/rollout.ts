/** The input and the result of one rollout: the contract between the loop and the stages that run it. */
import type { Result } from '../basics/result.ts';
import type { Workspace } from '../executors/deployment.ts';
import type { StepReward, Trajectory } from '../schemas/trajectory.ts';
import type { TokenCounter } from './context/counter.ts';
import type { ModelDoor } from './door/door.ts';
import type { Asker, Policy } from './policy.ts';
import type { AgentSettings } from './settings.ts';
import type { RolloutTask } from './task.ts';
import type { AgentTexts } from './texts.ts';

/** What a judge sees of one executed step. */
export interface JudgedStep {
  /** Number of the step, from 0. Steps with format errors count. */
  index: number;
  problem_statement: string;
  /** The whole reply. */
  reply: string;
  command: string;
  exitCode: number | null;
  output: string;
  /** Whether the step submits the work. */
  submits: boolean;
  /** Executed steps before, oldest first. */
  earlier: readonly { index: number; command: string; exitCode: number | null; output: string }[];
}

/** Scores steps while the rollout goes on. */
export interface Judge {
  /** Begins to score; never throws. null: the step is not scored. Rejects with the fault of the judge's endpoint. */
  score(step: JudgedStep, signal: AbortSignal): Promise<StepReward | null>;
}

/** How the agent's workspace was when it was opened. */
export interface Beginning {
  /** The commit of the first state: the patch is what differs from it. */
  base: string;
  /** Opens another, unused workspace like it. The caller closes it. */
  anew(): Promise<Result<Workspace, unknown>>;
}

/** The model door as a workspace sees it. */
export interface DoorIn extends Pick<ModelDoor, 'begin' | 'end'> {
  /** Its address inside, without a path. */
  url: string;
  /** Tokens of the model's context; null: not known. */
  context: number | null;
  /** Most tokens of a reply. */
  maxTokens: number;
}

export interface RolloutInput extends Beginning {
  settings: AgentSettings;
  /** The texts of these settings. */
  texts: AgentTexts;
  task: RolloutTask;
  policy: Policy;
  /** Name and identity for the trajectory; null for the baselines. */
  model: Trajectory['model'];
  /** Open, with the repository in its first state. */
  workspace: Workspace;
  /** Needed by context strategies with a bound. */
  counter: TokenCounter | null;
  judge: Judge | null;
  /** The model that plays the user; null: none does. */
  user: Asker | null;
  /** Of agents that drive themselves; null for all others. */
  door: DoorIn | null;
  signal: AbortSignal;
  /** A line of progress for the item's log. */
  log(text: string): void;
  /** Milliseconds; for tests. */
  now?: () => number;
}

/** Times of a rollout, kept beside the trajectory; milliseconds. */
export interface RolloutTimings {
  /** From the first prompt to the patch, waits included. */
  total: number;
  /** Of it, waits for the endpoint. */
  waited: number;
  /** Per call. */
  calls: { waited: number; took: number; attempts: number }[];
  /** Per step, all of its commands. */
  steps: number[];
  /** Taking the patch. */
  diff: number;
}

export interface RolloutOutput {
  trajectory: Trajectory;
  timings: RolloutTimings;
}
