/**
 * One row of 60,000 changed: ours is the whole process that finds it, runs what is its own and brings dataset,
 * environments and validation up to date. The row's environment is broken, so that its real action answers at once.
 * The peer is a Node process that does nothing but take the sha256 of the dataset's file. What the passed set costs
 * besides, which is written anew for the user, is measured without a peer.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../basics/package-root.ts';
import { type Cost, costOf } from './cost.ts';
import { fillCache, rowChanger, writeProject } from './filled-project.ts';
import { type BenchResult, interleaved, median } from './measure.ts';

const INSTANCES = 60_000;
const ROUNDS = 7;
const PROMISE = 3;

const SHA256 = `import { createReadStream } from 'node:fs';
import { createHash } from 'node:crypto';
const hash = createHash('sha256');
for await (const piece of createReadStream(process.argv[1], { highWaterMark: 1 << 20 })) hash.update(piece);
console.log(hash.digest('hex'));`;

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  try {
    const { file, rows } = writeProject(folder, INSTANCES);
    const end = await fillCache(file);
    print(`filled: ${end.executed} actions, ${(end.durationMs / end.executed).toFixed(2)} ms each`);
    const change = rowChanger(rows);
    const command = [join(packageRoot(), 'bin/swemake.js'), 'build', file];
    const buildOf = (...args: string[]): Cost => {
      change();
      return costOf(process.execPath, [...command, ...args, '--json'], folder);
    };
    const ours = () => buildOf('validate');
    const peer = () => costOf(process.execPath, ['--input-type=module', '-e', SHA256, rows], folder);
    ours();
    peer();
    const [mine, theirs] = interleaved(ROUNDS, ours, peer);
    const other = mine.find(({ stdout }) => !stdout.includes('"executed":2,'));
    if (other !== undefined)
      throw new Error(`not just the dataset and one row: ${other.stdout.slice(0, 300)}`);
    const wall = [mine, theirs].map((costs) => median(costs.map((cost) => cost.wallMs))) as [number, number];
    const cpu = [mine, theirs].map((costs) => median(costs.map((cost) => cost.cpuMs))) as [number, number];
    const memory = Math.max(...mine.map((cost) => cost.peakMb));
    print(
      `swemake ${wall[0].toFixed(0)} ms, of the processor ${cpu[0].toFixed(0)} ms, ${memory.toFixed(0)} MB`,
    );
    print(`sha256  ${wall[1].toFixed(0)} ms, of the processor ${cpu[1].toFixed(0)} ms`);
    const tool = costOf('sha256sum', [rows], folder);
    print(`sha256sum ${tool.wallMs.toFixed(0)} ms, of the processor ${tool.cpuMs.toFixed(0)} ms`);
    buildOf();
    const whole = Array.from({ length: 3 }, () => buildOf());
    const [all, allCpu] = [median(whole.map((cost) => cost.wallMs)), median(whole.map((cost) => cost.cpuMs))];
    print(`with filter and its files ${all.toFixed(0)} ms, of the processor ${allCpu.toFixed(0)} ms`);
    print(`by processor time: ratio ${(cpu[0] / cpu[1]).toFixed(2)} (medians of ${ROUNDS})`);
    const ratio = wall[0] / wall[1];
    return {
      name: 'one-row',
      ours: wall[0],
      peer: wall[1],
      ratio,
      promise: PROMISE,
      holds: ratio <= PROMISE,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
