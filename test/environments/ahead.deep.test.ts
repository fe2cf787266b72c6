/** What builds begin with, made before the rows of their dataset are there. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openWorkbench } from '../../app/workbench.ts';
import { loadProject } from '../../compiler/load.ts';
import { createAhead } from '../../stages/environments/ahead.ts';
import { hasSteps } from '../../stages/environments/step-layers.ts';
import { findInterpreter } from '../../tasks/python/interpreter.ts';
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

const minors = ['3.9', '3.10', '3.11', '3.12', '3.13'];
const host = await findInterpreter(null, { env: process.env });
const others = await Promise.all(minors.map((minor) => findInterpreter(minor, { env: process.env })));
const other = others.find((one) => one.ok && host.ok && one.value.version !== host.value.version);
const another = other?.ok ? other.value : null;
if (another === null) process.stdout.write('skipped: there is one Python here\n');

test.skipIf(another === null)(
  'a row that names another Python gets that one, and gc removes what nobody uses',
  async () => {
    const rows = readFileSync(project.path('rows.jsonl'), 'utf8');
    const row = { ...JSON.parse(rows), recipe: { python: another!.version } };
    writeFileSync(project.path('rows.jsonl'), `${JSON.stringify(row)}\n`);
    rmSync(project.path('.swemake'), { recursive: true, force: true });
    expect(await isMadeAhead('')).toBe(true);
    const madeAhead = readdirSync(project.path('.swemake/layers/trees'));
    const { outcomes } = await project.build('p.yaml', 'environments');
    expect(outcomes).toMatchObject({ ok: 2, failed: 0, infra: 0 });
    const { stdout } = await project.run('logs', 'environments.train@*', 'p.yaml');
    expect(stdout).toContain(another!.version);
    expect(stdout).not.toContain('kept from an earlier build');
    expect((await project.run('gc', 'p.yaml')).code).toBe(0);
    const left = readdirSync(project.path('.swemake/layers/trees'));
    expect(left.length).toBeGreaterThan(0);
    expect(left.filter((name) => madeAhead.includes(name))).toEqual([]);
  },
  120_000,
);
