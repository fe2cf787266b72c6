import { expect, test } from 'vitest';
import { notFoundIn } from '../../../tasks/index/not-found.ts';

const found = (output: string, ...asked: string[]) =>
  notFoundIn(output, (project) => asked.includes(project));

test.each([
  // pip
  [
    'ERROR: Could not find a version that satisfies the requirement Foo_Bar==2.0 (from versions: 1.0)\nERROR: No matching distribution found for Foo_Bar==2.0',
    [{ project: 'foo-bar', version: '2.0' }],
  ],
  [
    'ERROR: Could not find a version that satisfies the requirement foo-bar (from versions: none)',
    [{ project: 'foo-bar', version: null }],
  ],
  [
    'No matching distribution found for foo-bar[extra]>=2,<3 (from other->-r req.txt (line 2))',
    [{ project: 'foo-bar', version: null }],
  ],
  ['No matching distribution found for foo-bar==2.*', [{ project: 'foo-bar', version: null }]],
  // setuptools
  [
    "error: Could not find suitable distribution for Requirement.parse('foo-bar==2.0')",
    [{ project: 'foo-bar', version: '2.0' }],
  ],
  ['No local packages or working download links found for foo-bar', [{ project: 'foo-bar', version: null }]],
  // uv
  [
    '  ╰─▶ Because foo-bar was not found in the package registry and you require foo-bar, we can conclude',
    [{ project: 'foo-bar', version: null }],
  ],
  [
    '  ╰─▶ Because there is no version of foo-bar==2.0 and you require foo-bar==2.0, we can conclude that',
    [{ project: 'foo-bar', version: '2.0' }],
  ],
  [
    '  ╰─▶ Because only foo-bar<=1.0 is available and you require foo-bar>=2, we can conclude that',
    [{ project: 'foo-bar', version: null }],
  ],
])('%s', (output, wanted) => {
  expect(found(output, 'foo-bar', 'pip', 'other-thing')).toEqual(wanted);
});

test('only projects that were asked for count, and only lines in which something is not found', () => {
  expect(found('ERROR: No matching distribution found for foo==2.0', 'bar')).toEqual([]);
  expect(found('Collecting foo==2.0\nerror: command gcc failed', 'foo', 'gcc')).toEqual([]);
  expect(found('foo: command not found\nModuleNotFoundError: No module named foo', 'foo')).toEqual([]);
});
