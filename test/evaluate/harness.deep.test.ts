/**
 * The official harness as a command: what it is given, what is read of what it writes, and what is a fault. A
 * stand-in writes the real shapes; with SWEMAKE_TEST_SWEBENCH (Pythons that have swebench, separated by colons)
 * the real one is asked too, as far as it comes without containers.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fillCommand } from '../../stages/evaluate/command.ts';
import { askVersion, pythonOf, workersOn } from '../../stages/evaluate/harness.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { Bench } from './bench.ts';

const ADDRESS = 'evaluate.train';

/** Judges by behaviour.json; skips what has a report.json already, as the real one does. */
const STAND_IN = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const [dataset, predictions, runId, reportDir, workers] = process.argv.slice(2);
const project = process.env.SWEMAKE_PROJECT;
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const rows = read(dataset);
const preds = read(predictions);
const behaviour = read(project + '/behaviour.json');
appendFileSync(project + '/calls.jsonl', JSON.stringify({ runId, workers, docker: process.env.DOCKER_HOST ?? null, ids: rows.map((row) => row.instance_id) }) + '\\n');
if (behaviour['*'] === 'crash') { console.log('no docker here'); process.exit(1); }
const lists = { resolved: [], unresolved: [], error: [], empty_patch: [], incomplete: [], completed: [] };
let model;
for (const { instance_id: id } of rows) {
  const pred = preds[id];
  if (pred === undefined) { lists.incomplete.push(id); continue; }
  model ??= pred.model_name_or_path.replaceAll('/', '__');
  if (pred.model_patch === '') { lists.empty_patch.push(id); continue; }
  const folder = 'logs/run_evaluation/' + runId + '/' + model + '/' + id;
  mkdirSync(folder, { recursive: true });
  const what = existsSync(folder + '/report.json') ? 'kept' : behaviour[id];
  if (what === 'resolved' || what === 'unresolved') {
    appendFileSync(project + '/judged.txt', id + '\\n');
    writeFileSync(folder + '/report.json', JSON.stringify({ [id]: { resolved: what === 'resolved' } }));
  } else if (what !== 'kept' && what !== undefined) writeFileSync(folder + '/run_instance.log', 'begun\\n' + what + '\\n');
  if (!existsSync(folder + '/report.json')) { lists.error.push(id); continue; }
  lists.completed.push(id);
  lists[read(folder + '/report.json')[id].resolved ? 'resolved' : 'unresolved'].push(id);
}
const report = { schema_version: 2, total_instances: rows.length };
for (const [name, ids] of Object.entries(lists)) report[name + '_ids'] = ids.sort();
const where = behaviour.version === 4 ? '.' : reportDir;
writeFileSync(where + '/' + model + '.' + runId + '.json', JSON.stringify(report, null, 4) + '\\n');
console.log('Report written');
`;

const project = (command: string) => `agent: { type: oracle }
evaluation:
  dataset: train
  models: { base: {} }
  harness: swebench
  command: '${command}'
