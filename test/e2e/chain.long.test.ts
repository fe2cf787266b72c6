/**
 * The whole chain on a processor by one `swemake build`: tasks, a teacher's rollouts, SFT by TRL, GRPO by TRL from that
 * checkpoint with rollouts of swemake's own agent server, and an evaluation of the three models. The build is killed in
 * validation, in SFT and in RL, and goes on each time. It wants TRL_PYTHON, or a package index and 6 GB for TRL.
 */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf } from '../../basics/digest.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { leftovers } from '../rig/leftovers.ts';
import { Project } from '../rig/project.ts';
import { hasPackageIndex } from '../rig/quickstart.ts';
import { trlPython } from '../rig/trl.ts';
import { until } from '../rig/until.ts';

const LONG = 3_600_000;
const python = hasPackageIndex() ? trlPython() : null;
const on = test.skipIf(python === null);

const folder = temporaryFolder();
const project = new Project(join(folder, 'chain'), {
  SWEMAKE: `${process.execPath} ${packageRoot()}/bin/swemake.js`,
  ACTIVATE: `export PATH=${dirname(python ?? '/')}:$PATH PYTHONPATH=${packageRoot()}/python`,
});

const out = (name: string) => readFileSync(project.path(`out/chain/${name}`), 'utf8');
const steps = (stage: string): Record<string, number>[] =>
  JSON.parse(out(`${stage}.train/metrics.json`)).steps;
const outputOf = (stage: string) =>
  out(`${stage}.train/output-folder.txt`)
    .trim()
    .replace(/^[^:]*:/, '');
const finished = () =>
  project
    .events()
    .filter(({ type, record }) => type === 'item-finished' && record !== undefined)
    .map(({ stage, item }) => `${stage}@${item}`);

/** Builds until `isSo`, and ends the build's processes as a power failure would. */
async function killedWhen(isSo: () => boolean): Promise<void> {
  const build = project.start(['build', 'project.yaml']);
  const said = hear(build);
  let isOver = false;
  build.on('close', () => {
    isOver = true;
  });
  await until(() => isOver || isSo(), LONG);
  expect(isOver, said()).toBe(false);
  const closed = new Promise((resolve) => build.on('close', resolve));
  process.kill(-build.pid!, 'SIGKILL');
  await closed;
}

function hear(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  return () => said;
}

/** Files below a folder of the project. */
const filesIn = (path: string): string[] =>
  existsSync(project.path(path))
    ? readdirSync(project.path(path), { recursive: true, encoding: 'utf8' })
    : [];
const saved = (which: RegExp) => filesIn('.swemake/executors/training').some((path) => which.test(path));

on('the chain is built, although it is killed three times', { timeout: LONG }, async () => {
  mkdirSync(project.folder);
  for (const name of ['project.yaml', 'chain.py'])
    copyFileSync(`${packageRoot()}/projects/chain/${name}`, project.path(name));
  copyFileSync(`${packageRoot()}/projects/quickstart.jsonl`, join(folder, 'quickstart.jsonl'));
  execFileSync(python!, ['chain.py', 'base', 'base'], { cwd: project.folder, stdio: 'pipe' });

  await killedWhen(() => existsSync(project.path('.swemake/runs')) && finished().some(isValidation));
  await killedWhen(() => saved(/^sft-.*output\/checkpoint-\d+\/trainer_state.json$/));
  await killedWhen(() => saved(/^rl-.*state\/checkpoint-\d+\/trainer_state.json$/));
  const build = await project.build('project.yaml');
  expect(build).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  const done = finished();
  expect(done.filter((item, index) => done.indexOf(item) !== index)).toEqual([]);
  expect(done.filter(isValidation)).toHaveLength(6);
});

const isValidation = (item: string) => item.startsWith('validate.train@');

on('a second build runs nothing, and nothing of the first is left running', { timeout: LONG }, async () => {
  expect(await project.build('project.yaml')).toMatchObject({ code: 0, executed: 0 });
  expect(leftovers(folder)).toEqual([]);
});

on('the teacher solves four of six tasks, which SFT learns', () => {
  const rows = out('sft-data.train/sft.jsonl').trim().split('\n');
  expect(rows.map((row) => JSON.parse(row)).map(({ model, resolved }) => [model, resolved])).toEqual(
    Array(4).fill(['teacher@1', true]),
  );
  expect(out('sft-train.train/training.log')).not.toContain('Traceback');
  const losses = steps('sft-train').map(({ loss }) => loss!);
  expect(losses.every(Number.isFinite)).toBe(true);
  expect(losses.at(-1)!).toBeLessThan(losses[0]! / 4);
});

on('each training went on from where it was killed, and its numbers are whole', () => {
  const numbers = (stage: string) => steps(stage).map(({ step }) => step);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  expect(numbers('sft-train')).toEqual(upTo(80));
  expect(numbers('rl-train')).toEqual(upTo(6));
  const ofLast = (which: string, line: RegExp) =>
    out(`${which}-train.train/training.log`).match(line)!.length;
  expect(ofLast('sft', /'learning_rate'/g)).toBeLessThanOrEqual(60);
  const [, from] = /goes on from \S*checkpoint-(\d+)/.exec(out('rl-train.train/training.log')) ?? [];
  expect(ofLast('rl', /^step \d+:/gm)).toBe(6 - Number(from));
});

on('RL begins with the checkpoint of SFT, and its rewards differ', () => {
  const [, begun] = /begins with weights (\S+)/.exec(out('rl-train.train/training.log')) ?? [];
  expect(begun).toBe(digestOf(readFileSync(join(outputOf('sft-train'), 'model.safetensors'))));
  const all = filesIn('out/chain/episodes')
    .filter((path) => path.endsWith('.json'))
    .map((path) => JSON.parse(out(`episodes/${path}`)).summary.reward);
  expect(new Set(all)).toEqual(new Set([0, 1]));
  expect(steps('rl-train').every(({ loss }) => Number.isFinite(loss))).toBe(true);
  expect(steps('rl-train').some((step) => step.reward_std! > 0 && step.grad_norm! > 0)).toBe(true);
  expect(steps('rl-train').map((step) => step['agent/faults'])).toEqual(steps('rl-train').map(() => 0));
});

on('each training changed the weights; ids are trained as they were sampled', { timeout: LONG }, () => {
  const words = [`${packageRoot()}/test/e2e/chain.py`, project.folder];
  const found = JSON.parse(
    execFileSync(python!, [...words, outputOf('sft-train'), outputOf('rl-train')], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  expect(found).toMatchObject({ shapes: true, finite: true, spans: true, broken: 0 });
  expect(found.sft).toBeGreaterThan(0.01);
  expect(found.rl).toBeGreaterThan(0.0001);
  // Each rollout asks at least once. Text of some replies is not tokenised to the ids that were sampled.
  expect(found.replies).toBeGreaterThanOrEqual(48);
  expect(found.rewritten).toBeGreaterThan(0);
});

on('the random model solves nothing, and that of SFT what it has learned', () => {
  const solved = (name: string) => JSON.parse(out(`evaluate.eval/${name}/report.json`)).resolved_instances;
  expect([solved('base'), solved('sft')]).toEqual([0, 3]);
  expect(solved('rl')).toBeGreaterThan(0);
});

on('another conversation trains again', { timeout: LONG }, async () => {
  const build = await project.build('project.yaml', 'sft-train', '--set', 'trainer.sft.balance.total=3');
  expect(build.stages.filter(({ executed }) => executed > 0).map(({ stage }) => stage)).toEqual([
    'balance.train',
    'sft-data.train',
    'sft-train.train',
  ]);
});
