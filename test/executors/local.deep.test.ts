/** The local executor: the deployment contract, and what it promises beyond. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deployment, EnvironmentView, OpenOptions, Workspace } from '../../executors/deployment.ts';
import { processesOf } from '../../executors/local/kill.ts';
import { createLocal } from '../../executors/local/local.ts';
import { sweepLocal } from '../../executors/local/sweep.ts';
import { unwrap } from '../rig/unwrap.ts';
import { describeDeploymentContract, run } from './contract.ts';
import { CANARY, treeLines, writeTree } from './fixture.ts';

describeDeploymentContract('local', async () => {
  const state = await mkdtemp(join(tmpdir(), 'swemake-local-'));
  const deployment = await createLocal({ name: 'local', stateFolder: state, runId: 'test' });
  return {
    deployment,
    cleanup: async () => {
      await deployment.close();
      await rm(state, { recursive: true, force: true });
    },
  };
});

const EMPTY: EnvironmentView = { layers: [], mounts: [], links: {}, variables: {} };

describe('local', () => {
  let folder: string;
  let state: string;
  let deployment: Deployment;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'swemake-local-')));
    state = join(folder, 'state');
    deployment = await createLocal({
      name: 'here',
      stateFolder: state,
      runId: 'run-1',
      proxyUrl: 'http://p:1',
    });
  });
  afterEach(async () => {
    await deployment.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(
    view: Partial<EnvironmentView> = {},
    options: Partial<OpenOptions> = {},
  ): Promise<Workspace> {
    const opened = await deployment.open({ ...EMPTY, ...view }, null, {
      limits: {},
      network: 'host',
      storage: 'disk',
      ...options,
    });
    if (!opened.ok) throw new Error(opened.fault.detail);
    return opened.value;
  }

  it('says that it is no sandbox', () => {
    expect(deployment).toMatchObject({ name: 'here' });
    expect(deployment.warnings().join('\n')).toMatch(/isolation[\s\S]*network[\s\S]*limits/);
  });

  it('never shows where a workspace really lies', async () => {
    const workspace = await open({ variables: { PATH: '/opt/env/bin:/usr/bin:/bin', CONFIG: '/opt/env/x' } });
    const show =
      'pwd; echo $CONFIG $HOME $TMPDIR $PATH; cd /; pwd; ls -d /testbed /no/such >&2; cat /testbed/none';
    const result = await run(workspace, show);
    expect(result.output).not.toContain(folder);
    expect(result.stdout).toContain('/testbed\n/opt/env/x /tmp/home /tmp /opt/env/bin:/usr/bin:/bin\n');
    expect(result.stderr).toContain('/testbed/none');
  });

  it('relocates scripts that are written, and nothing else', async () => {
    const workspace = await open();
    await unwrap(
      workspace.write('/testbed/run.sh', '#!/bin/bash\ncd /testbed && pwd && ls /testbed\n', 0o755),
    );
    await unwrap(workspace.write('/testbed/data.txt', 'see /testbed\n'));
    expect((await run(workspace, './run.sh')).stdout).toBe('/testbed\ndata.txt\nrun.sh\n');
    expect((await run(workspace, 'wc -c < data.txt')).stdout.trim()).toBe('13');
    expect(Buffer.from((await unwrap(workspace.read('/testbed/run.sh')))!).toString()).toContain(
      'cd /testbed && pwd',
    );
  });

  it('captures with inside paths, and brings them back on opening', async () => {
    const first = await open();
    const make = [
      'mkdir -p /opt/env/bin /opt/env/lib/python3.11/site-packages/m-1.dist-info; cd /opt/env',
      'printf "#!/bin/sh\\necho /opt/env/data; cat /opt/env/data\\n" > bin/tool; chmod +x bin/tool; echo data > data',
      'echo /testbed/src > lib/python3.11/site-packages/m.pth',
      'echo \'{"url": "file:///testbed"}\' > lib/python3.11/site-packages/m-1.dist-info/direct_url.json',
      'hash=$(sha256sum bin/tool | cut -c1-10)',
      'echo "../../../bin/tool,sha256=$hash,99" > lib/python3.11/site-packages/m-1.dist-info/RECORD',
      'ln -s /opt/env/data link; printf "\\000$PWD/x.py" > lib/x.pyc; echo "# $PWD" > lib/y.py',
    ].join('\n');
    expect(await run(first, make)).toMatchObject({ exitCode: 0, stderr: '' });
    const layer = join(folder, 'layer');
    const { folder: changes } = await unwrap(first.changes());
    const text = (path: string) => readFile(join(changes, 'opt/env', path), 'utf8');
    expect(await text('bin/tool')).toBe('#!/bin/sh\necho /opt/env/data; cat /opt/env/data\n');
    expect(await text('lib/python3.11/site-packages/m.pth')).toBe('/testbed/src\n');
    expect(await text('lib/y.py')).toBe('# /opt/env\n');
    expect(await text('lib/x.pyc')).toMatch(/^\0\/+opt\/env\/x\.py$/);
    expect(await text('lib/python3.11/site-packages/m-1.dist-info/RECORD')).toMatch(
      /,sha256=[\w-]{43},48\n$/,
    );
    expect(await treeLines(changes)).toContain('opt/env/link -> /opt/env/data');
    await cp(changes, layer, { recursive: true, verbatimSymlinks: true });
    await first.close();

    const second = await open({ layers: [layer] });
    expect((await run(second, '/opt/env/bin/tool; cat /opt/env/link')).stdout).toBe(
      '/opt/env/data\ndata\ndata\n',
    );
    expect(
      (
        await run(
          second,
          'p=$(cat /opt/env/lib/python3.11/site-packages/m.pth); [ -d "${p%/src}" ] && echo real',
        )
      ).stdout,
    ).toBe('real\n');
    expect(await readdir((await unwrap(second.changes())).folder)).toEqual([]);
  });

  it('stays inside when a link leads out by a host path', async () => {
    const outside = await realpath(await mkdtemp('/var/tmp/swemake-outside-'));
    try {
      await writeFile(join(outside, 'canary'), CANARY);
      const workspace = await open();
      await run(
        workspace,
        `ln -s '${outside}' out; ln -s '${outside}/canary' file; ln -s '${outside}/new' dangling`,
      );
      for (const path of ['out/pwned', 'file', 'dangling', 'out/deep/er'])
        expect(await workspace.write(`/testbed/${path}`, 'pwned')).toMatchObject({
          fault: { status: 'refused', detail: expect.stringMatching(/leads out of the workspace/) },
        });
      expect(await unwrap(workspace.read('/testbed/out/canary'))).toBeNull();
      expect(await unwrap(workspace.read('/testbed/file'))).toBeNull();
      expect(await readdir(outside)).toEqual(['canary']);
      expect(await readFile(join(outside, 'canary'), 'utf8')).toBe(CANARY);
    } finally {
      await rm(outside, { recursive: true, force: true });
    }
  });

  it('refuses a mount inside of another one instead of changing the host', async () => {
    const host = join(folder, 'host');
    await writeTree(host, { 'sub/file': 'keep' });
    const mounts = [
      { from: host, to: '/opt/a' },
      { from: folder, to: '/opt/a/sub' },
    ];
    const opened = await deployment.open({ ...EMPTY, mounts }, null, {
      limits: {},
      network: 'host',
      storage: 'memory',
    });
    expect(opened).toMatchObject({ ok: false, fault: { reason: 'machine' } });
    expect(await readFile(join(host, 'sub/file'), 'utf8')).toBe('keep');
    expect(await readdir(state)).toEqual([]);
  });

  it('leaves nothing behind, processes and forbidden folders included', async () => {
    const workspace = await open();
    await run(
      workspace,
      '(setsid sleep 300 >/dev/null 2>&1 &); mkdir -p a/b; touch a/b/c; chmod 000 a/b; chmod 500 a',
    );
    await workspace.close();
    expect(await readdir(state)).toEqual([]);
    expect(processesOf(workspace.id, join(state, workspace.id))).toEqual([]);
  });

  it('bounds memory and file size', async () => {
    const workspace = await open({}, { limits: { memory: 512 << 20, disk: 1 << 20 } });
    expect((await run(workspace, 'head -c 2000000 /dev/zero > big; wc -c < big')).stdout.trim()).toBe(
      '1048576',
    );
    expect((await run(workspace, 'ulimit -v')).stdout.trim()).toBe(String(512 << 10));
  });

  it('sets the proxy only in that mode', async () => {
    const show = 'echo "$HTTPS_PROXY $http_proxy"';
    expect((await run(await open({}, { network: 'proxy' }), show)).stdout).toBe('http://p:1 http://p:1\n');
    expect((await run(await open({}, { network: 'host' }), show)).stdout).toBe(' \n');
  });

  it('keeps links to hidden host paths out when the path is there', async () => {
    await mkdir(join(folder, 'prefix'));
    const workspace = await open({ links: { [join(folder, 'prefix')]: '/opt/env' } });
    expect(existsSync(join(state, workspace.id, folder))).toBe(false);
  });

  it('sweeps what dead runs left, and nothing of living ones', async ({ skip }) => {
    if (process.platform !== 'linux') return skip('needs /proc');
    const living = await open();
    const id = 'feedfacefeedface';
    await writeTree(join(state, id), { 'testbed/x': 'x' });
    const orphan = spawn('sleep', ['300'], {
      env: { SWEMAKE_WORKSPACE: id },
      detached: true,
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => orphan.once('exit', (_, signal) => resolve(signal)));
    await writeFile(join(state, `${id}.owner`), '1-1-n1-00000000-0000-0000-0000-000000000000\nrun-0\n');
    expect(await sweepLocal(state)).toEqual([id]);
    expect(await ended).toBe('SIGKILL');
    expect((await readdir(state)).sort()).toEqual([living.id, `${living.id}.owner`].sort());
    expect((await run(living, 'echo alive')).stdout).toBe('alive\n');
  });
});
