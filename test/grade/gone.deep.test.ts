/** A workspace that goes while grading works in it: no verdict, whatever was being read or written. */
import { afterAll, describe, expect, test } from 'vitest';
import { fault, success } from '../../basics/result.ts';
import type { Deployment, Workspace } from '../../executors/deployment.ts';
import { runCheck } from '../../grading/run/check.ts';
import { infra } from '../../schemas/outcome.ts';
import { diffOf, GradedTask, gradingSandbox, pytestLayer, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

/** It is made and put back: it leads to what decides the tests. */
const LINK =
  'diff --git a/pkg/alias b/pkg/alias\nnew file mode 120000\n--- /dev/null\n+++ b/pkg/alias\n@@ -0,0 +1 @@\n+../tests\n\\ No newline at end of file\n';

/** The deployment, with workspaces that are lost when the file `chooses` names is read or written. */
function losing(deployment: Deployment, chooses: (path: string) => boolean): Deployment {
  return {
    ...deployment,
    async open(...args) {
      const opened = await deployment.open(...args);
      if (!opened.ok) return opened;
      const workspace = opened.value;
      const lost = fault(infra('killed', 'process 1 ended'));
      const wrapped: Workspace = Object.create(workspace, {
        read: {
          value: async (path: string) => (chooses(path) ? lost : workspace.read(path)),
        },
        write: {
          value: async (...given: Parameters<Workspace['write']>) =>
            chooses(given[0]) ? lost : workspace.write(...given),
        },
      });
      return success(wrapped);
    },
  };
}

describe.skipIf(box === null)('no verdict comes of a workspace that is gone', () => {
  test.each([
    ['while the witness is placed', 'witness.py'],
    ['while its record is read', 'record-0'],
    ['while what it was given is read', '/pool'],
    ['while watched files are read', 'tests/test_core.py'],
    ['while a patch is written', '.swemake-apply/patch'],
    ['while the names of the patch are written', '.swemake-names'],
    ['while changed files are read', '.swemake-tree/changes'],
    ['while links are read', '.swemake-tree/targets'],
    ['while files to put back are written', '.swemake-tree/restore'],
  ])('%s', async (_when, file) => {
    const task = new GradedTask(box!.deployment, environment!);
    const diff = diffOf({ ...SOLUTION, 'tests/test_core.py': 'x = 1\n', 'tests/new.py': 'x = 1\n' }) + LINK;
    let chosen = 0;
    const chooses = (path: string) => path.endsWith(file) && ++chosen > 0;
    const setup = { ...task.setup, deployment: losing(box!.deployment, chooses) };
    const ran = await runCheck(setup, 'patch', { title: 'patch', diff, role: 'apply' });
    expect(ran).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'killed' } });
    expect(chosen).toBe(1);
  });
});
