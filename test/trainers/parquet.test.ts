/** Parquet as it is written, read back by another library. */

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
