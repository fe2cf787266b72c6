/**
 * A dataset is kept in blocks, and what was answered about a block is found as one. Whatever changes, the result must
 * be that of a build from nothing, and only what the change is about may run.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fillCache, writeProject } from '../../bench/filled-project.ts';
import { openCache } from '../../cache/cache.ts';
import { noteRemovals } from '../../cache/removals.ts';
import type { RunEnd } from '../../engine/run.ts';

const ROWS = 400;
let folder: string;
let file: string;
let rows: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'swemake-blocks-'));
  ({ file, rows } = writeProject(folder, ROWS));
  await fillCache(file);
});

afterEach(() => rmSync(folder, { recursive: true }));

const lines = () => readFileSync(rows, 'utf8').trimEnd().split('\n');
const write = (all: readonly string[]) => writeFileSync(rows, `${all.join('\n')}\n`);
const edited = (line: string) => line.replace('"patch":"diff', '"patch":"\\ndiff');

function executed(end: RunEnd): Record<string, number> {
  return Object.fromEntries([...end.nodes].map(([address, { state }]) => [address, state.executed]));
}

function answers(end: RunEnd) {
  return [...end.nodes].map(([address, { state }]) => [address, state.root, state.counts, state.entries()]);
}

/** What a build makes of the files as they are, compared with one that starts from nothing. */
async function rebuilt(): Promise<Record<string, number>> {
  const end = await fillCache(file);
  const [ran, found] = [executed(end), answers(end)];
  rmSync(join(folder, '.swemake'), { recursive: true });
  expect(found).toEqual(answers(await fillCache(file)));
  return ran;
}

test.each<[string, (all: string[]) => string[], number]>([
  ['a changed row', (all) => all.with(200, edited(all[200]!)), 1],
  ['an added row', (all) => all.toSpliced(7, 0, all[300]!.replace(/__(\w{8})"/, '__new$1"')), 1],
  ['a removed row', (all) => all.toSpliced(399, 1), 0],
  ['two rows that change places', (all) => all.with(3, all[390]!).with(390, all[3]!), 0],
  ['a row twice', (all) => [...all, all[5]!], 0],
  ['a row that is not JSON', (all) => all.with(100, '{'), 0],
])('%s runs what is its own', async (_what, change, validations) => {
  write(change(lines()));
  expect(await rebuilt()).toMatchObject({
    'dataset.train': 1,
    'environments.train': 0,
    'validate.train': validations,
  });
});

test('another environment is built, and its instances are validated, no others', async () => {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, `${text}environments: { recipes: [{ match: { repo: "*package0.*" }, pip: [x] }] }\n`);
  const mine = lines().filter((line) => line.includes('__package0.')).length;
  expect(mine).toBeGreaterThan(1);
  // The made-up answer of the new environment is that of the old one, so nothing after it is different.
  expect(await rebuilt()).toMatchObject({
    'dataset.train': 0,
    'environments.train': 1,
    'validate.train': 0,
  });
});

test('another way to validate reaches every instance', async () => {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('validation: {', 'validation: { gold_runs: 3,'));
  expect(await rebuilt()).toMatchObject({ 'dataset.train': 0, 'validate.train': ROWS });
});

test('a sample stays what it is when rows come, and is chosen from all of them', async () => {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('    source:', '    select: { sample: 50, seed: 3 }\n    source:'));
  const before = await fillCache(file);
  const names = before.nodes
    .get('validate.train')!
    .state.entries()
    .map((entry) => entry.name);
  expect(names).toHaveLength(50);
  expect(executed(before)).toMatchObject({ 'dataset.train': 1, 'validate.train': 0 });
  write(lines().with(200, edited(lines()[200]!)));
  await rebuilt();
});

test('answers that were removed are not found by blocks either', async () => {
  const cache = await openCache(join(folder, '.swemake'));
  const keys = [...cache.database.records.getKeys()];
  for (const key of keys) await cache.database.records.remove(key);
  for (const key of [...cache.database.stages.getKeys()]) await cache.database.stages.remove(key);
  await noteRemovals(cache.database);
  await cache.close();
  expect(await rebuilt()).toMatchObject({ 'dataset.train': 1, 'validate.train': ROWS });
});
