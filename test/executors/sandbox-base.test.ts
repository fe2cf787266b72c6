/** Workspaces on a root of their own: what its layers show together, and nothing of the machine's own system. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BaseView, Deployment } from '../../executors/deployment.ts';
import { createLocal } from '../../executors/local/local.ts';
import { unpack } from '../../tasks/images/unpack.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { type TarEntry, tarOf } from '../rig/tar.ts';
import { makeTinyRoot } from '../rig/tiny-root.ts';
import { EMPTY, giveTo, kinds, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

const UPPER: TarEntry[] = [
  { name: 'etc/.wh.gone' },
  { name: 'var/opaque/', type: '5', mode: 0o755 },
  { name: 'var/opaque/.wh..wh..opq' },
  { name: 'var/opaque/new', content: 'new\n' },
  { name: 'opt/su', content: '#!/bin/bash\n', mode: 0o4755 },
  { name: 'opt/brought/bin/hello', content: '#!/bin/bash\necho hello\n', mode: 0o755 },
  { name: 'opt/way', type: '2', link: '../opt/brought' },
  { name: 'opt/out', type: '2', link: '../../../../opt/brought' },
  { name: 'testbed/kept', content: 'kept\n' },
  { name: 'testbed/.git/config', content: 'theirs\n' },
  // Where the machine has something, and links that would lead there.
  { name: 'tmp', type: '2', link: '/etc' },
  { name: 'proc', type: '2', link: '/etc' },
];

describe.each(kinds)('a root of its own, $name', (kind) => {
  const folder = temporaryFolder();
  let deployment: Deployment;
  let cleanup: () => Promise<void>;
  let base: BaseView;

  beforeAll(async () => {
    await chmod(folder, 0o755);
    const tiny = join(folder, 'tiny');
    makeTinyRoot(tiny);
    writeFileSync(join(tiny, 'etc/gone'), 'was here\n');
    mkdirSync(join(tiny, 'var/opaque'), { recursive: true });
    writeFileSync(join(tiny, 'var/opaque/old'), 'old\n');
    const bytes = tarOf(UPPER);
    const blob = join(folder, 'upper.tar');
    writeFileSync(blob, bytes);
    const into = join(folder, 'upper');
    await mkdir(into);
    const request = { blob: { path: blob, offset: 0, size: bytes.length }, digest: null, diffId: null, into };
    const made = await unpack(request, process.env, new AbortController().signal);
    expect(made.ok).toBe(true);
    await giveTo(kind, folder);
    base = { layers: [tiny, join(into, 'tree')], testbed: false, place: null };
    ({ deployment, cleanup } = await makeSandbox(kind));
  });
  afterAll(() => cleanup?.());

  const run = (command: string, view: Partial<BaseView> = {}, options = {}) =>
    withWorkspace(
      deployment,
      async (workspace) => {
        const ran = await workspace.exec(command, { cwd: '/', timeout: 20 });
        if (!ran.ok) throw new Error(ran.fault.detail);
        return ran.value.output.trim();
      },
      options,
      { base: { ...base, ...view }, variables: { PATH: '/bin' } },
    );

  test('shows its layers over each other', async () => {
    expect(await run('cat /etc/tiny-release; ls /var/opaque; ls -d /etc/gone 2>&1')).toMatch(
      /^tiny\nnew\nls: cannot access/,
    );
    // The owner that the fixture gives its files takes the bit away.
    if (kind.user === undefined) expect(await run('stat -c %a /opt/su')).toBe('4755');
  });

  test('shows nothing of the system of the machine', async () => {
    expect(await run('ls /usr')).toBe('bin');
    expect(await run('ls -d /usr/share /usr/lib/python3 /etc/ssl /bin/git 2>/dev/null; true')).toBe('');
    const mounts = await run('cat /proc/self/mounts');
    expect(mounts).not.toMatch(/ \/(?:usr|bin|lib\S*) /);
  });

  test('has folders of ours where it has links', async () => {
    expect(await run('[ -L /tmp ] || [ -L /proc ] || echo folders; touch /tmp/x && ls /tmp; id -u')).toBe(
      'folders\nx\n0',
    );
  });

  test('whose bash was removed says so', async () => {
    const output = await withWorkspace(
      deployment,
      async (workspace) => {
        const options = { cwd: '/', timeout: 20 };
        await workspace.exec('rm /bin/bash', options);
        const ran = await workspace.exec('true', options);
        const lost = await workspace.exec('true', { ...options, cwd: '/nowhere' });
        return ran.ok && lost.ok ? [ran.value.exitCode, ran.value.output, lost.value.output] : [];
      },
      {},
      { base, variables: { PATH: '/bin' } },
    );
    expect(output).toEqual([
      126,
      'bash: /bin/bash: No such file or directory\n',
      'bash: cd: /nowhere: No such file or directory\n',
    ]);
  });

  test('is not changed by what is done in it', async () => {
    await run('rm -r /var/opaque; echo x > /etc/tiny-release; mkdir /usr/local');
    expect(await run('cat /etc/tiny-release /var/opaque/new; ls /usr')).toContain('tiny\nnew');
  });

  test('hides its own repository unless it is asked for', async () => {
    expect(await run('ls -a /testbed')).toBe('.\n..');
    expect(await run('ls -a /testbed', { testbed: true })).toBe('.\n..\n.git\nkept');
  });

  test('shows the environment that it brings where environments are', async () => {
    for (const place of ['/opt/brought', '/opt/way', '/opt/out'])
      expect(await run('/opt/env/bin/hello', { place })).toBe('hello');
    expect(await run('echo x > /opt/brought/both; cat /opt/env/both', { place: '/opt/brought' })).toBe('x');
  });

  test('shows the same where layers are copied', async () => {
    const made = await makeSandbox(kind, { layering: 'copy' });
    try {
      const output = await withWorkspace(
        made.deployment,
        async (workspace) => {
          const ran = await workspace.exec('cat /etc/tiny-release; ls /var/opaque /testbed; ls /etc/gone', {
            cwd: '/',
            timeout: 20,
          });
          return ran.ok ? ran.value.output : ran.fault.detail;
        },
        {},
        { base, variables: { PATH: '/bin' } },
      );
      expect(output).toMatch(/^tiny\n\/testbed:\n\n\/var\/opaque:\nnew\nls: cannot access/);
    } finally {
      await made.cleanup();
    }
  });

  test('goes beside workspaces on the system of the machine', async () => {
    for (let round = 0; round < 4; round += 1) {
      expect(await run('ls -d /usr/share 2>&1')).toContain('cannot access');
      const host = await withWorkspace(deployment, async (workspace) => {
        const ran = await workspace.exec('ls -d /usr/share', { cwd: '/', timeout: 20 });
        return ran.ok ? ran.value.output.trim() : '';
      });
      expect(host).toBe('/usr/share');
    }
  });
});

test('plain processes have none, and say so', async () => {
  const stateFolder = temporaryFolder();
  const local = await createLocal({ name: 'plain', stateFolder, runId: 'test' });
  const base = { layers: [], testbed: false, place: null };
  const opened = await local.open({ ...EMPTY, base }, null, {
    limits: {},
    network: 'host',
    storage: 'memory',
  });
  expect(opened).toMatchObject({ ok: false, fault: { status: 'config', reason: 'deployment' } });
});
