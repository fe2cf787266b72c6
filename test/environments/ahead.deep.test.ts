/** What builds begin with, made before the rows of their dataset are there. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openWorkbench } from '../../app/workbench.ts';
import { loadProject } from '../../compiler/load.ts';
import { createAhead } from '../../stages/environments/ahead.ts';
import { hasSteps } from '../../stages/environments/step-layers.ts';
import { tinyProject, tinyYaml } from '../rig/tiny-project.ts';

const project = tinyProject({ instances: 1, isCold: true });

/** Whether something is made ahead. */
async function isMadeAhead(recipe: string): Promise<boolean> {
  writeFileSync(project.path('p.yaml'), tinyYaml('sandbox', recipe));
  const loaded = await loadProject(project.path('p.yaml'), { env: process.env, cwd: project.folder });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const { stdout, stderr, env } = process;
  const io = { stdout, stderr, env, cwd: project.folder, isTTY: false };
  const bench = await openWorkbench(loaded.value, io, new AbortController().signal);
  try {
    await createAhead('train', bench.services);
    return hasSteps(bench.cache);
  } finally {
    await bench.close();
  }
}

test('a recipe that names a Python may need another one, so nothing is made', async () => {
  expect(await isMadeAhead('      python: "3"')).toBe(false);
});

test('the builds use it', async () => {
  expect(await isMadeAhead('')).toBe(true);
  const { outcomes } = await project.build('p.yaml', 'environments');
  expect(outcomes).toMatchObject({ ok: 2, failed: 0, infra: 0 });
  const { stdout } = await project.run('logs', 'environments.train@*', 'p.yaml');
  for (const step of ['create[0]', 'create[1]'])
    expect(stdout).toContain(`== ${step} · kept from an earlier build`);
  expect(stdout).not.toContain('exit code');
}, 120_000);
