/**
 * From trajectories to checkpoints and back to the benchmark, with a trainer that copies its data and a server that
 * answers with what it was given: what a checkpoint changes, what ends a training, and what goes on from where it was.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { BuildResult, Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { solve } from '../rig/solver.ts';

const LONG = 300_000;

let server: ModelServer;
let project: Project;

/** Serves what a checkpoint holds: a reply that submits nothing. */
const SERVER = `
const http = require('node:http');
const fs = require('node:fs');
const [folder, port] = process.argv.slice(2);
fs.readFileSync(folder + '/model');
http.createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  if (request.url === '/v1/models') return response.end('{"object":"list","data":[{"id":"tuned"}]}');
  request.resume().on('end', () => response.end(JSON.stringify({
    id: 'a', object: 'chat.completion', created: 1, model: 'tuned',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant',
      content: 'Done.\\n\\n\`\`\`mswea_bash_command\\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\\n\`\`\`' } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })));
}).listen(Number(port), '127.0.0.1');
`;

/** Three steps, each kept; ends by itself after the first where the project says so. */
const TRAINER = `set -e
cd "$PROJECT"
echo start >> starts
mkdir -p "$SWE_SAVE_TRAJ_DIR" "$OUTPUT_DIR/logs"
echo '{}' > "$SWE_SAVE_TRAJ_DIR/traj.json"
[ -e no-memory ] && { echo 'torch.OutOfMemoryError: CUDA out of memory.'; exit 1; }
for step in 1 2 3; do
  [ -e "$OUTPUT_DIR/.step$step" ] && continue
  echo "step $step: loss=0.$((9 - step)) tokens_per_second_per_gpu=100"
  touch "$OUTPUT_DIR/.step$step"
  echo $step >> steps
  while [ -e hold ]; do sleep 0.05; done
done
echo "gpus $CUDA_VISIBLE_DEVICES, secret $TOKEN"
cat "$PROMPT_DATA" > "$OUTPUT_DIR/model"
mkdir "$OUTPUT_DIR/parts"
ln -s ../model "$OUTPUT_DIR/parts/newest"
`;

beforeAll(async () => {
  server = await startModelServer((request) => solve(request));
  project = rolloutProject({
    url: server.url,
    instances: 2,
    env: { TOKEN: 'canary-4711', CUDA_VISIBLE_DEVICES: '3,5' },
  });
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8');
  writeFileSync(
    project.path('eval.jsonl'),
    rows.replaceAll('{"instance_id"', '{"docker_image":"own/image","instance_id"'),
  );
  writeFileSync(project.path('server.js'), SERVER);
  writeFileSync(project.path('train.sh'), TRAINER);
  const serve = `{ command: "node ${project.path('server.js')} {model} {port}" }`;
  const common = `type: command, command: "bash ./train.sh", model: { path: base }, env: { PROJECT: "${project.folder}", TOKEN: "\${secret:TOKEN}" }`;
  const yaml = readFileSync(project.path('p.yaml'), 'utf8')
    .replace('environments:', '  eval: { source: eval.jsonl, format: custom }\nenvironments:')
    .replace('deployments:', 'deployments:\n  gpu: { type: process, resources: { gpu: 2 } }')
    .replace(
      'trainer: { sft: { type: none } }',
      `trainer:\n  sft: { ${common}, gpus: 1, decontaminate: false }\n  rl: { type: none, rows: slime }`,
    );
  writeFileSync(project.path('p.yaml'), yaml);
  appendFileSync(
    project.path('p.yaml'),
    `evaluation:\n  dataset: eval\n  models:\n    base: {}\n    sft: { from: sft, name: tuned, serve: ${serve} }\n`,
  );
});
afterAll(() => server.stop());

const lines = (name: string) =>
  existsSync(project.path(name)) ? readFileSync(project.path(name), 'utf8').trim().split('\n') : [];
const out = (path: string) => readFileSync(project.path(`out/tiny/${path}`), 'utf8');
const ran = ({ stages }: BuildResult) =>
  stages.filter(({ executed }) => executed > 0).map(({ stage }) => stage);
/** Living processes that say `mark` in their arguments. */
function running(mark: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'latin1');
      return words.includes(mark) && !words.includes('--set');
    } catch {
      return false;
    }
  });
}
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(50);
}

