/**
 * A finished rollout as exporters read it. It does not show how stages store it. A patch from elsewhere is a rollout
 * without a trajectory.
 */
import type {
  Trajectory,
  TrajectoryMessage,
  TrajectoryObservation,
  TrajectoryStep,
} from '../../schemas/trajectory.ts';
import type { RolloutTimings } from '../rollout.ts';
import { stepTimes } from './times.ts';

export interface ExportedRollout {
  instance_id: string;
  sample: string;
  /** null: someone else's patch. */
  trajectory: Trajectory | null;
  patch: string;
  /** null: not graded. */
  verdict: ExportedVerdict | null;
  /** What the grader found beside; null: it did not grade, or only the reward was told. */
  findings?: ExportedFindings | null;
  /** The benchmark's own report.json of the instance; null without one. */
  report: unknown;
  /** null: not kept. */
  timings: (Pick<RolloutTimings, 'total' | 'calls' | 'steps'> & { waited?: number }) | null;
  /** When the agent began, milliseconds since 1970; null: not known. */
  startedAt: number | null;
}

export interface ExportedVerdict {
  /** null: it passes only sometimes. */
  reward: number | null;
  resolved: boolean;
  /** What was found, in words. */
  detail: string;
}

interface ExportedFindings {
  /** Some but not all of the tests that must be fixed pass, and none was broken. */
  partial: boolean;
  /** Name of the rules. */
  preset: string;
  /** Why there is no reward; null with one. */
  reason: string | null;
  /** Which listed tests passed, by the name of their list; null when that cannot be said. */
  tests_status: Readonly<
    Record<'FAIL_TO_PASS' | 'PASS_TO_PASS', { success: string[]; failure: string[] }>
  > | null;
  /** Findings of the integrity checks. */
  integrity: readonly { rule: string; effect: string }[];
}

/** The parts of file names. */
export interface ExportName {
  /** Unique within an export: the instance, or instance and sample. */
  name: string;
  /** Number of the instance, in the order of the export. */
  group: number;
  /** Number of the rollout, in the order of the export. */
  index: number;
}

export interface ExportFile {
  /** Relative, with slashes. */
  path: string;
  text: string;
}

/** The maker of a rollout: the identity of its model, or the name of a baseline or of a file of predictions. */
export function modelName({ trajectory, sample }: Pick<ExportedRollout, 'trajectory' | 'sample'>): string {
  return trajectory?.model?.identity ?? sample;
}

/** A message with its step. */
export interface StepMessage {
  message: TrajectoryMessage;
  /** Of a reply: the step that it asked for. */
  step: TrajectoryStep | null;
  /** Of a reply: what the call cost, 0 when unknown. */
  cost: number;
  /** Of an observation: the stored observation. */
  observation: TrajectoryObservation | null;
  /** When a reply or an observation was made, seconds since 1970; null: not known. */
  at: number | null;
}

/** All messages, each with its step or observation. */
export function stepMessages({
  trajectory,
  timings,
  startedAt,
}: Pick<ExportedRollout, 'timings' | 'startedAt'> & { trajectory: Trajectory }): StepMessage[] {
  const { messages, calls, steps } = trajectory;
  const times = stepTimes(trajectory, timings, startedAt);
  const at = new Map<number, number>();
  const ofReply = new Map<number, TrajectoryStep>();
  const ofMessage = new Map<number, TrajectoryObservation>();
  for (const [index, step] of steps.entries()) {
    const reply = calls[step.call]?.reply ?? null;
    if (reply !== null) {
      ofReply.set(reply, step);
      if (times !== null) at.set(reply, times[index]!.replied);
    }
    for (const observation of step.observations)
      if (observation.message !== null) {
        ofMessage.set(observation.message, observation);
        if (times !== null) at.set(observation.message, times[index]!.done);
      }
  }
  const costs = new Map(calls.map((call) => [call.reply, call.cost ?? 0]));
  return messages.map((message, index) => ({
    message,
    step: ofReply.get(index) ?? null,
    cost: costs.get(index) ?? 0,
    observation: ofMessage.get(index) ?? null,
    at: at.get(index) ?? null,
  }));
}

/** The sum of the numbers that are known. */
export function known(numbers: readonly (number | null)[]): number {
  return numbers.reduce((sum: number, one) => sum + (one ?? 0), 0);
}

export function jsonFile(path: string, value: unknown): ExportFile {
  return { path, text: `${JSON.stringify(value, null, 2)}\n` };
}
