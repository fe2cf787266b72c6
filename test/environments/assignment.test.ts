/** Which instance uses which environment is found once for each state of a dataset. */
import { expect, test } from 'vitest';
import { success } from '../../basics/result.ts';
import type { PlanReader } from '../../contract/reader.ts';
import type { Catalogue } from '../../stages/dataset/blocks/catalogue.ts';
import { assign, readAssignment } from '../../stages/environments/assignment.ts';

const catalogue = (...repos: string[]) => {
  const groups = repos.map((repo) => ({
    ...{ repo, name: repo, rows: 1, environment_name: repo, version: null, recipe: {} },
    source: { spec: 'pypi:a==1', digest: 'sha256:a' },
    environment_source: { spec: 'pypi:a==1', digest: 'sha256:a' },
  }));
  return { groups, rows: [] } as unknown as Catalogue;
};

test('a dataset that was read again in the same run', async () => {
  const recipes = { rules: [], built_in: 'built in' };
  const reader = { ask: async () => success(recipes) } as unknown as Pick<PlanReader, 'ask' | 'dataset'>;
  const assigned = async (of: Catalogue) => {
    const found = await readAssignment(reader, of, { deployment: 'box', suffix: '' });
    if (!found.ok) throw new Error('no assignment');
    return found.value;
  };
  const names = async (of: Catalogue) => (await assigned(of)).environments.map(({ repo }) => repo);
  const before = catalogue('o/a', 'o/b');
  expect(await names(before)).toEqual(['o/a', 'o/b']);
  expect(await assigned(before)).toBe(await assigned(before));
  expect(await names(catalogue('o/b'))).toEqual(['o/b']);
});

const SOURCE = (commit: string) => ({ spec: `git+r@${commit}`, digest: `git:${commit.padEnd(40, '0')}` });

/** Instances of one version at two commits, under a recipe with these keys. */
function ofTwoCommits(recipe: object) {
  const groups = ['aa', 'bb'].map((commit) => ({
    ...{ repo: 'o/a', name: commit, rows: 1, environment_name: 'o/a@1', version: '1', recipe },
    source: SOURCE(commit),
    environment_source: SOURCE('cc'),
  }));
  return assign({ groups, rows: [] } as unknown as Catalogue, []).environments;
}

test('each commit has an environment of its own, named by it, where something is installed at it', () => {
  const [first, second, ...more] = ofTwoCommits({});
  expect([first!.name, second!.name, more]).toEqual(['o/a@1~aa000000', 'o/a@1~bb000000', []]);
  expect(first!.source).toEqual(SOURCE('aa'));
});

test('commits share one where nothing is, whatever is read of the commit of the version', () => {
  for (const recipe of [{ install: [] }, { install: [], packages: ['requirements.txt'] }]) {
    const plans = ofTwoCommits(recipe);
    expect(plans.map(({ name, instances }) => [name, instances])).toEqual([['o/a@1', 2]]);
    expect(plans[0]!.requirements).toEqual('packages' in recipe ? SOURCE('cc') : null);
  }
});
