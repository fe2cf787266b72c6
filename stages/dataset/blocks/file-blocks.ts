/**
 * The blocks of a file of lines by digest and place. The digest of a dataset is that of its blocks, so one pass over
 * the file both names it and tells which blocks are new.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Digest, digestOf } from '../../../basics/digest.ts';
import { digestOfList } from '../../../cache/key.ts';
import { lineBlocks } from '../readers/line-blocks.ts';
import { type CutBlock, LineCutter } from '../readers/line-cutter.ts';

/** Where a block of a file lies, and what it holds. */
export interface FileBlock {
  path: string;
  /** Bytes from the beginning of the (unpacked) file. */
  offset: number;
  length: number;
  /** 1 is the first line of the file. */
  firstLine: number;
  digest: Digest;
}

const PIECE = 1 << 20;
/** Space before what is read, for the beginning of a block. */
const SPARE = 4 << 20;

/** The blocks of a file in order. Bytes are read once and not kept. */
export async function fileBlocks(path: string): Promise<FileBlock[]> {
  const blocks: FileBlock[] = [];
  const found = path.endsWith('.gz') ? lineBlocks(path) : plainBlocks(path);
  for await (const { bytes, offset, firstLine } of found)
    blocks.push({ path, offset, length: bytes.length, firstLine, digest: digestOf(bytes) });
  return blocks;
}

/** Names the contents of a file by its blocks. */
export function digestOfBlocks(blocks: readonly FileBlock[]): Digest {
  return digestOfList(
    'line blocks',
    blocks.map((block) => block.digest),
  );
}

/** Synchronous reads take half the time of asynchronous ones; other work has its turn between two pieces. */
async function* plainBlocks(path: string): AsyncGenerator<CutBlock> {
  const cut = new LineCutter();
  // Two take turns: one holds what is left of the piece before.
  const buffers = [Buffer.allocUnsafeSlow(SPARE + PIECE), Buffer.allocUnsafeSlow(SPARE + PIECE)];
  const file = openSync(path, 'r');
  try {
    for (let at = 0, turn = 0; ; turn++) {
      const buffer = buffers[turn % 2]!;
      const read = readSync(file, buffer, SPARE, PIECE, at);
      if (read === 0) break;
      at += read;
      yield* cut.take(joined(cut.rest, buffer, read));
      await yieldToEventLoop();
    }
    yield* cut.end();
  } finally {
    closeSync(file);
  }
}

/** What is in no block yet, copied to the place before the piece that was read, where there is room for it. */
function joined(rest: Buffer, buffer: Buffer, read: number): Buffer {
  if (rest.length > SPARE) return Buffer.concat([rest, buffer.subarray(SPARE, SPARE + read)]);
  rest.copy(buffer, SPARE - rest.length);
  return buffer.subarray(SPARE - rest.length, SPARE + read);
}
