/** What cannot be read says nothing, and is no error. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readableBytes, readableText } from '../../basics/readable.ts';
import { temporaryFolder } from '../rig/folder.ts';

const folder = temporaryFolder();

test('a file is read as bytes and as text', () => {
  const path = join(folder, 'file');
  writeFileSync(path, 'ä\n\0');
  expect([readableBytes(path), readableText(path)]).toEqual([Buffer.from('ä\n\0'), 'ä\n\0']);
  writeFileSync(path, '');
  expect([readableBytes(path), readableText(path)]).toEqual([Buffer.alloc(0), '']);
});

test('what the kernel makes as it is read is whole', () => {
  expect(readableText('/proc/self/status')).toMatch(/^Name:.*\n[\s\S]*^Pid:/m);
});

test.each([
  ['nothing', 'nothing'],
  ['a folder', 'folder'],
  ['a link that leads to itself', 'loop'],
  ['what is below a file', 'below/file'],
])('%s is null, and as text empty', (_, name) => {
  mkdirSync(join(folder, 'folder'), { recursive: true });
  writeFileSync(join(folder, 'below'), '');
  if (name === 'loop') symlinkSync('loop', join(folder, 'loop'));
  expect([readableBytes(join(folder, name)), readableText(join(folder, name))]).toEqual([null, '']);
});