test('a folder of weights that is not there is a fault, and nothing is trained', {
  timeout: LONG,
}, async () => {
  const build = await project.build('p.yaml', 'sft-train');
  expect(build.code).toBe(3);
  expect(lines('starts')).toEqual([]);
  mkdirSync(project.path('base'));
  writeFileSync(project.path('base/config.json'), '{}');
});

test('GPU memory that does not suffice is a fault, tried once and kept nowhere', {
  timeout: LONG,
}, async () => {
  writeFileSync(project.path('no-memory'), '');
  const end = await project.run('build', 'p.yaml', 'sft-train');
  expect(end.code).toBe(3);
  expect(end.stderr + end.stdout).toContain('because GPU memory ran out');
  expect(lines('starts')).toHaveLength(1);
  rmSync(project.path('no-memory'));
});

test('a command names its own script and runs it once; one that forks without end is ended and told', {
  timeout: LONG,
}, async () => {
  writeFileSync(project.path('bomb.sh'), 'echo begun >> bombs; bash ./bomb.sh & bash ./bomb.sh; wait\n');
  const set = ['--set', 'trainer.sft.command=bash ./bomb.sh', '--set', 'deployments.gpu.resources.pids=64'];
  const end = await project.run('build', 'p.yaml', 'sft-train', ...set);
  expect(end.code).toBe(3);
  expect(end.stderr + end.stdout).toContain(
    'the trainer was ended at its limit of 64 processes and threads (resources.pids)',
  );
  expect(lines('bombs').length).toBeLessThan(100);
  expect(running('./bomb.sh')).toEqual([]);
  mkdirSync(project.path('own'));
  writeFileSync(project.path('own/train.sh'), 'echo run >> runs; cp "$PROMPT_DATA" "$OUTPUT_DIR/model"\n');
  const once = await project.build(...['p.yaml', 'sft-train', '--set', 'trainer.sft.folder=own']);
  expect(once).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(lines('own/runs')).toEqual(['run']);
  expect(lines('starts')).toHaveLength(1);
});

test('SIGTERM ends at once what a trainer started, wherever that went', { timeout: LONG }, async () => {
  const mark = `${70_000 + Math.floor(Math.random() * 10_000)}.${process.pid}`;
  const away = `(cd / && env -i setsid setsid sleep ${mark} >/dev/null 2>&1 &)`;
  const command = `${away}; (setsid sleep ${mark} &); sleep ${mark}`;
  const build = project.start(['build', 'p.yaml', 'sft-train', '--set', `trainer.sft.command=${command}`]);
  await until(() => running(mark).length >= 3);
  const ended = new Promise((resolve) => build.on('close', resolve));
  build.kill('SIGTERM');
  expect(await ended).toBe(130);
  expect(running(mark)).toEqual([]);
});

test('a killed training goes on, and no step is made twice', { timeout: LONG }, async () => {
  writeFileSync(project.path('hold'), '');
  const killed = project.start(['build', 'p.yaml', 'sft-train']);
  await until(() => lines('steps').length === 1);
  process.kill(-killed.pid!, 'SIGKILL');
  // What it started is ended by the next build before that starts its own.
  const stopped = project.start(['build', 'p.yaml', 'sft-train']);
  await until(() => lines('steps').length === 2);
  const ended = new Promise((resolve) => stopped.on('close', resolve));
  let said = '';
  stopped.stderr!.on('data', (text: Buffer) => {
    said += text.toString();
  });
  // The first one lets what runs come to its end, which would be hours.
  stopped.kill('SIGINT');
  await until(() => /once more ends (it|them) now/.test(said));
  stopped.kill('SIGINT');
  const code = await ended;
  expect(code).toBe(130);
  rmSync(project.path('hold'));
  const build = await project.build('p.yaml');
  expect(build).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(lines('steps')).toEqual(['1', '2', '3']);
  expect(lines('starts')).toHaveLength(4);
});