`;

function bench(behaviour: Record<string, unknown>): Bench {
  const made = new Bench();
  made.write('harness.mjs', STAND_IN);
  made.yaml = project(
    `"${process.execPath}" "$SWEMAKE_PROJECT/harness.mjs" {dataset} {predictions} {run_id} {report_dir} {workers}`,
  );
  made.addInstances('a', 'b', 'c', 'd');
  made.scored = ['a', 'b', 'c', 'd'].map((instance) => ({ instance, sample: 'base', model: 'org/model@1' }));
  behave(made, behaviour);
  return made;
}

function behave(made: Bench, behaviour: Record<string, unknown>): void {
  made.write('behaviour.json', JSON.stringify(behaviour));
}

const calls = (made: Bench) =>
  readFileSync(join(made.folder, 'calls.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const judged = (made: Bench) => readFileSync(join(made.folder, 'judged.txt'), 'utf8').trim().split('\n');
const scratch = (made: Bench) => {
  const folder = join(made.folder, '.swemake/executors/harness');
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe('the official harness', () => {
  test('grades as many instances at once as the project says', async () => {
    const made = bench({ a: 'resolved', b: 'resolved', c: 'resolved', d: 'resolved' });
    made.yaml = made.yaml.replace('harness: swebench', 'harness: swebench\n  workers: 3');
    await made.run();
    expect(calls(made)).toMatchObject([{ workers: '3' }]);
  });

  test.each([4, 5])('of version %d judges our predictions, and its report is ours', async (version) => {
    const made = bench({ version, a: 'resolved', b: 'unresolved', c: '>>>>> Patch Apply Failed:\nhunk 1' });
    made.scored[3]!.patch = '';
    const run = await made.run();
    expect(run.json(ADDRESS, 'base', 'report.json')).toMatchObject({ resolved_ids: ['a'], error_ids: ['c'] });
    const metrics = run.json(ADDRESS, 'base', 'metrics.json');
    expect(metrics).toMatchObject({
      harness: 'swebench',
      preset: null,
      counts: { resolved: 1, unresolved: 1, error: 1, empty_patch: 1 },
      reasons: { 'empty-patch': 1, 'not-resolved': 1, 'patch-does-not-apply': 1 },
    });
    expect(metrics.rates.all).toMatchObject({ resolved: 1, total: 4 });
    expect(run.text(ADDRESS, 'base', 'reports.jsonl')).toContain('{"a":{"resolved":true}}');
    expect(run.text(ADDRESS, 'base', 'harness.log')).toContain('Report written');
    const [first] = run.text(ADDRESS, 'base', 'results.jsonl').split('\n');
    expect(JSON.parse(first!)).toMatchObject({ instance_id: 'a', resolved: true });
    expect(calls(made)).toHaveLength(1);
    expect(calls(made)[0].ids).toEqual(['a', 'b', 'c', 'd']);
    expect(scratch(made)).toEqual([]);
    // How many at once is in no key.
    made.yaml = made.yaml.replace('harness: swebench', 'harness: swebench\n  workers: 3');
    expect((await made.run()).ran[ADDRESS]).toBe(0);
  });

  test('another content of a script that the command names is another run', async () => {
    const made = bench({ a: 'resolved', b: 'resolved', c: 'resolved', d: 'resolved' });
    await made.run();
    expect((await made.run()).ran[ADDRESS]).toBe(0);
    made.write('harness.mjs', `// Counts differently now.\n${STAND_IN}`);
    expect((await made.run()).ran[ADDRESS]).toBe(1);
    const [first, second] = calls(made);
    expect(second.runId).not.toBe(first.runId);
  });

  test('another patch is another run: nothing of an old one is taken for it', async () => {
    const made = bench({ a: 'resolved', b: 'resolved', c: 'resolved', d: 'resolved' });
    await made.run();
    behave(made, { a: 'unresolved', b: 'resolved', c: 'resolved', d: 'resolved' });
    made.scored[0]!.patch = 'diff --git a/worse b/worse\n';
    const run = await made.run();
    expect(run.json(ADDRESS, 'base', 'report.json').resolved_ids).toEqual(['b', 'c', 'd']);
    const [first, second] = calls(made);
    expect(first.runId).toMatch(/^swemake-[0-9a-f]{16}$/);
    expect(second.runId).not.toBe(first.runId);
  });

  test('that breaks off is a fault with its last words, and goes on where it was', async () => {
    const made = bench({ a: 'resolved', b: 'unresolved', c: 'docker.errors.APIError: 500', d: 'unresolved' });
    const broken = await made.run();
    expect(broken.outcome(ADDRESS, 'base')).toMatchObject({
      status: 'infra',
      reason: 'harness',
      detail: expect.stringMatching(/failed 1 instance.*c \(infra: container: docker.errors.APIError: 500\)/),
    });
    expect(scratch(made)).toHaveLength(1);
    behave(made, { '*': 'crash' });
    expect((await made.run()).outcome(ADDRESS, 'base')).toMatchObject({
      status: 'infra',
      detail: 'the official harness ended with status 1\nno docker here',
    });
    behave(made, { c: 'resolved' });
    const whole = await made.run();
    expect(whole.json(ADDRESS, 'base', 'report.json').resolved_ids).toEqual(['a', 'c']);
    expect(judged(made)).toEqual(['a', 'b', 'd', 'c']);
    expect(scratch(made)).toEqual([]);
  });

  test.each([
    ['Timeout error: 1800 seconds exceeded.', 'time-limit'],
    ['some traceback', 'error'],
  ])('an error that is the patch’s own is an answer: %s', async (log, reason) => {
    const made = bench({ a: 'resolved', b: 'resolved', c: 'resolved', d: log });
    const run = await made.run();
    expect(run.json(ADDRESS, 'base', 'metrics.json').reasons).toEqual({ [reason]: 1 });
  });

  test.each([
    ['Error response from daemon: toomanyrequests', 'container_unavailable'],
    ['Could not resolve host: github.com', 'network_unreachable'],
    ['swebench.image_builder.BuildImageError: sweb.eval.x86_64.a', 'container'],
  ])('an error of the machine is a fault: %s', async (log, reason) => {
    const run = await bench({ a: 'resolved', b: 'resolved', c: 'resolved', d: log }).run();
    expect(run.outcome(ADDRESS, 'base')).toMatchObject({
      status: 'infra',
      detail: expect.stringContaining(`d (infra: ${reason}: ${log})`),
    });
  });

  test('an instance that was never begun is a fault', async () => {
    const run = await bench({ a: 'resolved', b: 'resolved', c: 'resolved' }).run();
    expect(run.outcome(ADDRESS, 'base')).toMatchObject({
      status: 'infra',
      detail: expect.stringContaining('d (infra: never begun'),
    });
  });

  test('waits for predictions that lack an answer, and is not run without any', async () => {
    const made = bench({ a: 'resolved' });
    made.scored[1]!.fault = 'rollouts';
    expect((await made.run()).outcome(ADDRESS, 'base')).toMatchObject({
      status: 'infra',
      detail: '1 predictions have no answer yet; build again',
    });
    for (const one of made.scored) Object.assign(one, { fault: undefined, isBroken: true });
    const run = await made.run();
    expect(run.json(ADDRESS, 'base', 'report.json')).toMatchObject({ error_ids: ['a', 'b', 'c', 'd'] });
    expect(existsSync(join(made.folder, 'calls.jsonl'))).toBe(false);
  });

  test('over its time it is a fault', async () => {
    const made = bench({});
    made.yaml = `${project('echo begun; sleep 60')}  timeout: 3s\n`;
    expect((await made.run()).outcome(ADDRESS, 'base')).toMatchObject({
      status: 'infra',
      detail: expect.stringMatching(/did not end within evaluation.timeout[\s\S]*begun/),
    });
  });

  test('that is not installed says so', async () => {
    const made = bench({});
    made.yaml = project('swemake-no-such-harness');
    expect((await made.run()).outcome(ADDRESS, 'base')).toMatchObject({
      status: 'infra',
      detail: expect.stringMatching(/ended with status 127\n.*not found/),
    });
  });
});

