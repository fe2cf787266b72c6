/**
 * The blocks of a file of lines by digest and place. The digest of a dataset is that of its blocks, so one pass over
 * the file both names it and tells which blocks are new.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { digestOfList } from '../../cache/key.ts';
import { hashBlocks, type NamedBlock } from './hash-blocks.ts';
import { lineBlocks } from './line-blocks.ts';
import { TailHasher } from './tail-hasher.ts';

/** Where a block of a file lies, and what it holds. */
export interface FileBlock {
  path: string;
  offset: number;
  length: number;
  firstLine: number;
  digest: Digest;
}

/** Bytes from which on a second thread is worth its start of some 25 ms. */
const PARALLEL_FROM = 64 << 20;

/** The blocks of a file in order; `onBlock` is told of each once it is named. Bytes are read once and not kept. */
export async function fileBlocks(
  path: string,
  onBlock: (block: FileBlock) => void = () => undefined,
  parallelFrom = PARALLEL_FROM,
): Promise<FileBlock[]> {
  const blocks: FileBlock[] = [];
  const add = (block: FileBlock): void => {
    blocks.push(block);
    onBlock(block);
  };
  if (path.endsWith('.gz')) {
    for await (const { bytes, offset, firstLine } of lineBlocks(path))
      add({ path, offset, length: bytes.length, firstLine, digest: digestOf(bytes) });
  } else {
    for await (const block of namedBlocks(path, parallelFrom)) add({ path, ...block });
  }
  return blocks;
}

/** Names the contents of a file by its blocks. */
export function digestOfBlocks(blocks: readonly FileBlock[]): Digest {
  return digestOfList(
    'line blocks',
    blocks.map((block) => block.digest),
  );
}

async function* namedBlocks(path: string, parallelFrom: number): AsyncGenerator<NamedBlock> {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  const second = size >= parallelFrom ? TailHasher.start(file, Math.floor(size / 2)) : null;
  try {
    for (const blocks of hashBlocks(file, 0)) {
      for (const block of blocks) {
        const rest = (await second?.blocksFrom(block.offset)) ?? null;
        if (rest !== null) return yield* rest.map((later) => numberedFrom(later, rest[0]!, block));
        yield block;
      }
      await breathe();
    }
  } finally {
    await second?.stop();
    closeSync(file);
  }
}

/** A block that the second thread found, which counts its own lines; its block `first` is `same` here. */
function numberedFrom(block: NamedBlock, first: NamedBlock, same: NamedBlock): NamedBlock {
  return { ...block, firstLine: block.firstLine - first.firstLine + same.firstLine };
}
