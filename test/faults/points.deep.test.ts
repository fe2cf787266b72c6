/**
 * A process that is killed, or finds the disk full, at any step that makes something durable: the next run gives
 * what an undisturbed one gives, repeats nothing that was finished and leaves nothing over.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAULT_POINTS } from '../../basics/fault-point.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { buildWorker, finishedItems, runWorker, type WorkerEnd } from './program.ts';

let worker: string;
let undisturbed: WorkerEnd;
let report: string;

beforeAll(() => {
  worker = buildWorker();
  const folder = temporaryFolder();
  undisturbed = runWorker(worker, folder);
  report = readFileSync(join(folder, 'out/report.txt'), 'utf8');
});

afterAll(() => rmSync(worker, { force: true }));

/** The fault strikes at the first and at a later passing. */
const CASES = FAULT_POINTS.flatMap((point) =>
  point.startsWith('export') ? [point] : [point, `${point}:${point.startsWith('stage') ? 2 : 3}`],
);

test('an undisturbed run makes everything', () => {
  expect(undisturbed.ran).toEqual(['a', 'b', 'c', '']);
  expect(undisturbed.counts).toMatchObject({ ok: 4, infra: 0 });
});

describe('T42 T45 killed at', () => {
  test.each(CASES)('%s', (point) => {
    const folder = temporaryFolder();
    expect(runWorker(worker, folder, { SWEMAKE_FAULT: point }).signal).toBe('SIGKILL');
    expectSoundAfter(folder);
  });
});

describe('T30 the disk is full at', () => {
  test.each(CASES)('%s', (point) => {
    const folder = temporaryFolder();
    runWorker(worker, folder, { SWEMAKE_FAULT: point, SWEMAKE_FAULT_ERROR: 'ENOSPC' });
    expectSoundAfter(folder);
  });
});

function expectSoundAfter(folder: string): void {
  const cache = join(folder, 'cache');
  const finished = finishedItems(cache);
  const again = runWorker(worker, folder);
  expect(again.stderr).toBe('');
  expect(again.digests).toEqual(undisturbed.digests);
  expect(again.counts).toEqual(undisturbed.counts);
  expect(again.ran.filter((item) => finished.includes(item))).toEqual([]);
  expect(readFileSync(join(folder, 'out/report.txt'), 'utf8')).toBe(report);
  expect(runWorker(worker, folder).ran).toEqual([]);
  expect(leftovers(cache)).toEqual([]);
  expect(readdirSync(join(folder, 'out'))).toEqual(['report.txt']);
}

function leftovers(cache: string): string[] {
  return ['tmp', 'locks', 'records.mdb.users'].flatMap((name) =>
    readdirSync(join(cache, name)).map((entry) => `${name}/${entry}`),
  );
}
