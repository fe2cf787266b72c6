/** All ways in which attacks strike, by name. */
import { AROUND_THE_RUNNER } from './around-the-runner.ts';
import type { How } from './how.ts';
import { IN_THE_RUNNER } from './in-the-runner.ts';

export const HOW: Record<string, How> = { ...IN_THE_RUNNER, ...AROUND_THE_RUNNER };
