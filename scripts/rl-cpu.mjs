/**
 * A real loop of reinforcement on a processor: TRL's GRPO as the command of rl-train, rollouts from an agent server over tasks
 * made for it, rewards from the grader. Shown are the reward of each step, advantages, a checkpoint that changed, a training
 * that was killed and went on, and a second build that trains nothing.
 *
 *   node scripts/rl-cpu.mjs --venv FOLDER [--steps 12]
 *
 * The virtual environment has torch, trl and pip; swemake's Python module is installed into it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BIN = join(ROOT, 'bin/swemake.js');
const TRAINER = join(ROOT, 'scripts/rl-cpu.py');
const { values } = parseArgs({ options: { venv: { type: 'string' }, steps: { type: 'string' } } });
if (values.venv === undefined) throw new Error('say where torch and trl are: --venv FOLDER');
const python = join(resolve(values.venv), 'bin/python');
const steps = Number(values.steps ?? 12);
const TASKS = 4;
const folder = mkdtempSync(join(tmpdir(), 'swemake-rl-'));
const at = (...names) => join(folder, ...names);

/** Tasks whose tests want an even number, which the model's words may or may not put there. */
function writeTasks() {
  mkdirSync(at('repo'));
  const file = (name, text) => writeFileSync(at('repo', name), text);
  file('put', 'echo "VALUE = $1" > value.py\n');
  file('done', 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n');
  file('value.py', 'VALUE = 0\n');
  file(
    'test_value.py',
    'import unittest\nfrom value import VALUE\nclass Test(unittest.TestCase):\n    def test_even(self):\n        self.assertEqual(VALUE % 2, 0)\n',
  );
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: at('repo'),
      encoding: 'utf8',
    }).trim();
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'all');
  const commit = git('rev-parse', 'HEAD');
  const row = (index) => ({
    instance_id: `even.${index}`,
    repo: 'owner/even',
    source: `git+./repo@${commit}`,
    patch: `diff --git a/value.py b/value.py\n--- a/value.py\n+++ b/value.py\n@@ -1 +1 @@\n-VALUE = 0\n+VALUE = ${2 * index + 1}\n`,
    patch_role: 'bug',
    FAIL_TO_PASS: ['test_even (test_value.Test)'],
    PASS_TO_PASS: [],
    problem_statement: `Make it even (${index}).`,
  });
  const rows = Array.from({ length: TASKS }, (_, index) => `${JSON.stringify(row(index))}\n`);
  writeFileSync(at('rows.jsonl'), rows.join(''));
}

function writeProject(port) {
  writeFileSync(
    at('p.yaml'),
    `version: 1
name: rl
dataset: { train: { source: rows.jsonl, format: custom } }
environments:
  recipes:
    - { match: {}, pip: [], install: [], test: python -m unittest -v, parser: unittest }
deployments:
  box: { type: sandbox, network: { build: proxy, grade: off } }
  cpu: { type: process, activate: 'export PATH="${dirname(python)}:$PATH" HF_HUB_OFFLINE=1 TRL_EXPERIMENTAL_SILENCE=1' }
validation: { deployment: box, timeout: 60s }
agent:
  deployment: box
  action_regex: '^([\\s\\S]+)$'
  templates: { system: Say what to do., instance: "{{ task }}", observation: "seen", format_error: "say something" }
  limits: { steps: 2 }
  model: { base_url: "http://127.0.0.1:9/v1", name: policy, identity: "policy@1", temperature: 1, retry: 5s }
trainer:
  rl:
    type: command
    rows: slime
    deployment: cpu
    model: { path: base }
    command: python '${TRAINER}' train
    # TRL takes one sequence of a rollout, and what follows a refused reply begins another one.
    env: { STEPS: "${steps}", SWEMAKE_SEQUENCES: longest, SWEMAKE_AGENT_URL: "http://127.0.0.1:${port}" }
`,
  );
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

function start(args, output) {
  return spawn(process.execPath, [BIN, ...args], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', output, 'inherit'],
  });
}

async function serve(port) {
  const child = start(['serve', 'agent', 'p.yaml', '--listen', `127.0.0.1:${port}`], 'pipe');
  await new Promise((done, fail) => {
    child.stdout.once('data', done);
    child.once('close', () => fail(new Error('the agent server ended')));
  });
  return child;
}

