/** What an image says of variables, and a root that cannot be looked into. */
import { expect, test } from 'vitest';
import { success } from '../../../basics/result.ts';
import type { Workspace } from '../../../executors/deployment.ts';
import { inspectBase, rootVariables } from '../../../tasks/base/inspect.ts';

test('variables without a value, without a name and with odd values', () => {
  const env = ['BARE', '=x', 'A=b=c', 'LINES=a\nb', 'EMPTY=', 'HOME=/x', 'PATH=/bin'];
  expect(rootVariables({ env, user: '', workingFolder: '' }, null)).toEqual({
    A: 'b=c',
    LINES: 'a\nb',
    EMPTY: '',
    PATH: '/opt/env/bin:/bin',
    VIRTUAL_ENV: '/opt/env',
  });
});

test('a look that takes too long says nothing of the root', async () => {
  const workspace = {
    exec: async () => success({ exitCode: null, output: '', stdout: '', timedOut: true }),
  } as unknown as Workspace;
  expect(await inspectBase(workspace, null, '/bin', new AbortController().signal)).toMatchObject({
    ok: false,
    fault: { reason: 'helper' },
  });
});

test('a root without bash is told as one that lacks a tool', async () => {
  const output = 'bash: /bin/bash: No such file or directory\n';
  const workspace = { exec: async () => success({ exitCode: 126, output }) } as unknown as Workspace;
  expect(await inspectBase(workspace, null, '/bin', new AbortController().signal)).toMatchObject({
    ok: false,
    fault: { reason: 'tool-missing', detail: expect.stringContaining('no bash that works: bash: /bin/bash') },
  });
});
