/** What the counters of a real workspace say when a disk is full, has no files left, or only seems to be full. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ExecResult, OpenOptions, Workspace } from '../../executors/deployment.ts';
import { lackOf } from '../../executors/lack.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

const SAYS = "echo 'OSError: [Errno 28] No space left on device' >&2; exit 1";
const ON_DISK: Partial<OpenOptions> = { storage: 'disk' };

const folder = temporaryFolder();
let mounted = 0;

/** A small disk; null where this process may not mount. */
function mountDisk(options: string): string | null {
  mounted += 1;
  const place = join(folder, `disk${mounted}`);
  mkdirSync(place);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', place]).status !== 0) return null;
  chmodSync(place, 0o755);
  onTestFinished(() => {
    execFileSync('umount', ['-l', place]);
  });
  return place;
}

const exec = (workspace: Workspace, command: string) => workspace.exec(command, { cwd: '/tmp', timeout: 60 });

async function ranIn(made: MadeSandbox, command: string, options: Partial<OpenOptions>): Promise<ExecResult> {
  return withWorkspace(
    made.deployment,
    async (workspace) => {
      const ran = await exec(workspace, command);
      if (!ran.ok) throw new Error(JSON.stringify(ran.fault));
      return ran.value;
    },
    options,
  );
}

describe.each(kinds)('counters of a sandbox $name', (kind) => {
  let made: MadeSandbox;
  beforeAll(async () => {
    made = await makeSandbox(kind);
  });
  afterAll(() => made.cleanup());

  test('show room for a program that only says that there is none', async () => {
    for (const storage of ['disk', 'memory'] as const) {
      const ran = await ranIn(made, SAYS, { storage, limits: { disk: 64 << 20 } });
      expect(ran.counters).toMatchObject({ disk: { isRefused: false }, memory: {}, processes: {} });
      expect(lackOf(ran)).toMatchObject({ kind: 'none', reason: 'disk-full' });
    }
  });

  test('are absent for what ended well', async () => {
    expect((await ranIn(made, 'true', {})).counters).toBeUndefined();
  });

  test('know the workspace’s own limit', async () => {
    const full = await ranIn(made, 'cat /dev/zero > /tmp/filler', { limits: { disk: 4 << 20 } });
    expect(full.counters!.disk).toMatchObject({ isRefused: true, isOwn: true });
    expect(lackOf(full)).toMatchObject({ kind: 'none' });
  });

  test('show no kill by a lack of memory for a program that ends itself', async () => {
    for (const command of ['kill -9 $$', 'bash -c "kill -9 \\$\\$"; exit $?'])
      expect(lackOf(await ranIn(made, command, {}))).toMatchObject({ kind: 'none' });
  });
});

/** A sandbox that writes to a small disk. */
async function onDisk(options: string, kind = kinds[0]!): Promise<MadeSandbox | null> {
  const stateFolder = mountDisk(options);
  if (stateFolder === null) return null;
  const made = await makeSandbox(kind, { stateFolder });
  onTestFinished(() => made.deployment.close());
  return made;
}

describe('a small disk of the machine', () => {
  const NO_MOUNT = 'a test of full disks needs the right to mount';

  test('that is full is a fault, whatever the command says', async ({ skip }) => {
    const made = await onDisk('size=24m');
    if (made === null) return skip(NO_MOUNT);
    await withWorkspace(
      made.deployment,
      async (workspace) => {
        const quiet = await exec(workspace, 'cat /dev/zero > filler 2> /dev/null');
        expect(quiet).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'disk-full' } });
        // What ends well needed no room.
        expect(await exec(workspace, 'rm filler')).toMatchObject({ ok: true });
        expect(await exec(workspace, 'exit 3')).toMatchObject({ ok: true, value: { exitCode: 3 } });
      },
      ON_DISK,
    );
  });

  test('that was full when it said so is a fault, though there is room when it ends', async ({ skip }) => {
    const made = await onDisk('size=24m');
    if (made === null) return skip(NO_MOUNT);
    await withWorkspace(
      made.deployment,
      async (workspace) => {
        const cleared = await exec(workspace, 'cat /dev/zero > filler; sleep 0.3; rm filler; exit 1');
        expect(cleared).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'disk-full' } });
      },
      ON_DISK,
    );
  });

  test('without files left is a fault', async ({ skip }) => {
    const made = await onDisk('size=64m,nr_inodes=3000');
    if (made === null) return skip(NO_MOUNT);
    await withWorkspace(
      made.deployment,
      async (workspace) => {
        const filled = await exec(workspace, 'for n in {1..9999}; do : > $n || exit 1; done 2> /dev/null');
        expect(filled).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'disk-full' } });
      },
      ON_DISK,
    );
  });
});
