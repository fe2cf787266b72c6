/** Which files of a repository requirements read: an environment is shared by commits that have the same ones. */
import { expect, test } from 'vitest';
import { isLocal, presentFiles, requirementFiles } from '../../stages/environments/requirement-files.ts';

const files: Record<string, string> = {
  'requirements.txt':
    '-r reqs/base.txt\n--requirement=reqs/dev.txt # more\nnumpy>=1\n-c https://example.org/c.txt\n',
  'reqs/base.txt': '-cconstraints.txt\nattrs==20.1 ; python_version < "3"\n',
  'reqs/constraints.txt': 'attrs==20.1\n',
  'reqs/dev.txt': '-r base.txt\npkg @ https://example.org/pkg-1.0.zip\npytest \\\n  >= 5\n--hash=sha256:00\n',
  'local.txt': 'numpy\n-e .\n',
  'out.txt': '-r ../elsewhere.txt\n',
};
const read = (path: string) => files[path] ?? null;

test('a file, and what it includes, each once', () => {
  expect(requirementFiles(['requirements.txt'], read)).toEqual([
    'requirements.txt',
    'reqs/base.txt',
    'reqs/dev.txt',
    'reqs/constraints.txt',
  ]);
  expect(requirementFiles(['./missing.txt'], read)).toEqual(['missing.txt']);
});

test('a file may be missing where its name says so', () => {
  expect(presentFiles(['reqs/dev.txt?', 'no.txt?', 'no/env.yml?', 'needed.txt', 'local.txt'], read)).toEqual({
    files: ['reqs/dev.txt', 'needed.txt', 'local.txt'],
    missing: ['no.txt', 'no/env.yml'],
  });
});

test('of several files the first that is there', () => {
  const packages = ['no.yml | local.txt | out.txt', 'no.txt | no/env.yml?', 'a.txt | b.txt'];
  expect(presentFiles(packages, read)).toEqual({
    files: ['local.txt', 'b.txt'],
    missing: ['no.txt | no/env.yml'],
  });
});

test.each(['local.txt', 'out.txt', '/etc/requirements.txt'])('%s may read anything', (file) => {
  expect(requirementFiles([file], read)).toBeNull();
});

test.each([
  ['.', true],
  ['.[dev]', true],
  ['-e .[test]', true],
  ['./vendored', true],
  ['vendored/pkg', true],
  ['pkg @ file:///testbed/pkg', true],
  ['wheels/a-1.0-py3-none-any.whl', true],
  ['-f wheels', true],
  ['-r dev.txt', true],
  ['--constraint=limits.txt', true],
  ['-r https://example.org/r.txt', false],
  ['numpy==1.0', false],
  ['pkg[extra]>=1,<2', false],
  ['pkg @ https://example.org/pkg.zip', false],
  ['git+https://example.org/pkg@main', false],
  ['--no-binary=:all:', false],
  ['-f https://example.org/links', false],
])('%s is local: %s', (line, local) => {
  expect(isLocal(line)).toBe(local);
});
