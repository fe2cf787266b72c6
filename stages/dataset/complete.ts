/** The rows of a dataset with the lists that were measured for them; those that no lists were found for are left out. */
import type { Blob } from '../../cache/blobs.ts';
import { type Cache, LostOutput, readText } from '../../cache/cache.ts';
import type { Collection } from '../../contract/stage.ts';
import { badRow } from '../../formats/row.ts';
import { isUnmeasured, withLists } from '../../formats/unmeasured.ts';
import type { BadRow, TestLists } from '../../schemas/instance.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import type { Catalogue, CatalogueBlock, CatalogueContent } from './blocks/catalogue.ts';
import { BlockBuilder, type Unpinned } from './blocks/row-block.ts';

export interface Completed {
  content: CatalogueContent;
  blobs: Blob[];
  bad: BadRow[];
}

/** `discovered`: what was measured, by instance. */
export async function completeDataset(
  catalogue: Catalogue,
  discovered: Collection,
  cache: Cache,
): Promise<Completed> {
  const blocks: CatalogueBlock[] = [];
  const blobs: Blob[] = [];
  const bad: BadRow[] = [];
  const counts = catalogue.groups.map(({ rows }) => rows);
  for (const block of catalogue.blocks) {
    const rows = catalogue.rowsOf(block);
    const builder = new BlockBuilder();
    const picked: number[] = [];
    for (const row of catalogue.read(rows)) {
      const index = builder.size;
      const found = isUnmeasured(row) ? await listsFor(row.instance_id, discovered, cache) : null;
      if (typeof found === 'string') {
        bad.push(badRow(0, row.instance_id, 'FAIL_TO_PASS', found));
        counts[rows[index]!.group]! -= 1;
        builder.add(row, index);
      } else {
        picked.push(index);
        builder.add(found === null ? row : withMeasured(row, found), index);
      }
    }
    const { blob, head } = builder.write(cache.blobs);
    blobs.push(blob);
    const isWhole = picked.length === rows.length;
    const own = { rows: picked.length, picked: isWhole ? null : picked, sources: block.sources };
    blocks.push({ blob: blob.digest, head, ...own });
  }
  const groups = catalogue.groups.map((group, index) => ({ ...group, rows: counts[index]! }));
  const { sources } = catalogue.content;
  const leavesOut = bad.length === 0 ? {} : ({ leaves_out: true } as const);
  return { content: { groups, sources, blocks, ...leavesOut }, blobs, bad };
}

function withMeasured(row: Unpinned, lists: TestLists): Unpinned {
  return { ...row, ...lists, raw: withLists(row.raw, lists) };
}

/** The measured lists, or why there are none. */
async function listsFor(id: string, discovered: Collection, cache: Cache): Promise<TestLists | string> {
  const outcome = discovered.entry(id)?.outcome ?? null;
  if (outcome?.status !== 'ok') return `is empty, and could not be measured: ${whyNot(outcome)}`;
  const text = await readText(cache, discovered.record(id)?.outputs.lists);
  if (text === null) throw new LostOutput(`what was measured of ${id}`);
  return JSON.parse(text) as TestLists;
}

function whyNot(outcome: Outcome | null): string {
  if (outcome === null || outcome.status === 'ok') return 'it was not reached';
  return `${outcome.status} ${outcome.reason}: ${outcome.detail}`;
}
