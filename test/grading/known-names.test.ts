/** New files with names that programs and Python know are a doubt; what the task or its solution has is not. */
import { expect, test } from 'vitest';
import { protectionOf } from '../../grading/rules/protect.ts';
import { filesOf } from '../grade/task.ts';

const patch = (path: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;
const instance = {
  patch: patch('pkg/core.py'),
  test_patch: '',
  FAIL_TO_PASS: ['tests/test_core.py::test_x'],
  PASS_TO_PASS: [],
};
const files = filesOf({
  'pkg/__init__.py': '',
  'pkg/core.py': '',
  'queue.py': '',
  'bin/git': '#!/bin/sh\n',
  'tests/test_core.py': '',
});

const { namesOf } = protectionOf(instance, 'pytest', {
  files,
  installed: ['numpy', 'examples', 'yaml'],
  reads: { data: [], given: [], programs: ['our-tool', 'made.sh'] },
});
const doubts = (path: string) => namesOf([path]).map(({ rule, effect }) => `${effect} ${rule}`);

test.each([
  'bin/diff',
  'python',
  'pkg/bin/python3.12',
  'tools/our-tool',
  'random.py',
  'src/json/__init__.py',
  'lib/numpy.py',
  'numpy/__init__.py',
  'yaml.cpython-311-x86_64-linux-gnu.so',
])('a new %s is a doubt', (path) => {
  expect(doubts(path)).toEqual(['masked known-name']);
});

test.each([
  'bin/git',
  'queue.py',
  'pkg/random.py',
  'pkg/json/__init__.py',
  'pkg/commands/diff.py',
  'examples/__init__.py',
  'made.sh',
  'pkg/new.py',
  'json/data.txt',
  'docs/numpy/index.rst',
])('a new %s is none', (path) => {
  expect(doubts(path)).toEqual([]);
});
