/** Files that the solution adds are taken out of installed packages, and other files under their names stay. */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocal } from '../../../executors/local/local.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { SITE } from './copies.ts';
import { diffOf, makeState } from './rig.ts';

test('of an added module a later version is gone, and another project’s module stays', async () => {
  const core = { 'pkg/__init__.py': 'VERSION = 1\n' };
  const lines = ['def twice(n):', '    return 2 * n', '', 'def thrice(n):', '    return 3 * n', ''];
  const added = lines.join('\n');
  const patch = diffOf(core, {
    'pkg/more.py': added,
    'tools/utils/__init__.py': added,
    'tests/__init__.py': '',
  });
  const deployment = await createLocal({ name: 'here', stateFolder: temporaryFolder(), runId: 'run' });
  const other = 'def load(path):\n    with open(path) as file:\n        return file.read()\n';
  const made = await makeState(
    {
      source: core,
      environment: {
        [`${SITE}/pkg/more.py`]: `"""Later."""\n${added}`,
        [`${SITE}/utils/__init__.py`]: other,
        [`${SITE}/tests/__init__.py`]: other,
      },
      task: { patch, patch_role: 'fix' },
    },
    deployment,
  );
  await deployment.close();
  if (!made.ok) throw new Error(JSON.stringify(made.fault));
  const { tree } = made.value;
  // A mark of overlayfs, or an empty file where none can be made.
  const isCovered = (path: string) => existsSync(join(tree, path)) && lstatSync(join(tree, path)).size === 0;
  expect(isCovered(`${SITE}/pkg/more.py`)).toBe(true);
  for (const name of ['utils', 'tests'])
    expect([name, isCovered(`${SITE}/${name}/__init__.py`)]).toEqual([name, false]);
});

test('a service that is made with a later release works, without the solution', async () => {
  const lines = [
    'def twice(n):',
    '    return 3 * n',
    '',
    'def half(n):',
    '    return n / 2',
    '',
    'def neg(n):',
    '    return -n',
    '',
  ];
  const core = lines.join('\n');
  const solved = core.replace('3 * n', '2 * n');
  const later = `${solved}\ndef more(n):\n    return n + 1\n`;
  const at = 'opt/env/services/web/lib/python3.11/site-packages/pkg/core.py';
  const deployment = await createLocal({ name: 'here', stateFolder: temporaryFolder(), runId: 'run' });
  const made = await makeState(
    {
      source: { 'pkg/core.py': core },
      environment: { [at]: later, [`${SITE}/pkg/core.py`]: later },
      task: { patch: diffOf({ 'pkg/core.py': core }, { 'pkg/core.py': solved }), patch_role: 'fix' },
    },
    deployment,
  );
  await deployment.close();
  if (!made.ok) throw new Error(JSON.stringify(made.fault));
  const textOf = (path: string) => readFileSync(join(made.value.tree, path), 'utf8');
  expect(textOf(at)).toBe(later.replace('2 * n', '3 * n'));
  expect(textOf(`${SITE}/pkg/core.py`)).toBe(core);
});
