/** Rows that a dataset's stage could not read: they are in no other result, so every summary counts them. */
import { type Cache, readText } from '../cache/cache.ts';
import type { RunEnd } from '../engine/run.ts';
import type { BadRow } from '../schemas/instance.ts';
import type { Output } from '../schemas/record.ts';
import type { CatalogueContent } from '../stages/dataset/blocks/catalogue.ts';

export interface BadRows {
  /** `dataset.train`. */
  address: string;
  count: number;
  /** Rows that are in the dataset. */
  left: number;
  first: BadRow;
}

async function rowsIn(catalogue: Output | undefined, cache: Cache): Promise<number> {
  const text = await readText(cache, catalogue);
  const { groups } = text === null ? { groups: [] } : (JSON.parse(text) as Pick<CatalogueContent, 'groups'>);
  return groups.reduce((sum, { rows }) => sum + rows, 0);
}

/** The datasets of a run that have bad rows. */
export async function badRowsOf(end: RunEnd, cache: Cache): Promise<BadRows[]> {
  const found: BadRows[] = [];
  for (const { state, blocked } of end.nodes.values()) {
    if (blocked !== null || state.node.stage !== 'dataset') continue;
    const text = await readText(cache, state.record('')?.outputs['bad rows']);
    const rows = text === null ? [] : (JSON.parse(text) as BadRow[]);
    const [first] = rows;
    if (first === undefined) continue;
    const left = await rowsIn(state.record('')?.outputs.catalogue, cache);
    found.push({ address: state.address, count: rows.length, left, first });
  }
  return found;
}
