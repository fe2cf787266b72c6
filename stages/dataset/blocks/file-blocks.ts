/**
 * The blocks of a file of lines by digest and place. The digest of a dataset is that of its blocks, so one pass over
 * the file both names it and tells which blocks are new.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Digest, digestOf } from '../../../basics/digest.ts';
import { signature } from '../../../basics/file-state.ts';
import { digestOfList } from '../../../cache/key.ts';
import { type BegunTail, beginTail, WORTH_A_THREAD } from '../../../contract/rows-ahead.ts';
import { lineBlocks } from '../readers/line-blocks.ts';
import { hashBlocks, type NamedBlock } from './hash-blocks.ts';
import { TailHasher } from './tail-hasher.ts';

/** Where a block of a file lies, and what it holds. */
export interface FileBlock {
  path: string;
  offset: number;
  length: number;
  firstLine: number;
  digest: Digest;
}

/** This thread's part of a file. It looks up what is known of all blocks besides, so the other one names more. */
const OWN_PART = 0.4;

/** How a second thread helps. */
export interface SecondThread {
  /** Bytes from which on there is one. */
  from?: number;
  /** Hears what it has named, before it is known which of that are blocks of the file; never of the first block. */
  early?: (digest: Digest) => void;
  /** One that has begun with the file in this state. */
  begun?: (state: string) => BegunTail | null;
}

/** The blocks of a file in order; `onBlock` is told of each once it is named. Bytes are read once and not kept. */
export async function fileBlocks(
  path: string,
  onBlock: (block: FileBlock) => void = () => undefined,
  second: SecondThread = {},
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
    for await (const block of namedBlocks(path, second)) add({ path, ...block });
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

async function* namedBlocks(
  path: string,
  { from = WORTH_A_THREAD, early, begun }: SecondThread,
): AsyncGenerator<NamedBlock> {
  const file = openSync(path, 'r');
  const found = fstatSync(file, { bigint: true });
  const [size, state] = [Number(found.size), signature(found)];
  const begin = () => (size >= from ? beginTail(path, state, Math.floor(size * OWN_PART) + 1) : null);
  const tail = begun?.(state) ?? begin();
  const second = tail === null ? null : new TailHasher(tail, early);
  try {
    for (const blocks of hashBlocks(file, 0)) {
      for (const block of blocks) {
        const rest = (await second?.blocksFrom(block.offset)) ?? null;
        if (rest !== null) return yield* rest.map((later) => numberedFrom(later, rest[0]!, block));
        yield block;
      }
      await yieldToEventLoop();
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
