/** A merge whose message says nothing has the statement that the commits have that it brings. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { mainLine, partingOf, taskOf } from '../../tasks/mining/commits.ts';
import { temporaryFolder } from '../tasks/source/helpers.ts';

test('of a branch with three commits, one of which says what it does to the code', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  const commit = (file: string, message: string) => {
    mkdirSync(join(folder, 'tests'), { recursive: true });
    writeFileSync(join(folder, file), message);
    git('add', '-A');
    git('commit', '-q', '-m', message);
  };
  git('init', '-q', '-b', 'main');
  commit('a.py', 'Begin');
  git('checkout', '-q', '-b', 'work');
  commit('a.py', 'Filters that are async can be pickled\n\nSigned-off-by: a <a@b>');
  commit('tests/test_a.py', 'typo');
  commit('CONTRIBUTING.md', 'Say how people may contribute');
  git('checkout', '-q', 'main');
  git('merge', '-q', '--no-ff', '-m', 'Merge pull request #1613 from a/work', 'work');

  const deps = { mirror: join(folder, '.git'), env: process.env, signal: new AbortController().signal };
  const line = await mainLine('main', 10, deps);
  if (!line.ok) throw new Error(JSON.stringify(line.fault));
  expect(line.value.map(({ isMerge }) => isMerge)).toEqual([true, false]);
  const parting = partingOf(ecosystemNamed('python'));
  expect(await taskOf(line.value[0]!, new Map(), 10, parting, deps)).toMatchObject({
    value: { problem_statement: 'Filters that are async can be pickled' },
  });
  expect(await taskOf(line.value[1]!, new Map(), 10, parting, deps)).toMatchObject({ value: 'root' });
});
