/** What changed in the rows of a dataset since an earlier answer: read from the files, compared row by row. */
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import type { HOST_SERVICES, With } from '../../contract/machine.ts';
import type { DigestChange, StageNode } from '../../contract/stage.ts';
import { identifiedRow } from '../../formats/read-row.ts';
import { isBadRow, type RawRow } from '../../formats/row.ts';
import { sourceDepsOf } from '../../tasks/source/instance-source.ts';
import { readCatalogue, readInstance } from './blocks/catalogue.ts';
import { datasetFiles } from './readers/dataset-files.ts';
import { readRows } from './readers/read-rows.ts';

/** Changed rows that are shown in full; of others only the ids. */
const SHOWN = 3;

/**
 * The rows that differ between an earlier answer and the files as they are now. Rows that the answer does not have
 * are named only for a dataset that takes all rows: otherwise they may just not have been chosen.
 */
export async function describeRows(
  node: StageNode,
  { role, recordBefore }: DigestChange,
  services: With<(typeof HOST_SERVICES)[number] | 'config.dataset'>,
): Promise<{ before: Json; now: Json } | null> {
  const config = services.config.dataset[node.dataset]!;
  if (role !== 'rows') return null;
  const files = await datasetFiles(config, services.projectFolder, sourceDepsOf(services));
  // An answer of an earlier version may have any form: nothing is shown of it then.
  const catalogue = await readCatalogue(recordBefore, services).catch(() => null);
  if (!files.ok || files.value.fetch !== undefined || catalogue === null) return null;
  const old = new Map<string, Digest>();
  for (const row of catalogue.rows)
    old.set(row.id, rowDigest((await readInstance(recordBefore, row, services)).raw));
  const before: Record<string, Json> = {};
  const now: Record<string, Json> = {};
  const seen = new Set<string>();
  const takesAll = Object.keys(config.select ?? {}).length === 0;
  for await (const row of readRows(files.value)) {
    const identified = isBadRow(row) ? row : identifiedRow(row);
    if (isBadRow(identified)) continue;
    const { id } = identified;
    seen.add(id);
    const was = old.get(id);
    if (was === undefined && takesAll) now[id] = 'added';
    if (was === undefined || was === rowDigest(identified.row)) continue;
    if (Object.keys(before).length >= SHOWN) {
      before[id] = 'another row';
      now[id] = 'changed';
      continue;
    }
    const place = catalogue.rows.find((one) => one.id === id)!;
    before[id] = (await readInstance(recordBefore, place, services)).raw as Json;
    now[id] = identified.row as Json;
  }
  for (const id of old.keys()) if (!seen.has(id)) before[id] = 'removed';
  return { before, now };
}

function rowDigest(row: RawRow): Digest {
  return digestOf(canonicalJson(row));
}
