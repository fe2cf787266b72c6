/** Rows that a dataset's stage could not read: they are in no other result, so every summary counts them. */
import { type Cache, readText } from '../cache/cache.ts';
import type { RunEnd } from '../engine/run.ts';
import type { BadRow } from '../schemas/instance.ts';

export interface BadRows {
  /** `dataset.train`. */
  address: string;
  count: number;
  first: BadRow;
}

/** The datasets of a run that have bad rows. */
export async function badRowsOf(end: RunEnd, cache: Cache): Promise<BadRows[]> {
  const found: BadRows[] = [];
  for (const { state, blocked } of end.nodes.values()) {
    if (blocked !== null || state.node.stage !== 'dataset') continue;
    const text = await readText(cache, state.record('')?.outputs['bad rows']);
    const rows = text === null ? [] : (JSON.parse(text) as BadRow[]);
    if (rows[0] !== undefined) found.push({ address: state.address, count: rows.length, first: rows[0] });
  }
  return found;
}
