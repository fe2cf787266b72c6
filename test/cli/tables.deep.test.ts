/**
 * What a build writes, read as its users read it: the notebook over exported tables, and `load_dataset` on every file of rows.
 * READERS_PYTHON is an interpreter with pandas and datasets; without one the tests are skipped.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import type { ReportMetrics } from '../../stages/report/metrics.ts';
import { command } from '../rig/command.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { fenced, instanceOf, SUBMIT, solve, turnOf } from '../rig/solver.ts';

const PYTHON = process.env.READERS_PYTHON ?? 'python3';
const READ = join(packageRoot(), 'test/cli/read_rows.py');
const hasReaders = spawnSync(PYTHON, ['-c', 'import datasets, pandas']).status === 0;
if (!hasReaders) console.warn(`skipped: ${PYTHON} has no datasets and pandas; set READERS_PYTHON`);
const on = test.skipIf(!hasReaders);

/** Formats with rows, and where each is written. */
const EXPORTS = { table: 'tables', tokens: 'tokens', 'swe-rl': 'swe-rl' };

let server: ModelServer;
let project: Project;

beforeAll(async () => {
  if (!hasReaders) return;
  // Two of three instances are solved; the third is handed in with nothing in it, and a sample of the first misses.
  let first = 0;
  server = await startModelServer((request) => {
    const reply = instanceOf(request) < 2 ? solve(request, 3) : fenced(SUBMIT);
    const isMiss = instanceOf(request) === 0 && turnOf(request) === 0 && first++ === 0;
    const prompt = Array.from({ length: 4 + 3 * turnOf(request) }, (_, id) => id + 1);
    const ids = [prompt.length + 1, prompt.length + 2];
    const tokens = { prompt, ids, logprobs: [-0.5, -0.25], server: 'vllm' as const };
    return { ...(isMiss ? fenced('echo nothing > note.txt') : reply), tokens };
  });
  project = rolloutProject({ url: server.url, instances: 3, rollouts: 2, type: 'auto' });
  const path = project.path('p.yaml');
  writeFileSync(
    path,
    readFileSync(path, 'utf8')
      .replace('rollouts: 2', 'rollouts: 2\n  baselines: [oracle, noop]')
      .replace('sft: { type: none }', 'sft: { type: none }, rl: { type: none, rows: skyrl }'),
  );
  const built = await command(project, 'build', 'p.yaml');
  expect([built.code, built.stderr]).toEqual([0, expect.not.stringContaining('E9')]);
  for (const [format, folder] of Object.entries(EXPORTS))
    await command(project, 'export', 'rollouts', '--project', 'p.yaml', '--format', format, '--to', folder);
}, 300_000);
afterAll(() => server?.stop());

function python(...args: string[]): Record<string, unknown> {
  const env = { ...process.env, HF_HUB_OFFLINE: '1', HF_HOME: project.path('hf') };
  const printed = execFileSync(PYTHON, [READ, ...args], { cwd: project.folder, env, encoding: 'utf8' });
  return JSON.parse(printed.trim().split('\n').at(-1)!) as Record<string, unknown>;
}

on('the notebook says what the report says', () => {
  const path = project.path('out/tiny/report.train/metrics.json');
  const metrics = JSON.parse(readFileSync(path, 'utf8')) as ReportMetrics;
  const said = python('notebook', join(packageRoot(), 'docs/notebooks/results.ipynb'));
  expect(metrics.rollouts).toMatchObject({ total: 6, graded: 6 });
  const passes = Object.fromEntries(metrics.pass.map(({ k, rate }) => [`${k}`, rate]));
  for (const [k, rate] of Object.entries(passes))
    expect((said.passes as Record<string, number>)[k]).toBeCloseTo(rate!, 12);
  const { rate, resolved, total, instances } = metrics.rate;
  expect(said.by_repo).toEqual([{ repo: 'owner/tiny', instances, rollouts: total, resolved, rate }]);
  expect(said.ends).toMatchObject([{ exit_status: 'submitted', rollouts: 6 }]);
  const [low, high] = said.interval as [number, number];
  expect([low >= 0 && low <= rate!, high <= 1 && high >= rate!]).toEqual([true, true]);
});

on('load_dataset reads every file of rows', () => {
  const files = ['out', ...Object.values(EXPORTS)].flatMap((folder) =>
    readdirSync(project.path(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:jsonl|parquet)$/.test(name))
      .map((name) => join(folder, name)),
  );
  const lines = (file: string) => readFileSync(project.path(file), 'utf8').split('\n').length - 1;
  // datasets takes no file without rows.
  const full = files.filter((file) => file.endsWith('.parquet') || lines(file) > 0);
  const counts = python('load', ...full);
  const texts = full.filter((file) => file.endsWith('.jsonl'));
  const kinds = ['passed', 'golden', 'balanced', 'dropped', 'sft', 'results', 'tiny.0_0'];
  expect(texts.map((file) => basename(file, '.jsonl'))).toEqual(expect.arrayContaining(kinds));
  for (const file of texts) expect(counts[file], file).toBe(lines(file));
  expect(counts).toMatchObject({
    'tables/rollouts.parquet': 12,
    'tables/tests.parquet': expect.any(Number),
    'out/tiny/rl-data.train/train.parquet': 3,
  });
});
