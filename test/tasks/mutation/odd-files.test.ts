/** Files that no mutation can be made of: the others of the source are mutated all the same. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { derivePatches, listMutations } from '../../../tasks/mutation/derive.ts';
import { findInterpreter } from '../../../tasks/python/interpreter.ts';
import { folderOf } from '../../rig/folder.ts';

const found = await findInterpreter(null, { env: process.env });
const python = found.ok ? found.value.executable : '';

async function filesOf(sourceFolder: string, named: string[] = []): Promise<string[]> {
  const listed = await listMutations(named, { sourceFolder, python }, ['.py', '.js']);
  if (!listed.ok) throw new Error(listed.fault.detail);
  return [...new Set(listed.value.map(({ file }) => file))];
}

test('no build can apply a patch to a link, or behind one', async () => {
  const sourceFolder = folderOf({ 'own/a.py': 'x = 1\n', 'own/b.js': 'x = 1;\n' });
  symlinkSync('own', join(sourceFolder, 'other'));
  symlinkSync('own/a.py', join(sourceFolder, 'a.py'));
  symlinkSync('own/b.js', join(sourceFolder, 'b.js'));
  expect(await filesOf(sourceFolder)).toEqual(['own/a.py', 'own/b.js']);
  const links = ['a.py', 'other/a.py', 'b.js', 'other/b.js'];
  expect(await filesOf(sourceFolder, links)).toEqual([]);
  const requests = ['own/a.py', ...links].map((file) => ({
    ...{ file, function: '<module>', kind: 'increase_constant', index: 0 },
  }));
  const answers = await derivePatches(requests, { sourceFolder, python });
  expect(answers).toMatchObject({
    value: [
      { patch: expect.any(String) },
      ...links.map((file) => ({ error: `${file} is a symbolic link, or lies behind one` })),
    ],
  });
});

test('a folder that is called as a file, and a name that no file can have, are bad rows', async () => {
  const sourceFolder = folderOf({ 'chart.js/a.js': 'x = 1;\n', 'chart.py/a.py': 'x = 1\n' });
  const names = ['chart.js', 'chart.py', 'a\0.js', 'a\0.py'];
  expect(await filesOf(sourceFolder, ['chart.js', 'chart.py'])).toEqual([]);
  const requests = names.map((file) => ({
    ...{ file, function: '<module>', kind: 'increase_constant', index: 0 },
  }));
  const answers = await derivePatches(requests, { sourceFolder, python });
  expect(answers).toMatchObject({ value: names.map(() => ({ error: expect.any(String) })) });
});

test('a name that is no UTF-8 cannot be in a row', async () => {
  const sourceFolder = folderOf({ 'a.py': 'x = 1\n', 'b.js': 'x = 1;\n' });
  for (const name of ['/\xff.py', '/\xff.js'])
    writeFileSync(Buffer.concat([Buffer.from(sourceFolder), Buffer.from(name, 'latin1')]), 'x = 1\n');
  const below = Buffer.concat([Buffer.from(sourceFolder), Buffer.from('/\xff', 'latin1')]);
  mkdirSync(below);
  for (const name of ['/a.py', '/b.js']) writeFileSync(Buffer.concat([below, Buffer.from(name)]), 'x = 1\n');
  expect(await filesOf(sourceFolder)).toEqual(['a.py', 'b.js']);
});

test('what is too much for the parser leaves the other files', async () => {
  const sourceFolder = folderOf({ 'a.py': 'x = 1\n', 'deep.py': `x = ${'-'.repeat(100_000)}1\n` });
  expect(await filesOf(sourceFolder)).toEqual(['a.py']);
  const requests = ['a.py', 'deep.py'].map((file) => ({
    ...{ file, function: '<module>', kind: 'increase_constant', index: 0 },
  }));
  const answers = await derivePatches(requests, { sourceFolder, python });
  expect(answers).toMatchObject({
    value: [{ patch: expect.any(String) }, { error: expect.stringMatching(/^cannot be parsed: /) }],
  });
});
