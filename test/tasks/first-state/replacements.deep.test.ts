/**
 * No copy of the solution is left, whoever made it: found by content in all that an agent and a grader can read. The
 * same search over the layers themselves finds every one of them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../basics/package-root.ts';
import type { Deployment, Workspace } from '../../../executors/deployment.ts';
import { createLocal } from '../../../executors/local/local.ts';
import { type Kind, kinds, makeSandbox } from '../../executors/sandbox-fixture.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { unwrap } from '../../rig/unwrap.ts';
import { environmentWithCopies, SITE } from './copies.ts';
import { diffOf, type Files, type Opened, openState, type TaskFiles } from './rig.ts';

const PAD = '# a line that makes this file long enough to be told from any other one\n';
const SOLVED = `${PAD}def twice(n):\n    return 2 * n, "TOKEN-the-solution-TOKEN"\n`;
const TASK = `${PAD}def twice(n):\n    return 3 * n\n`;
const LATER = `${SOLVED}\n\ndef more():\n    return "TOKEN-the-solution-TOKEN"\n`;
const UTIL = `${PAD}def helps():\n    return "harmless"\n`;
const HIDDEN = `${PAD}def test_twice():\n    assert True\n`;

const SEARCH = readFileSync(join(packageRoot(), 'test/tasks/first-state/search.py'));

/** Places where the secret is found, below /opt and the repository. */
async function placesOf(workspace: Workspace, secret: string): Promise<string[]> {
  await unwrap(workspace.write('/tmp/search.py', SEARCH));
  await unwrap(workspace.write('/tmp/secret', secret));
  const ran = await workspace.exec('python3 /tmp/search.py /tmp/secret /opt/env /testbed', { timeout: 120 });
  if (!ran.ok) throw new Error(ran.fault.detail);
  expect([ran.value.exitCode, ran.value.stderr]).toEqual([0, '']);
  return ran.value.output.split('\n').filter((line) => line !== '');
}

const BACKUPS = ['src/pkg/core.py.orig', 'src/pkg/core.py~', 'attic/old.py'];
const REST: Files = {
  'src/pkg/__init__.py': '',
  'src/pkg/util.py': UTIL,
  'tests/test_core.py': HIDDEN,
  README: 'x\n',
};

function source(core: string): Files {
  return { 'src/pkg/core.py': core, ...REST, ...Object.fromEntries(BACKUPS.map((name) => [name, SOLVED])) };
}

const environment = environmentWithCopies(SOLVED, UTIL, LATER);
const FAIL_TO_PASS = ['tests/test_core.py::test_twice'];
const ROLES: [string, TaskFiles][] = [
  [
    'makes the bug',
    {
      source: source(SOLVED),
      environment,
      task: { patch: diffOf({ 'src/pkg/core.py': SOLVED }, { 'src/pkg/core.py': TASK }), FAIL_TO_PASS },
    },
  ],
  [
    'solves the task',
    {
      source: source(TASK),
      environment,
      task: {
        patch: diffOf({ 'src/pkg/core.py': TASK }, { 'src/pkg/core.py': SOLVED }),
        patch_role: 'fix',
        FAIL_TO_PASS,
      },
    },
  ],
];

