/** swe-rl's artifacts of one rollout: `traj.json`, `patch.diff` and `meta.json`. Keys it has no value for are null. */

import type { ExitStatus, Trajectory, TrajectoryStep } from '../../schemas/trajectory.ts';
import { pointsOf } from '../context/code-points.ts';
import type { ExportedRollout, ExportFile, ExportName } from './rollout.ts';
import { jsonFile, modelName } from './rollout.ts';
import { type StepTimes, stepTimes } from './times.ts';

const EXIT: Record<ExitStatus, string> = {
  submitted: 'submitted',
  limits_exceeded: 'max_steps',
  context_exceeded: 'context_overflow',
  time_exceeded: 'error',
  repeated_format_error: 'error',
  truncated: 'error',
  workspace_killed: 'error',
  content_filtered: 'error',
  crashed: 'error',
  gave_up: 'error',
};

/** swe-rl's name for how a rollout ended. */
export function sweRlExitStatus(status: ExitStatus): string {
  return EXIT[status];
}

/** Why a rollout ended in a way that swe-rl has no status for; null: the status says it. */
export function sweRlError({ exit_status, exit_detail }: Trajectory): string | null {
  if (EXIT[exit_status] !== 'error') return null;
  return exit_detail === '' ? exit_status : `${exit_status}: ${exit_detail}`;
}

/** Where swe-rl says that a patch comes from. */
export function sweRlPatchSource({ patch_source }: Trajectory): string | null {
  return { workspace: 'git_diff_fallback', submission: 'submission', none: null }[patch_source];
}

/**
 * Folder of a rollout. The original's name ends in the time; here it ends in a group and an index, which do not
 * change.
 */
export function sweRlFolder({ instance_id }: ExportedRollout, { group, index }: ExportName): string {
  return `${instance_id.replace(/[^\p{L}\p{N}._-]/gu, '_')}__g${group}__i${index}`;
}

/** The three files. */
export function sweRlFiles(
  rollout: ExportedRollout & { trajectory: Trajectory },
  place: ExportName,
): ExportFile[] {
  const folder = sweRlFolder(rollout, place);
  return [
    jsonFile(`${folder}/traj.json`, sweRlTrajectory(rollout, place)),
    { path: `${folder}/patch.diff`, text: rollout.patch },
    jsonFile(`${folder}/meta.json`, sweRlMeta(rollout, place)),
  ];
}

function sweRlTrajectory(
  { trajectory, verdict, timings, startedAt, report }: ExportedRollout & { trajectory: Trajectory },
  place: ExportName,
): object {
  const times = stepTimes(trajectory, timings, startedAt);
  const acted = trajectory.steps.flatMap((step, index) =>
    step.observations.length === 0 ? [] : [{ step, index }],
  );
  return {
    messages: trajectory.messages
      .filter(({ kind }) => kind !== 'rejected')
      .map(({ role, content }) => ({ role, content })),
    step_debug: acted.map(({ step, index }) => stepDebug(step, index, times?.[index] ?? null)),
    info: {
      instance_id: trajectory.instance_id,
      exit_status: sweRlExitStatus(trajectory.exit_status),
      error: sweRlError(trajectory),
      steps: trajectory.steps.length,
      patch_source: sweRlPatchSource(trajectory),
      reward: verdict?.reward ?? null,
      eval_result: verdict === null ? null : { resolved: verdict.resolved, detail: verdict.detail, report },
      group_index: place.group,
      index: place.index,
    },
    trajectory_format: 'slime-mini-swe-remote-1',
  };
}

/** By the number of the step, in which steps without an action count. */
function stepDebug(
  { actions, observations, reward }: TrajectoryStep,
  index: number,
  times: StepTimes | null,
): object {
  const output = pointsOf(observations.map((one) => one.output).join('\n'));
  const returncode = observations.at(-1)?.exit_code ?? -1;
  return {
    step_idx: index,
    action: actions.map(({ command }) => command).join('\n'),
    returncode,
    output_len: output.length,
    output_head: output.first(2000),
    output_tail: output.last(2000),
    start_ts: times?.replied ?? null,
    end_ts: times?.done ?? null,
    ok: returncode !== -1,
    step_reward: reward?.value ?? null,
  };
}

/** The instance itself is left out: it holds the answer. */
function sweRlMeta(
  rollout: ExportedRollout & { trajectory: Trajectory },
  { group, index }: ExportName,
): object {
  const { trajectory } = rollout;
  return {
    instance_id: trajectory.instance_id,
    model: modelName(rollout),
    sampling_params: { ...trajectory.request, seed: trajectory.seed },
    sample_metadata: { instance: { instance_id: trajectory.instance_id } },
    sample_prompt: trajectory.messages.find(({ kind }) => kind === 'task')?.content ?? '',
    group_index: group,
    index,
  };
}
