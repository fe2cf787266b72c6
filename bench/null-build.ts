/**
 * Nothing to do: a project of 60,000 instances over four stages (240,000 edges), everything fresh. Ours is the
 * whole process of the package's command; the peer is ninja on a graph of the same size. The cache is filled by
 * the real engine with the real stages, whose actions are answered at once instead of run.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeText } from '../cache/cache.ts';
import { openWorkbench } from '../cli/workbench.ts';
import { loadProject } from '../compiler/load.ts';
import { runGraph } from '../engine/run.ts';
import { Selection } from '../engine/selection.ts';
import { packageRoot } from '../schemas/package-root.ts';
import { STAGES } from '../stages/registry.ts';
import type { Stage } from '../stages/stage.ts';
import { type BenchResult, interleaved, median } from './measure.ts';

const INSTANCES = 60_000;
const ENVIRONMENTS = 130;
const ROUNDS = 9;
const PROMISE = 0.25;
const MEMORY_MB = 120;

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  try {
    if (spawnSync('ninja', ['--version']).status !== 0)
      throw new Error('install the peer first: apt-get install ninja-build');
    const project = writeProject(folder);
    await fillCache(project, print);
    writeNinja(join(folder, 'ninja'));
    const ours = (): number =>
      timed(process.execPath, [join(packageRoot(), 'bin/swemake.js'), 'build', project, '--json'], folder);
    const peer = (): number => timed('ninja', [], join(folder, 'ninja'));
    // The first pass after a build checks every output once; from then on folder times tell.
    ours();
    peer();
    const [mine, theirs] = interleaved(ROUNDS, ours, peer);
    const memory = peakMemory(project, folder);
    print(
      `swemake ${median(mine).toFixed(0)} ms, ${memory.toFixed(0)} MB; ninja ${median(theirs).toFixed(0)} ms (medians of ${ROUNDS})`,
    );
    const ratio = median(mine) / median(theirs);
    const holds = ratio <= PROMISE && memory < MEMORY_MB;
    return { name: 'null-build', ours: median(mine), peer: median(theirs), ratio, promise: PROMISE, holds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** 60,000 rows of about 1 KB over 130 environments. */
function writeProject(folder: string): string {
  const rows = Array.from({ length: INSTANCES }, (_, index) => {
    const environment = index % ENVIRONMENTS;
    const commit = environment.toString(16).padStart(40, '0');
    return JSON.stringify({
      instance_id: `owner__repo${environment}.${commit.slice(-8)}.func_pm__${index.toString(36).padStart(8, '0')}`,
      repo: `owner/repo${environment}`,
      source: `git+https://example.org/owner/repo${environment}@${commit}`,
      base_commit: commit,
      patch: `diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-x = ${index}\n+x = ${index + 1}\n`,
      patch_role: 'bug',
      FAIL_TO_PASS: [`tests/test_m.py::test_${index}`],
      PASS_TO_PASS: Array.from({ length: 10 }, (_, test) => `tests/test_m.py::test_other_${test}`),
      problem_statement: `x is off by one in case ${index}. `.repeat(8),
    });
  });
  writeFileSync(join(folder, 'rows.jsonl'), `${rows.join('\n')}\n`);
  const file = join(folder, 'bench.yaml');
  writeFileSync(
    file,
    `version: 1\nname: null-build\ndataset:\n  train: { source: rows.jsonl, format: custom }\ndeployments:\n  box: { type: auto }\nvalidation: { deployment: box }\n`,
  );
  return file;
}

/** Stages whose actions answer at once; everything that keys are made of is untouched. */
function answered(stage: Stage, layer: { digest: string }): Stage {
  if (stage.name === 'environments') {
    return {
      ...stage,
      run: async (_node, _item, _needs, context) => ({
        outcome: { status: 'ok' },
        outputs: {
          environment: storeText(context.cache, '{}'),
          layer: { kind: 'layer', digest: layer.digest as never },
        },
      }),
    };
  }
  if (stage.name === 'validate') {
    return {
      ...stage,
      run: async (_node, _item, _needs, context) => ({
        outcome: { status: 'ok' },
        outputs: { tests: storeText(context.cache, '{}') },
      }),
    };
  }
  return stage;
}

async function fillCache(file: string, print: (line: string) => void): Promise<void> {
  const loaded = await loadProject(file, { env: process.env, cwd: process.cwd() });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const io = {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    isTTY: false,
  };
  const bench = await openWorkbench(loaded.value, io, new AbortController().signal);
  const empty = mkdtempSync(join(tmpdir(), 'swemake-bench-layer-'));
  const layer = await bench.cache.layers.add(empty);
  const end = await runGraph(
    bench.graph,
    new Map(STAGES.map((stage) => [stage.name, answered(stage, layer)])),
    bench.services,
    {
      run: bench.run,
      project: loaded.value.config.name,
      jobs: 64,
      capacity: {},
      selection: new Selection(bench.graph, [], []),
      dryRun: false,
      emit: () => undefined,
      drain: new AbortController().signal,
    },
  );
  print(
    `filled: ${end.executed} actions in ${(end.durationMs / 1000).toFixed(1)} s, ${(end.durationMs / end.executed).toFixed(2)} ms each`,
  );
  await bench.close();
}

/**
 * The same graph for ninja: four steps per instance, all up to date. The files are made here, since running
 * 240,000 commands takes minutes; `generator` steps need no log, which spares ninja the reading of one.
 */
function writeNinja(folder: string): void {
  mkdirSync(join(folder, 'o'), { recursive: true });
  const lines = ['rule touch', '  command = touch $out', '  generator = 1', 'build row: phony'];
  for (let index = 0; index < INSTANCES; index += 1) {
    for (let step = 0; step < 4; step += 1) {
      const output = `o/${index}.${step}`;
      lines.push(`build ${output}: touch ${step === 0 ? 'rows' : `o/${index}.${step - 1}`}`);
    }
  }
  writeFileSync(join(folder, 'rows'), '');
  for (let step = 0; step < 4; step += 1) {
    for (let index = 0; index < INSTANCES; index += 1) writeFileSync(join(folder, `o/${index}.${step}`), '');
  }
  writeFileSync(
    join(folder, 'build.ninja'),
    `${lines.filter((line) => !line.startsWith('build row:')).join('\n')}\n`,
  );
}

function timed(command: string, args: string[], cwd: string): number {
  const start = process.hrtime.bigint();
  const ran = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${command} ended with ${ran.status}: ${ran.stderr}`);
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6;
  if (ran.stdout.includes('"executed":') && !ran.stdout.includes('"executed":0'))
    throw new Error(`it was not a null build: ${ran.stdout}`);
  return milliseconds;
}

function peakMemory(project: string, cwd: string): number {
  const script = `import { main } from ${JSON.stringify(join(packageRoot(), 'dist/main.js'))};
process.stdout.write = () => true;
await main(['build', ${JSON.stringify(project)}, '--json']);
process.stderr.write('PEAK ' + process.resourceUsage().maxRSS);`;
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' });
  return Number(/PEAK (\d+)/.exec(ran.stderr)?.[1] ?? Number.NaN) / 1024;
}
