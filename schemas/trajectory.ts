/** The stored form of a rollout; the schema in trajectory.schema.json is the truth, types are made from it. */
export * from './generated/trajectory.ts';

export const TRAJECTORY_FORMAT = 'swemake-trajectory-1';
