/** A tiny project whose rollout functions are a module of the test: a small agent over HTTP, sound unless told otherwise. */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { RehearsalResult } from '../../app/rehearsal/rehearse.ts';
import { packageRoot } from '../../basics/package-root.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** What the functions do wrong; `sound`: nothing. */
export type Fault =
  | 'sound'
  | 'shifted'
  | 'dropped'
  | 'retokenised'
  | 'unlimited'
  | 'image'
  | 'shown'
  | 'masked'
  | 'longest'
  | 'equal'
  | 'lost'
  | 'short'
  | 'raises'
  | 'cut'
  | 'steps'
  | 'unmasked'
  | 'unread'
  | 'few'
  | 'silent';

export interface Planted {
  /** Default: slime. */
  framework?: keyof typeof FRAMEWORKS;
  fault?: Fault;
  /** Lines below `trainer.rl`, indented by four spaces. */
  rl?: string;
  overrides?: Record<string, unknown>;
  generate?: string;
  port?: number;
  /** The training begins with the checkpoint of `trainer.sft`, which is not there yet. */
  fromSft?: true;
}

let project: Project | null = null;

/** What each framework has below `trainer.rl`. */
const FRAMEWORKS = {
  slime: (generate?: string) => `
    type: slime
    folder: slime
    module: hooks
    reward: planted_hooks.reward_func
    generate: ${generate ?? 'planted_hooks.generate'}
    actor_gpus: 4
    rollout_gpus: 2`,
  miles: (generate?: string) => `
    type: miles
    folder: miles
    module: hooks
    reward: planted_hooks.reward_func
    generate: ${generate ?? 'planted_hooks.generate'}
    actor_gpus: 4
    rollout_gpus: 4`,
  skyrl: (generate?: string) => `
    type: skyrl
    folder: skyrl
    generate: ${generate ?? 'planted_hooks'}
    colocate: true
    max_prompt: 4096`,
  'skyrl-train': (generate?: string) => `
    type: skyrl
    flavor: minisandbox
    folder: skyrl
    generate: ${generate ?? 'planted_hooks'}
    colocate: true
    max_prompt: 4096`,
  verl: (generate?: string) => `
    type: verl
    folder: verl
    generate: ${generate ?? 'planted_hooks.Loop'}
    max_prompt: 4096`,
  trl: (command?: string) => `
    type: command
    command: python hooks/planted_trl.py ${command ?? ''}`,
} as const;
const KEYS = `    batch: 2
    samples: 4
    max_context: 8192
    max_response: 256
`;
const FILTERS: Partial<Record<keyof typeof FRAMEWORKS, Record<string, unknown>>> = {
  slime: { 'dynamic-sampling-filter-path': 'planted_hooks.keep_all' },
  miles: { 'dynamic-sampling-filter-path': 'planted_hooks.keep_all' },
};

