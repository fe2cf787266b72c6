/** Files that the steps of a build read: without one a step would do less than it has to, and call that its answer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fault, success } from '../../basics/result.ts';
import type { Tools } from '../../contract/tools.ts';
import { MANIFEST_DIFF } from '../../ecosystems/after-patch.ts';
import type { Deployment, Workspace } from '../../executors/deployment.ts';
import { infra } from '../../schemas/outcome.ts';
import { CONSTRAINTS, openBuild, type StepJob, withFiles } from '../../stages/environments/build-step.ts';
import { EMPTY_TREE } from '../../stages/environments/build-tree.ts';
import { EMPTY, kinds, type MadeSandbox, makeSandbox } from '../executors/sandbox-fixture.ts';

let sandbox: MadeSandbox;
beforeAll(async () => {
  sandbox = await makeSandbox(kinds[0]!);
});
afterAll(() => sandbox.cleanup());

const LOST = infra('workspace-lost', 'its process is gone');

/** Opens a build in the deployment, whose workspaces lose themselves when `path` is written. */
function opened(path: string | null) {
  const deployment: Deployment = {
    ...sandbox.deployment,
    async open(...args) {
      const real = await sandbox.deployment.open(...args);
      if (!real.ok) return real;
      const workspace = real.value;
      const write: Workspace['write'] = async (to, content) =>
        to === path ? fault(LOST) : workspace.write(to, content);
      return success(Object.create(workspace, { write: { value: write } }) as Workspace);
    },
  };
  const machine = { deployment: async () => success(deployment) };
  const tools = { machine, signal: new AbortController().signal } as unknown as Tools;
  const work = { deployment: 'box', limits: {}, network: 'off' };
  const job = { work, view: EMPTY, packages: ['a==1'], afterPatch: 'diff' } as unknown as StepJob;
  return openBuild(EMPTY_TREE, job, tools);
}

test('are there when a step begins', async () => {
  const workspace = await opened(null);
  if (!workspace.ok) throw new Error(workspace.fault.status);
  const ran = await workspace.value.exec(`cat ${CONSTRAINTS} ${MANIFEST_DIFF}`, { timeout: 60 });
  expect(ran).toMatchObject({ ok: true, value: { output: expect.stringMatching(/a==1\s+diff/) } });
  await workspace.value.close();
});

test.each([CONSTRAINTS, MANIFEST_DIFF])('no step begins without %s', async (path) => {
  expect(await opened(path)).toEqual(fault(LOST));
});

test('a workspace that does not take one is closed', async () => {
  const open = { limits: {}, network: 'off', storage: 'disk' } as const;
  const workspace = await sandbox.deployment.open(EMPTY, null, open);
  if (!workspace.ok) throw new Error(workspace.fault.detail);
  const taken = await withFiles(workspace.value, { '/tmp/a': 'a', '/proc/b': 'b' });
  expect(taken).toMatchObject({
    ok: false,
    fault: { status: 'infra', detail: expect.stringContaining('/proc/b') },
  });
  expect(await workspace.value.exec('true', { timeout: 60 })).toMatchObject({ ok: false });
});
