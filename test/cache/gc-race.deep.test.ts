/** gc and a build at the same time, in two processes: what the build has added stays, whatever gc had planned. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActionKey } from '../../basics/digest.ts';
import { openCache, publish } from '../../cache/cache.ts';
import { binaryKey } from '../../cache/database.ts';
import type { GcReport } from '../../cache/gc.ts';
import { verifyCache } from '../../cache/verify.ts';
import { buildWorker, runWorker } from '../faults/program.ts';
import { temporaryFolder } from '../rig/folder.ts';

const LONG = 120_000;

let worker: string;
let program: string;
beforeAll(() => {
  worker = buildWorker();
  program = buildWorker('test/cache/gc-program.ts');
});
afterAll(() => {
  for (const path of [worker, program]) rmSync(path, { force: true });
});

/** Runs gc up to a point, then `meanwhile`, then the rest of it. */
async function gcAround(cache: string, point: string, inDays: number, meanwhile: () => Promise<void> | void) {
  const child = spawn(process.execPath, [program, cache, '30', `${inDays}`], {
    env: { ...process.env, SWEMAKE_FAULT: point, SWEMAKE_FAULT_SIGNAL: 'SIGSTOP' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    while (!isStopped(child)) await sleep(20);
    await meanwhile();
  } finally {
    child.kill('SIGCONT');
    await ended;
  }
  return JSON.parse(said) as GcReport;
}

function isStopped(child: ChildProcess): boolean {
  if (child.exitCode !== null) throw new Error('gc ended before it came to the point');
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
}

async function expectSound(root: string): Promise<void> {
  const cache = await openCache(root);
  const { problems } = await verifyCache(cache, true);
  await cache.close();
  expect(problems.map(({ where, detail }) => `${where}: ${detail}`)).toEqual([]);
}

describe('what a build has added while gc was at work stays', () => {
  /** A cache whose files are all there, and in no answer. */
  function filesWithoutAnswers(): string {
    const folder = temporaryFolder();
    runWorker(worker, folder);
    for (const name of ['records.mdb', 'records.mdb-lock', 'runs'])
      rmSync(join(folder, 'cache', name), { recursive: true, force: true });
    return folder;
  }

  test.each([
    ['gc-planned'],
    ['gc-file-moved'],
    ['gc-file-moved:5'],
    ['gc-layer-moved'],
    ['gc-layer-moved:3'],
  ])(
    'the build ran when gc had come to %s',
    async (point) => {
      const folder = filesWithoutAnswers();
      const cache = join(folder, 'cache');
      const report = await gcAround(cache, point, 0, () => {
        expect(runWorker(worker, folder)).toMatchObject({ ran: ['a', 'b', 'c', ''], counts: { ok: 4 } });
      });
      // It had the chance.
      expect(report.files + report.layers).toBeGreaterThan(0);
      await expectSound(cache);
      expect(runWorker(worker, folder).ran).toEqual([]);
    },
    LONG,
  );

  test(
    'an answer that was given again since gc looked',
    async () => {
      const folder = temporaryFolder();
      runWorker(worker, folder);
      const root = join(folder, 'cache');
      let again: ActionKey | null = null;
      const report = await gcAround(root, 'gc-planned', 31, async () => {
        const cache = await openCache(root);
        const { records, preimages } = cache.database;
        const [found] = [...records.getRange({ limit: 1 })];
        again = found!.key.toString('hex') as ActionKey;
        const preimage = preimages.get(found!.key)!;
        await publish(cache, 'worker/make@a', again, preimage, { ...found!.value, run: 'another' });
        await cache.close();
      });
      expect(report.answers).toBe(4);
      const cache = await openCache(root);
      expect(cache.database.records.get(binaryKey(again!))?.run).toBe('another');
      expect(cache.database.records.getCount()).toBe(1);
      await cache.close();
    },
    LONG,
  );
});
