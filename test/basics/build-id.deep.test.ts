/** Other code does not take what was remembered: a project that was read under another default. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageVersion } from '../../app/version.ts';
import { idOfSources } from '../../basics/build-id.ts';
import { Project } from '../rig/project.ts';
import { copyOfSources } from '../rig/sources.ts';
import { tinyProject } from '../rig/tiny-project.ts';

function build(root: string): void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'pipe' });
}

test('other code has another id, and a new default of it is seen in a project that was read before', async () => {
  const root = copyOfSources();
  build(root);
  const { folder } = tinyProject({ instances: 1 });
  const project = new Project(folder, {}, root);
  const version = await project.run('--version');
  expect(version.stdout).toBe(`swemake ${packageVersion()} (build ${idOfSources(root)})\n`);
  expect((await project.build('p.yaml')).code).toBe(0);
  expect((await project.run('plan', 'p.yaml')).stdout).toMatch(/nothing/);

  const path = join(root, 'schemas/project.schema.json');
  const schema = readFileSync(path, 'utf8');
  const changed = schema.replace(/("gold_runs": \{[^}]*"default": )2/, '$13');
  expect(changed).not.toBe(schema);
  writeFileSync(path, changed);
  build(root);
  expect((await project.run('--version')).stdout).not.toBe(version.stdout);
  expect((await project.run('plan', 'p.yaml')).stdout).toMatch(/validate\.\w+ .* changed: checks/);

  // A raised version is told with its reason.
  writeFileSync(path, schema);
  for (const args of [
    ['--published', 'now'],
    ['--raise', 'environments', 'builds are quiet'],
  ])
    execFileSync(process.execPath, ['scripts/ledger.mjs', ...args], { cwd: root, stdio: 'pipe' });
  build(root);
  const plan = (await project.run('plan', 'p.yaml')).stdout;
  expect(plan).toMatch(/environments\.\w+ .* swemake changed: environments \d+ → \d+$/m);
  expect(plan).toMatch(/^swemake changed: environments \d+ → \d+: .*builds are quiet$/m);
  const why = (await project.run('why', 'environments')).stdout;
  expect(why).toMatch(/^stale: swemake changed$/m);
  expect(why).toMatch(/swemake changed: environments \d+ → \d+ +\+ .*builds are quiet/);
});
