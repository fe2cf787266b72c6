/** What writes while nobody waits for it gives up quietly on a full disk, and is there again afterwards. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LogFile } from '../../executors/process/log-file.ts';
import { createSandbox } from '../../executors/sandbox/sandbox.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { kinds } from './sandbox-fixture.ts';

test('the log of a process', () => {
  const log = new LogFile('/dev/full', 1024);
  log.append('what it says ');
  log.append('x'.repeat(600));
  expect(log.end().output).toMatch(/^what it says x+/);
});

test('the log of a process whose folder is removed meanwhile', () => {
  const folder = join(temporaryFolder(), 'logs');
  mkdirSync(folder);
  const log = new LogFile(join(folder, 'one.log'), 1024);
  log.append('what it says ');
  rmSync(folder, { recursive: true });
  for (let part = 0; part < 3; part += 1) log.append('x'.repeat(100_000));
  expect(log.end().output).toMatch(/^what it says x+/);
});

test.skipIf(kinds.length === 0)(
  'a sandbox that could not start is started by the next who opens one',
  async () => {
    const stateFolder = join(temporaryFolder(), 'state');
    writeFileSync(stateFolder, 'a file where a folder is needed');
    const made = await createSandbox({ name: 'box', stateFolder, runId: 'r' });
    if (!made.ok) throw new Error(made.fault.reason);
    const open = () =>
      made.value.open({ layers: [], mounts: [], links: {}, variables: {} }, null, {
        limits: {},
        network: 'off',
        storage: 'memory',
      });
    expect(await open()).toMatchObject({ ok: false, fault: { status: 'infra' } });
    rmSync(stateFolder);
    mkdirSync(stateFolder);
    const opened = await open();
    expect(opened.ok).toBe(true);
    if (opened.ok) await opened.value.close();
    await made.value.close();
  },
);
