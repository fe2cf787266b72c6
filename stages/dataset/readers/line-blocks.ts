/** Reads a file of lines, JSON Lines that is, as blocks of whole lines. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { badRow, numbered, type ReadRow, unreadable } from '../../../formats/row.ts';
import { LineCutter } from './line-cutter.ts';

export interface LineBlock {
  /** Whole lines with their ends; the last line of a file may lack one. Name it with `digestOf`. */
  bytes: Buffer;
  /** Where it begins in the (unpacked) file. */
  offset: number;
  /** 1-based number of its first line. */
  firstLine: number;
}

const NEWLINE = 10;

/** The blocks of the file at `path` in order; a file that ends with .gz is unpacked. */
export async function* lineBlocks(path: string): AsyncGenerator<LineBlock> {
  const cut = new LineCutter();
  try {
    for await (const piece of pieces(path)) yield* cut.take(Buffer.concat([cut.rest, piece]));
  } catch (error) {
    if (isGzipError(error)) throw unreadable('gzip', error);
    throw error;
  }
  yield* cut.end();
}

function pieces(path: string): AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: 4 << 20 });
  if (!path.endsWith('.gz')) return file;
  return pipeline(file, createGunzip({ chunkSize: 1 << 20 }), () => undefined);
}

function isGzipError(error: unknown): boolean {
  return /^Z_/.test((error as NodeJS.ErrnoException).code ?? '');
}

/** The rows of a block of JSON Lines. A line that is not JSON spoils only itself; blank lines are none. */
export function* rowsOfBlock(block: LineBlock): Generator<ReadRow> {
  const { bytes } = block;
  let line = block.firstLine;
  for (let start = 0; start < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const text = bytes.toString('utf8', start, end);
    start = end + 1;
    if (text.trim() !== '') yield parseLine(line, line === 1 ? text.replace(/^\ufeff/, '') : text);
  }
}

function parseLine(line: number, text: string): ReadRow {
  try {
    return numbered(line, JSON.parse(text));
  } catch (error) {
    // A row cut in the middle still shows whose it was.
    const id = /"instance_id"\s*:\s*"([^"\\]*)"/.exec(text)?.[1];
    return badRow(line, id, '', `not JSON: ${(error as Error).message.replace(/, ".*/s, '')}`);
  }
}