test('what it leaves: the checkpoint as a layer, its numbers, its log without the secret', async () => {
  // A relative link leads to the same file wherever the checkpoint lies.
  const trees = project.path('.swemake/layers/trees');
  const links = readdirSync(trees)
    .map((digest) => join(trees, digest, 'parts/newest'))
    .filter((path) => existsSync(path));
  expect(links.map((path) => readlinkSync(path))).toEqual(['../model']);
  const metrics = JSON.parse(out('sft-train.train/metrics.json'));
  expect(metrics.steps.at(-1)).toMatchObject({ step: 3, loss: 0.6, tokens_per_second_per_gpu: 100 });
  const log = out('sft-train.train/training.log');
  expect(log).toContain('gpus 3, secret ${secret:TOKEN}');
  expect(out('sft-train.train/train.sh')).toContain('train.sh');
  const rows = out('rl-data.train/train.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({
    text: expect.stringContaining('is wrong'),
    metadata: { data_source: 'train' },
  });
  expect(rows[0].metadata.instance.instance_id).toMatch(/^tiny\./);
  // Rows of the benchmark say of themselves where they are from, and each names its image where the programs of swe-rl look for it.
  const [held] = out('rl-data.train/validation.jsonl').split('\n');
  expect(JSON.parse(held!).metadata).toMatchObject({
    data_source: 'eval',
    instance: { image_name: 'docker.io/own/image:latest' },
  });
  const evaluated = (name: string) => JSON.parse(out(`evaluate.eval/${name}/report.json`)).resolved_instances;
  expect([evaluated('base'), evaluated('sft')]).toEqual([2, 0]);
});

test('what the trainer wrote beside its checkpoint stays, and gc lists it; more than 14 days later, too', {
  timeout: LONG,
}, async () => {
  const [host, output] = out('sft-train.train/output-folder.txt').trim().split(/:(.*)/s);
  expect(host).toBe(hostname());
  const there = ['swe_rollouts/traj.json', 'logs', 'model'];
  expect(there.filter((name) => !existsSync(`${output}/${name}`))).toEqual([]);
  const old = new Date('2026-01-01');
  for (const name of ['.', 'done.json', 'output', 'work']) utimesSync(join(output!, '..', name), old, old);
  expect((await project.run('plan', 'p.yaml')).stdout).toMatch(
    /^the cache keeps .* of \d+ finished trainings beside the checkpoints; swemake gc lists it$/m,
  );
  const listed = await project.run('gc', 'p.yaml', '--max-age', '1d');
  expect(listed.stdout).toMatch(
    /kept of finished trainings:\n {2}\/.*\/sft-.*\n( {2}\/.*\n)*swemake gc --trainings removes these\n/,
  );
  expect(there.filter((name) => !existsSync(`${output}/${name}`))).toEqual([]);
});

test('a second build trains nothing', { timeout: LONG }, async () => {
  expect(await project.build('p.yaml')).toMatchObject({ code: 0, executed: 0 });
  // Where things lie decides nothing.
  const moved = await project.build('p.yaml', '--set', 'trainer.sft.timeout=9h', '--set', 'name=tiny');
  expect(moved).toMatchObject({ code: 0, executed: 0 });
});

test('another checkpoint predicts and evaluates again, and only for its own model', {
  timeout: LONG,
}, async () => {
  const requests = server.requests.length;
  // The same weights from another training: nothing follows.
  const same = await project.build('p.yaml', '--set', 'trainer.sft.epochs=9');
  expect(ran(same)).toEqual(['sft-train.train']);
  const other = await project.build('p.yaml', '--set', 'trainer.sft.style=ticks');
  // Each has a folder of its own.
  expect((await project.run('plan', 'p.yaml')).stdout).toContain('of 4 finished trainings');
  expect(ran(other).sort()).toEqual(['evaluate.eval', 'predict.eval', 'sft-data.train', 'sft-train.train']);
  expect(other.stages.find(({ stage }) => stage === 'predict.eval')!.executed).toBe(2);
  expect(server.requests).toHaveLength(requests);
});

test('what finished trainings keep goes when that is asked for, and nothing is trained again for it', {
  timeout: LONG,
}, async () => {
  const gone = await project.run('gc', 'p.yaml', '--trainings');
  expect(gone.stdout).toMatch(/^removed of finished trainings:\n( {2}\/.*\n){4}$/m);
  expect((await project.run('plan', 'p.yaml')).stdout).not.toContain('the cache keeps');
  expect(await project.build('p.yaml')).toMatchObject({ code: 0, executed: 0 });
});
