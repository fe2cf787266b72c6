import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Bool, Field, Int64, List, Struct, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ReadRow } from '../../formats/row.ts';
import { readRows } from '../../stages/dataset/readers/read-rows.ts';
import { findRowFiles } from '../../stages/dataset/readers/row-files.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'swemake-rows-'));
});

afterEach(() => rmSync(root, { recursive: true }));

async function rowsOf(path: string, split?: string): Promise<ReadRow[]> {
  const files = await findRowFiles(path, split);
  if (!files.ok) throw new Error(files.fault.detail);
  const rows: ReadRow[] = [];
  for await (const row of readRows(files.value)) rows.push(row);
  return rows;
}

const write = (name: string, content: string | Buffer) => {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), content);
  return join(root, name);
};

test('JSONL: line numbers count blank lines, a broken line spoils only itself', async () => {
  const lines = [
    '\ufeff{"instance_id":"a"}',
    '',
    '{"instance_id":"b","patch":"cut',
    '[1]',
    '{"instance_id":"c"}\r',
  ];
  expect(await rowsOf(write('rows.jsonl', lines.join('\n')))).toEqual([
    { line: 1, row: { instance_id: 'a' } },
    { line: 3, instance_id: 'b', field: '', message: expect.stringContaining('not JSON') },
    { line: 4, instance_id: null, field: '', message: 'the row is not an object' },
    { line: 5, row: { instance_id: 'c' } },
  ]);
});

test('JSONL: lines longer than a chunk, characters across chunks, gzip', async () => {
  const rows = [1, 2, 3].map((n) => ({ instance_id: `row-${n}`, text: 'ü€'.repeat(400_000 + n) }));
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  const expected = rows.map((row, index) => ({ line: index + 1, row }));
  expect(await rowsOf(write('rows.jsonl', text))).toEqual(expected);
  expect(await rowsOf(write('rows.jsonl.gz', gzipSync(text)))).toEqual(expected);
});

test('JSON: a list, rows by id, lists by split, one row', async () => {
  expect(await rowsOf(write('list.json', '[{"instance_id":"a"}]'))).toEqual([
    { line: 1, row: { instance_id: 'a' } },
  ]);
  expect(await rowsOf(write('dict.json', '{"a":{"x":1},"b":{"instance_id":"c"}}'))).toEqual([
    { line: 1, row: { instance_id: 'a', x: 1 } },
    { line: 2, row: { instance_id: 'c' } },
  ]);
  expect(await rowsOf(write('splits.json', '{"dev":[],"test":[{"x":1}]}'), 'test')).toEqual([
    { line: 1, row: { x: 1 } },
  ]);
  expect(await rowsOf(write('one.json', '{"instance_id":"a","patch":{}}'))).toEqual([
    { line: 1, row: { instance_id: 'a', patch: {} } },
  ]);
});

const TYPED = [
  { instance_id: 'a', tests: ['t1', 't2'], number: 7n, big: 2n ** 60n, meta: { ok: true, names: ['x'] } },
  { instance_id: 'b', tests: [], number: -1n, big: null, meta: { ok: false, names: [] } },
];

function arrowBytes(rows: typeof TYPED): Buffer {
  const texts = new List(new Field('item', new Utf8(), true));
  const meta = new Struct([new Field('ok', new Bool(), true), new Field('names', texts, true)]);
  const column = <K extends keyof (typeof TYPED)[number]>(name: K) => rows.map((row) => row[name]);
  const table = new Table({
    instance_id: vectorFromArray(column('instance_id'), new Utf8()),
    tests: vectorFromArray(column('tests'), texts),
    number: vectorFromArray(column('number'), new Int64()),
    big: vectorFromArray(column('big'), new Int64()),
    meta: vectorFromArray(column('meta'), meta),
  } as never);
  return Buffer.from(tableToIPC(table, 'stream'));
}