describe('the engine of the official harness', () => {
  const GIB = 1024 ** 3;

  test('is that of the benchmark, and says how many run at once', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ID: 'far', Architecture: 'x86_64', NCPU: 64, MemTotal: 14 * GIB }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const made = bench({ a: 'resolved', b: 'resolved', c: 'resolved', d: 'resolved' });
    const there = (host: string) =>
      made.run(
        ...['evaluation.deployment=far', 'deployments.far.type=docker', 'deployments.far.base=image'],
        `deployments.far.host=${host}`,
      );
    await there(url);
    expect(calls(made)).toMatchObject([{ workers: '7', docker: url }]);
    server.close();
    // Which one it is decides nothing.
    const gone = 'tcp://127.0.0.1:9';
    expect((await there(gone)).ran[ADDRESS]).toBe(0);
    made.scored[0]!.patch = 'diff --git a/worse b/worse\n';
    expect((await there(gone)).outcome(ADDRESS, 'base')).toMatchObject({
      status: 'infra',
      detail: expect.stringContaining(gone),
    });
    expect(calls(made)).toHaveLength(1);
  });

  test.each([
    [2, 64, 1],
    [8, 64, 6],
    [8, 8, 4],
    [128, 1024, 24],
    [1, 1, 1],
  ])('of %d processors and %d GiB takes %d', (processors, gib, workers) => {
    expect(workersOn({ processors, memory: gib * GIB })).toBe(workers);
  });
});

test('values are quoted, and what is no placeholder is the shell’s', () => {
  const values = { dataset: "/a b/it's.json", predictions: 'p', run_id: 'r', report_dir: 'd', workers: '3' };
  const filled = fillCommand('x -d {dataset} ${HOME} {other} -j {workers} {run_id}{run_id}', values);
  expect(filled).toBe(`x -d '/a b/it'\\''s.json' \${HOME} {other} -j 3 rr`);
});

test.each([
  ['python -m swebench.harness.run_evaluation -d x', 'python'],
  [
    'cd x; touch y && "$SWEMAKE_PROJECT/.venv/bin/python" -m swebench.harness.run_evaluation',
    '"$SWEMAKE_PROJECT/.venv/bin/python"',
  ],
  ['swebench eval {dataset}', '"$(dirname "$(command -v swebench)")"/python'],
  ['/opt/v5/bin/swebench eval {dataset}', '"$(dirname "$(command -v /opt/v5/bin/swebench)")"/python'],
  ['$(touch y; echo python) -m swebench', null],
  ['`touch y` -m swebench', null],
  ['docker run swebench:5 x', null],
])('the Python that is asked for its version is one word: %s', (command, python) => {
  expect(pythonOf(command)).toBe(python);
});

