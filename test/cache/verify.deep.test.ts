import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ActionKey, Digest } from '../../basics/digest.ts';
import { identityOf, processTag } from '../../basics/process-identity.ts';
import { restingKeys } from '../../cache/absences.ts';
import { type Cache, openCache, publish, recordDigest, storeText } from '../../cache/cache.ts';
import { binaryKey, openDatabase } from '../../cache/database.ts';
import { actionKey } from '../../cache/key.ts';
import { repairCache, verifyCache } from '../../cache/verify.ts';
import { verifyBlobs, verifyRecords } from '../../cache/verify-answers.ts';
import { ABSENT } from '../../schemas/absence.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import { buildWorker, runWorker } from '../faults/program.ts';
import { temporaryFolder } from '../rig/folder.ts';

let worker: string;
let folder: string;
beforeAll(() => {
  worker = buildWorker();
});
afterAll(() => rmSync(worker, { force: true }));
beforeEach(() => {
  folder = temporaryFolder();
  runWorker(worker, folder);
});

const root = () => join(folder, 'cache');

async function withCache<T>(work: (cache: Cache) => Promise<T> | T): Promise<T> {
  const cache = await openCache(root());
  try {
    return await work(cache);
  } finally {
    await cache.close();
  }
}

/** What is found, as `kind where: detail`; mended at once. A second look must find nothing. */
async function repaired(rehash = false): Promise<string[]> {
  const found = await withCache(async (cache) => {
    const report = await verifyCache(cache, rehash);
    await repairCache(cache, report, `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}-verify`);
    return report.problems.map(({ kind, where, detail }) => `${kind} ${where}: ${detail}`);
  });
  const left = await withCache(async (cache) => (await verifyCache(cache, rehash)).problems);
  expect(left.map(({ where, detail }) => `${where}: ${detail}`)).toEqual([]);
  return found;
}

/** The record of `make@a` and its key. */
function recordOfA(cache: Cache): { key: ActionKey; record: ActionRecord } {
  const { key } = cache.database.latest.get('worker/make@a')!;
  return { key, record: cache.database.records.get(binaryKey(key))! };
}

const blobOfA = () => withCache((cache) => cache.blobs.path(recordOfA(cache).record.outputs.text!.digest));
const treeOfA = () =>
  withCache((cache) => join(cache.folder.trees, recordOfA(cache).record.outputs.layer!.digest));

