/** Submodules that a recipe does not name: their folders are empty, and what misses a file in them names the key. */
import { expect, test } from 'vitest';
import { recipeHint, submoduleNote } from '../../stages/environments/hints.ts';

const GITMODULES = [
  '[submodule "vendor/llhttp"]',
  '\tpath = vendor/llhttp',
  '\turl = https://git.example/llhttp.git',
  '[submodule "data"]',
  '\tpath = tests/data',
  '\turl = ../data.git',
].join('\n');

test.each([
  ['gcc: error: vendor/llhttp/src/api.c: No such file or directory', 'vendor/llhttp'],
  ['cc1: fatal error: vendor/llhttp/src/api.c: No such file or directory', 'vendor/llhttp'],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'tests/data/a.json'", 'tests/data'],
  ['CMake Error: the source directory /testbed/vendor/llhttp/ does not exist.', 'vendor/llhttp'],
  [
    'gcc -O2 -I/testbed/vendor/llhttp/include -c p.c\np.c:1:10: fatal error: llhttp.h: No such file or directory',
    'vendor/llhttp',
  ],
  ['open tests/data/a: not found\ngcc: error: vendor/llhttp/b.c: No such file', 'vendor/llhttp, tests/data'],
])('%s', (output, paths) => {
  const note = submoduleNote(output, GITMODULES, []);
  expect(note).toBe(`== note: a file is missing in submodules that the recipe does not name: ${paths}\n`);
  expect(recipeHint(`${note}${output}`)).toBe(`; recipe key that would help: submodules (${paths})`);
});

test.each([
  'gcc -I/testbed/vendor/llhttp/include -c p.c\np.c:3: error: too few arguments',
  'gcc -I/testbed/vendor/llhttp2 -c p.c\np.c:1:10: fatal error: ffi.h: No such file or directory',
  'copying vendor/llhttp/x.c\nfile.txt: No such file or directory',
])('no submodule is at fault: %s', (output) => expect(submoduleNote(output, GITMODULES, [])).toBe(''));

test('a submodule that the recipe names is not asked for', () => {
  const output = 'gcc: error: vendor/llhttp/gone.c: No such file or directory';
  expect(submoduleNote(output, GITMODULES, ['vendor/llhttp'])).toBe('');
});
