/**
 * Care of a cache of 60,000 instances: a generated one with its journal, a blob and an answer for every instance, after
 * several builds. What counts is the memory of gc and verify, each a process of its own, beside the cache's size.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../basics/package-root.ts';
import { openJournal } from '../engine/journal.ts';
import { costOf } from './cost.ts';
import { fillCache, rowChanger, writeProject } from './filled-project.ts';
import type { BenchResult } from './measure.ts';

const INSTANCES = 60_000;
const BUILDS = 5;
const PROMISE_MB = 400;

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  try {
    const { file, rows } = writeProject(folder, INSTANCES);
    const runs = join(folder, '.swemake/runs');
    mkdirSync(runs, { recursive: true });
    const journal = openJournal(runs, '20260101T000000Z-1');
    const end = await fillCache(file, { emit: (event) => journal.write(event), withBlobs: true });
    journal.close();
    print(`filled: ${end.executed} actions, ${(end.durationMs / end.executed).toFixed(2)} ms each`);
    const bin = join(packageRoot(), 'bin/swemake.js');
    const change = rowChanger(rows);
    for (let build = 1; build < BUILDS; build += 1) {
      change();
      costOf(process.execPath, [bin, 'build', file, 'validate', '--json'], folder);
    }
    const steps: [string, string[]][] = [
      ['verify', ['verify', file]],
      ['verify --rehash', ['verify', file, '--rehash']],
      ['gc', ['gc', file]],
      ['gc that removes half', ['gc', file, '--max-size', '500MB']],
    ];
    let ours = 0;
    for (const [name, args] of steps) {
      const { wallMs, cpuMs, peakMb, stdout } = costOf(process.execPath, [bin, ...args], folder);
      const seconds = [wallMs, cpuMs].map((ms) => (ms / 1e3).toFixed(1));
      print(
        `${name}: ${seconds[0]} s, of the processor ${seconds[1]} s, ${peakMb.toFixed(0)} MB: ${stdout.trim()}`,
      );
      ours = Math.max(ours, peakMb);
    }
    const ratio = ours / PROMISE_MB;
    return { name: 'care', ours, peer: PROMISE_MB, ratio, promise: 1, holds: ratio <= 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
