/**
 * SWE-rebench: SWE-bench's columns with `install_config`, which says how each instance is installed and tested. As its
 * own harness has it, dependencies are those of the commit that an instance begins with, whatever
 * `environment_setup_commit` names.
 */
import type { RowFormat } from '../draft.ts';
import { draftOf } from '../swe-bench/kind.ts';

export const sweRebench: RowFormat = (columns, sources) => draftOf(columns, sources, null);
