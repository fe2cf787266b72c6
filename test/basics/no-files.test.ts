/** A process with too many files open cannot look. What it looks at is not gone, dead or damaged because of that. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { success } from '../../basics/result.ts';
import { makeOnce } from '../../tasks/python/whole-folder.ts';
import { buildWorker } from '../faults/program.ts';
import { temporaryFolder } from '../rig/folder.ts';

const folder = temporaryFolder();
const program = buildWorker('test/basics/no-files-program.ts');
afterAll(() => rmSync(program));

test('each look fails with the error of the machine', async () => {
  const made = await makeOnce(join(folder, 'tool'), async (into) => {
    await mkdir(join(into, 'bin'));
    writeFileSync(join(into, 'bin/tool'), 'x');
    return success(undefined);
  });
  if (!made.ok) throw new Error(made.fault.detail);
  const script = 'ulimit -n 256 && exec "$0" "$@"';
  const end = spawnSync('sh', ['-c', script, process.execPath, program, made.value], {
    encoding: 'utf8',
  });
  const { before, after } = JSON.parse(end.stdout) as Record<'before' | 'after', Record<string, unknown>>;
  expect(before).toEqual({
    'a process that runs': true,
    'a file of the system': true,
    'names in a folder': true,
    'a tool that is whole': false,
  });
  expect(new Set(Object.values(after))).toEqual(new Set(['EMFILE']));
});
