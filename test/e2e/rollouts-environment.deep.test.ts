/** An environment that broke after it was built: made again once, and its instances get another try. */
import { appendFileSync, existsSync, lstatSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyProject } from '../rig/tiny-project.ts';

test('is set aside when it breaks twice, built again, and nobody is given up', async () => {
  const project = tinyProject({ instances: 3 });
  appendFileSync(project.path('p.yaml'), 'agent: { type: oracle }\n');
  expect((await project.build('p.yaml', 'validate.train')).code).toBe(0);
  const trees = project.path('.swemake/layers/trees');
  const pythons = readdirSync(trees)
    .filter((tree) => !tree.endsWith('.manifest'))
    .map((tree) => join(trees, tree, 'opt/env/bin/python'))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  // The environment's, and that of the step that made it.
  expect(pythons.length).toBeGreaterThan(0);
  for (const python of pythons) {
    rmSync(python);
    symlinkSync('/nowhere/python', python);
  }
  // What stands in it now is a link to nothing, which the first state's probe must not pass over.
  expect(existsSync(pythons[0]!)).toBe(false);
  const built = await project.build('p.yaml');
  expect(built.code).toBe(0);
  const outcomes = (stage: string) => built.stages.find((one) => one.stage === stage)!.outcomes;
  expect(outcomes('rollouts.train')).toMatchObject({ ok: 3, infra: 0 });
  expect(outcomes('grade.train')).toMatchObject({ ok: 3 });
  const events = project.events().filter((event) => event.type === 'item-finished');
  const environments = events.filter((event) => event.stage === 'environments.train');
  expect(environments).toHaveLength(2);
  const faults = project
    .events()
    .filter((event) => (event.outcome as { reason?: string } | undefined)?.reason === 'environment-broken');
  expect(faults.length).toBeGreaterThan(0);
}, 240_000);
