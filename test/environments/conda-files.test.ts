/** A recipe that names a file of conda: what its step installs, and how a file that cannot be read ends. */
import { expect, test } from 'vitest';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { readCondaFiles } from '../../stages/environments/conda-files.ts';
import { buildSteps } from '../../stages/environments/steps.ts';

const files: Record<string, string> = {
  'ci/env.yml': 'dependencies:\n  - numpy=1.2\n  - pip:\n    - "x[y]>=1"\n    - -r ../more.txt\n',
  'bare.yaml': 'dependencies: [python=3.9, hdf5]\n',
  'broken.yml': 'dependencies: {\n',
};
const read = (path: string) => files[path] ?? null;
const python = { createCommands: [], installCommand: 'pip install', separate: () => [] };
const recipe = (packages: string[]) =>
  ({ packages, pip: ['pytest'], pre_install: [], install: [] }) as unknown as BuildRecipe;

test('its requirements and includes are one step, in the place where the recipe names it', () => {
  const named = ['a.txt', 'ci/env.yml', 'bare.yaml'];
  const conda = readCondaFiles(named, read);
  if (!conda.ok) throw new Error();
  expect([...conda.value.keys()]).toEqual(['ci/env.yml', 'bare.yaml']);
  expect(conda.value.get('bare.yaml')!.left).toEqual(['hdf5']);
  expect(buildSteps(recipe(named), python, conda.value).map(({ name, command }) => [name, command])).toEqual([
    ['packages[0]', "pip install -r 'a.txt'"],
    ['packages[1]', "pip install 'numpy==1.2.*' 'x[y]>=1' -r 'more.txt'"],
    ['packages[2]', ':'],
    ['pip[0]', "pip install 'pytest'"],
  ]);
  // With a solver of conda all of them are one solution, and pip has what is its own.
  const solve = (specs: string) => `solve ${specs}`;
  expect(
    buildSteps(recipe(named), { ...python, solve }, conda.value).map(({ name, command }) => [name, command]),
  ).toEqual([
    ['conda[0]', "solve 'numpy=1.2' 'hdf5'"],
    ['packages[0]', "pip install -r 'a.txt'"],
    ['packages[1]', "pip install 'x[y]>=1' -r 'more.txt'"],
    ['packages[2]', ':'],
    ['pip[0]', "pip install 'pytest'"],
  ]);
});

test('projects of the repository are installed with the packages, itself only for its extras', () => {
  const text = 'dependencies:\n  - pip: [-e ../sub, -e .., "-e ..[dev]", ../plain]\n';
  const conda = readCondaFiles(['ci/env.yml'], () => text);
  if (!conda.ok) throw new Error();
  const command = (install: string[]) =>
    buildSteps({ ...recipe(['ci/env.yml']), install }, python, conda.value)[0]!.command;
  expect(command(['pip install .'])).toBe("pip install -e './sub' -e '.[dev]' './plain'");
  expect(command([])).toBe("pip install -e './sub' -e '.' -e '.[dev]' './plain'");
});

test('options among the requirements of a row are words of their own', () => {
  const pip = ['attrs', '-r reqs/dev test.txt', '-e .[test]', '--no-deps'];
  expect(buildSteps({ ...recipe([]), pip }, python)[0]!.command).toBe(
    "pip install 'attrs' -r 'reqs/dev test.txt' -e '.[test]' '--no-deps'",
  );
});

test.each([
  ['broken.yml', 'packages[0]: broken.yml: '],
  ['gone.yml', 'packages[0]: gone.yml: it is not in the repository'],
])('%s is an answer about the recipe', (path, detail) => {
  expect(readCondaFiles([path], read)).toMatchObject({
    ok: false,
    fault: { status: 'failed', reason: 'install-failed', detail: expect.stringContaining(detail) },
  });
});
