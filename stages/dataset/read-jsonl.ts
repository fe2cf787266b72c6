/** Reads JSON Lines, one line in memory at a time. A line that is not JSON spoils only itself. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { badRow, numbered, type ReadRow } from './row.ts';

/** The rows of the file at `path`, which may be gzipped. */
export async function* readJsonl(path: string): AsyncGenerator<ReadRow> {
  for await (const { number, text } of readLines(path)) {
    if (text.trim() !== '') yield parseLine(number, text);
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

/** Lines without their ends, numbered from 1. A byte order mark is dropped. */
async function* readLines(path: string): AsyncGenerator<{ number: number; text: string }> {
  let number = 0;
  let rest: Buffer[] = [];
  const line = (end: Buffer) => {
    const bytes = rest.length === 0 ? end : Buffer.concat([...rest, end]);
    rest = [];
    const text = bytes.toString('utf8');
    return { number: ++number, text: number === 1 ? text.replace(/^\ufeff/, '') : text };
  };
  for await (const chunk of bytesOf(path)) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      yield line(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield line(Buffer.alloc(0));
}

function bytesOf(path: string): AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  return path.endsWith('.gz') ? pipeline(file, createGunzip(), () => undefined) : file;
}
