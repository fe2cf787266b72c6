/**
 * A real engine as a server of a project: llama.cpp with a model of random weights, in whole builds. It is killed and stopped
 * in the middle of rollouts, and its weights are replaced. By hand: LLAMA_PYTHON is an interpreter with xllamacpp and gguf
 * (`pip install --no-deps xllamacpp==2026.10.11549` and `pip install gguf`).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../../basics/package-root.ts';
import type { BuildResult, Project } from '../../rig/project.ts';
import { tinyProject } from '../../rig/tiny-project.ts';

const PYTHON = process.env.LLAMA_PYTHON ?? 'python3';
const LONG = 600_000;
const isThere = spawnSync(PYTHON, ['-c', 'import xllamacpp, gguf']).status === 0;
if (!isThere) console.warn(`skipped: ${PYTHON} has no xllamacpp and gguf; set LLAMA_PYTHON`);
const on = test.skipIf(!isThere);

let project: Project;

beforeAll(() => {
  if (!isThere) return;
  const env: Record<string, string> = {};
  project = tinyProject({ instances: 2, env });
  env.PATH = `${project.path('bin')}:${process.env.PATH}`;
  // llama.cpp's own server, from the package that has it, under its own name.
  mkdirSync(project.path('bin'));
  const server = `${packageRoot()}/test/tasks/serving/llama-server.py`;
  writeFileSync(
    project.path('bin/llama-server'),
    `#!/bin/bash\necho $$ >> ${project.path('pids')}\nexec ${PYTHON} ${server} --model "$2" --name "$4" --port "$8" --context 8192 --slots 6\n`,
  );
  chmodSync(project.path('bin/llama-server'), 0o755);
  mkdirSync(project.path('weights'));
  makeWeights(1);
  const serve = `{ engine: llama.cpp, weights: { path: weights }, hang: 40s, timeout: 2m }`;
  const agent = `agent:
  rollouts: 6
  limits: { steps: 3 }
  action_regex: '^([\\s\\S]+)$'
  model: { name: tiny, max_tokens: 100, temperature: 1, concurrency: 3, retry: 3m, serve: ${serve} }
`;
  writeFileSync(project.path('p.yaml'), readFileSync(project.path('p.yaml'), 'utf8') + agent);
});

function makeWeights(seed: number): void {
  const script = `${packageRoot()}/test/tasks/serving/tiny-gguf.py`;
  execFileSync(PYTHON, [script, project.path('weights/tiny.gguf'), `${seed}`]);
}

/** Of the servers that were started, in their order. */
const pids = () =>
  existsSync(project.path('pids'))
    ? readFileSync(project.path('pids'), 'utf8').trim().split('\n').map(Number)
    : [];

const isAlive = (pid: number) => existsSync(`/proc/${pid}/exe`);

/** A build with other seeds, in whose middle something is done to the server. */
async function disturbed(seed: number, disturb: (pid: number) => void): Promise<BuildResult> {
  const before = pids().length;
  const building = project.build('p.yaml', 'grade', '--set', `agent.seed=${seed}`);
  while (pids().length === before) await sleep(50);
  // In the middle of its first answers.
  await sleep(2500);
  disturb(pids().at(-1)!);
  return building;
}

const rollouts = ({ stages }: BuildResult) => stages.find(({ stage }) => stage === 'rollouts.train');

on('is started for rollouts, answers them, and ends with the build', { timeout: LONG }, async () => {
  const build = await project.build('p.yaml', 'grade');
  expect(build).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(rollouts(build)?.executed).toBe(12);
  expect(pids().map(isAlive)).toEqual([false]);
  expect(await project.build('p.yaml', 'grade')).toMatchObject({ code: 0, executed: 0 });
  expect(pids()).toHaveLength(1);
});

on('that is killed is started again, and no rollout is a fault', { timeout: LONG }, async () => {
  const build = await disturbed(1, (pid) => process.kill(pid, 'SIGKILL'));
  expect(build).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(rollouts(build)?.executed).toBe(12);
  expect(pids()).toHaveLength(3);
});

on('that stands still is noticed, ended and started again', { timeout: LONG }, async () => {
  const build = await disturbed(2, (pid) => process.kill(pid, 'SIGSTOP'));
  expect(build).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(rollouts(build)?.executed).toBe(12);
  expect(pids()).toHaveLength(5);
  expect(pids().map(isAlive)).toEqual(pids().map(() => false));
});

on(
  'with other weights under the same path makes its rollouts again, with the same ones none',
  {
    timeout: LONG,
  },
  async () => {
    makeWeights(2);
    expect(rollouts(await project.build('p.yaml', 'grade'))?.executed).toBe(12);
    const started = pids().length;
    makeWeights(1);
    expect(await project.build('p.yaml', 'grade')).toMatchObject({ code: 0, executed: 0 });
    expect(pids()).toHaveLength(started);
  },
);