const EVERYWHERE = [
  '/opt/env/bare/pkg/core.pyc',
  `/${SITE}/other/renamed.py`,
  `/${SITE}/pip/_vendor/pkg/core.py`,
  `/${SITE}/pkg-1.0.dist-info/RECORD`,
  `/${SITE}/pkg/__pycache__/core.cpython-311.opt-1.pyc`,
  `/${SITE}/pkg/__pycache__/core.cpython-311.pyc`,
  `/${SITE}/pkg/core.py`,
  `/${SITE}/sourceless/pkg/core.pyc`,
  '/opt/env/share/app.zip',
  '/opt/env/share/copy/pkg/core.py',
  '/opt/env/share/core.py.gz',
  '/opt/env/share/mirror.git',
  '/opt/env/share/outer.zip',
  '/opt/env/share/pkg.bundle',
  '/opt/env/src/packed/.git',
  '/opt/env/src/packed/src/pkg/core.py',
  '/opt/env/src/pkg/.git',
  '/opt/env/src/pkg/src/pkg/core.py',
  '/testbed/build/lib.linux-x86_64/pkg/core.py',
  '/testbed/build/lib/pkg/core.py',
  '/testbed/dist/pkg-1.0-py3-none-any.whl',
  '/testbed/dist/pkg-1.0-py3.11.egg',
  '/testbed/dist/pkg-1.0.tar',
  '/testbed/dist/pkg-1.0.tar.bz2',
  '/testbed/dist/pkg-1.0.tar.gz',
  '/testbed/dist/pkg-1.0.tar.xz',
];

const local: Kind = { name: 'by plain processes' };

describe.each([...kinds, local])('$name', (kind) => {
  let deployment: Deployment;
  let cleanup: () => Promise<void>;
  beforeAll(async () => {
    if (kind !== local) ({ deployment, cleanup } = await makeSandbox(kind));
    else {
      deployment = await createLocal({ name: 'here', stateFolder: temporaryFolder(), runId: 'run' });
      cleanup = () => deployment.close();
    }
  });
  afterAll(() => cleanup());

  describe.each(ROLES)('a patch that %s', (_role, task) => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await openState(task, deployment, kind);
    });
    afterAll(() => opened?.workspace.close());

    test('leaves no copy of the solution', async () => {
      expect(await placesOf(opened.workspace, SOLVED)).toEqual([]);
    });

    test('leaves the task’s own state where there was a copy that is imported', async () => {
      const { shell } = opened;
      const site = `/${SITE}`;
      for (const place of [site, `${site}/pip/_vendor`, '/opt/env/share/copy', '/testbed/build/lib'])
        expect(await shell(`cat ${place}/pkg/core.py`)).toBe(TASK);
      const run = (path: string) =>
        shell(
          `PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${path} python3 -c 'import pkg.core, pkg.util; print(pkg.core.twice(1), pkg.util.helps())'`,
        );
      for (const path of [
        site,
        `${site}/sourceless`,
        '/opt/env/bare',
        '/testbed/dist/pkg-1.0-py3.11.egg',
        '/opt/env/share/app.zip',
      ])
        expect([path, await run(path)]).toEqual([path, '3 harmless\n']);
    });

    test('leaves what has nothing to do with it', async () => {
      const { shell } = opened;
      expect(await shell(`cat /${SITE}/unrelated/core.py`)).toContain('another package');
      expect(await shell(`cat /${SITE}/pkg/util.py /testbed/src/pkg/util.py`)).toBe(UTIL + UTIL);
      const record = await shell(`cat /${SITE}/pkg-1.0.dist-info/RECORD`);
      expect(record).toContain(',sha256=');
      expect(await shell('git status --short; git log --oneline | wc -l')).toBe('1\n');
    });

    test('leaves a RECORD that is true', async () => {
      const check = [
        'import base64, csv, hashlib, os',
        `os.chdir("/${SITE}")`,
        'for name, digest, size in csv.reader(open("pkg-1.0.dist-info/RECORD")):',
        '    if digest:',
        '        data = open(name, "rb").read()',
        '        wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()',
        '        assert (digest, int(size)) == ("sha256=" + wanted, len(data)), name',
        '    else: assert os.path.exists(name), name',
      ];
      expect(await opened.shell(`python3 - <<'END'\n${check.join('\n')}\nEND`)).toBe('');
    });
  });

  test('the layers themselves show the solution at all of these places', async () => {
    const [, task] = ROLES[0]!;
    const bare = { ...task, task: {}, source: { README: 'x\n' } };
    const { workspace } = await openState(bare, deployment, kind);
    expect(await placesOf(workspace, SOLVED)).toEqual(EVERYWHERE);
    await workspace.close();
  });
});
