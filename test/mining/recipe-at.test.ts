/** A commit brings the recipe that its own files propose. */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lackingIn } from '../../app/init/lacking.ts';
import { collectsIn } from '../../app/mining/collects.ts';
import { olderRecipeAt, recipeAt } from '../../app/mining/recipe-at.ts';
import { withLocks } from '../../cache/key-lock.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { Recipe } from '../../schemas/recipe.ts';
import { findInterpreter } from '../../tasks/python/interpreter.ts';
import type { GitDeps } from '../../tasks/source/git-mirror.ts';
import { gitKilledAt, makeRepository, temporaryFolder } from '../tasks/source/helpers.ts';

const found = await findInterpreter(null, { env: process.env });
const EXTRA = '[project]\nname = "a"\n[project.optional-dependencies]\ntest = ["pytest"]\nstatic = ["six"]\n';

test.skipIf(!found.ok)('of an older commit, unless its files say nothing of packages', async () => {
  const root = temporaryFolder();
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [bare, files, other, settings, doctests, newest] = makeRepository(
    root,
    'a',
    { 'setup.py': 'setup()\n', 'tests/test_a.py': '' },
    { 'requirements-dev.txt': 'pytest\nsix==1.16\n' },
    { 'package.json': '{"scripts":{"test":"mocha"}}\n' },
    { 'pytest.ini': '[pytest]\npython_files = typed.py checks/*.py\n' },
    { 'pytest.ini': '[pytest]\naddopts = -q --doctest-modules\n' },
    { 'pytest.ini': '', 'pyproject.toml': EXTRA, 'requirements-dev.txt': '' },
  );
  const project = { config: { environments: { recipes: [] } } } as unknown as ResolvedProject;
  const given = { url: join(root, 'a'), repo: 'a/b', recipe: null, project };
  await withLocks(join(root, 'locks'), async (locks) => {
    const sourcesFolder = join(root, 'sources');
    const deps = { env: process.env, sourcesFolder, locks, projectFolder: root };
    const now = await recipeAt(newest!, given, deps);
    if (!now.ok) throw new Error(JSON.stringify(now.fault));
    expect(now.value.recipe).toEqual({ pip: ['pytest'], install: ['python -m pip install -e .[test]'] });
    expect(now.value.lacking("No module named 'six'")).toContain('.[test,static]');

    const names = ['tests/test_a.py', 'tests/a_test.py', 'tests/typed.py', 'checks/a.py', 'a/checks/b.py'];
    expect(names.filter(now.value.collects)).toEqual(names.slice(0, 2));
    const configured = await recipeAt(settings!, given, deps);
    if (!configured.ok) throw new Error(JSON.stringify(configured.fault));
    expect(names.filter(configured.value.collects)).toEqual([
      'tests/typed.py',
      'checks/a.py',
      'a/checks/b.py',
    ]);
    const documented = await recipeAt(doctests!, given, deps);
    expect(documented.ok && names.filter(documented.value.collects)).toEqual(names);

    const olderAt = async (commit: string, using: GitDeps = deps) => {
      const older = await olderRecipeAt(commit, now.value, given, using);
      if (!older.ok) throw new Error(older.fault.reason);
      return older.value;
    };
    const older = await olderAt(files!);
    expect(older.recipe).toEqual({ pip: ['pytest'], packages: ['requirements-dev.txt'] });
    expect(older.lacking("No module named 'six'")).toBe('`pip: ["pytest","six"]` in the recipe');

    expect(await olderAt(bare!)).toBe(now.value);
    expect((await olderAt(other!)).recipe.packages).toEqual(['requirements-dev.txt']);
    expect(await olderAt('0'.repeat(40))).toBe(now.value);
    // A fault of the machine does not say that its files propose nothing.
    const killed = { ...deps, env: gitKilledAt('checkout-index', root) };
    await expect(olderAt(files!, killed)).rejects.toThrow('killed');
    const asked = { ...given, recipe: { test: 'true' } };
    expect(await recipeAt(files!, asked, deps)).toMatchObject({ value: { recipe: { test: 'true' } } });
  });
});

test('of files that no program could read is a fault, and not one without settings', async () => {
  const reading = { recipe: { ecosystem: 'python' } as Recipe, python: '/bin/false' };
  for (const read of [lackingIn, collectsIn])
    expect(await read(tmpdir(), reading)).toMatchObject({ fault: { status: 'infra', reason: 'helper' } });
});
