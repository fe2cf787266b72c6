/** Python behind the interface of ecosystems: recipes that name no ecosystem have the keys and the steps that they always had. */
import { expect, test } from 'vitest';
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { ECOSYSTEMS, ecosystemNamed } from '../../ecosystems/registry.ts';
import { buildPart, testPart } from '../../schemas/recipe.ts';
import { DEFAULT_RECIPE, resolveRecipe } from '../../stages/environments/recipe.ts';
import { ecosystemOf } from '../../tasks/toolchains/prepare.ts';

const GROUP = { repo: 'octo/greet', environment_name: 'octo/greet@1', version: null, recipe: {} };

function resolved(recipe: object) {
  return resolveRecipe({ ...GROUP, recipe } as unknown as Parameters<typeof resolveRecipe>[0], 'one', []);
}

test('the part of a recipe that is built has no key of ecosystems', () => {
  expect(canonicalJson(buildPart(resolved({})) as unknown as Json)).toBe(
    '{"env":{},"install":["python -m pip install -e ."],"packages":[],"pip":["pytest"],"pre_install":[],"python":null,"system":[],"timeout":1800}',
  );
});

test('nor has the part that says how tests are run', () => {
  expect(canonicalJson(testPart(resolved({})) as unknown as Json)).toBe(
    '{"eval_commands":[],"parser":"pytest","test":"pytest --disable-warnings --color=no --tb=no -rA -p no:cacheprovider"}',
  );
});

test('the recipe of an ecosystem stands between what is said and the defaults', () => {
  const recipe = resolved({ ecosystem: 'go', toolchain: { go: '1.23.8' }, test: 'go test -v ./...' });
  expect(recipe).toMatchObject({ pip: [], parser: 'go-test', test: 'go test -v ./...', timeout: 1800 });
  expect(buildPart(recipe)).toMatchObject({ ecosystem: 'go', toolchain: { go: '1.23.8' } });
  expect(testPart(recipe)).toMatchObject({ ecosystem: 'go', build_timeout: 1800 });
});

test('environments of Python are made by its provider, those of others by their own steps', () => {
  expect(ecosystemOf(buildPart(DEFAULT_RECIPE))).toBeNull();
  expect(ecosystemOf({ ecosystem: 'go', toolchain: { go: '1.23.8' } })?.toolchain).toEqual({ go: '1.23.8' });
});

test('each ecosystem is whole', () => {
  expect(ECOSYSTEMS.map(({ name }) => name)).toEqual([...new Set(ECOSYSTEMS.map(({ name }) => name))]);
  for (const { name, build, tests, manifests } of ECOSYSTEMS) {
    expect(ecosystemNamed(name).name).toBe(name);
    expect(manifests).not.toEqual([]);
    // What installs by itself is also judged by itself.
    expect(build !== null).toBe(tests !== null);
  }
});
