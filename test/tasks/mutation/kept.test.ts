/** Runs of tests that `mutate` keeps, and those that it makes anew. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptRuns, type RunCounts } from '../../../app/mutation/kept-runs.ts';
import type { TestRun } from '../../../app/mutation/test-run.ts';
import { success } from '../../../basics/result.ts';
import { type Cache, openCache } from '../../../cache/cache.ts';

let root: string;
let cache: Cache;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'swemake-kept-'));
  cache = await openCache(root);
});

afterEach(async () => {
  await cache.close();
  rmSync(root, { recursive: true, force: true });
});

const PASSES: TestRun = { statuses: new Map([['t', 'PASSED']]), timedOut: false };
const FAILS: TestRun = { statuses: new Map([['t', 'FAILED']]), timedOut: false };
const BROKE: TestRun = { statuses: new Map(), timedOut: false, broke: 'it does not compile: no library' };
const CHANGED = { path: 'a.c', bytes: Buffer.from('a') };

/** The counts after two commands that run the same tests. */
async function twice(run: TestRun, changed: typeof CHANGED | null): Promise<RunCounts> {
  const counts = { executed: 0, cached: 0 };
  for (const command of ['one', 'two']) {
    const runs = keptRuns(async () => success(run), {
      ...{ cache, project: 'p', run: command, parts: {}, testsOf: () => null, counts },
      signal: new AbortController().signal,
    });
    expect(await runs(changed, null, 60)).toMatchObject({ ok: true, value: { statuses: run.statuses } });
  }
  return counts;
}

test.each([
  ['a clean source whose tests pass', PASSES, null],
  ['a change that fails', FAILS, CHANGED],
  ['a change that does not compile', BROKE, CHANGED],
])('is kept: %s', async (_, run, changed) => {
  expect(await twice(run, changed)).toEqual({ executed: 1, cached: 1 });
});

test.each([
  ['a clean source that does not compile, as a library of the machine may be missing', BROKE],
  ['a clean source of which no test passes', FAILS],
])('is made anew: %s', async (_, run) => {
  expect(await twice(run, null)).toEqual({ executed: 2, cached: 0 });
});

test('a run that is stopped is no answer, whatever it printed', async () => {
  const stop = new AbortController();
  const counts = { executed: 0, cached: 0 };
  const runs = (signal: AbortSignal, run: TestRun) =>
    keptRuns(
      async () => {
        stop.abort();
        return success(run);
      },
      { ...{ cache, project: 'p', run: 'r', parts: {}, testsOf: () => null, counts }, signal },
    );
  const end = await runs(stop.signal, FAILS)(CHANGED, null, 60);
  expect(end).toMatchObject({ ok: false, fault: { status: 'stopped', reason: 'cancelled' } });
  const next = await runs(new AbortController().signal, PASSES)(CHANGED, null, 60);
  expect(next).toMatchObject({ ok: true, value: { statuses: PASSES.statuses } });
  expect(counts).toEqual({ executed: 2, cached: 0 });
});