const pythons = (process.env.SWEMAKE_TEST_SWEBENCH ?? '').split(':').filter(Boolean);
if (pythons.length === 0)
  console.log('the real swebench is not asked: SWEMAKE_TEST_SWEBENCH names no Python');

describe.each(pythons)('the real harness of %s', (python) => {
  /** As much of a container engine as there is without one: nothing in it, and nothing can be pulled. */
  async function engine(): Promise<{ url: string; close(): void }> {
    const server = createServer((request, response) => {
      const path = (request.url ?? '').replace(/^\/v[\d.]+/, '');
      const json = (status: number, value: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(value));
      };
      if (path.startsWith('/version')) return json(200, { ApiVersion: '1.47', Version: '27' });
      if (path.startsWith('/_ping')) return json(200, 'OK');
      if (path.startsWith('/images/json') || path.startsWith('/containers/json')) return json(200, []);
      return json(500, { message: 'this engine has no images' });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return {
      url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () => server.close(),
    };
  }

  const rowOf = (id: string) => ({
    ...{ instance_id: id, repo: 'psf/requests', version: '2.7', base_commit: 'a'.repeat(40) },
    ...{
      patch: 'diff --git a/a b/a\n',
      test_patch: 'diff --git a/t.py b/t.py\n',
      problem_statement: 'x\u2028y',
    },
    ...{ FAIL_TO_PASS: '["t.py::a"]', PASS_TO_PASS: '[]', environment_setup_commit: 'a'.repeat(40) },
    ...{
      hints_text: '',
      created_at: '2024-01-01T00:00:00Z',
      image: `swebench/sweb.eval.x86_64.${id}:latest`,
    },
    ...{ log_parser: 'parse_log_pytest', eval_type: 'pass_and_fail', eval_script: '#!/bin/bash\ntrue\n' },
  });

  test('takes our files and makes its report; what it cannot pull is a fault', async () => {
    const { url, close } = await engine();
    const made = new Bench();
    const ids = ['psf__requests-1', 'psf__requests-2', 'psf__requests-3'];
    made.rows = ids.map(rowOf);
    made.env = { ...process.env, DOCKER_HOST: url };
    made.scored = ids.map((instance) => ({ instance, sample: 'base' }));
    made.scored[2]!.patch = '';
    // Two were judged before; the second only once the engine has no images.
    const lay = (id: string, resolved: string) =>
      `mkdir -p logs/run_evaluation/{run_id}/base/${id} && echo "{\\"${id}\\": {\\"resolved\\": ${resolved}}}" > logs/run_evaluation/{run_id}/base/${id}/report.json`;
    const official = `${python} -m swebench.harness.run_evaluation --dataset_name {dataset} --split test --predictions_path {predictions} --run_id {run_id} --max_workers {workers} --report_dir {report_dir}`;
    const file = join(made.folder, 'run.sh');
    mkdirSync(made.folder, { recursive: true });
    const script = (also: boolean) =>
      writeFileSync(file, also ? lay(ids[1]!, 'false').replaceAll('{run_id}', '$1') : 'true');
    made.yaml = project(`${lay(ids[0]!, 'true')}; bash "$SWEMAKE_PROJECT/run.sh" {run_id}; ${official}`);
    script(false);
    const broken = await made.run();
    expect(broken.outcome(ADDRESS, 'base')).toMatchObject({
      status: 'infra',
      detail: expect.stringMatching(/failed 1 instance in the official harness: psf__requests-2/),
    });
    script(true);
    const run = await made.run();
    close();
    expect(run.json(ADDRESS, 'base', 'report.json')).toMatchObject({
      total_instances: 3,
      resolved_ids: [ids[0]],
      unresolved_ids: [ids[1]],
      empty_patch_ids: [ids[2]],
      error_ids: [],
      schema_version: 2,
    });
  }, 200_000);
});

describe('the question for its version', () => {
  const ask = (python: string, timeout?: number) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'python'), `#!/bin/bash\n${python}\n`, { mode: 0o755 });
    const services = { env: process.env, projectFolder: folder, signal: new AbortController().signal };
    return askVersion('./python -m swebench eval', services, timeout);
  };

  test('is answered by a version, or by there being none', async () => {
    expect(await ask('echo 4.1.0')).toEqual({ ok: true, value: '4.1.0' });
    expect(await ask('echo "no module named swebench" >&2; exit 1')).toEqual({ ok: true, value: 'unknown' });
  });

  test('is a fault when nobody answers, and never "unknown"', async () => {
    expect(await ask('exec sleep 60', 0.3)).toMatchObject({ ok: false, fault: { status: 'infra' } });
    expect(await ask('kill -KILL $$')).toMatchObject({ ok: false, fault: { status: 'infra' } });
  });
});
