/** Broken-off runs of the official harness stay to be gone on with, and go when nobody came back to them. */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sweepExecutors } from '../../app/deployments.ts';
import { type Cache, openCache } from '../../cache/cache.ts';
import { collectGarbage } from '../../cache/gc.ts';
import { KINDS } from '../../executors/registry.ts';
import { temporaryFolder } from '../rig/folder.ts';

const DAY = 24 * 3600 * 1000;
let cache: Cache;
let harness: string;

/** A working folder whose files were last written so many days ago. */
function brokenOff(name: string, days: { predictions: number; log: number }): void {
  const folder = join(harness, name);
  mkdirSync(join(folder, 'reports'), { recursive: true });
  const at = (ago: number) => new Date(Date.now() - ago * DAY);
  for (const [file, ago] of [
    ['preds.json', days.predictions],
    ['harness.log', days.log],
  ] as const) {
    writeFileSync(join(folder, file), 'x');
    utimesSync(join(folder, file), at(ago), at(ago));
  }
  for (const path of [join(folder, 'reports'), folder])
    utimesSync(path, at(days.predictions), at(days.predictions));
}

beforeEach(async () => {
  cache = await openCache(temporaryFolder());
  harness = join(cache.folder.executors, 'harness');
  brokenOff('old', { predictions: 16, log: 15 });
  brokenOff('long', { predictions: 16, log: 13 });
  brokenOff('young', { predictions: 1, log: 1 });
});

afterEach(() => cache.close());

test('a build sweeps those of two weeks ago, by the last that was written', async () => {
  await sweepExecutors(cache, KINDS);
  expect(readdirSync(harness).sort()).toEqual(['long', 'young']);
});

test('gc removes those that are older than its age, and none without one', async () => {
  const gc = (maxAge: number | null) =>
    collectGarbage(
      cache,
      { maxSize: null, maxAge, keepRuns: null, failed: false },
      { run: '20260101T000000Z-gc', now: Date.now(), dryRun: false },
    );
  expect(await gc(null)).toMatchObject({ folders: 0 });
  expect(await gc(10 * DAY)).toMatchObject({ folders: 2, before: 6, after: 2 });
  expect(readdirSync(harness)).toEqual(['young']);
});
