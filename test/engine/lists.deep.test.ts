/**
 * A finished stage with many items names lists of them, so that a change writes one list. Lists are the cache's like
 * any other blob: gc keeps and removes them, verify checks them, and what earlier versions wrote is read as it is.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ActionKey } from '../../basics/digest.ts';
import { identityOf, processTag, thisProcess } from '../../basics/process-identity.ts';
import { fillCache, rowChanger, writeProject } from '../../bench/filled-project.ts';
import { type Cache, openCache } from '../../cache/cache.ts';
import { binaryKey } from '../../cache/database.ts';
import { collectGarbage } from '../../cache/gc.ts';
import { itemLists } from '../../cache/inventory.ts';
import { type ItemList, itemLine, readItems } from '../../cache/stage-manifest.ts';
import { repairCache, verifyCache } from '../../cache/verify.ts';
import type { RunEnd } from '../../engine/run.ts';
import type { StageRecord } from '../../schemas/record.ts';
import type { BlockFacts } from '../../stages/dataset/blocks/row-block.ts';

const ROWS = 600;
const DAY = 24 * 3600 * 1000;
let folder: string;
let file: string;
let rows: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'swemake-lists-'));
  ({ file, rows } = writeProject(folder, ROWS));
  await fillCache(file);
});

afterEach(() => rmSync(folder, { recursive: true }));

async function withCache<T>(work: (cache: Cache) => Promise<T> | T): Promise<T> {
  const cache = await openCache(join(folder, '.swemake'));
  try {
    return await work(cache);
  } finally {
    await cache.close();
  }
}

/** Finished validations of all rows. */
function validations({ database }: Cache): [key: ActionKey, record: StageRecord][] {
  const all = [...database.stages.getRange({})].filter(({ value }) => value.items === ROWS);
  return all.map(({ key, value }) => [Buffer.from(key).toString('hex') as ActionKey, value]);
}

const listsOf = (cache: Cache): ItemList[][] =>
  validations(cache).map(([, { manifest }]) => itemLists(cache, manifest.digest));

const validate = (end: RunEnd) => end.nodes.get('validate.train')!.state;

async function problems(repair = false): Promise<string[]> {
  return withCache(async (cache) => {
    const report = await verifyCache(cache, true);
    if (repair) await repairCache(cache, report, '20260101T000000Z-verify');
    return report.problems.map(({ kind, detail }) => `${kind}: ${detail}`);
  });
}

const gc = (limits: object, inDays: number) =>
  withCache((cache) =>
    collectGarbage(
      cache,
      { maxSize: null, maxAge: null, keepRuns: null, failed: false, ...limits },
      { run: '20260101T000000Z-gc', now: Date.now() + inDays * DAY, dryRun: false },
    ),
  );

test('a changed row makes one list anew, and the manifest stays short', async () => {
  rowChanger(rows)();
  const changed = validate(await fillCache(file));
  expect(changed.executed).toBe(1);
  // One by one: answered lists beside one that was opened, and a finished stage.
  expect([...changed.eachEntry()]).toEqual(changed.entries());
  const again = validate(await fillCache(file));
  expect(again.fresh).toBe(true);
  const oneByOne = [...again.eachEntry()];
  expect(oneByOne).toEqual(changed.entries());
  expect(again.entries()).toEqual(oneByOne);
  expect([...again.eachEntry()]).toEqual(oneByOne);
  const [before, after] = (await withCache(listsOf)) as [ItemList[], ItemList[]];
  expect(before.length).toBeGreaterThan(2);
  expect(after.reduce((sum, { items }) => sum + items, 0)).toBe(ROWS);
  const known = new Set(before.map(({ digest }) => digest));
  expect(after.filter(({ digest }) => !known.has(digest))).toHaveLength(1);
});

