/** Stages whose items may be counted as failed by hand when they come to no answer. */
import { STAGES } from '../stages/registry.ts';

/** Their names. */
export const GIVEN_UP: readonly string[] = STAGES.filter((stage) => stage.mayBeGivenUp === true).map(
  ({ name }) => name,
);

export function mayBeGivenUp(stage: string): boolean {
  return GIVEN_UP.includes(stage);
}
