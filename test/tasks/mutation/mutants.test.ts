/** Mutants are made of the functions that a solution changes, whether it adds lines, moves them or takes them away. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../basics/package-root.ts';
import { success } from '../../../basics/result.ts';
import type { PlanReader } from '../../../contract/reader.ts';
import { type HOST_PYTHON, mutantsBy } from '../../../tasks/images/mutants-by.ts';

const SOLVED = [
  'def f(a, b):',
  '    x = a + 1',
  '    y = b - 2',
  '    if x > y:',
  '        return x',
  '    return y',
  '',
  '',
  'def g(a):',
  '    return a + 1',
  '',
].join('\n');

function functionsOf(before: string): string[] {
  const input = JSON.stringify({ files: [{ path: 'a.py', before, after: SOLVED }] });
  const argv = ['-I', join(packageRoot(), 'tasks/mutation/mutants.py'), 'list'];
  const listed = JSON.parse(execFileSync('python3', argv, { input, encoding: 'utf8' })) as {
    function: string;
  }[];
  return [...new Set(listed.map((one) => one.function))];
}

test.each([
  ['lines in another order', '    x = a + 1\n    y = b - 2\n', '    y = b - 2\n    x = a + 1\n'],
  ['a line less', '    if x > y:\n', '    x = 0\n    if x > y:\n'],
  ['another line', '    y = b - 2\n', '    y = b\n'],
  ['a line that the file has elsewhere', '    return y\n', '    return a + 1\n'],
])('%s', (_, solved, before) => {
  expect(functionsOf(SOLVED.replace(solved, before))).toEqual(['f']);
});

test('of a file without a change there are none', () => {
  expect(functionsOf(SOLVED)).toEqual([]);
});

test.each([
  [0, null],
  [3, expect.stringMatching(/^Python 3\.\d+/)],
])('with %d mutants asked for, the Python that makes them is in keys', async (mutants, version) => {
  const reader = {
    config: async () => mutants,
    ask: (kind: typeof HOST_PYTHON, about: null) => kind.answer(about, {} as never),
  } as unknown as PlanReader;
  expect(await mutantsBy(reader)).toEqual(success(version));
});
