/** Images of Multi-SWE-bench have the row's diffs in /home, with which their harness solves the task. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocal } from '../../../executors/local/local.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { diffOf, makeState } from './rig.ts';

test('files with the row’s diffs are gone', async () => {
  const core = { 'pkg/core.py': 'def twice(n):\n    return 3 * n\n' };
  const tests = {
    'tests/test_core.py': 'from pkg.core import twice\n\ndef test_twice():\n    assert twice(2) == 4\n',
  };
  const patch = diffOf(core, { 'pkg/core.py': 'def twice(n):\n    return 2 * n\n' });
  const test_patch = diffOf({}, tests);
  const deployment = await createLocal({ name: 'here', stateFolder: temporaryFolder(), runId: 'run' });
  const diffs = {
    'home/fix.patch': patch,
    'home/test.patch': test_patch.trimEnd(),
    'home/deep/er/a.diff': patch,
  };
  const made = await makeState(
    {
      source: core,
      environment: { ...diffs, 'home/other.patch': patch.replace('twice', 'thrice') },
      task: { patch, patch_role: 'fix', test_patch, FAIL_TO_PASS: ['tests/test_core.py::test_twice'] },
    },
    deployment,
  );
  await deployment.close();
  if (!made.ok) throw new Error(JSON.stringify(made.fault));
  const { tree } = made.value;
  // A mark of overlayfs, or an empty file where none can be made.
  const isCovered = (path: string) => existsSync(join(tree, path)) && lstatSync(join(tree, path)).size === 0;
  expect(Object.keys(diffs).filter((path) => !isCovered(path))).toEqual([]);
  expect(existsSync(join(tree, 'home/other.patch'))).toBe(false);
});
