/** A bug patch that does not apply is what a prediction's instance answers, and no fault that never ends. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tinyProject } from '../rig/tiny-project.ts';

test('predict and grade answer it, once', async () => {
  const project = tinyProject({ instances: 2, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8').trim().split('\n');
  const broken = JSON.parse(rows[1]!) as { patch: string };
  broken.patch = broken.patch.replace(/^-.*$/gm, (line) =>
    line.startsWith('---') ? line : '-what is not there',
  );
  writeFileSync(project.path('rows.jsonl'), `${[rows[0], JSON.stringify(broken)].join('\n')}\n`);
  appendFileSync(
    project.path('p.yaml'),
    'agent: { type: oracle }\nevaluation: { dataset: train, models: { gold: {} } }\n',
  );
  const built = await project.build('p.yaml');
  expect([built.code, built.outcomes.infra]).toEqual([0, 0]);
  const outcomes = project
    .events()
    .filter(({ type, item }) => type === 'item-finished' && String(item).startsWith('tiny.1'))
    .map(({ stage, outcome }) => [stage, (outcome as { reason?: string }).reason]);
  expect(outcomes).toEqual(
    expect.arrayContaining([
      ['validate.train', 'patch-does-not-apply'],
      ['predict.train', 'patch-does-not-apply'],
      ['grade.train', 'patch-does-not-apply'],
    ]),
  );
  expect((await project.build('p.yaml')).executed).toBe(0);
});
