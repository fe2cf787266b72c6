/** The list of an environment's packages: one that was broken off is no list. */
import { expect, test } from 'vitest';
import type { ExecResult, Workspace } from '../../executors/deployment.ts';
import { listPackages } from '../../stages/environments/list-packages.ts';

function listOf(end: Partial<ExecResult>) {
  const ran = {
    exitCode: 0,
    exitSignal: null,
    stdout: 'a==1\n',
    output: '',
    timedOut: false,
    durationMs: 9,
    ...end,
  };
  const workspace = { exec: async () => ({ ok: true, value: ran }) } as unknown as Workspace;
  return listPackages(workspace, 'list', {});
}

test('a list is what the command says, also where there is no pip', async () => {
  expect(await listOf({})).toMatchObject({ ok: true, value: 'a==1\n' });
  expect(await listOf({ exitCode: 127, stdout: '' })).toMatchObject({ ok: true, value: '' });
});

test('one that did not end is a fault, and no environment without packages', async () => {
  expect(await listOf({ timedOut: true, exitCode: null, stdout: '', durationMs: 600_000 })).toMatchObject({
    ok: false,
    fault: { status: 'infra', reason: 'helper', detail: expect.stringContaining('within 600 s') },
  });
});
