/** Each diff of docs/contributing.md applies to the sources. Deep tests apply each to a copy, and build and use what it adds. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { blockOfPage } from '../rig/contributing.ts';

const page = readFileSync(join(packageRoot(), 'docs/contributing.md'), 'utf8');
const headings = page
  .split(/^(?=## )/m)
  .filter((section) => section.includes('\n```diff\n'))
  .map((section) => section.slice('## '.length, section.indexOf('\n')));

test.each(headings)('%s', (heading) => {
  const check = spawnSync('git', ['apply', '--check', '-C1'], {
    cwd: packageRoot(),
    input: blockOfPage(heading, 'diff'),
    encoding: 'utf8',
  });
  expect(check).toMatchObject({ status: 0, stderr: '' });
});
