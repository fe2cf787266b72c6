/**
 * Real scale: 60,000 rows of 5 KB over 130 environments through dataset, plan and the validation of a sample, each in
 * a process of its own but the last. What counts is the peak of memory, beside the size of the dataset's file.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../basics/package-root.ts';
import { costOf } from './cost.ts';
import { fillCache, writeProject } from './filled-project.ts';
import type { BenchResult } from './measure.ts';

const INSTANCES = 60_000;
const SAMPLE = 600;

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  try {
    const { file, rows } = writeProject(folder, INSTANCES);
    const size = statSync(rows).size / 2 ** 20;
    const bin = join(packageRoot(), 'bin/swemake.js');
    const steps: [string, string[]][] = [
      ['dataset', ['build', file, 'dataset', '--json']],
      ['plan', ['plan', file, '--json']],
    ];
    const peaks: number[] = [];
    for (const [name, args] of steps) {
      const { wallMs, cpuMs, peakMb } = costOf(process.execPath, [bin, ...args], folder);
      print(
        `${name}: ${(wallMs / 1e3).toFixed(1)} s, of the processor ${(cpuMs / 1e3).toFixed(1)} s, ${peakMb.toFixed(0)} MB`,
      );
      peaks.push(peakMb);
    }
    const select = `    select: { sample: ${SAMPLE}, seed: 3 }\n    source:`;
    writeFileSync(file, readFileSync(file, 'utf8').replace('    source:', select));
    const end = await fillCache(file);
    const validated = end.nodes.get('validate.train')!.state;
    if (validated.executed !== SAMPLE) throw new Error(`${validated.executed} instances were validated`);
    const peak = process.resourceUsage().maxRSS / 1024;
    print(
      `a sample of ${SAMPLE}: ${(end.durationMs / 1e3).toFixed(1)} s, ${peak.toFixed(0)} MB with what made the rows`,
    );
    const ours = Math.max(...peaks, peak);
    const ratio = ours / size;
    return { name: 'scale', ours, peer: size, ratio, promise: 1.5, holds: ratio <= 1.5 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
