import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../../basics/digest.ts';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { openCache } from '../../cache/cache.ts';
import { collectGarbage, type GcReport } from '../../cache/gc.ts';
import type { GcLimits } from '../../cache/gc-limits.ts';
import { verifyCache } from '../../cache/verify.ts';
import { buildWorker, runWorker } from '../faults/program.ts';
import { runToy } from '../rig/arithmetic.ts';
import { temporaryFolder } from '../rig/folder.ts';

const DAY = 24 * 3600 * 1000;
const NONE: GcLimits = { maxSize: null, maxAge: null, keepRuns: null, failed: false };

let worker: string;
beforeAll(() => {
  worker = buildWorker();
});
afterAll(() => rmSync(worker, { force: true }));

/** A folder with a finished build. */
function built(): string {
  const folder = temporaryFolder();
  runWorker(worker, folder);
  return folder;
}

async function gc(root: string, limits: Partial<GcLimits>, inDays = 0, dryRun = false): Promise<GcReport> {
  const cache = await openCache(root);
  const now = Date.now() + inDays * DAY;
  const run = `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}-gc`;
  const report = await collectGarbage(cache, { ...NONE, ...limits }, { run, now, dryRun });
  const { problems } = await verifyCache(cache, true);
  await cache.close();
  expect(problems.map(({ where, detail }) => `${where}: ${detail}`)).toEqual([]);
  return report!;
}

const removed = ({
  before: _before,
  after: _after,
  active: _active,
  trainings: _trainings,
  toolchains: _toolchains,
  ...counts
}: GcReport) => Object.values(counts).reduce((sum, count) => sum + count, 0);

