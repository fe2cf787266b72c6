/**
 * Nothing to do: a project of 60,000 instances over four stages (240,000 edges), everything fresh. Ours is the
 * whole process of the package's command; the peer is ninja on a graph of the same size. The peer is made as fast
 * as it can be: its rules are `generator` ones, so that it reads no log, and each step has one short input. With
 * its usual rules it takes longer.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../basics/package-root.ts';
import { type Cost, costOf } from './cost.ts';
import { fillCache, writeProject } from './filled-project.ts';
import { type BenchResult, interleaved, median } from './measure.ts';

const INSTANCES = 60_000;
const ROUNDS = 9;
const PROMISE = 0.25;
const MEMORY_MB = 120;
/** Files that changed more recently are not yet taken for what their times say. */
const REST_MS = 2500;

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  if (spawnSync('ninja', ['--version']).status !== 0)
    throw new Error('install the peer first: apt-get install ninja-build');
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  try {
    const { file } = writeProject(folder, INSTANCES);
    const end = await fillCache(file);
    print(`filled: ${end.executed} actions, ${(end.durationMs / end.executed).toFixed(2)} ms each`);
    writeNinja(join(folder, 'ninja'));
    const command = [join(packageRoot(), 'bin/swemake.js'), 'build', file, '--json'];
    const ours = () => costOf(process.execPath, command, folder);
    const peer = () => costOf('ninja', [], join(folder, 'ninja'));
    // After a build every output is looked at once, and files are written; from then on times tell.
    for (let round = 0; round < 2; round += 1) {
      ours();
      peer();
      await sleep(REST_MS);
    }
    return result(...interleaved(ROUNDS, ours, peer), print);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function result(mine: Cost[], theirs: Cost[], print: (line: string) => void): BenchResult {
  const busy = mine.find(({ stdout }) => !stdout.includes('"executed":0,'));
  if (busy !== undefined) throw new Error(`it was not a null build: ${busy.stdout.slice(0, 300)}`);
  const [ours, peer] = [mine, theirs].map((costs) => median(costs.map((cost) => cost.wallMs))) as [
    number,
    number,
  ];
  const [ownCpu, peerCpu] = [mine, theirs].map((costs) => median(costs.map((cost) => cost.cpuMs))) as [
    number,
    number,
  ];
  const memory = Math.max(...mine.map((cost) => cost.peakMb));
  print(`swemake ${ours.toFixed(0)} ms, of the processor ${ownCpu.toFixed(0)} ms, ${memory.toFixed(0)} MB`);
  print(`ninja   ${peer.toFixed(0)} ms, of the processor ${peerCpu.toFixed(0)} ms`);
  print(`by processor time: ratio ${(ownCpu / peerCpu).toFixed(2)} (medians of ${mine.length})`);
  const ratio = ours / peer;
  const holds = ratio <= PROMISE && memory < MEMORY_MB;
  return { name: 'null-build', ours, peer, ratio, promise: PROMISE, holds };
}

/** The same graph for ninja: four steps per instance. Files are made here, as 240,000 commands take minutes. */
function writeNinja(folder: string): void {
  mkdirSync(join(folder, 'o'), { recursive: true });
  const lines = ['rule touch', '  command = touch $out', '  generator = 1'];
  writeFileSync(join(folder, 'rows'), '');
  for (let step = 0; step < 4; step += 1) {
    for (let index = 0; index < INSTANCES; index += 1) {
      lines.push(`build o/${index}.${step}: touch ${step === 0 ? 'rows' : `o/${index}.${step - 1}`}`);
      writeFileSync(join(folder, `o/${index}.${step}`), '');
    }
  }
  writeFileSync(join(folder, 'build.ninja'), `${lines.join('\n')}\n`);
}
