/** Tests of mutated code that a busy machine keeps from their limit. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { searchTasks } from '../../../app/mutation/measure.ts';
import { type RunTests, withLongerLimit } from '../../../app/mutation/test-run.ts';
import { fault, success } from '../../../basics/result.ts';
import { npmTests } from '../../../ecosystems/npm/tests.ts';
import type { Status } from '../../../parsers/status.ts';
import { infra } from '../../../schemas/outcome.ts';
import { listMutations } from '../../../tasks/mutation/derive.ts';
import { findInterpreter } from '../../../tasks/python/interpreter.ts';

const BUSY = fault(infra('busy', 'the tests met the time limit'));
const DOWN = fault(infra('engine', 'no workspace'));
const ended = (statuses: Record<string, Status>) =>
  success({ statuses: new Map(Object.entries(statuses)), timedOut: false });
const PASSED = ended({ a: 'PASSED', b: 'PASSED' });

type Ended = Awaited<ReturnType<RunTests>>;

test.each<[string, Ended[], Ended, number[]]>([
  ['once', [BUSY, PASSED], PASSED, [5, 20]],
  ['twice', [BUSY, BUSY], BUSY, [5, 20]],
  ['never', [PASSED], PASSED, [5]],
  ['by a machine that is down', [DOWN], DOWN, [5]],
])('are kept from it %s', async (_, ends, end, limits) => {
  const given: number[] = [];
  const run = withLongerLimit(async (_change, _lists, timeout) => {
    given.push(timeout);
    return ends[given.length - 1]!;
  });
  expect(await run(null, null, 5)).toEqual(end);
  expect(given).toEqual(limits);
});

type Task = Parameters<Parameters<typeof searchTasks>[0]['found']>[0];

/** Searches one task in a small module, whose tests end in these ways. */
async function searching() {
  const sourceFolder = mkdtempSync(join(tmpdir(), 'swemake-busy-'));
  onTestFinished(() => rmSync(sourceFolder, { recursive: true }));
  writeFileSync(
    join(sourceFolder, 'm.py'),
    'def f(a):\n    if a > 1:\n        return a + 1\n    return a - 1\n',
  );
  const found = await findInterpreter(null, { env: process.env });
  if (!found.ok) throw new Error(found.fault.detail);
  const python = found.value.executable;
  const candidates = await listMutations([], { sourceFolder, python }, ['.py']);
  if (!candidates.ok) throw new Error(candidates.fault.detail);
  return async (
    ends: Ended[],
    stable = ['a', 'b'],
    passToPass: number | null = null,
    fileOf?: (id: string) => string | null,
    failToPass: number | null = null,
  ) => {
    const said: string[] = [];
    const made: Pick<Task, 'FAIL_TO_PASS' | 'PASS_TO_PASS'>[] = [];
    const end = await searchTasks({
      ...{ sourceFolder, python, candidates: candidates.value, count: 1, timeout: 5, passToPass, failToPass },
      ...{ stable: new Set(stable), fileOf },
      runTests: async () => ends.shift()!,
      found: ({ FAIL_TO_PASS, PASS_TO_PASS }) => made.push({ FAIL_TO_PASS, PASS_TO_PASS }),
      rejected: (_, why) => said.push(why),
    });
    return { end, said, made };
  };
}

test('a change of which a busy machine says nothing is left out, and the search goes on', async () => {
  const search = await searching();
  const FAILED = ended({ a: 'FAILED', b: 'PASSED' });
  const made = [{ FAIL_TO_PASS: ['a'], PASS_TO_PASS: ['b'] }];
  const whole = await search([BUSY, FAILED, FAILED, PASSED]);
  expect(whole).toEqual({ end: success(1), said: ['the tests met the time limit'], made });
  expect((await search([DOWN])).end).toEqual(DOWN);
});

test.each([
  ['is missing', null, 'tool-missing'],
  ['is killed', 'kill -9 $$', 'killed'],
  ['finds the disk full', 'echo "fatal: write error: No space left on device" >&2; exit 128', 'disk-full'],
  ['breaks', 'echo "fatal: out of threads" >&2; exit 128', 'helper'],
])('a git that %s is a fault, and no answer about a patch', async (_, script, reason) => {
  const search = await searching();
  const bin = mkdtempSync(join(tmpdir(), 'swemake-git-'));
  onTestFinished(() => rmSync(bin, { recursive: true }));
  if (script !== null) writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', bin);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await search([])).toMatchObject({ end: { ok: false, fault: { reason } }, said: [] });
});