describe('gc', () => {
  test('finds nothing to do after a build', async () => {
    const folder = built();
    expect(removed(await gc(join(folder, 'cache'), {}))).toBe(0);
    expect(runWorker(worker, folder).ran).toEqual([]);
  });

  test('removes mirrors that were set aside as damaged, whatever their age, and no others', async () => {
    const folder = built();
    const mirrors = join(folder, 'cache/sources/git');
    for (const name of ['a.git', 'a.git.broken-1']) mkdirSync(join(mirrors, name), { recursive: true });
    await gc(join(folder, 'cache'), {});
    expect(readdirSync(mirrors)).toEqual(['a.git']);
  });

  test('names the toolchains among the layers that it removes', async () => {
    const folder = built();
    const root = join(folder, 'cache');
    const cache = await openCache(root);
    mkdirSync(join(folder, 'tree/bin'), { recursive: true });
    writeFileSync(join(folder, 'tree/bin/go'), 'go');
    const { digest } = await cache.layers.add(join(folder, 'tree'));
    await cache.database.memos.put('toolchain go 1.23.8 linux x64', digest);
    await cache.close();
    expect(await gc(root, {}, 2)).toMatchObject({ layers: 1, toolchains: ['go 1.23.8'] });
    expect(await gc(root, {}, 2)).toMatchObject({ layers: 0, toolchains: [] });
  });

  test('removes files that no answer names, and says before what it would remove', async () => {
    const cache = join(built(), 'cache');
    const name = digestOf('nobody');
    const blob = join(cache, 'blobs', name.slice(0, 2), name);
    writeFileSync(blob, 'nobody');
    const pooled = join(cache, 'layers/pool', name.slice(0, 2), name);
    writeFileSync(pooled, 'nobody');
    mkdirSync(join(cache, 'quarantine'));
    // What is as young as gc itself stays, and the times of files come in steps.
    await sleep(50);
    expect(await gc(cache, {}, 0, true)).toMatchObject({ files: 2, folders: 1 });
    expect(existsSync(blob)).toBe(true);
    expect(await gc(cache, {})).toMatchObject({ files: 2, folders: 1, answers: 0 });
    expect([blob, pooled, join(cache, 'quarantine')].filter((path) => existsSync(path))).toEqual([]);
  });

  test('T56 twice is once, by age', async () => {
    const folder = built();
    const cache = join(folder, 'cache');
    expect(removed(await gc(cache, { maxAge: 30 * DAY }, 29))).toBe(0);
    const report = await gc(cache, { maxAge: 30 * DAY }, 31);
    expect(report).toMatchObject({ answers: 4, stages: 2, layers: 3, after: 0 });
    expect(removed(await gc(cache, { maxAge: 30 * DAY }, 31))).toBe(0);
    expect(runWorker(worker, folder).ran).toEqual(['a', 'b', 'c', '']);
  });

  test('T56 twice is once, by size; what was removed is made again and nothing else', async () => {
    const folder = built();
    const cache = join(folder, 'cache');
    // They go before any answer does.
    for (const state of readdirSync(join(cache, 'states')))
      rmSync(join(cache, 'states', state), { recursive: true });
    const { before } = await gc(cache, {});
    const report = await gc(cache, { maxSize: before - 1000 });
    expect(report.answers).toBeGreaterThan(0);
    expect(report.answers).toBeLessThan(4);
    expect(report.after).toBeLessThanOrEqual(before - 1000);
    expect(removed(await gc(cache, { maxSize: before - 1000 }))).toBe(0);
    const again = runWorker(worker, folder);
    expect(again.ran).toHaveLength(report.answers);
    expect(again.counts).toMatchObject({ ok: 4, infra: 0 });
  });

  test('T56 leaves kept runs alone, whatever the limits', async () => {
    const folder = built();
    const cache = join(folder, 'cache');
    expect(removed(await gc(cache, { maxAge: 1, maxSize: 1, keepRuns: 1 }, 31))).toBe(0);
    expect(removed(await gc(cache, { maxAge: 1, maxSize: 1, keepRuns: 0 }, 31))).toBeGreaterThan(0);
  });

  test('keeps the journals that answers can be made again from', async () => {
    const folder = built();
    const cache = join(folder, 'cache');
    runWorker(worker, folder);
    expect(readdirSync(join(cache, 'runs'))).toHaveLength(2);
    expect(await gc(cache, { keepRuns: 0 })).toMatchObject({ folders: 1, answers: 0 });
  });

  test('removes failures on request, which then run again', async () => {
    const root = temporaryFolder();
    await runToy(root, { numbers: [-1, 2] });
    expect(await gc(root, { failed: true })).toMatchObject({ answers: 1 });
    expect((await runToy(root, { numbers: [-1, 2] })).ran).toEqual(['n-1']);
  });

  test('T55 what a running process has in use stays', async () => {
    const folder = built();
    const cache = join(folder, 'cache');
    const stage = await firstStage(cache);
    const child = spawn('sleep', ['60']);
    try {
      const users = join(cache, 'records.mdb.users');
      appendFileSync(join(users, tagOf(child.pid!)), `start ${Date.now() + 31 * DAY}\n${stage}\n`);
      const report = await gc(cache, { maxAge: 1 }, 31);
      expect(report).toMatchObject({ active: 1, answers: 1, stages: 1, layers: 0 });
      expect(runWorker(worker, folder).ran).toEqual(['']);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('T55 what is younger than a running process stays, though nothing names it yet', async () => {
    const cache = join(built(), 'cache');
    const child = spawn('sleep', ['60']);
    try {
      appendFileSync(join(cache, 'records.mdb.users', tagOf(child.pid!)), `start ${Date.now()}\n`);
      const name = digestOf('in the making');
      const blob = join(cache, 'blobs', name.slice(0, 2), name);
      writeFileSync(blob, 'in the making');
      await gc(cache, {});
      expect(existsSync(blob)).toBe(true);
    } finally {
      child.kill('SIGKILL');
    }
    await new Promise((resolve) => child.once('exit', resolve));
  });

  test('what was removed does not come back when the database is made again from journals', async () => {
    const folder = built();
    const cache = join(folder, 'cache');
    // They go before any answer does.
    for (const state of readdirSync(join(cache, 'states')))
      rmSync(join(cache, 'states', state), { recursive: true });
    const { before } = await gc(cache, {});
    const { answers } = await gc(cache, { maxSize: before - 1000 });
    truncateSync(join(cache, 'records.mdb'), 8192);
    expect(runWorker(worker, folder).ran).toHaveLength(answers);
  });
});

/** The finished stage whose manifest has three items. */
async function firstStage(root: string): Promise<string> {
  const cache = await openCache(root);
  const found = [...cache.database.stages.getRange({})].find(({ value }) => value.items === 3)!;
  const key = Buffer.from(found.key).toString('hex');
  await cache.close();
  return key;
}

function tagOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
  return processTag({ ...thisProcess(), pid, start });
}
