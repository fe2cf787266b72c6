/** What `packages` installs fits the versions that `pip` pins: by the real pip, from a folder of wheels. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { buildSteps } from '../../stages/environments/steps.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { wheel } from '../tasks/index/upstream.ts';

const folder = temporaryFolder();
const python = join(folder, 'env/bin/python');
const wheels = join(folder, 'wheels');
mkdirSync(wheels);
for (const one of [
  wheel('low', '1'),
  wheel('low', '2'),
  wheel('top', '1', ['low<2']),
  wheel('top', '2', ['low>=2']),
  wheel('odd', '1', ['low==2']),
])
  writeFileSync(join(wheels, one.filename), one.bytes);
execFileSync('python3', ['-m', 'venv', join(folder, 'env')]);

/** The packages that are there after the recipe's steps. */
function after(requirements: string, pip: string[]): string {
  writeFileSync(join(folder, 'wanted.txt'), requirements);
  const installCommand = `${python} -m pip install -q --disable-pip-version-check --no-index --find-links ${wheels}`;
  const recipe = { packages: ['wanted.txt'], pip, pre_install: [], install: [] } as unknown as BuildRecipe;
  const run = (command: string) =>
    execFileSync('bash', ['-c', command], {
      cwd: folder,
      env: { PATH: process.env.PATH },
      stdio: 'pipe',
    });
  run(`${python} -m pip uninstall -q -y low top odd`);
  for (const { command } of buildSteps(recipe, { createCommands: [], installCommand, separate: () => [] }))
    run(command);
  return run(`${python} -m pip freeze`).toString().trim().split('\n').join(' ');
}

test('a version is chosen that fits the pins', () => {
  expect(after('top\n', ['low==1'])).toBe('low==1 top==1');
});

test('where nothing fits, the pins come over what is chosen without them', () => {
  expect(after('odd\n', ['low==1'])).toBe('low==1 odd==1');
});

test('another failure is one, with its code and words', () => {
  let said = '';
  try {
    after('nothing-of-that-name\n', ['low==1']);
  } catch (error) {
    said = `${(error as { stdout: Buffer }).stdout}`;
  }
  expect(said).toMatch(/No matching distribution found for nothing-of-that-name/);
  expect(said).not.toContain('note:');
});

test('what builds old sources is installed before them', () => {
  const commands = (pip: string[]) =>
    buildSteps({ packages: [], pip, pre_install: [], install: [] } as unknown as BuildRecipe, {
      createCommands: [],
      installCommand: 'pip install',
      separate: () => [],
    }).map(({ command }) => command);
  const all = "pip install 'old==1' 'setuptools==38.2.4'";
  expect(commands(['old==1', 'setuptools==38.2.4'])).toEqual(["pip install 'setuptools==38.2.4'", all]);
  expect(commands(['setuptools<60'])).toEqual(["pip install 'setuptools<60'"]);
  // Which one is there already does.
  expect(commands(['setuptools', 'old==1'])).toEqual(["pip install 'setuptools' 'old==1'"]);
});
