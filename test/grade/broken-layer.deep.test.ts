/** A layer that loses files on the disk between two builds gives nobody's patch a reward of 0. */
import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyProject } from '../rig/tiny-project.ts';

test.each([
  ['an environment without its interpreter', ['opt/env/bin/python', 'opt/env/bin/python3']],
  ['a source without its files', ['testbed/m0.py', 'testbed/test_m0.py']],
])('%s', { timeout: 300_000 }, async (_what, lost) => {
  const project = tinyProject({ instances: 1, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  appendFileSync(project.path('p.yaml'), 'agent: { type: oracle }\n');
  expect(await project.build('p.yaml')).toMatchObject({ code: 0 });
  const trees = project.path('.swemake/layers/trees');
  for (const tree of readdirSync(trees).filter((name) => !name.includes('.'))) {
    for (const name of lost) rmSync(join(trees, tree, name), { force: true });
  }
  await project.build('p.yaml', '--set', 'grading.timeout=50');
  const ends = project.events().filter((event) => event.type === 'item-finished');
  const graded = ends.filter((event) => event.stage === 'grade.train').map((event) => event.outcome);
  expect(graded.at(-1)).toEqual({ status: 'ok' });
  expect(graded).not.toContainEqual(expect.objectContaining({ status: 'failed' }));
});
