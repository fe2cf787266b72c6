/** Plain processes on a full disk: what fails there is no answer of the task. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocal } from '../../executors/local/local.ts';

test('a command that fails on a full disk is a fault', async ({ skip }) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'swemake-full-')));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return skip('a test of full disks needs the right to mount');
  }
  const deployment = await createLocal({ name: 'here', stateFolder: join(folder, 'state'), runId: 'r' });
  try {
    const view = { layers: [], mounts: [], links: {}, variables: {} };
    const options = { limits: {}, network: 'host', storage: 'disk' } as const;
    const opened = await deployment.open(view, null, options);
    if (!opened.ok) throw new Error(opened.fault.detail);
    const exec = (command: string) => opened.value.exec(command, { timeout: 20 });
    expect(await exec('exit 3')).toMatchObject({ ok: true, value: { exitCode: 3 } });
    const full = await exec('cat /dev/zero > filler');
    expect(full).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'disk-full' } });
    // What ends well needs no more room.
    expect(await exec('true')).toMatchObject({ ok: true });
  } finally {
    await deployment.close();
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});