function begin(...more) {
  const child = start(['build', 'p.yaml', 'rl-train', '--json', ...more], 'pipe');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  const ended = new Promise((done) => child.on('close', (code) => done({ code, text })));
  return { child, ended };
}

async function build() {
  const began = performance.now();
  const { code, text } = await begin().ended;
  if (code !== 0) throw new Error(`the build ended with ${code}\n${text}\n${log()}`);
  const { executed } = JSON.parse(text.trim().split('\n').at(-1));
  return { executed, seconds: Math.round((performance.now() - began) / 100) / 10 };
}

const log = () =>
  execFileSync(process.execPath, [BIN, 'logs', 'p.yaml', 'rl-train.train'], {
    cwd: folder,
    encoding: 'utf8',
  });
const shell = (command) => execFileSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8' }).trim();
const reported = (text) =>
  [...text.matchAll(/^step (\d+): (.*)$/gm)].map(([, step, rest]) => ({
    step: Number(step),
    ...Object.fromEntries(rest.split(' ').map((pair) => [pair.split('=')[0], Number(pair.split('=')[1])])),
  }));
const digest = (path) => shell(`sha256sum '${path}' | cut -c1-16`);

let server = null;
let holds = false;
try {
  // Setuptools leaves files where it builds.
  cpSync(join(ROOT, 'python'), at('python'), { recursive: true });
  execFileSync(python, ['-m', 'pip', 'install', '-q', '--no-deps', at('python')], { stdio: 'inherit' });
  execFileSync(python, [TRAINER, 'base', at('base')], { stdio: 'inherit' });
  writeTasks();
  const port = await freePort();
  writeProject(port);
  server = await serve(port);
  const report = {};

  const { child, ended } = begin();
  let killed = false;
  void ended.then(({ code, text }) => {
    if (!killed) console.error(`the build ended with ${code}\n${text}`);
  });
  const saved = () =>
    shell(
      'ls -d .swemake/executors/training/*/output/state/checkpoint-*/trainer_state.json 2>/dev/null || true',
    );
  while (saved() === '' && child.exitCode === null) await sleep(100);
  if (child.exitCode !== null) throw new Error(log());
  killed = true;
  process.kill(-child.pid, 'SIGKILL');
  await ended;
  const before = reported(shell('cat .swemake/executors/training/*/training.log'));
  report.killedAfter = before.at(-1)?.step;
  report.finished = await build();
  const text = log();
  report.wentOnFrom = /goes on from \S*(checkpoint-\d+)/.exec(text)?.[1];
  report.inItsLog = /in the trainer's own log: (.*)/.exec(text)?.[1];
  const after = reported(text);
  const from = Number(report.wentOnFrom?.split('-')[1]);
  const all = [...before.filter(({ step }) => step <= from), ...after];
  report.steps = all;
  report.second = await build();

  const out = JSON.parse(readFileSync(at('out/rl/rl-train.train/metrics.json'), 'utf8'));
  report.metrics = out.steps.length;
  const [checkpoint] = shell(`find .swemake -name model.safetensors -path '*layers*' | head -1`).split('\n');
  report.weights = { base: digest('base/model.safetensors'), trained: digest(checkpoint) };
  report.episodes = Number(shell('ls out/rl/episodes/*/*.json | wc -l'));
  console.log(JSON.stringify(report, null, 1));
  const mean = (rows) => rows.reduce((sum, { reward }) => sum + reward, 0) / rows.length;
  const third = Math.floor(all.length / 3);
  console.log(
    `reward: ${mean(all.slice(0, third)).toFixed(2)} in the first third, ${mean(all.slice(-third)).toFixed(2)} in the last`,
  );
  holds =
    all.length === steps &&
    all.some(({ advantage }) => advantage > 0) &&
    new Set(all.map(({ reward }) => reward)).size > 1 &&
    report.second.executed === 0 &&
    report.wentOnFrom !== undefined &&
    after[0].step === from + 1 &&
    report.weights.base !== report.weights.trained;
} finally {
  if (server !== null) {
    const closed = new Promise((done) => server.once('close', done));
    server.kill('SIGTERM');
    await closed;
  }
  rmSync(folder, { recursive: true, force: true });
}
if (!holds) process.exitCode = 1;
