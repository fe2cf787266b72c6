import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf } from '../../basics/digest.ts';
import { type LineBlock, lineBlocks, rowsOfBlock } from '../../stages/dataset/readers/line-blocks.ts';

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'swemake-blocks-'));
});

afterAll(() => rmSync(root, { recursive: true }));

async function blocksOf(text: string): Promise<LineBlock[]> {
  const path = join(root, 'rows.jsonl');
  writeFileSync(path, text);
  const blocks: LineBlock[] = [];
  for await (const block of lineBlocks(path)) blocks.push(block);
  return blocks;
}

const lines = Array.from({ length: 12_000 }, (_, index) =>
  JSON.stringify({ instance_id: `row-${index}`, text: 'x'.repeat(100 + (index % 7)) }),
);
const digests = (blocks: LineBlock[]) => new Set(blocks.map((block) => digestOf(block.bytes)));

test('blocks are whole lines, follow one another and hold the whole file', async () => {
  for (const end of ['\n', '']) {
    const text = lines.join('\n') + end;
    const blocks = await blocksOf(text);
    expect(blocks.length).toBeGreaterThan(50);
    expect(Buffer.concat(blocks.map((block) => block.bytes)).toString()).toBe(text);
    let offset = 0;
    for (const block of blocks) {
      expect(block.offset).toBe(offset);
      offset += block.bytes.length;
    }
    const rows = blocks.flatMap((block) => [...rowsOfBlock(block)]);
    expect(rows.map((row) => [row.line, 'row' in row && row.row.instance_id])).toEqual(
      lines.map((_line, index) => [index + 1, `row-${index}`]),
    );
  }
});

test.each([
  ['changed', (all: string[]) => all.with(6500, '{"instance_id":"other"}')],
  ['added', (all: string[]) => all.toSpliced(10, 0, '{"instance_id":"new"}')],
  ['removed', (all: string[]) => all.toSpliced(700, 1)],
])('one row %s leaves all but a few blocks as they were', async (_what, change) => {
  const before = digests(await blocksOf(lines.join('\n')));
  const after = await blocksOf(change(lines).join('\n'));
  const fresh = after.filter((block) => !before.has(digestOf(block.bytes)));
  expect(fresh.length).toBeGreaterThan(0);
  expect(fresh.length).toBeLessThanOrEqual(3);
});

test('lines that look alike still end blocks, and one giant line is one block', async () => {
  const alike = await blocksOf('{"x":1}\n'.repeat(10_000));
  expect(alike.length).toBeGreaterThanOrEqual(10_000 / 512);
  const giant = await blocksOf(`{"x":"${'y'.repeat(5_000_000)}"}\n{"x":2}\n`);
  expect([...rowsOfBlock(giant[0]!)][0]).toMatchObject({ line: 1 });
});

test('a row that is nested too deeply spoils only itself', async () => {
  const deep = `{"instance_id":"deep","extra":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const [block] = await blocksOf(
    `${deep}\n{"instance_id":"next","extra":${'['.repeat(99)}${']'.repeat(99)}}\n`,
  );
  expect([...rowsOfBlock(block!)]).toMatchObject([
    { line: 1, instance_id: 'deep', field: 'extra', message: 'is nested deeper than 100 levels' },
    { line: 2, row: { instance_id: 'next' } },
  ]);
});

test('an empty file has no blocks', async () => {
  expect(await blocksOf('')).toEqual([]);
});
