/** Lists of sources in files of a build: a patch may add its own files to those of the code under test, and change nothing else. */
import { expect, test } from 'vitest';
import { cmakeLists } from '../../ecosystems/cmake/lists.ts';

const CODE = new Set(['src/m.c', 'src/n.c', 'm.c', 'tool/x.c']);
const TESTS = new Set(['checks/t.c', 't.c']);
const ADDED = new Set(['src/two.c', 'src/two.h', 'two.c', 'evil.cmake']);

function isGrown(path: string, before: string, after: string): boolean {
  const isCode = (one: string) => (CODE.has(one) ? true : TESTS.has(one) ? false : null);
  return cmakeLists.isGrown({ path, before, after, added: ADDED, isCode });
}

const LISTS =
  'project(m C)\n# all\nadd_library(m src/m.c)\nadd_executable(t checks/t.c src/m.c)\nadd_test(NAME t COMMAND t)\n';

test.each([
  ['behind the last one', 'add_library(m src/m.c)', 'add_library(m src/m.c src/two.c)'],
  [
    'on lines of their own',
    'add_library(m src/m.c)',
    'add_library(m\n  src/m.c\n  src/two.c\n  src/two.h\n)',
  ],
  [
    'by the variable of the folder',
    'src/m.c)\nadd_exe',
    'src/m.c ${CMAKE_CURRENT_SOURCE_DIR}/src/two.c)\nadd_exe',
  ],
])('CMake: %s', (_, old, now) =>
  expect(isGrown('CMakeLists.txt', LISTS, LISTS.replace(old, now))).toBe(true),
);

test.each([
  ['nothing', 'm C', 'm C'],
  ['in a test', 'checks/t.c src/m.c', 'checks/t.c src/m.c src/two.c'],
  [
    'in a variable of tests',
    'add_library(m src/m.c)',
    'add_library(m src/m.c)\nlist(APPEND TESTS src/m.c src/two.c)',
  ],
  ['in a call that is no list', 'project(m C)', 'project(m C src/two.c)'],
  ['outside of calls', '# all\n', '# all\nsrc/two.c\n'],
  ['a file that is not added', 'm src/m.c)', 'm src/m.c src/n.c)'],
  ['a file that is no source', 'm src/m.c)', 'm src/m.c evil.cmake)'],
  ['with another word', 'm src/m.c)', 'm src/m.c src/two.c EXCLUDE_FROM_ALL)'],
  ['and a test is gone', 'm src/m.c)\nadd_executable(t checks/t.c src/m.c)', 'm src/m.c src/two.c)'],
  ['and a call is in a comment', '# all\nadd_library(m src/m.c)', '# all add_library(m src/m.c src/two.c)'],
  ['and a comment is gone', '# all\nadd_library(m src/m.c)', 'add_library(m src/m.c src/two.c)'],
  ['and another call', 'add_library(m src/m.c)', 'add_library(m src/m.c src/two.c)\ninclude(evil.cmake)'],
  ['and one is gone', 'add_library(m src/m.c)', 'add_library(m src/two.c)'],
  ['in other cases', 'add_library(m src/m.c)', 'ADD_LIBRARY(m src/m.c src/two.c)'],
])('CMake: not %s', (_, old, now) =>
  expect(isGrown('CMakeLists.txt', LISTS, LISTS.replace(old, now))).toBe(false),
);

const AM =
  'bin_PROGRAMS = m\nm_SOURCES = src/m.c \\\n  src/n.c\ncheck_PROGRAMS = t\nt_SOURCES = checks/t.c\nTESTS = t\nall: src/m.o src/n.o\n\t$(CC) -o m src/m.c\n\t./m src/m.c\n';

test.each([
  ['behind a line that goes on', '  src/n.c', '  src/n.c \\\n  src/two.c src/two.h'],
  ['between', 'src/m.c \\\n', 'src/m.c src/two.c \\\n'],
  ['as an object', 'src/m.o src/n.o', 'src/m.o src/two.o src/n.o'],
  ['in a command that compiles', '-o m src/m.c', '-o m src/m.c src/two.c'],
])('make: %s', (_, old, now) => expect(isGrown('Makefile.am', AM, AM.replace(old, now))).toBe(true));

test.each([
  ['in a test', 'checks/t.c', 'checks/t.c src/two.c'],
  ['in TESTS', 'TESTS = t', 'TESTS = t src/two.c'],
  ['in another command', './m src/m.c', './m src/m.c src/two.c'],
  ['with a line that is a command now', 'TESTS = t\n', 'TESTS = t\n\tsrc/two.c\n'],
  [
    'and the tests are gone',
    '  src/n.c\ncheck_PROGRAMS = t\nt_SOURCES = checks/t.c\nTESTS = t',
    '  src/n.c src/two.c',
  ],
  ['and a line goes on', 'TESTS = t\nall: src/m.o', 'TESTS = t\\\nall: src/m.o src/two.o'],
  ['and is a comment', 'm_SOURCES = src/m.c', '# m_SOURCES = src/m.c src/two.c'],
])('make: not %s', (_, old, now) => expect(isGrown('Makefile.am', AM, AM.replace(old, now))).toBe(false));

test('Meson: in lists of files', () => {
  const text =
    "project('m', 'c')\nsources = ['m.c']\nm = library('m', sources, files('tool/x.c'))\nt = executable('t', 't.c')\n";
  const now = (old: string, next: string) => isGrown('meson.build', text, text.replace(old, next));
  expect(now("['m.c']", "['m.c', 'two.c']")).toBe(true);
  expect(now("['m.c']", "[\n  'm.c',\n  'two.c',\n]")).toBe(true);
  expect(now("('tool/x.c')", "('tool/x.c', 'two.c')")).toBe(true);
  expect(now("'t.c'", "'t.c', 'two.c'")).toBe(false);
  expect(now("'c'", "'c', 'two.c'")).toBe(false);
});

test('which files have such lists', () => {
  for (const path of [
    'CMakeLists.txt',
    'a/Makefile.am',
    'a/lib.mk',
    'Makefile',
    'lib/Makefile.inc',
    'meson.build',
  ])
    expect(cmakeLists.has(path)).toBe(true);
  for (const path of ['configure.ac', 'cmake/x.cmake', 'CMakePresets.json', 'm.c'])
    expect(cmakeLists.has(path)).toBe(false);
});
