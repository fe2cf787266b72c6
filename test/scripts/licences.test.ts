/** Licences of what is shipped: which are allowed, and that the texts of what is bundled are shipped with it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';

const { licenceProblem, bundledPackages, installedProblems, installedPackages } = (await import(
  pathToFileURL(join(packageRoot(), 'scripts/licences.mjs')).href
)) as {
  licenceProblem(name: string, licence: string | undefined): string | null;
  bundledPackages(files: readonly string[]): string[];
  installedProblems(): string[];
  installedPackages(): { path: string; license?: string }[];
};

test.each([
  ['MIT', null],
  ['(MIT OR GPL-3.0)', null],
  ['Apache-2.0 AND BSD-3-Clause', null],
  ['GPL-3.0', 'a has the licence GPL-3.0'],
  ['MIT AND AGPL-3.0', 'a has the licence MIT AND AGPL-3.0'],
  ['SEE LICENSE IN x', 'a has the licence SEE LICENSE IN x'],
  [undefined, 'a names no licence'],
])('%s', (licence, problem) => expect(licenceProblem('a', licence)).toBe(problem));

test('packages are told by the files of a bundle', () => {
  const files = [
    'cli/main.ts',
    'node_modules/yaml/browser/index.js',
    'node_modules/yaml/browser/dist/x.js',
    'node_modules/@dagrejs/graphlib/dist/g.js',
    'no-buildkit:./session',
    'node_modules/a/node_modules/b/index.js',
  ];
  const wanted = ['node_modules/@dagrejs/graphlib', 'node_modules/a/node_modules/b', 'node_modules/yaml'];
  expect(bundledPackages(files)).toEqual(wanted);
});

test('all that is installed may be given to others, and texts of what is bundled are in the package', () => {
  expect(installedPackages().length).toBeGreaterThan(20);
  expect(installedProblems()).toEqual([]);
  const text = readFileSync(join(packageRoot(), 'dist/LICENCES.txt'), 'utf8');
  for (const name of ['yaml', 'dockerode', 'ssh2', 'execa', 'preact', '@dagrejs/graphlib'])
    expect(text, name).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(\\S+\\)$`, 'm'));
  expect(text).toContain('Permission is hereby granted');
});
