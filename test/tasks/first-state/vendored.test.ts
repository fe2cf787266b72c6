/**
 * A package that carries the task's project in another version, as pip carries requests: the solution is taken out of
 * its copy, and what else differs in it stays.
 */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LowerFiles } from '../../../tasks/first-state/lower.ts';
import { type SolvedFile, vendoredCopies } from '../../../tasks/first-state/vendored.ts';
import { folderOf, temporaryFolder } from '../../rig/folder.ts';

const SITE = 'opt/env/lib/python3.11/site-packages';
const COPY = `${SITE}/pip/_vendor/pkg/core.py`;

const TASK = [
  'import os',
  'from pkg import util',
  '',
  'def first(text):',
  '    return text[:1]',
  '',
  'def split(text):',
  '    parts = text.split(",")',
  '    return parts',
  '',
  'def last(text):',
  '    return text[-1:]',
  '',
];
const SOLVED = TASK.map((line) =>
  line === '    parts = text.split(",")' ? '    parts = [part.strip() for part in text.split(",")]' : line,
);
const file = (lines: readonly string[]) => lines.join('\n');

function copiesOf(files: Record<string, string>, solution: SolvedFile): Record<string, string | null> {
  const work = temporaryFolder();
  const found = vendoredCopies(new LowerFiles([folderOf(files)]), [solution], work);
  expect(readdirSync(work)).toEqual([]);
  return Object.fromEntries([...found].map(([path, content]) => [path, content?.toString() ?? null]));
}

const bytes = (text: string) => Buffer.from(text);
const core: SolvedFile = {
  path: 'src/pkg/core.py',
  solved: bytes(file(SOLVED)),
  substitute: bytes(file(TASK)),
};

/** What pip makes of a later release. */
const later = (lines: readonly string[]) => [
  '"""A later release."""',
  ...lines.map((line) => line.replace('from pkg import', 'from pip._vendor.pkg import')),
  'def more(text):',
  '    return text * 2',
  '',
];

test('a later release with the solution in it', () => {
  expect(copiesOf({ [COPY]: file(later(SOLVED)) }, core)).toEqual({ [COPY]: file(later(TASK)) });
});

test('a release in which the solution was written anew has the task’s lines there', () => {
  const again = SOLVED.map((line) => line.replace('part.strip() for part in', 'part.strip(" ") for part in'));
  expect(copiesOf({ [COPY]: file(later(again)) }, core)).toEqual({ [COPY]: file(later(TASK)) });
});

test('what the release imports for other lines stays, also where the solution changed imports', () => {
  const solution = {
    ...core,
    solved: bytes(file(SOLVED.map((line) => (line === 'import os' ? 'import re' : line)))),
  };
  const of = (...imports: string[]) =>
    file(later(SOLVED.flatMap((line) => (line === 'import os' ? imports : line))));
  const found = copiesOf({ [COPY]: of('import sys', 'from time import (', '    sleep,', ')') }, solution);
  expect(found[COPY]!.split('\n').slice(0, 7)).toEqual([
    'import sys',
    'from time import (',
    '    sleep,',
    ')',
    'from pip._vendor.pkg import util',
    'import os',
    '',
  ]);
  expect(found[COPY]).not.toContain('strip');
});

test('an earlier release stays as it is', () => {
  expect(copiesOf({ [COPY]: file(later(TASK)) }, core)).toEqual({});
});

test('a file that the solution adds is removed', () => {
  expect(copiesOf({ [COPY]: file(later(SOLVED)) }, { ...core, substitute: null })).toEqual({ [COPY]: null });
});

test('a solution that only removes lines', () => {
  const removed = TASK.filter((line) => !line.includes('parts'));
  const solution = { ...core, solved: bytes(file(removed)) };
  expect(copiesOf({ [COPY]: file(later(removed)) }, solution)).toEqual({ [COPY]: file(later(TASK)) });
});

test('files of other projects with the same name, and files outside of packages, stay', () => {
  const other = 'import sys\n\ndef main():\n    sys.exit(0)\n\ndef first(text):\n    return None\n';
  const files = {
    [`${SITE}/other/pkg/core.py`]: other,
    [`${SITE}/other/pkg/core.py.txt`]: file(SOLVED),
    [`${SITE}/empty/pkg/core.py`]: '',
    'opt/env/share/pkg/core.py': file(later(SOLVED)),
  };
  expect(copiesOf(files, core)).toEqual({});
  expect(copiesOf({ [`${SITE}/other/core.py`]: other }, { ...core, path: 'core.py' })).toEqual({});
});

test('a licence and imports that two projects share make no copy', () => {
  const licence = Array.from(
    { length: 12 },
    (_, line) => `# Line ${line} of a licence that many projects have.`,
  );
  const head = [...licence, '', 'from __future__ import annotations', 'import os', 'import sys', ''];
  const own = (lines: readonly string[]) => bytes(file([...head, ...lines]));
  const other = file([
    ...head,
    'class Settings:',
    '    def get(self, name):',
    '        return os.environ[name]',
    '',
  ]);
  const solution = { path: 'utils/core.py', solved: own(SOLVED), substitute: own(TASK) };
  expect(copiesOf({ [`${SITE}/other/utils/core.py`]: other }, solution)).toEqual({});
});

test('binary files, which cannot be merged, are the task’s', () => {
  const binary = (text: string) => `${text}\n\0\n`;
  const solution = { ...core, solved: bytes(binary(file(SOLVED))), substitute: bytes(binary(file(TASK))) };
  expect(copiesOf({ [COPY]: binary(file(later(SOLVED))) }, solution)).toEqual({ [COPY]: binary(file(TASK)) });
});
