/** Which keys of a recipe bring modules that are missing, by the files of the repository. */
import { describe, expect, test } from 'vitest';
import { lackingIn } from '../../app/init/lacking.ts';
import type { Recipe } from '../../schemas/recipe.ts';
import { resolveRecipe } from '../../stages/environments/recipe.ts';
import { findInterpreter } from '../../tasks/python/interpreter.ts';
import { projectFolder } from '../compiler/project-folder.ts';

const found = await findInterpreter(null, { env: process.env });
const python = found.ok ? found.value.executable : '';

const FILES = {
  'pyproject.toml': `[project]
name = "a"
[project.optional-dependencies]
test = ["pytest"]
static = ["flake8", "pydantic~=2.10.0"]
[dependency-groups]
web = ["python-dateutil==2.9"]
`,
  'src/own/__init__.py': '',
  'helper.py': '',
};
const missing = (...names: string[]) =>
  names.map((name) => `E   ModuleNotFoundError: No module named '${name}'`).join('\n');

function recipeWith(given: Partial<Recipe>): Recipe {
  const source = { spec: '', digest: '' };
  const names = { repo: 'a/b', version: '1', environment_name: 'a/b@1', recipe: given };
  return resolveRecipe({ ...names, source, environment_source: source }, '', []);
}

async function helpFor(text: string, recipe: Partial<Recipe> = {}): Promise<string | null> {
  const lacking = await lackingIn(projectFolder(FILES), { recipe: recipeWith(recipe), python });
  return lacking.ok ? lacking.value(text) : null;
}

describe.skipIf(!found.ok)('what would help', () => {
  test.each<[string, Partial<Recipe>, string[], string | null]>([
    [
      'an extra, beside those that the recipe installs',
      { install: ["python -m pip install -e '.[test]'"] },
      ['pydantic.main'],
      '`install: ["python -m pip install -e \'.[test,static]\'"]` in the recipe, since the extra "static" of pyproject.toml has pydantic',
    ],
    [
      'a requirement of a group',
      {},
      ['dateutil'],
      '`pip: ["pytest","python-dateutil==2.9"]` in the recipe, since dependency-groups.web in pyproject.toml has dateutil',
    ],
    [
      'a package that no file names',
      {},
      ['yaml', 'bs4'],
      '`pip: ["pytest","PyYAML","beautifulsoup4"]` in the recipe',
    ],
    [
      'several of them',
      {},
      ['pydantic', 'pytz'],
      '`install: ["python -m pip install -e .[static]"]` and `pip: ["pytest","pytz"]` in the recipe, since the extra "static" of pyproject.toml has pydantic',
    ],
    [
      'a requirement of an extra where the recipe does not install the folder',
      { install: ['make develop'] },
      ['pydantic'],
      '`pip: ["pytest","pydantic~=2.10.0"]` in the recipe, since the extra "static" of pyproject.toml has pydantic',
    ],
    [
      'a requirement of an extra that is installed, since the files of another commit may lack it',
      { install: ['python -m pip install -e .[test, static]'] },
      ['pydantic'],
      '`pip: ["pytest","pydantic~=2.10.0"]` in the recipe, since the extra "static" of pyproject.toml has pydantic',
    ],
    [
      'nothing for its own modules, and for those of another Python',
      {},
      ['own.gone', 'helper', 'imp', 'tomllib'],
      null,
    ],
  ])('%s', async (_, recipe, names, help) => {
    expect(await helpFor(missing(...names), recipe)).toBe(help);
  });

  test('nothing where no module is missing', async () => {
    expect(await helpFor('E   ValueError')).toBeNull();
  });
});
