import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { digestOf } from '../../basics/digest.ts';
import { fileBlocks } from '../../stages/dataset/blocks/file-blocks.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { generateJsonl } from '../rig/rows.ts';

const folder = temporaryFolder();

const FILES: Record<string, string> = {
  rows: [...generateJsonl(3000, 20, 3)].join(''),
  'lines that look alike': '{"x":1}\n'.repeat(20_000),
  'no end of the last line': Array.from({ length: 3000 }, (_, at) => `{"x":${at}}`).join('\n'),
  'a giant line in the middle': `${'{"x":1}\n'.repeat(500)}{"y":"${'y'.repeat(6 << 20)}"}\n${'{"z":1}\n'.repeat(500)}`,
  'one line': `{"y":"${'y'.repeat(3 << 20)}"}`,
  'empty lines': '\n'.repeat(5000),
};

test.each(Object.entries(FILES))('blocks cover the file, packed or not: %s', async (_name, text) => {
  const path = join(folder, 'rows.jsonl');
  writeFileSync(path, text);
  const blocks = await fileBlocks(path);
  const bytes = readFileSync(path);
  let [offset, line] = [0, 1];
  for (const block of blocks) {
    expect(block).toMatchObject({ path, offset, firstLine: line });
    const own = bytes.subarray(offset, offset + block.length);
    expect(block.digest).toBe(digestOf(own));
    offset += block.length;
    line += own.toString().split('\n').length - 1;
  }
  expect(offset).toBe(bytes.length);
  const packed = `${path}.gz`;
  writeFileSync(packed, gzipSync(text));
  expect(await fileBlocks(packed)).toEqual(blocks.map((block) => ({ ...block, path: packed })));
});
