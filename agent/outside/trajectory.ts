/** The trajectory of a program that drove itself: what came through the door, and what it left in the repository. */
import { TREE_FORMAT, type Trajectory } from '../../schemas/trajectory.ts';
import type { Ending } from '../ending.ts';
import type { FinalPatch } from '../finish.ts';
import type { RolloutInput } from '../rollout.ts';
import type { TreeRecord } from '../tree/tree.ts';

const NO_PATCH: FinalPatch = { patch: '', source: 'none', problem: null, leftOut: [] };

/** `final`: null where the workspace is gone. */
export function outsideTrajectory(
  { settings, task, policy, model }: Pick<RolloutInput, 'settings' | 'task' | 'policy' | 'model'>,
  record: Omit<TreeRecord, 'timings'>,
  end: Ending,
  final: FinalPatch | null,
): Trajectory {
  const { patch, source, problem, leftOut } = final ?? NO_PATCH;
  return {
    format: TREE_FORMAT,
    instance_id: task.instance_id,
    sample: task.sample,
    seed: task.seed,
    agent: { type: settings.type, dialect: settings.dialect, actions: settings.actions },
    model,
    request: policy.parameters(),
    exit_status: end.status,
    exit_detail: [end.detail, problem ?? ''].filter((detail) => detail !== '').join('; '),
    ...record,
    submission: null,
    patch,
    patch_source: source,
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
    token_counter: 'none',
    dropped_parameters: policy.dropped(),
  };
}
