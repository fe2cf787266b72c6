/**
 * SWE-Gym: SWE-bench's columns with lists as lists and no `environment_setup_commit`. Its rows of one version
 * were set up at different commits, so the commit they start from is the one that dependencies come from.
 */
import type { RowFormat } from '../draft.ts';
import { sweBench } from '../swe-bench/kind.ts';

export const sweGym: RowFormat = (columns, sources) => sweBench(columns, sources);
