/** Which files of a repository pytest collects tests from, where no command names them. */
import { globToRegExp } from '../../basics/glob.ts';
import { baseName } from '../../basics/repository-path.ts';
import { type Result, success } from '../../basics/result.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { Recipe } from '../../schemas/recipe.ts';
import { pytestSettingsOf } from '../init/propose-recipe.ts';
import { texts } from '../init/sources.ts';

/** Whether it is one of these files, by its path from the repository's root. */
export type Collects = (path: string) => boolean;

/** pytest's own: https://docs.pytest.org/en/stable/reference/reference.html#confval-python_files */
const USUAL = ['test_*.py', '*_test.py'];

/** By the settings of pytest in a folder. `python` is the absolute path of an interpreter. */
export async function collectsIn(
  folder: string,
  { recipe, ...reading }: { recipe: Recipe; python: string; signal?: AbortSignal | undefined },
): Promise<Result<Collects, Infra>> {
  if (ecosystemNamed(recipe.ecosystem).build !== null) return success(() => true);
  const settings = await pytestSettingsOf(folder, reading);
  if (!settings.ok) return settings;
  const { python_files: files, addopts } = settings.value;
  // Each module may have tests in its docstrings.
  if (wordsOf(addopts).includes('--doctest-modules')) return success(() => true);
  const named = wordsOf(files);
  return success(collectsBy(named.length > 0 ? named : USUAL));
}

/** A pattern with a slash is one of the end of the path, another one of the name. */
function collectsBy(patterns: readonly string[]): Collects {
  const tests = patterns.map((pattern) => {
    const isPath = pattern.includes('/');
    const glob = globToRegExp(isPath ? `*/${pattern}` : pattern);
    return (path: string) => glob.test(isPath ? `/${path}` : baseName(path));
  });
  return (path) => tests.some((test) => test(path));
}

function wordsOf(value: unknown): string[] {
  return (typeof value === 'string' ? value.split(/\s+/) : texts(value)).filter((word) => word !== '');
}