/** The same cache for all: tasks are validated once. */
export async function planted(options: Planted = {}): Promise<Project> {
  project ??= tinyProject({ instances: 2, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  mkdirSync(project.path('hooks'), { recursive: true });
  for (const name of ['planted_hooks.py', 'planted_trl.py'])
    copyFileSync(`${import.meta.dirname}/${name}`, project.path(`hooks/${name}`));
  withPython(project.path('bin'));
  const { framework = 'slime', fault = 'sound', rl = '', generate } = options;
  const overrides = { ...FILTERS[framework], ...options.overrides };
  const { port = await freePort() } = options;
  const judge = rl.includes('prm') && !rl.includes('# no judge') ? ', JUDGE: "1"' : '';
  const packaged = framework === 'skyrl-train' ? 'skyrl_train' : framework;
  writeFileSync(
    project.path('p.yaml'),
    `${BASE.replace('PYTHON', project.path('bin'))}
agent:
  type: bash
  model: { base_url: "http://127.0.0.1:${port}/v1", name: m, identity: "m@1" }
  limits: { steps: 9 }
trainer:
${options.fromSft ? `  sft: { type: trl, deployment: gpu, model: ${MODEL} }\n` : ''}  rl:${FRAMEWORKS[framework](generate)}
    deployment: gpu
    model: ${options.fromSft ? '{ from: sft }' : MODEL}
${framework === 'trl' ? '' : KEYS}${framework.startsWith('skyrl') || framework === 'trl' ? '' : '    steps: 1\n'}    env: { FAULT: ${fault}, PACKAGE: ${packaged}, ENGINE: "http://127.0.0.1:${port}", PYTHONPATH: "${project.path('hooks')}"${judge}${framework === 'trl' ? ', SWEMAKE_MAX_SEQ_LEN: "8192"' : ''} }
${framework === 'trl' ? '' : `    overrides: ${JSON.stringify(overrides)}\n`}${rl}`,
  );
  return project;
}

const MODEL = '{ id: owner/model, revision: "0123456789012345678901234567890123456789" }';
const BASE = `version: 1
name: tiny
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - match: {}
      pip: []
      install: []
      test: python -m unittest -v
      parser: unittest
deployments:
  box:
    type: sandbox
    network: { build: proxy, grade: off }
  gpu: { type: process, resources: { gpu: 8 }, activate: 'export PATH="PYTHON:$PATH"' }
validation: { deployment: box, timeout: 60s }`;

/** Frameworks start `python`, which not every machine has by this name. */
function withPython(folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(folder);
  // One that has the framework, for its own parser.
  const python = process.env.REHEARSAL_PYTHON ?? 'python3';
  writeFileSync(`${folder}/python`, `#!/bin/sh\nexec ${python} "$@"\n`);
  chmodSync(`${folder}/python`, 0o755);
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Installs swemake's hooks into `venv` of the project; false, with a printed reason, where the package index has no httpx. */
export function installHooks(made: Project): boolean {
  const installed = [
    spawnSync('python3', ['-m', 'venv', made.path('venv')]),
    spawnSync(made.path('venv/bin/python'), ['-m', 'pip', 'install', '-q', `${packageRoot()}/python`]),
  ].every(({ status }) => status === 0);
  if (!installed) console.log('skipped: rehearsals with swemake’s own hooks: the package index has no httpx');
  return installed;
}

/** The planted project, rehearsed with stand-ins. */
export async function rehearsed(options: Planted, ...args: string[]) {
  const made = await planted(options);
  const end = await made.run('rehearse', 'p.yaml', '--stand-ins', '--tasks', 'project', '--json', ...args);
  const result = end.stdout === '' ? null : (JSON.parse(end.stdout) as RehearsalResult);
  return { ...end, result };
}

/** Rehearsing starts the command itself, and on a loaded machine that takes a minute. */
export const TIMEOUT = 400_000;

/** A rehearsal that finds nothing: each written token of 2 × 4 rollouts is trained once, as it was written, in one step. */
export async function soundlyRehearsed(
  framework: NonNullable<Planted['framework']>,
  options: Planted = {},
): Promise<RehearsalResult> {
  const { code, result, stderr } = await rehearsed({ framework, ...options });
  expect(stderr).not.toContain('E007');
  expect(code).toBe(0);
  const once = { share: 1, drift: 0, foreign: 0, twice: 0, behind: 0, misaligned: 0, sequences: 8 };
  expect(result!.measured).toMatchObject(once);
  const { turns } = result!.measured!;
  expect(turns.written).toBeGreaterThan(8);
  expect(turns.trained).toBe(turns.written);
  const batch = { sequences: 8, promised: 8, trimmed: 0, padding: 0, steps: 1, plannedSteps: 1 };
  expect(result!.batch).toMatchObject(batch);
  expect(result!.groups.map(({ keep }) => keep)).toEqual([true, true]);
  return result!;
}

/** A fault, the key of `p.yaml` that the rehearsal must name, and what it says there. */
export type PlantedFault = [name: string, planted: Planted, key: string, message: RegExp];

/** Each fault is found at its key; and one mistake is not told as another one. */
export function findsEach(
  framework: NonNullable<Planted['framework']>,
  faults: readonly PlantedFault[],
): void {
  test.each(faults)(
    '%s',
    async (_name, options, key, message) => {
      const { code, stderr, result } = await rehearsed({ framework, ...options });
      expect(code, stderr).toBe(1);
      const found = result!.diagnostics.find((one) => message.test(one.message));
      expect(found, stderr).toMatchObject({ code: 'E007', file: 'p.yaml' });
      expect(found!.text).toContain(`${key}:`);
      expect(found!.remedy).not.toBe('');
      const others = result!.diagnostics.filter((one) => !message.test(one.message));
      expect(others.map((one) => one.message).join('\n')).not.toMatch(
        /trained more than once|cannot be used/,
      );
    },
    TIMEOUT,
  );
}
