/** What builds begin with, made before the rows of their dataset are there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSession } from '../../app/session.ts';
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
  const session = await openSession(loaded.value, io, new AbortController().signal);
  try {
    await createAhead('train', session.services);
    return hasSteps(session.cache);
  } finally {
    await session.close();
  }
}

test('a recipe that names a Python may need another one, so nothing is made', async () => {
  expect(await isMadeAhead('      python: "3"')).toBe(false);
});

const host = await findInterpreter(null, { env: process.env });
const minors = ['3.9', '3.10', '3.11', '3.12', '3.13'];
const found = await Promise.all(minors.map((minor) => findInterpreter(minor, { env: process.env })));
const others = found.flatMap((one) => (one.ok && one.value.hasVenv && host.ok ? [one.value.version] : []));
const another = others.find((version) => host.ok && version !== host.value.version);
if (another === undefined)
  process.stdout.write('skipped: rows that name another Python than the only one here\n');

async function logOfBuild(): Promise<string> {
  const { outcomes } = await project.build('p.yaml', 'environments');
  expect(outcomes).toMatchObject({ ok: 2, failed: 0, infra: 0 });
  return (await project.run('logs', 'environments.train@*', '--project', 'p.yaml')).stdout;
}

test('builds with its Python use it, and those of rows that name another one do not', async () => {
  expect(await isMadeAhead('')).toBe(true);
  // Until a build uses it, gc removes it.
  const { stdout } = await project.run('gc', 'p.yaml', '--dry-run', '--json');
  expect(JSON.parse(stdout).layers).toBeGreaterThan(0);
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8');
  if (another !== undefined) {
    const row = { ...JSON.parse(rows), recipe: { python: another } };
    writeFileSync(project.path('rows.jsonl'), `${JSON.stringify(row)}\n`);
    const log = await logOfBuild();
    expect(log).toContain(`/opt/python/${another}/`);
    expect(log).not.toContain('kept from an earlier build');
    writeFileSync(project.path('rows.jsonl'), rows);
  }
  const log = await logOfBuild();
  for (const step of ['create[0]', 'create[1]'])
    expect(log).toContain(`== ${step} · kept from an earlier build`);
  expect(log).not.toContain('exit code');
}, 300_000);
