/** Built-in recipes by version: which one a version has, and what wins over it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, test } from 'vitest';
import type { InstanceGroup } from '../../stages/dataset/blocks/catalogue.ts';
import { BENCHMARK_RECIPES, benchmarkRecipe } from '../../stages/environments/benchmark-recipes.ts';
import { DEFAULT_RECIPE, type ReadRule, resolveRecipe } from '../../stages/environments/recipe.ts';

const VERIFIED = resolve(import.meta.dirname, '../../../shared/data/swebench/verified-test.parquet');
if (!existsSync(VERIFIED)) console.log(`skipped: there are no rows of Verified at ${VERIFIED}`);

test.skipIf(!existsSync(VERIFIED))('every row of Verified has a recipe', async () => {
  const file = await asyncBufferFromFile(VERIFIED);
  const rows = (await parquetReadObjects({ file, compressors, columns: ['repo', 'version'] })) as {
    repo: string;
    version: string;
  }[];
  expect(rows).toHaveLength(500);
  expect(rows.filter(({ repo, version }) => benchmarkRecipe(repo, version) === null)).toEqual([]);
});

const number = (version: string) =>
  version.split('.').reduce((sum, part, at) => sum + Number(part) / 10_000 ** at, 0);

describe.each(Object.entries(BENCHMARK_RECIPES))('%s', (repo, list) => {
  test('has ranges in order, each with a Python and a day', () => {
    for (const [at, { from, before, recipe }] of list.entries()) {
      expect(number(from)).toBeLessThan(number(before));
      expect(number(from)).toBeGreaterThanOrEqual(number(list[at - 1]?.before ?? '0'));
      expect(recipe.python).toMatch(/^3\.\d+$/);
      expect(recipe.as_of).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(benchmarkRecipe(repo, from)).toBe(recipe);
      expect(benchmarkRecipe(repo, before)).not.toBe(recipe);
    }
  });
});

test('versions are compared by their numbers', () => {
  const day = (version: string) => benchmarkRecipe('sympy/sympy', version)?.as_of;
  expect(day('1.9')).toBe(day('1.5'));
  expect(day('1.10')).not.toBe(day('1.9'));
  expect(day('1.10.1')).toBe(day('1.10'));
  expect(day('0.7')).toBeUndefined();
  expect(benchmarkRecipe('sympy/sympy', null)).toBeNull();
  expect(benchmarkRecipe('o/r', '1.0')).toBeNull();
});

describe('beside rules of a project', () => {
  const resolve = (...rules: object[]) => {
    const group = { repo: 'sympy/sympy', version: '1.11', recipe: {} } as unknown as InstanceGroup;
    return resolveRecipe(group, 'one', rules as ReadRule[]);
  };

  test('a rule wins key by key', () => {
    const built = resolve();
    expect(built).toMatchObject({
      python: '3.9',
      test: 'PYTHONWARNINGS=ignore::UserWarning,ignore::SyntaxWarning bin/test -C --verbose',
      parser: 'parse_log_sympy',
    });
    expect(resolve({ match: { repo: 'sympy/*' }, timeout: 7 })).toEqual({ ...built, timeout: 7 });
    expect(resolve({ match: { version: '1.11' }, pip: [] })).toEqual({ ...built, pip: [] });
  });

  test('a rule of the version with a Python is a whole recipe', () => {
    const { pip, test: command, as_of } = resolve({ match: { version: '1.11' }, python: '3.8' });
    expect({ pip, command, as_of }).toEqual({
      pip: DEFAULT_RECIPE.pip,
      command: DEFAULT_RECIPE.test,
      as_of: 'none',
    });
  });
});