/** A folder as `datasets.Dataset.save_to_disk` writes it. */
function saveToDisk(name: string, rows: typeof TYPED): string {
  const names = rows.map((_row, index) => `data-0000${index}-of-0000${rows.length}.arrow`);
  for (const [index, file] of names.entries()) write(`${name}/${file}`, arrowBytes([rows[index]!]));
  write(`${name}/state.json`, JSON.stringify({ _data_files: names.map((filename) => ({ filename })) }));
  write(`${name}/dataset_info.json`, '{}');
  return join(root, name);
}

const PLAIN = [
  { line: 1, row: { ...TYPED[0], number: 7, big: String(2n ** 60n) } },
  { line: 2, row: { ...TYPED[1], number: -1 } },
];

test('Arrow: a saved dataset of several files, with lists, structs and 64-bit integers', async () => {
  expect(await rowsOf(saveToDisk('saved', TYPED))).toEqual(PLAIN);
});

test('Arrow: a saved dict of datasets, by split', async () => {
  saveToDisk('dict/train', TYPED);
  saveToDisk('dict/test', TYPED.slice(0, 1));
  write('dict/dataset_dict.json', '{"splits":["train","test"]}');
  expect(await rowsOf(join(root, 'dict'), 'test')).toEqual(PLAIN.slice(0, 1));
  expect(await findRowFiles(join(root, 'dict'), undefined)).toMatchObject({
    ok: false,
    fault: { detail: expect.stringContaining('train, test') },
  });
});

test('Arrow: a file of a saved dataset that is gone is an error of the disk, and not an empty file', async () => {
  const saved = saveToDisk('saved', TYPED);
  rmSync(join(saved, 'data-00001-of-00002.arrow'));
  await expect(rowsOf(saved)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.each([
  ['state.json', 'null', 'state.json is no JSON object'],
  ['state.json', '{}', 'state.json names no files'],
  ['dataset_dict.json', '[1]', 'dataset_dict.json names no splits'],
])('a saved dataset whose %s is %s', async (name, text, why) => {
  write(`odd/${name}`, text);
  expect(await findRowFiles(join(root, 'odd'), undefined)).toMatchObject({
    ok: false,
    fault: { reason: 'invalid-row', detail: expect.stringContaining(why) },
  });
});

test('finds the files of a split in a hub folder', async () => {
  for (const name of [
    'data/train-00001-of-00002.parquet',
    'data/train-00000-of-00002.parquet',
    'data/test-00000-of-00001.parquet',
    'README.md',
  ]) {
    write(`hub/${name}`, '');
  }
  write('flat/dev.jsonl', '');
  const names = async (folder: string, split?: string) => {
    const files = await findRowFiles(join(root, folder), split);
    return files.ok ? files.value.paths.map((path) => path.slice(root.length + 1)) : files.fault.detail;
  };
  expect(await names('hub', 'train')).toEqual([
    'hub/data/train-00000-of-00002.parquet',
    'hub/data/train-00001-of-00002.parquet',
  ]);
  expect(await names('hub', 'dev')).toContain('it has no split "dev", only test, train');
  expect(await names('flat')).toEqual(['flat/dev.jsonl']);
  expect(await names('nowhere')).toContain('no such file');
});

test.each([
  ['rows.parquet', 'Parquet'],
  ['rows.arrow', 'Arrow'],
  ['rows.json', 'JSON'],
])('a damaged %s is one fault of the whole', async (name, kind) => {
  await expect(rowsOf(write(name, 'garbage, and no table'))).rejects.toThrow(kind);
});

test('Parquet: SWE-bench Verified', async ({ skip }) => {
  const path = '../shared/data/swebench/verified-test.parquet';
  if (!(await findRowFiles(path, undefined)).ok) skip(`${path} is not there`);
  const rows = await rowsOf(path);
  expect(rows).toHaveLength(500);
  expect(rows[0]).toMatchObject({ line: 1, row: { instance_id: 'astropy__astropy-12907', version: '4.3' } });
});

test('JSON: SWE-bench Lite', async ({ skip }) => {
  const path = '../shared/data/swebench/lite-5-rows.json';
  if (!(await findRowFiles(path, undefined)).ok) skip(`${path} is not there`);
  expect(await rowsOf(path)).toHaveLength(JSON.parse(readFileSync(path, 'utf8')).length);
});
