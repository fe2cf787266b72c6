/**
 * A package that carries the task's project in another version, as pip carries requests: the solution is taken out of
 * its copy, and what else differs in it stays.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../basics/digest.ts';
import { replaceInArchive } from '../../../tasks/first-state/archive.ts';
import { LowerFiles } from '../../../tasks/first-state/lower.ts';
import { packageRoots } from '../../../tasks/first-state/packages.ts';
import { replacementsFor } from '../../../tasks/first-state/replacements.ts';
import { Secrets } from '../../../tasks/first-state/secrets.ts';
import type { Tree } from '../../../tasks/first-state/tree.ts';
import {
  carriedNames,
  coverOf,
  type SolvedFile,
  vendoredCopies,
} from '../../../tasks/first-state/vendored.ts';
import {
  memberBytes,
  readZip,
  withContent,
  type ZipMember,
  zipBytes,
} from '../../../tasks/first-state/zip.ts';
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

type Solved = Omit<SolvedFile, 'names'>;

/** `source`: further files of the repository. */
function named(solution: Solved, source: Record<string, string> = {}): SolvedFile {
  return { ...solution, names: carriedNames(solution.path, treeOf(source)) };
}

function treeOf(files: Record<string, string>): Tree {
  return new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { kind: 'file', executable: false, content: { bytes: bytes(text) } },
    ]),
  );
}

function copiesOf(
  files: Record<string, string>,
  solution: Solved,
  source: Record<string, string> = {},
): Record<string, string | null> {
  const work = temporaryFolder();
  const found = vendoredCopies(new LowerFiles([folderOf(files)]), coverOf([named(solution, source)], work));
  expect(readdirSync(work)).toEqual([]);
  return Object.fromEntries([...found].map(([path, content]) => [path, content?.toString() ?? null]));
}

