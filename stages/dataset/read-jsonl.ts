/** Reads JSON Lines, a block of lines in memory at a time. */
import { lineBlocks, rowsOfBlock } from './line-blocks.ts';
import type { ReadRow } from './row.ts';

/** The rows of the file at `path`, which may be gzipped. */
export async function* readJsonl(path: string): AsyncGenerator<ReadRow> {
  for await (const block of lineBlocks(path)) yield* rowsOfBlock(block);
}
