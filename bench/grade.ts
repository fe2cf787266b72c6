/**
 * One verdict on a small task: a patch that passes, graded in a fresh workspace (with no second grading), beside the
 * same task's bare test command in a plain workspace: open, apply, run, close. What is promised is one tenth above what a
 * verdict cost, by this same benchmark and in turns with it, before evidence was compared outside of the process and doubtful
 * code was masked: {@link BEFORE}.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workspace } from '../executors/deployment.ts';
import { gradePatch } from '../grading/grade.ts';
import { DEFAULT_PRESET, findPreset } from '../grading/rules/presets.ts';
import { kinds, makeSandbox } from '../test/executors/sandbox-fixture.ts';
import { diffOf, GradedTask, pytestLayer, REPOSITORY, SOLUTION } from '../test/grade/task.ts';
import { end } from '../test/rig/at-end.ts';
import { unwrap } from '../test/rig/unwrap.ts';
import { type BenchResult, median } from './measure.ts';

/** Processor time of a verdict by that of the bare tests, without what protects rewards since. */
const BEFORE = 1.65;
const PROMISE = Math.round(BEFORE * 1.1 * 100) / 100;
const ROUNDS = 40;
const WARM = 3;
const TICK_MS = 10;
/** The first state has them withheld. */
const HIDDEN = Object.entries(REPOSITORY).filter(([path]) => path.startsWith('tests/')) as [string, string][];

interface Cost {
  wall: number[];
  /** Milliseconds of the processor, all rounds together. */
  cpu: number;
}

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const environment = pytestLayer('pytest==8.3.5');
  if (environment === null)
    throw new Error('install the peer first: pip and a package index, for pytest 8.3.5');
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  chmodSync(folder, 0o755);
  const box = await makeSandbox(kinds[0]!);
  try {
    const compiled = {
      ...environment,
      layers: [compiledLayer(environment.layers[0]!, join(folder, 'layer'))],
    };
    const task = new GradedTask(box.deployment, compiled, { folder: join(folder, 'source') });
    const baseline = await task.validate();
    const request = {
      diff: diffOf(SOLUTION),
      preset: findPreset(DEFAULT_PRESET)!,
      max_patch: 1 << 20,
      repeats: 0,
      suspicion: 'mask' as const,
      baseline,
    };
    const verdict = async () => {
      const graded = await gradePatch(request, task.setup);
      if (!graded.ok || graded.value.verdict.reward !== 1) throw new Error(JSON.stringify(graded));
    };
    const tests = () => bareTests(task, request.diff);
    const [mine, theirs]: [Cost, Cost] = [
      { wall: [], cpu: 0 },
      { wall: [], cpu: 0 },
    ];
    for (let round = -WARM; round < ROUNDS; round++) {
      for (const [cost, run] of [[mine, verdict] as const, [theirs, tests] as const])
        await add(round < 0 ? { wall: [], cpu: 0 } : cost, run);
    }
    const [wall, bare] = [median(mine.wall), median(theirs.wall)];
    print(`a verdict: ${wall.toFixed(0)} ms, ${(mine.cpu / ROUNDS).toFixed(0)} of the processor`);
    print(`its tests: ${bare.toFixed(0)} ms, ${(theirs.cpu / ROUNDS).toFixed(0)} of the processor`);
    print(`by wall time ${(wall / bare).toFixed(2)}; before, by processor time, ${BEFORE}`);
    const ratio = mine.cpu / theirs.cpu;
    const [ours, peer] = [mine.cpu / ROUNDS, theirs.cpu / ROUNDS];
    return { name: 'grade', ours, peer, ratio, promise: PROMISE, holds: ratio <= PROMISE };
  } finally {
    await box.cleanup();
    await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The layer as environments are: compiled, so that tests begin at once. */
function compiledLayer(layer: string, copy: string): string {
  cpSync(layer, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const [version] = readdirSync(join(copy, 'opt/env/lib'));
  const packages = join(copy, 'opt/env/lib', version!, 'site-packages');
  execFileSync('python3', ['-m', 'compileall', '-q', '-s', copy, '-p', '/', packages]);
  return copy;
}

async function add(cost: Cost, run: () => Promise<void>): Promise<void> {
  const [start, used] = [performance.now(), processorTime()];
  await run();
  cost.wall.push(performance.now() - start);
  cost.cpu += processorTime() - used;
}

/** The peer: the same tests of the same patch, without a witness. */
async function bareTests({ setup }: GradedTask, diff: string): Promise<void> {
  const { deployment, environment, limits, network, testCommand } = setup;
  const state = await setup.state();
  if (!state.ok) throw new Error(JSON.stringify(state.fault));
  const opened = await deployment.open(environment, state.value.view, { limits, network, storage: 'memory' });
  if (!opened.ok) throw new Error(opened.fault.detail);
  try {
    for (const [path, content] of HIDDEN) await unwrap(opened.value.write(`/testbed/${path}`, content));
    await unwrap(opened.value.write('/tmp/patch', diff));
    await run(opened.value, 'git apply /tmp/patch');
    await run(opened.value, testCommand);
  } finally {
    await opened.value.close();
  }
}

async function run(workspace: Workspace, command: string): Promise<void> {
  const ran = await workspace.exec(command, { timeout: 60 });
  if (!ran.ok || ran.value.exitCode !== 0) throw new Error(JSON.stringify(ran));
}

/** Milliseconds of this process, and of the sandbox's with all that they have waited for. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = statOf(pid);
    if (Number(fields[1]) !== process.pid) continue;
    for (const field of fields.slice(11, 15)) ticks += Number(field);
  }
  return (user + system) / 1000 + ticks * TICK_MS;
}

/** Fields of a process from its state on; none when it is gone. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