const bytes = (text: string) => Buffer.from(text);
const core: Solved = {
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

test('an earlier release with other lines where the solution is stays, too', () => {
  const early = TASK.map((line) => line.replace('text.split(",")', 'text.split(";", 3)'));
  expect(copiesOf({ [COPY]: file(later(early)) }, core)).toEqual({});
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

test('of files with one name, the one that it is a version of', () => {
  const other: Solved = { path: 'core.py', solved: bytes('x = 2\n'), substitute: bytes('x = 1\n') };
  const cover = coverOf([named(other), named(core)], temporaryFolder());
  expect(cover(COPY, () => bytes(file(later(SOLVED))))?.toString()).toBe(file(later(TASK)));
});

test('packages of a repository with several, below any folder', () => {
  const solution = { ...core, path: 'libs/core/pkg/core.py' };
  const source = { 'libs/core/pkg/__init__.py': '', 'libs/core/setup.py': '' };
  expect(copiesOf({ [COPY]: file(later(SOLVED)) }, solution, source)).toEqual({ [COPY]: file(later(TASK)) });
});

describe('packages of npm', () => {
  const TASK_JS = ["const util = require('./util')", ...TASK.slice(2).map((line) => `${line};`)];
  const SOLVED_JS = ["const util = require('./util')", ...SOLVED.slice(2).map((line) => `${line};`)];
  const solution: Solved = {
    path: 'packages/split/lib/core.js',
    solved: bytes(file(SOLVED_JS)),
    substitute: bytes(file(TASK_JS)),
  };
  const source = { 'packages/split/package.json': '{"name":"@own/split"}', 'package.json': '{"name":"own"}' };
  const laterJs = (lines: readonly string[]) => file([...lines, 'exports.more = true;', '']);

  test.each([
    'opt/toolchains/npm/10.9.2/node_modules/@own/split/lib/core.js',
    'testbed/node_modules/mocha/node_modules/@own/split/lib/core.js',
    'testbed/node_modules/.pnpm/@own+split@2.0.0/node_modules/@own/split/lib/core.js',
  ])('a later release at %s', (path) => {
    expect(copiesOf({ [path]: laterJs(SOLVED_JS) }, solution, source)).toEqual({ [path]: laterJs(TASK_JS) });
  });

  test('the rest of node_modules is not written again', () => {
    const folder = 'testbed/node_modules/mocha/node_modules/@own/split';
    expect(packageRoots([`${folder}/lib/core.js`], new LowerFiles([]))).toEqual([folder]);
  });

  test('files of other packages stay', () => {
    const path = 'testbed/node_modules/other/lib/core.js';
    expect(copiesOf({ [path]: laterJs(SOLVED_JS) }, solution, source)).toEqual({});
    expect(copiesOf({ [path]: laterJs(SOLVED_JS) }, solution, { 'package.json': 'no json' })).toEqual({});
  });
});

describe('crates of cargo', () => {
  const solution = { ...core, path: 'own/src/core.rs' };
  const source = { 'own/Cargo.toml': '[package]\nname = "own-core"\n', 'Cargo.toml': '[workspace]\n' };
  const unpacked = 'opt/env/cargo/registry/src/-1f2e3d/own-core-1.2.0/src/core.rs';

  test('a later release that is unpacked', () => {
    expect(copiesOf({ [unpacked]: file(later(SOLVED)) }, solution, source)).toEqual({
      [unpacked]: file(later(TASK)),
    });
    const other = unpacked.replace('own-core-1', 'own-core-more-1');
    expect(copiesOf({ [other]: file(later(SOLVED)) }, solution, source)).toEqual({});
  });

  test('a later release that is packed, whose checksum is in the index', () => {
    const root = temporaryFolder();
    const place = join(root, 'opt/env/cargo/fetched');
    const files = {
      'own-core-1.2.0/src/core.rs': file(later(SOLVED)),
      'own-core-1.2.0/src/more.rs': 'fn x() {}\n',
    };
    const folder = folderOf(files);
    mkdirSync(join(place, 'index/ow/n-'), { recursive: true });
    execFileSync('tar', ['-czf', join(place, 'own-core-1.2.0.crate'), '-C', folder, 'own-core-1.2.0']);
    const was = digestOf(readFileSync(join(place, 'own-core-1.2.0.crate')));
    writeFileSync(join(place, 'index/ow/n-/own-core'), `{"name":"own-core","cksum":"${was}"}\n`);
    const foundWith = (tree: Tree) =>
      replacementsFor({
        lower: new LowerFiles([root]),
        secrets: new Secrets([], []),
        tree,
        solution: [named(solution, source)],
        work: temporaryFolder(),
        blobs: () => new Set(),
      }).files;
    const found = foundWith(new Map());
    const bytesAt = (path: string) => {
      const one = found.get(`opt/env/cargo/fetched/${path}`);
      return one?.kind === 'file' && 'bytes' in one.content ? one.content.bytes : Buffer.alloc(0);
    };
    const crate = bytesAt('own-core-1.2.0.crate');
    const out = temporaryFolder();
    execFileSync('tar', ['-xz', '-C', out], { input: crate });
    expect(Object.keys(files).map((name) => readFileSync(join(out, name), 'utf8'))).toEqual([
      file(later(TASK)),
      'fn x() {}\n',
    ]);
    expect(JSON.parse(bytesAt('index/ow/n-/own-core').toString())).toEqual({
      name: 'own-core',
      cksum: digestOf(crate),
    });
    expect(found.size).toBe(2);
    // One that the repository locks is older than the solution.
    expect(foundWith(treeOf({ 'Cargo.lock': `checksum = "${was}"\n` })).size).toBe(0);
  });
});

test('wheels that a package carries', () => {
  const secrets = new Secrets([], []);
  const cover = coverOf([named(core)], temporaryFolder());
  const wheel = (lines: readonly string[]) =>
    zipOf({ 'pip/_vendor/pkg/core.py': file(lines), 'pip/x.py': 'x = 1\n' });
  const path = `${SITE}/virtualenv/seed/wheels/embed/pip-25.0-py3-none-any.whl`;
  const covered = replaceInArchive(path, wheel(later(SOLVED)), secrets, cover);
  expect(contentsOf(covered as Buffer)).toEqual({
    'pip/_vendor/pkg/core.py': file(later(TASK)),
    'pip/x.py': 'x = 1\n',
  });
  expect(replaceInArchive(path, wheel(later(TASK)), secrets, cover)).toBeNull();
});

function zipOf(files: Record<string, string>): Buffer {
  const members = Object.entries(files).map(([name, text]) =>
    withContent({ madeBy: 0x314, flags: 0, attributes: 0 } as ZipMember, name, bytes(text)),
  );
  return zipBytes({ prefix: Buffer.alloc(0), members });
}

function contentsOf(zip: Buffer): Record<string, string> {
  return Object.fromEntries(readZip(zip)!.members.map((one) => [one.name, memberBytes(one)!.toString()]));
}

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
