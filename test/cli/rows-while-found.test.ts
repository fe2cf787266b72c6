/** Rows of `mine` and `mutate` while they are found: the file is whole at any moment. What both refuse before anything is run. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../cli/main.ts';
import { replaceOutput } from '../../cli/output-file.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { makeRepository } from '../tasks/source/helpers.ts';

test('a file is replaced as a whole, with its mode, and a link to it stays one', () => {
  const folder = temporaryFolder();
  const [file, link] = [join(folder, 'new/rows.jsonl'), join(folder, 'link.jsonl')];
  replaceOutput(file, 'a\n', false);
  const { ino } = statSync(file);
  chmodSync(file, 0o600);
  symlinkSync(file, link);
  replaceOutput(link, 'a\nb\n', true);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
  expect(statSync(file).ino).not.toBe(ino);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'new'))).toEqual(['rows.jsonl']);
});

test('what is no file gets the last text alone', () => {
  expect(() => replaceOutput('/dev/null', 'a\n', false)).not.toThrow();
  replaceOutput('/dev/null', 'a\n', true);
  expect(statSync('/dev/null').isFile()).toBe(false);
});

test('nothing is left beside a file that cannot be replaced', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'rows.jsonl.d'));
  writeFileSync(join(folder, 'file'), '');
  expect(() => replaceOutput(join(folder, 'file/rows.jsonl'), 'a\n', true)).toThrow();
  expect(readdirSync(folder).sort()).toEqual(['file', 'rows.jsonl.d']);
});

test.each([
  ['mine', ['--timeout', 'soon'], '--timeout "soon"'],
  ['mutate', ['--timeout', '0s'], '--timeout "0s"'],
  ['mine', ['-j', '0'], '--jobs must be a whole number above 0, not "0"'],
  ['mutate', ['-j', 'all'], '--jobs must be a whole number above 0, not "all"'],
])('%s %j is refused at once', async (command, options, message) => {
  const folder = temporaryFolder();
  makeRepository(folder, 'mine', { 'a.py': 'def f(a):\n    return a + 1\n' });
  let text = '';
  const sink = { write: (more: string) => (text += more) };
  const io = { stdout: sink, stderr: sink, env: process.env, cwd: folder, isTTY: false };
  expect(await main([command, './mine', ...options], io)).toBe(2);
  expect(text).toContain(message);
});
