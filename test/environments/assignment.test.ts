/** Which instance uses which environment is found once for each state of a dataset. */
import { expect, test } from 'vitest';
import type { Services } from '../../contract/machine.ts';
import type { Catalogue } from '../../stages/dataset/catalogue.ts';
import { assignmentOf } from '../../stages/environments/assignment.ts';

const catalogue = (...repos: string[]) => {
  const groups = repos.map((repo) => ({
    ...{ repo, name: repo, rows: 1, environment_name: repo, version: null, recipe: {} },
    environment_source: { spec: 'pypi:a==1', digest: 'sha256:a' },
  }));
  return { groups, rows: [] } as unknown as Catalogue;
};

test('a dataset that was read again in the same run', () => {
  const services = {
    shared: new Map(),
    config: { environments: { recipes: [] } },
  } as unknown as Services;
  const names = (of: Catalogue) => assignmentOf('train', of, services).environments.map(({ repo }) => repo);
  const before = catalogue('o/a', 'o/b');
  expect(names(before)).toEqual(['o/a', 'o/b']);
  expect(assignmentOf('train', before, services)).toBe(assignmentOf('train', before, services));
  expect(names(catalogue('o/b'))).toEqual(['o/b']);
});
