/** The stored form of a rollout; the schema in trajectory.schema.json is the truth, types are made from it. */
import type { Trajectory, TrajectoryFormat } from './generated/trajectory.ts';

export * from './generated/trajectory.ts';

/** Calls follow one another. */
export const TRAJECTORY_FORMAT = 'swemake-trajectory-1';
/** Calls are a tree. */
export const TREE_FORMAT = 'swemake-trajectory-2';

const FORMATS: Readonly<Record<TrajectoryFormat, true>> = { [TRAJECTORY_FORMAT]: true, [TREE_FORMAT]: true };

/**
 * A stored trajectory.
 * @throws when it has a format of another version of swemake.
 */
export function parseTrajectory(text: string): Trajectory {
  const trajectory = JSON.parse(text) as Trajectory;
  const { format } = trajectory;
  if (Object.hasOwn(FORMATS, format)) return trajectory;
  throw new Error(
    `a trajectory has the format ${JSON.stringify(format)}, and this version of swemake reads ${Object.keys(FORMATS).join(' and ')}; use the version that wrote it`,
  );
}
