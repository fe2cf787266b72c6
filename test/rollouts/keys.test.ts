/** What decides a sample is in its key, wherever the project says it: real builds, with one thing changed between them. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

vi.setConfig({ testTimeout: 300_000 });

let project: Project;

beforeAll(async () => {
  project = tinyProject({ instances: 1, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  const yaml = readFileSync(project.path('p.yaml'), 'utf8');
  const other = 'deployments:\n  far: { type: sandbox, limits: { pids: 100 } }\n';
  writeFileSync(
    project.path('p.yaml'),
    yaml.replace('deployments:\n', () => other),
  );
  appendFileSync(
    project.path('p.yaml'),
    `agent: { type: oracle }
evaluation:
  dataset: train
  models: { gold: {} }
  agent: { seed: 1, deployment: far }
  predictions: { theirs: [theirs.json] }
`,
  );
  writeFileSync(project.path('theirs.json'), '{ "tiny.0": { "model_patch": "" } }');
  expect(await project.build('p.yaml')).toMatchObject({ outcomes: { infra: 0 } });
}, 300_000);

/** Stage -> actions that ran. */
async function changed(from: string, to: string): Promise<Record<string, number>> {
  const path = project.path('p.yaml');
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  const { stages } = await project.build('p.yaml');
  const ran = stages.filter(({ executed }) => executed > 0);
  return Object.fromEntries(ran.map(({ stage, executed }) => [stage.split('.')[0], executed]));
}

test('the seed of the evaluation, for who asks a model: an oracle does without', async () => {
  expect(await changed('seed: 1', 'seed: 2')).toEqual({});
});

test('limits of the deployment on which only the evaluation’s agent works', async () => {
  expect(await changed('pids: 100', 'pids: 99')).toHaveProperty('predict');
});

test('the name of someone else’s patches, which their samples bear', async () => {
  expect(await changed('theirs:', 'ours:')).toMatchObject({ predict: 1 });
});
