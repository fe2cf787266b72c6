/** Reads JSON Lines, a block of lines in memory at a time. */

import type { ReadRow } from '../../../formats/row.ts';
import { lineBlocks, rowsOfBlock } from './line-blocks.ts';

/** The rows of the file at `path`, which may be gzipped. */
export async function* readJsonl(path: string): AsyncGenerator<ReadRow> {
  for await (const block of lineBlocks(path)) yield* rowsOfBlock(block);
}
