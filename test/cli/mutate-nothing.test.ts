/** What `mutate` and `init` say of what they cannot change: the cause and a remedy, before anything is built. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../cli/main.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { makeRepository } from '../tasks/source/helpers.ts';

async function run(folder: string, ...args: string[]) {
  let text = '';
  const sink = { write: (more: string) => (text += more) };
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'home-cache') };
  const code = await main(args, { stdout: sink, stderr: sink, env, cwd: folder, isTTY: false });
  return { code, text };
}

test.each([
  [
    ['--file', 'a/nosuch.py'],
    'it has no file a/nosuch.py',
    'write --file as the path is from the root of the source',
  ],
  [
    ['--file', './a//nosuch.py', '--file', 'a/b/../nosuch.py'],
    'it has no file a/nosuch.py\n',
    'write --file as the path is from the root of the source',
  ],
  [['--file', 'notes.txt'], 'notes.txt has no code to change', 'name another file with --file'],
  [['--kinds', 'remove_loop'], 'it has no code for remove_loop', 'leave --kinds out'],
])('mutate %j', async (options, why, remedy) => {
  const folder = temporaryFolder();
  makeRepository(folder, 'mine', { 'a.py': 'def f(a):\n    return a + 1\n', 'notes.txt': 'a\n' });
  const { code, text } = await run(
    folder,
    'mutate',
    './mine',
    ...options,
    '--pip',
    'pytest',
    '-o',
    'rows.jsonl',
  );
  expect(code, text).toBe(1);
  expect(text).toContain(`E004  ./mine@HEAD: ${why}`);
  expect(text).toContain(remedy);
});

test.each(['../a.py', 'a/../../a.py', '..', '/a.py'])('mutate --file %s is refused at once', async (file) => {
  const folder = temporaryFolder();
  makeRepository(folder, 'mine', { 'a.py': 'def f(a):\n    return a + 1\n' });
  const { code, text } = await run(folder, 'mutate', './mine', '--file', file);
  expect(code, text).toBe(2);
  expect(text).toContain(`--file "${file}"`);
  expect(text).toContain('write the path from the root of the source');
});

test('mutate --count 0 is refused at once', async () => {
  const folder = temporaryFolder();
  makeRepository(folder, 'mine', { 'a.py': 'def f(a):\n    return a + 1\n' });
  const { code, text } = await run(folder, 'mutate', './mine', '--count', '0');
  expect(code).toBe(2);
  expect(text).toContain('--count "0"');
});

test('init of a folder of code without git says that it is no repository', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'notgit'));
  writeFileSync(join(folder, 'notgit', 'a.py'), 'a = 1\n');
  const { code, text } = await run(folder, 'init', '--from', './notgit');
  expect(code).toBe(1);
  expect(text).toContain('and it is no git repository');
  expect(text).toContain('commit the code of the folder to git');
});
