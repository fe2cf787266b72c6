/**
 * Whole builds on a model that a filter stops, or that is replaced: such samples have no reward, are counted, and are kept
 * under no identity that is not theirs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { type Answer, type ModelServer, type ServedRequest, startModelServer } from '../rig/model-server.ts';
import type { BuildResult, Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { fenced, instanceOf, SUBMIT, solve } from '../rig/solver.ts';

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

async function serve(...[script, options]: Parameters<typeof startModelServer>): Promise<ModelServer> {
  const server = await startModelServer(script, options);
  servers.push(server);
  return server;
}

// Beside other work a build takes its time.
vi.setConfig({ testTimeout: 240_000 });

test('a sample that a content filter stops has no reward, is counted, and is sampled anew by retry', async () => {
  const filtered = (request: ServedRequest): Answer =>
    instanceOf(request) === 1 ? { text: '', finish: 'content_filter' } : solve(request);
  const server = await serve(filtered);
  const rest = 'evaluation: { dataset: eval, models: { base: {} } }';
  const project = rolloutProject({ url: server.url, instances: 2, rest });
  edit(
    project,
    'train: { source: rows.jsonl, format: custom }',
    'train: { source: rows.jsonl, format: custom }\n  eval: { source: rows.jsonl, format: custom }',
  );
  const built = await project.build('p.yaml');
  expect(built.code).toBe(0);
  expect(outcomes(built, 'rollouts.train')).toEqual({ ok: 1, failed: 1 });
  expect(outcomes(built, 'grade.train')).toMatchObject({ failed: expect.any(Number) });
  const json = (path: string) =>
    JSON.parse(readFileSync(project.path(`out/tiny/${path}`), 'utf8')) as Record<string, unknown>;
  expect(json('report.train/metrics.json')).toMatchObject({
    rollouts: { total: 2, graded: 1, resolved: 1 },
    rate: { resolved: 1, total: 1 },
    exit_statuses: { content_filtered: 1, submitted: 1 },
    reasons: { 'content-filtered': 1 },
  });
  expect(json('golden.train/summary.json')).toMatchObject({ golden: 1, dropped: { exit: 1 } });
  expect(json('evaluate.eval/base/metrics.json')).toMatchObject({
    counts: { resolved: 1, unresolved: 0, error: 1 },
    reasons: { 'content-filtered': 1 },
  });
  const again = await project.run('build', 'p.yaml', '--force', 'report.train');
  expect(again.stdout + again.stderr).toContain('content_filtered 1');
  expect((await project.build('p.yaml')).executed).toBe(0);

  server.play(solve);
  await project.run('retry', 'p.yaml');
  const mended = await project.build('p.yaml');
  expect(outcomes(mended, 'rollouts.train')).toEqual({ ok: 2 });
  expect(json('report.train/metrics.json')).toMatchObject({ rollouts: { graded: 2, resolved: 2 } });
});

test('empty answers and a proxy’s limit are no samples, and the next build makes them up', async () => {
  const server = await serve((request) =>
    instanceOf(request) === 0
      ? { text: null, finish: null }
      : { status: 413, body: { error: { message: 'Request Entity Too Large' } } },
  );
  const project = rolloutProject({ url: server.url, instances: 2, model: 'retry: 1s' });
  const failed = await project.build('p.yaml');
  expect(outcomes(failed, 'rollouts.train')).toEqual({ config: 1, infra: 1 });
  expect(failed.outcomes).toMatchObject({ failed: 0 });
  server.play(solve);
  expect(outcomes(await project.build('p.yaml'), 'rollouts.train')).toEqual({ ok: 2 });
});

/** Replies in which the server names the weights that answered. */
function answering(weights: () => string) {
  return (request: ServedRequest): Answer => {
    const { text } = solve(request);
    const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
    return {
      status: 200,
      body: { model: request.body.model, metadata: { weight_version: weights() }, choices },
    };
  };
}

test('weights that change in a run: what they answer is kept under no identity, also by the next build', async () => {
  let weights = 'one';
  const server = await serve((request) => {
    if (request.number === 7) weights = 'two';
    return answering(() => weights)(request);
  });
  const project = rolloutProject({ url: server.url, instances: 4, rest: 'resources: { rollout: 1 }' });
  const changed = await project.build('p.yaml', 'rollouts');
  expect(changed.code).toBe(3);
  expect(outcomes(changed, 'rollouts.train')).toEqual({ ok: 2, infra: 2 });
  const asked = server.requests.length;
  // Three calls each, and the one that told.
  expect(asked).toBe(8);

  const still = await project.run('build', 'p.yaml', 'rollouts');
  expect(still.code).toBe(3);
  expect(still.stdout + still.stderr).toContain('weight_version in replies was one and is two');
  expect(still.stdout + still.stderr).toContain('write the identity of the new ones');
  expect(server.requests.length).toBe(asked + 1);

  weights = 'one';
  expect(outcomes(await project.build('p.yaml', 'rollouts'), 'rollouts.train')).toEqual({ ok: 4 });
});

test('other weights that only the list of models shows are noticed at the end of a rollout', async () => {
  const models = [{ id: 'scripted', root: 'org/model', revision: 'aaaaaaa' }];
  const options = { models };
  const server = await serve((request) => {
    if (request.number === 1) options.models = [{ ...models[0]!, revision: 'bbbbbbb' }];
    return request.number === 0 ? solve(request) : fenced(SUBMIT);
  }, options);
  const project = rolloutProject({ url: server.url, instances: 1 });
  edit(project, ', identity: "scripted@1"', '');
  const changed = await project.run('build', 'p.yaml', 'rollouts');
  expect(changed.code).toBe(3);
  expect(changed.stdout + changed.stderr).toContain('revision in /v1/models was aaaaaaa and is bbbbbbb');

  // The next build asks for the identity, and keeps its samples under the new one.
  server.play(solve);
  expect(outcomes(await project.build('p.yaml', 'rollouts'), 'rollouts.train')).toEqual({ ok: 1 });
  options.models = models;
  const before = await project.build('p.yaml', 'rollouts');
  expect(before.stages.find(({ stage }) => stage === 'rollouts.train')!.executed).toBe(1);
});

function edit(project: Project, from: string, to: string): void {
  const path = project.path('p.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

function outcomes(built: BuildResult, stage: string) {
  const counts = built.stages.find((one) => one.stage === stage)?.outcomes ?? {};
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
