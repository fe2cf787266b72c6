/** How a rollout ended. */
import type { ExitStatus } from '../schemas/trajectory.ts';

export interface Ending {
  status: ExitStatus;
  detail: string;
  /** whole: it was not cut. */
  submission: { text: string; whole: boolean } | null;
}
