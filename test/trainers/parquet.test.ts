/** Parquet as it is written, read back by another library. */

import { createHash } from 'node:crypto';
import { parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { plain } from '../../formats/row.ts';
import { parquetOf } from '../../trainers/rows/parquet.ts';

async function readBack(rows: Parameters<typeof parquetOf>[0]): Promise<unknown> {
  const bytes = await parquetOf(rows);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  return plain(await parquetReadObjects({ file }));
}

test('lists and structs come back as they are', async () => {
  const rows = [
    {
      data_source: 'a',
      prompt: [{ role: 'user', content: 'ä "1"' }],
      instance: { id: 'x', tests: ['a', 'b'], n: 3 },
    },
    { data_source: 'b', prompt: [{ role: 'user', content: '' }], instance: { id: 'y', tests: [], n: 4 } },
  ];
  expect(await readBack(rows)).toEqual(rows);
});

test('what a row lacks is null, and what has no common type is JSON', async () => {
  const rows = [{ a: { x: 1, y: [1.5] }, b: 'text' }, { a: { x: 2, z: true }, b: { c: 1 } }, { b: null }];
  expect(await readBack(rows)).toEqual([
    { a: { x: 1, y: [1.5], z: null }, b: 'text' },
    { a: { x: 2, z: true }, b: '{"c":1}' },
    { b: null },
  ]);
});

test('the same rows are the same bytes in every version, so that stages which write them keep their answers', async () => {
  const rows = [
    { id: 'a', prompt: [{ role: 'user', content: 'ä' }], n: 3, share: 0.5, ok: true, tests: ['x', 'y'] },
    { id: 'b', prompt: [], n: null, share: 1, ok: false, tests: [], rare: { deep: [1] } },
  ];
  const digest = createHash('sha256')
    .update(await parquetOf(rows))
    .digest('hex');
  expect(digest.slice(0, 16)).toBe('51ee3de89425eee7');
});
