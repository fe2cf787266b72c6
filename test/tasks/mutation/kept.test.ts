/** Runs of tests that `mutate` keeps, and those that it makes anew. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptRuns, type RunCounts } from '../../../app/mutation/kept-runs.ts';
import type { TestRun } from '../../../app/mutation/test-run.ts';
import { testRunner } from '../../../app/mutation/tests.ts';
import { success } from '../../../basics/result.ts';
import { type Cache, openCache } from '../../../cache/cache.ts';
import type { Deployment, ExecOptions, ExecResult, Workspace } from '../../../executors/deployment.ts';
import type { Recipe } from '../../../schemas/recipe.ts';
import { DEFAULT_RECIPE } from '../../../stages/environments/recipe.ts';
import type { MutationRow } from '../../../tasks/mutation/row.ts';
import { EMPTY } from '../../executors/sandbox-fixture.ts';

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

/** A deployment whose builds fail within less than a minute. */
const SLOW_BUILDS = {
  open: async () =>
    success({
      write: async () => success(null),
      endProcesses: async () => success(null),
      close: async () => undefined,
      async exec(command: string, { timeout }: ExecOptions) {
        const output = command.includes('make') ? '' : 'PASSED t.py::a\n';
        const exitCode = output === '' && timeout < 60 ? 1 : 0;
        const streams = { stdout: output, stderr: '', output };
        const flags = { exitSignal: null, timedOut: false, truncated: false };
        return success<ExecResult>({ exitCode, durationMs: 1, ...streams, ...flags });
      },
    } as unknown as Workspace),
} as unknown as Deployment;

test('a longer limit of the build is another run, and equal limits are the same', async () => {
  const { signal } = new AbortController();
  const runOf = async (build_timeout: number) => {
    const counts = { executed: 0, cached: 0 };
    const recipe = { ...DEFAULT_RECIPE, build: ['make'], build_timeout } as Recipe;
    const options = { limits: {}, network: 'off', storage: 'memory', signal } as const;
    const bed = { deployment: SLOW_BUILDS, environment: EMPTY, options, parts: {}, start: [], source: '' };
    const run = testRunner(
      recipe,
      {} as MutationRow,
      { ...bed, say: () => undefined },
      { cache, project: 'p', run: 'r', counts, signal },
    );
    const end = await run(CHANGED, null, 60);
    return { isBroken: end.ok && end.value.broke !== undefined, ...counts };
  };
  expect(await runOf(30)).toEqual({ isBroken: true, executed: 1, cached: 0 });
  expect(await runOf(30)).toEqual({ isBroken: true, executed: 0, cached: 1 });
  expect(await runOf(60)).toEqual({ isBroken: false, executed: 1, cached: 0 });
});
