/** Which instances a file of lines is about, read line by line: training data may be larger than memory. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Cache, isPresent } from '../../cache/cache.ts';
import { readPieces } from '../../cache/pieces.ts';
import type { Output } from '../../schemas/record.ts';

/** Different instances among lines of JSON; the line's number stands for one that does not say. Null: the file is gone. */
export async function instanceIds(cache: Cache, output: Output | undefined): Promise<Set<string> | null> {
  if (output === undefined || output.kind === 'layer' || !isPresent(cache, output)) return null;
  const found = new Set<string>();
  let number = 0;
  const add = (line: string): void => {
    if (line !== '') found.add(/"instance_id":\s*"([^"]*)"/.exec(line)?.[1] ?? `line ${number}`);
    number += 1;
  };
  if (output.kind === 'inline') {
    for (const line of output.text.split('\n')) add(line);
    return found;
  }
  const blobs = output.kind === 'blob' ? [output] : (readPieces(cache.blobs, output.digest) ?? []);
  for (const { digest } of blobs) {
    const input = createReadStream(cache.blobs.path(digest));
    for await (const line of createInterface({ input, crlfDelay: Infinity })) add(line);
  }
  return found;
}
