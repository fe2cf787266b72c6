/** What decides a verdict decides the finished stage, too: real builds, with one thing changed between them. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tinyProject } from '../rig/tiny-project.ts';

test('another test command grades again, though validation comes to the same', {
  timeout: 300_000,
}, async () => {
  const project = tinyProject({ instances: 1, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  appendFileSync(project.path('p.yaml'), 'agent: { type: oracle }\n');
  const path = project.path('p.yaml');
  expect(await project.build('p.yaml')).toMatchObject({ code: 0 });
  const yaml = readFileSync(path, 'utf8');
  writeFileSync(path, yaml.replace('python -m unittest -v', 'python -m unittest -v --locals'));
  const { stages } = await project.build('p.yaml');
  const ran = Object.fromEntries(stages.map(({ stage, executed }) => [stage.split('.')[0], executed]));
  expect(ran).toMatchObject({ environments: 0, validate: 1, rollouts: 0, grade: 1 });
});
