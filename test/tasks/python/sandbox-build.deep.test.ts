/** The whole way of a build: a sandbox, the network only through the proxy, the settings of this machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildAllowList } from '../../../executors/proxy/allow-list.ts';
import type { ProxyLogEntry } from '../../../executors/proxy/exchange.ts';
import { startProxy } from '../../../executors/proxy/proxy.ts';
import { createSandbox } from '../../../executors/sandbox/sandbox.ts';
import { pythonProvider } from '../../../tasks/python/provider.ts';
import { buildSettings } from '../../../tasks/python/settings.ts';
import { packageIndex } from '../../../tasks/source/package-index.ts';
import { proxyFor } from '../../../tasks/source/proxy.ts';
import { treeLines } from '../../executors/fixture.ts';
import { unwrap } from '../../rig/unwrap.ts';
import { somePython, withEnvironment } from './build.ts';

let toolsFolder: string;
beforeAll(async () => {
  toolsFolder = await mkdtemp(join(tmpdir(), 'swemake-tools-'));
});
afterAll(() => rm(toolsFolder, { recursive: true, force: true }));

describe.each(['venv', 'uv'] as const)('%s in a sandbox', (kind) => {
  it('installs through the proxy and makes identical trees', { timeout: 240_000 }, async ({ skip }) => {
    const interpreter = (await somePython('3.11')) ?? (await somePython(null));
    if (interpreter === null) return skip();
    const parts = await pythonProvider(kind, { toolsFolder, index: packageIndex(process.env) }).prepare(
      interpreter,
    );
    if (!parts.ok) return skip(parts.fault.detail);
    const settings = buildSettings(process.env, 'proxy');
    const log: ProxyLogEntry[] = [];
    const proxy = await startProxy({
      allow: buildAllowList(settings.hosts),
      socketPath: join(toolsFolder, `${kind}.sock`),
      log: (entry) => log.push(entry),
      upstream: (url) => proxyFor(url, process.env),
    });
    const sandbox = (state: string) =>
      createSandbox({ name: 'box', stateFolder: state, runId: 'test', proxy });
    const probe = await sandbox(join(toolsFolder, 'probe'));
    if (!probe.ok) return skip(probe.fault.reason);
    await probe.value.close();
    const make = async (state: string) => {
      const made = await sandbox(state);
      if (!made.ok) throw new Error(made.fault.reason);
      return made.value;
    };
    const build = () =>
      withEnvironment(
        parts.value,
        async (workspace, run) => {
          await run(
            'printf \'[project]\\nname = "mine"\\nversion = "1"\\n\' > pyproject.toml; echo \'X = 1\' > mine.py',
          );
          await run(`${parts.value.installCommand} iniconfig==2.0.0`);
          await run(`${parts.value.installCommand} --no-build-isolation -e .`);
          expect(await run('cd / && python -c "import iniconfig, mine; print(mine.X)"')).toBe('1\n');
          return treeLines(join((await unwrap(workspace.changes())).folder, 'opt/env'));
        },
        make,
        'proxy',
      );
    try {
      const first = await build();
      expect(await build()).toEqual(first);
      expect(first.filter((line) => line.includes('uv_cache.json'))).toEqual([]);
      if (settings.hosts.length > 0) expect(log.some((entry) => entry.verdict === 'allowed')).toBe(true);
    } finally {
      await proxy.close();
    }
  });
});
