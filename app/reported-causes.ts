/** Causes of failures as the report of the filter has them. */
import type { Cache } from '../cache/cache.ts';
import { readText } from '../cache/cache.ts';
import type { RunEnd } from '../engine/run.ts';
import type { Cause } from '../stages/filter/causes.ts';
import type { Weakness } from '../stages/filter/weakness.ts';

export type ReportedCause = Omit<Cause, 'example'> & { commands: string[] };

export interface ReportedCauses {
  /** `filter.DATASET`. */
  address: string;
  causes: ReportedCause[];
  /** Instances that passed and are graded with less; absent in reports of earlier versions. */
  graded_with_less?: Weakness[];
}

/** Those of each dataset whose rows are filtered. */
export async function reportedCauses({ nodes }: RunEnd, cache: Cache): Promise<ReportedCauses[]> {
  const found: ReportedCauses[] = [];
  for (const [address, { state, blocked }] of nodes) {
    if (state.node.stage !== 'filter' || blocked !== null) continue;
    const text = await readText(cache, state.record('')?.notes['failures.json']);
    if (text !== null) found.push({ address, ...(JSON.parse(text) as Omit<ReportedCauses, 'address'>) });
  }
  return found;
}
