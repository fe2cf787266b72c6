/** Snapshots of hidden tests say what these tests expect, so they are hidden with them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocal } from '../../../executors/local/local.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { diffOf, makeState } from './rig.ts';

const HIDDEN = [
  'pkg/tests/__snapshots__/test_core.ambr',
  'pkg/tests/__snapshots__/test_core/test_twice.json',
  'pkg/tests/__snapshots__/test_core.py.snap',
  'pkg/tests/snapshots/snap_test_core.py',
  'pkg/tests/snapshots/test_core/test_twice/out.txt',
  'pkg/tests/snapshots/test_core__twice.snap',
];
const SHOWN = [
  'pkg/tests/__snapshots__/test_other.ambr',
  'pkg/tests/snapshots/test_core_more.txt',
  'other/snapshots/test_core/out.txt',
];

test('snapshots of hidden tests are withheld, and those of others are not', async () => {
  const core = { 'pkg/core.py': 'def twice(n):\n    return 2 * n\n' };
  const deployment = await createLocal({ name: 'here', stateFolder: temporaryFolder(), runId: 'run' });
  const made = await makeState(
    {
      source: {
        ...core,
        'pkg/tests/test_core.py': 'def test_twice(): pass\n',
        ...Object.fromEntries([...HIDDEN, ...SHOWN].map((path) => [path, `${path}\n`])),
      },
      task: {
        patch: diffOf(core, { 'pkg/core.py': 'def twice(n):\n    return 3 * n\n' }),
        FAIL_TO_PASS: ['pkg/tests/test_core.py::test_twice'],
      },
    },
    deployment,
  );
  if (!made.ok) throw new Error(JSON.stringify(made.fault));
  const state = made.value;
  await deployment.close();
  const isThere = (path: string) => existsSync(join(state.tree, 'testbed', path));
  expect(HIDDEN.filter(isThere)).toEqual([]);
  expect(SHOWN.filter(isThere)).toEqual(SHOWN);
  expect(state.withheld.map(({ path }) => path).sort()).toEqual([...HIDDEN, 'pkg/tests/test_core.py'].sort());
});
