/** The files of a source layer as the rules see them. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { taskFiles } from '../../grading/run/task-files.ts';
import { temporaryFolder } from '../rig/folder.ts';

test('lists what is not git’s, reads files, and follows links inside the repository only', async () => {
  const layer = temporaryFolder('swemake-files-');
  const root = join(layer, 'testbed');
  for (const folder of ['.git', 'ci/.git', 'empty']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, '.git/config'), '[core]\n');
  writeFileSync(join(root, 'ci/run.sh'), 'make test\n');
  writeFileSync(join(root, 'large'), 'x'.repeat(2 << 20));
  writeFileSync(join(layer, 'outside'), 'secret\n');
  const links = {
    run: 'ci/run.sh',
    'ci/up': '../run',
    out: '../outside',
    etc: '/etc/passwd',
    gone: 'nowhere',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  const files = await taskFiles(layer);
  expect([...files.paths].sort()).toEqual(['ci/run.sh', 'ci/up', 'etc', 'gone', 'large', 'out', 'run']);
  expect(['ci/run.sh', 'run', 'large', 'out', 'etc', 'gone', '.git/config', 'ci'].map(files.read)).toEqual([
    'make test\n',
    'make test\n',
    ...Array(6).fill(null),
  ]);
  expect(['run', 'ci/up', 'out', 'etc', 'ci/run.sh'].map(files.linked)).toEqual([
    'ci/run.sh',
    'run',
    null,
    null,
    null,
  ]);
  expect((await taskFiles(join(layer, 'none'))).paths.size).toBe(0);
});
