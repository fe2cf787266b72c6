/** Reads the blocks of a file of lines that are not known yet, and normalises their rows. */
import { open } from 'node:fs/promises';
import { digestOf } from '../../../basics/digest.ts';
import type { ReadableFormat } from '../../../formats/kind.ts';
import { instanceRow, readRow } from '../../../formats/read-row.ts';
import { isBadRow, UnreadableFile } from '../../../formats/row.ts';
import type { SourceMap } from '../../../formats/source-map.ts';
import type { DatasetConfig } from '../../../schemas/generated/project.ts';
import { type LineBlock, lineBlocks, rowsOfBlock } from '../readers/line-blocks.ts';
import type { FileBlock } from './file-blocks.ts';
import { BlockBuilder } from './row-block.ts';

/** The bytes of some blocks of one file, in order. A block that is not what it was is a fault of the file. */
export async function* readBlocks(path: string, wanted: readonly FileBlock[]): AsyncGenerator<LineBlock> {
  if (path.endsWith('.gz')) return yield* unpackedBlocks(path, wanted);
  const file = await open(path);
  try {
    for (const block of wanted) {
      const bytes = Buffer.alloc(block.length);
      await file.read(bytes, 0, block.length, block.offset);
      yield checked({ bytes, offset: block.offset, firstLine: block.firstLine }, block);
    }
  } finally {
    await file.close();
  }
}

async function* unpackedBlocks(path: string, wanted: readonly FileBlock[]): AsyncGenerator<LineBlock> {
  const byOffset = new Map(wanted.map((block) => [block.offset, block]));
  for await (const block of lineBlocks(path)) {
    const found = byOffset.get(block.offset);
    if (found !== undefined) yield checked(block, found);
  }
}

function checked(block: LineBlock, expected: FileBlock): LineBlock {
  if (digestOf(block.bytes) !== expected.digest) throw new UnreadableFile('it changed while it was read');
  return block;
}

/** The rows of a block as instances without pins. Lines count from the block's first. */
export function normaliseBlock(
  block: LineBlock,
  format: ReadableFormat,
  { inner, discover_tests: discover }: Pick<DatasetConfig, 'inner' | 'discover_tests'>,
  sources: SourceMap,
): BlockBuilder {
  const builder = new BlockBuilder();
  for (const read of rowsOfBlock(block)) {
    const row = isBadRow(read) ? read : instanceRow(read, format, inner);
    const draft = isBadRow(row) ? row : readRow(row, sources, discover);
    if ('message' in draft) builder.reject('id' in row ? row.id : null, relative(draft, block));
    else {
      const { line, ...unpinned } = draft;
      builder.add(unpinned, line - block.firstLine);
    }
  }
  return builder;
}

function relative<T extends { line: number }>(bad: T, { firstLine }: LineBlock): T {
  return { ...bad, line: bad.line - firstLine };
}
