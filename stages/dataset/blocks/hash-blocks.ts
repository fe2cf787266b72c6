/**
 * Names the blocks of a file of lines, from a line on. Reading and hashing are plain calls, twice as fast as the
 * asynchronous ones; code that shares its thread rests between pieces.
 */
import { readSync } from 'node:fs';
import { type Digest, digestOf } from '../../../basics/digest.ts';
import { type CutBlock, LineCutter } from '../readers/line-cutter.ts';

/** A block of a file by name. Its bytes are not kept. */
export interface NamedBlock {
  digest: Digest;
  /** Bytes from the beginning of the file. */
  offset: number;
  length: number;
  /** 1 is the line that reading began with. */
  firstLine: number;
}

const PIECE = 1 << 20;
/** Space before what is read, for the beginning of a block. */
const SPARE = 4 << 20;
const NEWLINE = 10;

/** The blocks from byte `start` on, where a line begins, as each piece of the file completes some. */
export function* hashBlocks(file: number, start: number): Generator<NamedBlock[]> {
  const cut = new LineCutter();
  // Two take turns: one holds what is left of the piece before.
  const buffers = [Buffer.allocUnsafeSlow(SPARE + PIECE), Buffer.allocUnsafeSlow(SPARE + PIECE)];
  for (let at = start, turn = 0; ; turn++) {
    const buffer = buffers[turn % 2]!;
    const read = readSync(file, buffer, SPARE, PIECE, at);
    if (read === 0) break;
    at += read;
    yield named(cut.take(joined(cut.rest, buffer, read)), start);
  }
  yield named(cut.end(), start);
}

/** Where the first line begins that is not before byte `from`; `from` is not 0. */
export function lineStart(file: number, from: number): number {
  const buffer = Buffer.allocUnsafe(1 << 16);
  // The line may begin at `from` itself.
  for (let at = from - 1; ; ) {
    const read = readSync(file, buffer, 0, buffer.length, at);
    if (read === 0) return at;
    const newline = buffer.subarray(0, read).indexOf(NEWLINE);
    if (newline !== -1) return at + newline + 1;
    at += read;
  }
}

/** What is in no block yet, copied to the place before the piece that was read, where there is room for it. */
function joined(rest: Buffer, buffer: Buffer, read: number): Buffer {
  if (rest.length > SPARE) return Buffer.concat([rest, buffer.subarray(SPARE, SPARE + read)]);
  rest.copy(buffer, SPARE - rest.length);
  return buffer.subarray(SPARE - rest.length, SPARE + read);
}

function named(blocks: Iterable<CutBlock>, start: number): NamedBlock[] {
  return Array.from(blocks, ({ bytes, offset, firstLine }) => ({
    digest: digestOf(bytes),
    offset: start + offset,
    length: bytes.length,
    firstLine,
  }));
}