test('a full disk of temporary files is a fault', async ({ skip }) => {
  const search = await searching();
  const disk = mkdtempSync(join(tmpdir(), 'swemake-full-'));
  onTestFinished(() => rmSync(disk, { recursive: true }));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,nr_inodes=1', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    skip('this process may not mount');
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  vi.stubEnv('TMPDIR', disk);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await search([])).toMatchObject({ end: { ok: false, fault: { reason: 'disk-full' } }, said: [] });
});

test('all tests of the failing ones’ files are listed, unless a number is given', async () => {
  const search = await searching();
  const passing = Array.from({ length: 200 }, (_, at) => `t.py::passes_${at}`);
  const others = ['u.py::passes'];
  const all = ['t.py::fails', ...passing, ...others];
  const statuses = Object.fromEntries(all.map((id): [string, Status] => [id, 'PASSED']));
  const buggy = ended({ ...statuses, 't.py::fails': 'FAILED' });
  const runs = () => [buggy, buggy, ended(statuses)];
  expect((await search(runs(), all)).made).toEqual([
    { FAIL_TO_PASS: ['t.py::fails'], PASS_TO_PASS: passing },
  ]);
  // Which they are does not depend on the order of the log, which runners at a time change.
  const turned = ended(
    Object.fromEntries(Object.entries({ ...statuses, 't.py::fails': 'FAILED' }).reverse()) as typeof statuses,
  );
  const few = [...passing].sort().slice(0, 3);
  for (const first of [buggy, turned])
    expect((await search([first, first, ended(statuses)], all, 3)).made[0]!.PASS_TO_PASS).toEqual(few);
});

test('tests that show no result with the bug fail with it: their module does not load, or the run ends before them', async () => {
  const search = await searching();
  const all = ['t.py::fails', 't.py::behind', 'u.py::behind', 'v.py::passes', 't.py::passes'];
  const clean = Object.fromEntries(all.map((id): [string, Status] => [id, 'PASSED']));
  const buggy = ended({ 't.py::fails': 'FAILED', 't.py::passes': 'PASSED', 'v.py::passes': 'PASSED' });
  const lists = {
    FAIL_TO_PASS: ['t.py::fails', 't.py::behind', 'u.py::behind'],
    PASS_TO_PASS: ['t.py::passes'],
  };
  expect((await search([buggy, buggy, ended(clean)], all)).made).toEqual([lists]);
  const none = ended({});
  const { made, said } = await search([buggy, none, ended(clean), DOWN], all);
  expect([made, said]).toEqual([[], ['its tests depend on other test files']]);
  // The command names no files, so that pytest ends each run at a module that does not load.
  const lost = ended({ 'w.py': 'ERROR' });
  expect((await search([buggy, lost, lost, DOWN], all)).said).toEqual([
    'the command of its tests also runs w.py, which does not load',
  ]);
});

test('a change that more tests notice than are wanted makes no task', async () => {
  const search = await searching();
  const statuses: Record<string, Status> = { a: 'FAILED', b: 'FAILED', c: 'PASSED' };
  const runs = () => [ended(statuses), ended(statuses), ended({ a: 'PASSED', b: 'PASSED', c: 'PASSED' })];
  const all = Object.keys(statuses);
  expect((await search(runs(), all, null, undefined, 2)).made).toHaveLength(1);
  const { made, said } = await search([runs()[0]!, DOWN], all, null, undefined, 1);
  expect([made, said]).toEqual([[], ['2 tests fail, more than --fail-to-pass']]);
});

test('which files these are, the ecosystem says', async () => {
  const search = await searching();
  const statuses: Record<string, Status> = {
    'a.js > a': 'FAILED',
    'a.js > b': 'PASSED',
    'b.js > c': 'PASSED',
  };
  const ids = Object.keys(statuses);
  const clean = ended(Object.fromEntries(ids.map((id): [string, Status] => [id, 'PASSED'])));
  const runs = () => [ended(statuses), ended(statuses), clean];
  expect((await search(runs(), ids, null, npmTests.fileOf)).made).toEqual([
    { FAIL_TO_PASS: ['a.js > a'], PASS_TO_PASS: ['a.js > b'] },
  ]);
  // Nothing is known of ids that name no file.
  expect((await search(runs(), ids)).made[0]!.PASS_TO_PASS).toEqual(['a.js > b', 'b.js > c']);
});
