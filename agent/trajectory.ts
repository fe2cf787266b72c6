/** The fields that trajectories of our own loops and of programs share: instance, agent, model, exit status and patch. */
import type { Trajectory } from '../schemas/trajectory.ts';
import type { Ending } from './ending.ts';
import { type FinalPatch, NO_PATCH } from './finish.ts';
import type { RolloutInput } from './rollout.ts';

type Common = Omit<
  Trajectory,
  'format' | 'messages' | 'calls' | 'steps' | 'tools' | 'submission' | 'token_counter'
>;

/** `final`: null where the workspace is gone. */
export function commonOf(
  { settings, task, policy, model }: Pick<RolloutInput, 'settings' | 'task' | 'policy' | 'model'>,
  end: Ending,
  final: FinalPatch | null,
): Common {
  const { patch, source, problem, leftOut } = final ?? NO_PATCH;
  return {
    instance_id: task.instance_id,
    sample: task.sample,
    seed: task.seed,
    agent: { type: settings.type, dialect: settings.dialect, actions: settings.actions },
    model,
    request: policy.parameters(),
    exit_status: end.status,
    exit_detail: [end.detail, problem ?? ''].filter((detail) => detail !== '').join('; '),
    patch,
    patch_source: source,
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
    dropped_parameters: policy.dropped(),
  };
}
