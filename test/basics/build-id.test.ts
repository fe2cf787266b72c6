/** The name of the running code: what a build remembers is not taken for what other code would remember. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { sourceFiles } from '../../basics/build-id.ts';
import { packageRoot } from '../../basics/package-root.ts';

test('it is made of all files with code', () => {
  const tracked = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.py', '*.json'],
    {
      cwd: packageRoot(),
      encoding: 'utf8',
    },
  );
  const isCode = (path: string) =>
    path !== '' && path.includes('/') && !/^(?:test|bench|scripts|projects|docs)\//.test(path);
  const wanted = tracked.split('\n').filter((path) => isCode(path));
  const known = new Set(sourceFiles(packageRoot()));
  expect(wanted.filter((path) => !known.has(path))).toEqual([]);
  expect([...known].filter((path) => /node_modules|__pycache__|(?:^|\/)\./.test(path))).toEqual([]);
});
