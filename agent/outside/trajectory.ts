/** The trajectory of a program that drove itself: what came through the door, and what it left in the repository. */
import { TREE_FORMAT, type Trajectory } from '../../schemas/trajectory.ts';
import type { Ending } from '../ending.ts';
import type { FinalPatch } from '../finish.ts';
import type { RolloutInput } from '../rollout.ts';
import { commonOf } from '../trajectory.ts';
import type { TreeRecord } from '../tree/tree.ts';

/** `final`: null where the workspace is gone. */
export function outsideTrajectory(
  input: Pick<RolloutInput, 'settings' | 'task' | 'policy' | 'model'>,
  record: Omit<TreeRecord, 'timings'>,
  end: Ending,
  final: FinalPatch | null,
): Trajectory {
  return {
    format: TREE_FORMAT,
    ...commonOf(input, end, final),
    ...record,
    submission: null,
    token_counter: 'none',
  };
}