test('a manifest that holds its items itself, and chunks with their lines, are read or missed', async () => {
  const before = validate(await fillCache(file)).entries();
  await withCache(async (cache) => {
    for (const [key, record] of validations(cache)) {
      const items = readItems(cache.blobs, record.manifest.digest)!;
      const manifest = cache.blobs.write(items.map(itemLine).join(''));
      await cache.database.stages.put(binaryKey(key), { ...record, manifest });
    }
    const { memos } = cache.database;
    for (const key of [...memos.getKeys({ start: 'chunk ', end: 'chunk ~' })])
      await memos.put(key, { lines: '', root: '', size: 0, counts: {}, outputs: [] });
  });
  expect(await problems()).toEqual([]);
  const end = await fillCache(file);
  expect(validate(end).fresh).toBe(true);
  expect(validate(end).entries()).toEqual(before);
  rowChanger(rows)();
  const changed = validate(await fillCache(file));
  expect([changed.executed, changed.size()]).toEqual([1, ROWS]);
});

test('a damaged list is found, and its items are looked at one by one', async () => {
  const before = validate(await fillCache(file)).root;
  await withCache((cache) => {
    const path = cache.blobs.path(listsOf(cache)[0]![1]!.digest);
    chmodSync(path, 0o644);
    writeFileSync(path, Buffer.alloc(statSync(path).size, 'x'));
  });
  expect(await problems(true)).toEqual([
    'blob: its content is not what its name says',
    'stage: its list of items is missing or damaged',
  ]);
  expect(await problems()).toEqual([]);
  const end = validate(await fillCache(file));
  expect([end.executed, end.root]).toEqual([0, before]);
  expect(await problems()).toEqual([]);
});

test('T55 gc beside a build leaves the answers and blocks that the build found together', async () => {
  rowChanger(rows)();
  const leases = join(folder, '.swemake/records.mdb.users');
  let lease = '';
  await fillCache(file, {
    emit: (event) => {
      if (event.type === 'stage-finished' && event.stage === 'validate.train')
        lease = readFileSync(join(leases, processTag(thisProcess())), 'utf8');
    },
  });
  expect(lease.split('\n').length).toBeLessThan(ROWS / 2);
  const blocks = await withCache(({ database: { memos } }) =>
    [...memos.getRange({ start: 'block ', end: 'block ~' })].map(
      ({ value }) => (JSON.parse(value as string) as BlockFacts).blob.digest,
    ),
  );
  // The block of the row, as it was and as it is, was not found.
  expect(blocks.filter((digest) => !lease.includes(digest))).toHaveLength(2);
  const child = spawn('sleep', ['60']);
  try {
    // The lease as it was then, of a process that lives; whatever is younger than the process is left alone besides.
    const later = lease.replace(/^start \d+/, `start ${Date.now() + 60 * DAY}`);
    writeFileSync(join(leases, processTag(identityOf(child.pid!))), later);
    expect(await gc({ maxAge: 1 }, 31)).toMatchObject({ active: 1 });
  } finally {
    child.kill('SIGKILL');
  }
  await withCache(({ database: { records } }) => {
    const left = [...records.getRange({})].filter(({ value }) => value.outputs.tests !== undefined);
    expect(left).toHaveLength(ROWS);
  });
});

test('gc keeps the lists of finished stages, and removes them with the last that names them', async () => {
  rowChanger(rows)();
  await fillCache(file);
  expect(await gc({}, 0)).toMatchObject({ answers: 0, stages: 0, files: 0 });
  expect(await problems()).toEqual([]);
  expect((await gc({ maxAge: 30 * DAY }, 31))!.stages).toBeGreaterThan(0);
  await withCache(({ database: { memos } }) => {
    const kept = ['block', 'chunk', 'passed'].flatMap((kind) => [
      ...memos.getKeys({ start: `${kind} `, end: `${kind} ~` }),
    ]);
    expect(kept).toEqual([]);
  });
  expect(await problems()).toEqual([]);
  expect(validate(await fillCache(file)).executed).toBe(ROWS);
});
