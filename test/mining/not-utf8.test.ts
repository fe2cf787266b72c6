/** A row is text: a commit whose files or names are not UTF-8 makes none. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { mainLine, partingOf, taskOf } from '../../tasks/mining/commits.ts';
import { temporaryFolder } from '../tasks/source/helpers.ts';

test.each<[string, Record<string, string>, object | string]>([
  ['code in latin-1', { 'a.py': 'x = "caf\xe9"\n', 'tests/test_a.py': 'a\n' }, 'not-utf8'],
  ['tests in latin-1', { 'a.py': 'a\n', 'tests/test_a.py': 'x = "caf\xe9"\n' }, 'not-utf8'],
  ['a name in latin-1', { 'a.py': 'a\n', 'caf\xe9.py': 'a\n', 'tests/test_a.py': 'a\n' }, 'not-utf8'],
  [
    'UTF-8, with the character that stands for what is none',
    { 'a.py': 'x = "caf\xc3\xa9 \xef\xbf\xbd"\n', 'tests/test_a.py': 'a\n' },
    { patch: expect.stringContaining('café \ufffd') },
  ],
])('%s', async (_, files, found) => {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'Begin');
  mkdirSync(join(folder, 'tests'));
  for (const [name, text] of Object.entries(files))
    writeFileSync(Buffer.from(`${folder}/${name}`, 'latin1'), Buffer.from(text, 'latin1'));
  git('add', '-A');
  git('commit', '-q', '-m', 'Filters that are async can be pickled');

  const deps = { mirror: join(folder, '.git'), env: process.env, signal: new AbortController().signal };
  const line = await mainLine('main', 10, deps);
  if (!line.ok) throw new Error(JSON.stringify(line.fault));
  const task = await taskOf(line.value[0]!, new Map(), 10, partingOf(ecosystemNamed('python')), deps);
  expect(task.ok && task.value).toEqual(typeof found === 'string' ? found : expect.objectContaining(found));
});
