import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { digestOf } from '../../basics/digest.ts';
import { fileState } from '../../basics/file-state.ts';
import { beginTail } from '../../contract/rows-ahead.ts';
import { type FileBlock, fileBlocks } from '../../stages/dataset/blocks/file-blocks.ts';
import type { NamedBlock } from '../../stages/dataset/blocks/hash-blocks.ts';
import { TailHasher } from '../../stages/dataset/blocks/tail-hasher.ts';
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

async function blocksOf(text: string, parallelFrom: number): Promise<FileBlock[]> {
  const path = join(folder, 'rows.jsonl');
  writeFileSync(path, text);
  const seen: FileBlock[] = [];
  const early: string[] = [];
  const blocks = await fileBlocks(path, (block) => seen.push(block), {
    from: parallelFrom,
    early: (digest) => early.push(digest),
  });
  expect(seen).toEqual(blocks);
  expect(parallelFrom === 0 || early.length === 0).toBe(true);
  const bytes = readFileSync(path);
  let [offset, line] = [0, 1];
  for (const block of blocks) {
    expect(block).toMatchObject({ offset, firstLine: line });
    const own = bytes.subarray(offset, offset + block.length);
    expect(block.digest).toBe(digestOf(own));
    offset += block.length;
    line += own.toString().split('\n').length - 1;
  }
  expect(offset).toBe(bytes.length);
  return blocks;
}

test.each(Object.entries(FILES))('two threads name the blocks that one names: %s', async (_name, text) => {
  const one = await blocksOf(text, Number.POSITIVE_INFINITY);
  expect(await blocksOf(text, 0)).toEqual(one);
});

test('a second thread that begins anywhere soon cuts at the same places', async () => {
  const blocks = await blocksOf(FILES.rows!, Number.POSITIVE_INFINITY);
  const path = join(folder, 'rows.jsonl');
  const middle = blocks[Math.floor(blocks.length / 2)]!.offset + 100;
  const later = blocks.filter(({ offset }) => offset > middle);
  const second = new TailHasher(beginTail(path, fileState(path)!, middle)!);
  let same: NamedBlock[] | null = null;
  while (same === null) {
    // It is heard of between the turns of this thread.
    await yieldToEventLoop();
    for (const { offset } of later) same ??= await second.blocksFrom(offset);
  }
  await second.stop();
  expect(same.map(({ digest }) => digest)).toEqual(later.slice(-same.length).map(({ digest }) => digest));
  expect(later.length - same.length).toBeLessThan(4);
});

test('a thread that finds the file in another state says nothing', async () => {
  const blocks = await blocksOf(FILES.rows!, Number.POSITIVE_INFINITY);
  const second = beginTail(join(folder, 'rows.jsonl'), 'another', blocks[3]!.offset)!;
  expect(await second.ended).toBe(false);
  expect(second.said).toEqual([]);
});