describe('verify', () => {
  test('finds nothing wrong after a build', async () => {
    expect(await repaired(true)).toEqual([]);
  });

  test('T50 a flipped byte in a blob', async () => {
    const path = await blobOfA();
    const bytes = readFileSync(path);
    bytes[100]! ^= 1;
    chmodSync(path, 0o644);
    writeFileSync(path, bytes);
    expect(await withCache(async (cache) => (await verifyCache(cache, false)).problems)).toEqual([]);
    const found = await repaired(true);
    expect(found[0]).toMatch(/^blob blobs\/.*: its content is not what its name says$/);
    expect(found[1]).toMatch(/^answer worker\/make@a: its output "text" is missing or damaged/);
    expect(readdirSync(join(root(), 'quarantine'))).toHaveLength(1);
    expect(runWorker(worker, folder).ran).toEqual(['a']);
  });

  test('T50 a blob that is cut short is noticed in use, too', async () => {
    truncateSync(await blobOfA(), 10);
    expect(runWorker(worker, folder).ran).toEqual(['a']);
    expect(await repaired(true)).toEqual([]);
  });

  test('T51 an answer that names a missing blob', async () => {
    rmSync(await blobOfA());
    expect((await repaired())[0]).toMatch(/^answer worker\/make@a: /);
    expect(runWorker(worker, folder).ran).toEqual(['a']);
  });

  test('T52 a record that is none is a miss, and found', async () => {
    await withCache(async (cache) => {
      await cache.database.records.put(binaryKey(recordOfA(cache).key), 'garbage' as never);
      await cache.database.stages.clearAsync();
    });
    expect(runWorker(worker, folder).ran).toEqual(['a']);
    await withCache((cache) =>
      cache.database.records.put(binaryKey(recordOfA(cache).key), { version: 99 } as never),
    );
    expect(
      (await repaired()).some((text) => text.startsWith('answer worker/make@a: it cannot be read')),
    ).toBe(true);
    expect(runWorker(worker, folder).ran).toEqual(['a']);
  });

  test('a database that fails is no damaged answer, and nothing is removed', async () => {
    await withCache(async (cache) => {
      const { preimages } = cache.database;
      const get = preimages.get.bind(preimages);
      preimages.get = () => {
        throw new Error('MDB_PROBLEM');
      };
      await expect(verifyCache(cache, false)).rejects.toThrow('MDB_PROBLEM');
      preimages.get = get;
      expect((await verifyCache(cache, false)).problems).toEqual([]);
    });
  });

  test('T27 a tree that is gone comes back from the pool', async () => {
    rmSync(await treeOfA(), { recursive: true });
    expect((await repaired())[0]).toMatch(/^layer .*: its tree is missing$/);
    expect(runWorker(worker, folder).ran).toEqual([]);
  });

  test('T26 a tree that was edited is made again from the pool', async () => {
    const tree = await treeOfA();
    writeFileSync(join(tree, 'new.txt'), 'x');
    expect((await repaired())[0]).toMatch(/^layer .*: new\.txt does not belong to it$/);
    rmSync(join(tree, 'own.txt'));
    expect((await repaired())[0]).toMatch(/^layer .*: own\.txt is missing$/);
    expect(runWorker(worker, folder).ran).toEqual([]);
  });

  test('T24 a file of the pool that was written to in place', async () => {
    appendFileSync(join(await treeOfA(), 'own.txt'), 'more');
    const found = await repaired(true);
    expect(found.filter((text) => text.startsWith('layer'))).toHaveLength(2);
    expect(runWorker(worker, folder).ran).toEqual(['a']);
  });

  test('a file that the pool lost gets its name back from a tree', async () => {
    const pool = join(root(), 'layers/pool');
    for (const shard of readdirSync(pool)) {
      for (const name of readdirSync(join(pool, shard))) rmSync(join(pool, shard, name));
    }
    expect((await repaired(true)).length).toBeGreaterThan(0);
    rmSync(await treeOfA(), { recursive: true });
    expect(await repaired(true)).toHaveLength(1);
    expect(runWorker(worker, folder).ran).toEqual([]);
  });

  test('T42 a journal that ends in the middle of a line is sound, whatever the byte', async () => {
    const [run] = readdirSync(join(root(), 'runs'));
    const path = join(root(), 'runs', run!, 'events.jsonl');
    for (const cut of [1, 7, 100, 2000]) {
      truncateSync(path, readFileSync(path).length - cut);
      expect(await repaired()).toEqual([]);
    }
    expect(runWorker(worker, folder).ran).toEqual([]);
  });

  test('a journal with garbage in it keeps its other lines', async () => {
    const [run] = readdirSync(join(root(), 'runs'));
    const path = join(root(), 'runs', run!, 'events.jsonl');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, `garbage\n${text}`);
    expect(await repaired()).toEqual([`journal runs/${run}/events.jsonl: 1 line cannot be read`]);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('an answer that only a journal has is put back', async () => {
    await withCache((cache) => cache.database.records.remove(binaryKey(recordOfA(cache).key)));
    const found = await repaired();
    expect(found.map((text) => text.split(' ')[0])).toEqual(['stage', 'journal']);
    expect(runWorker(worker, folder).ran).toEqual([]);
  });

  test('an answer that is put back is asked for again, if it rests on something that was not found', async () => {
    const sought = { kind: 'url' as const, url: 'https://example.com/a' };
    const absent = [{ sought, answer: ABSENT, asked: 1 }];
    const [run] = readdirSync(join(root(), 'runs'));
    const path = join(root(), 'runs', run!, 'events.jsonl');
    const { key, record } = await withCache(recordOfA);
    const lines = readFileSync(path, 'utf8').split('\n');
    const resting = lines.map((line) =>
      line.includes(`"key":"${key}"`) && line !== ''
        ? JSON.stringify({ ...JSON.parse(line), record: { ...record, absent } })
        : line,
    );
    writeFileSync(path, resting.join('\n'));
    await withCache((cache) => cache.database.records.remove(binaryKey(key)));
    await repaired();
    expect(await withCache((cache) => [...restingKeys(cache.database, 'make')])).toEqual([key]);
  });

  test('what a build answers while the cache is looked through is sound', async () => {
    const problems = await withCache(async (cache) => {
      const { bad } = await verifyBlobs(cache, true);
      const text = storeText(cache, 'x'.repeat(100_000));
      const preimage = { domain: 'item' as const, stage: 'make', version: 1, parts: {} };
      const record: ActionRecord = {
        ...recordOfA(cache).record,
        outputs: { text },
        digest: recordDigest({ status: 'ok' }, { text }),
      };
      await publish(cache, 'worker/make@new', actionKey(preimage), preimage, record);
      return verifyRecords(cache, bad, new Set()).problems;
    });
    expect(problems.map(({ where, detail }) => `${where}: ${detail}`)).toEqual([]);
  });

  test('a repair leaves a tree that a build has made meanwhile', async () => {
    const tree = await treeOfA();
    rmSync(tree, { recursive: true });
    await withCache(async (cache) => {
      const report = await verifyCache(cache, false);
      expect(report.problems).toHaveLength(1);
      await cache.layers.open(basename(tree) as Digest);
      const shown = openSync(tree, 'r');
      await repairCache(cache, report, 'verify');
      expect(readdirSync(`/proc/self/fd/${shown}`)).toContain('own.txt');
      closeSync(shown);
    });
  });

  test('a repair takes no file from workspaces that show a layer', async () => {
    const tree = await treeOfA();
    writeFileSync(join(tree, 'new.txt'), 'x');
    const shown = openSync(tree, 'r');
    await repaired();
    expect(readdirSync(`/proc/self/fd/${shown}`)).toContain('own.txt');
    appendFileSync(join(tree, 'own.txt'), 'more');
    const broken = openSync(tree, 'r');
    await repaired(true);
    expect(readdirSync(`/proc/self/fd/${broken}`)).toContain('own.txt');
    for (const file of [shown, broken]) closeSync(file);
  });

  test('a layer that a running build is making is sound', async () => {
    const tree = await treeOfA();
    rmSync(tree, { recursive: true });
    const child = spawn('sleep', ['60']);
    try {
      const { ctimeMs } = statSync(`${tree}.manifest`);
      const name = processTag(identityOf(child.pid!));
      writeFileSync(join(root(), 'records.mdb.users', name), `start ${Math.floor(ctimeMs)}\n`);
      const problems = () => withCache(async (cache) => (await verifyCache(cache, false)).problems);
      expect(await problems()).toEqual([]);
      utimesSync(`${tree}.manifest`, 1, 1);
      expect((await problems()).map(({ detail }) => detail)).toEqual(['its tree is missing']);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test.each([
    ['before it was begun', () => undefined],
    ['before its end', async (path: string) => (await openDatabase(path)).close()],
  ])('T53 a database is made again from journals, also if a kill came %s', async (_when, begin) => {
    const path = join(root(), 'records.mdb');
    rmSync(path);
    await begin(path);
    const again = runWorker(worker, folder);
    expect(again).toMatchObject({ ran: [], counts: { ok: 4 } });
    expect(await repaired(true)).toEqual([]);
  });

  test('T53 a database that is cut short is made again from journals: all hits', async () => {
    truncateSync(join(root(), 'records.mdb'), 8192);
    const again = runWorker(worker, folder);
    expect(again.ran).toEqual([]);
    expect(again.counts).toMatchObject({ ok: 4 });
    expect(readdirSync(root()).some((name) => name.startsWith('records.mdb.damaged-'))).toBe(true);
    expect(await repaired(true)).toEqual([]);
    expect(existsSync(join(root(), 'records.mdb'))).toBe(true);
  });
});
