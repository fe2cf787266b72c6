/** Providers: environments that work, and that are the same bytes each time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interpreter } from '../../../tasks/python/interpreter.ts';
import { type ProviderKind, pythonProvider } from '../../../tasks/python/provider.ts';
import { packageIndex } from '../../../tasks/source/package-index.ts';
import { treeLines } from '../../executors/fixture.ts';
import { unwrap } from '../../rig/unwrap.ts';
import { somePython, withEnvironment } from './build.ts';

const WAIT = 240_000;

let toolsFolder: string;
beforeAll(async () => {
  toolsFolder = await mkdtemp(join(tmpdir(), 'swemake-tools-'));
});
afterAll(() => rm(toolsFolder, { recursive: true, force: true }));

async function prepared(kind: ProviderKind, interpreter: Interpreter) {
  const provider = pythonProvider(kind, { toolsFolder, index: packageIndex(process.env) });
  const result = await provider.prepare(interpreter);
  if (result.ok) return result.value;
  if (result.fault.reason !== 'network' && result.fault.reason !== 'package-index')
    throw new Error(result.fault.detail);
  console.log(`skipped: ${result.fault.detail}`);
  return null;
}

describe.each(['venv', 'uv'] as const)('%s', (kind) => {
  it('makes identical trees, compiled files included', { timeout: WAIT }, async ({ skip }) => {
    const interpreter = (await somePython('3.11')) ?? (await somePython(null));
    const parts = interpreter && (await prepared(kind, interpreter));
    if (parts === null) return skip();
    const build = () =>
      withEnvironment(parts, async (workspace, run) => {
        await run(`${parts.installCommand} iniconfig==2.0.0 pluggy==1.5.0`);
        return treeLines(join((await unwrap(workspace.changes())).folder, 'opt/env'));
      });
    const first = await build();
    const compiled = first.filter((line) => line.includes('.pyc '));
    expect(compiled.length).toBeGreaterThan(300);
    expect(first.some((line) => line.includes('pluggy/__pycache__/'))).toBe(true);
    expect(await build()).toEqual(first);
  });

  it('gives an environment that works', { timeout: WAIT }, async ({ skip }) => {
    const interpreter = await somePython('3.11');
    const parts = interpreter && (await prepared(kind, interpreter));
    if (parts === null) return skip();
    await withEnvironment(parts, async (workspace, run) => {
      expect(await run('command -v python pip')).toBe('/opt/env/bin/python\n/opt/env/bin/pip\n');
      const facts = 'import sys; print(sys.prefix, sys.base_prefix, sys.version.split()[0])';
      expect((await run(`python -c '${facts}'`)).trim()).toMatch(
        new RegExp(`^/opt/env (?!/opt/env)\\S+ ${interpreter!.version}$`),
      );
      expect(await run('python -m pip --version')).toContain('pip 24.0 from /opt/env/lib/');
      expect(await run(parts.listCommand)).toMatch(/^setuptools==68\.0\.0$/m);
      await run(
        'printf \'[project]\\nname = "mine"\\nversion = "1"\\n\' > pyproject.toml; echo \'X = 1\' > mine.py',
      );
      await run(`${parts.installCommand} --no-build-isolation -e .`);
      expect(await run('cd / && python -c "import mine; print(mine.__file__)"')).toBe('/testbed/mine.py\n');
      expect(await run('head -1 /opt/env/bin/pip')).toMatch(/^#!\/opt\/env\/bin\/python3?\n/);
      const { folder: changes } = await unwrap(workspace.changes());
      const lines = await treeLines(changes);
      expect(
        lines.some((line) => line.startsWith('testbed/mine.egg-info/') || line.includes('mine-1.dist-info')),
      ).toBe(true);
    });
  });

  it('serves the oldest and the newest Python that are here', { timeout: WAIT }, async ({ skip }) => {
    let tried = 0;
    for (const version of ['3.8', '3.13']) {
      const interpreter = await somePython(version);
      const parts = interpreter && (await prepared(kind, interpreter));
      if (parts === null) continue;
      tried++;
      const output = await withEnvironment(parts, (_, run) => run('python -m pip --version'));
      expect(output).toContain(`(python ${version})`);
    }
    if (tried === 0) skip();
  });
});

describe('a project by uv', () => {
  const INSTALLER = 'cat /opt/env/lib/python*/site-packages/mine-1.dist-info/INSTALLER';

  it('is installed the same each time, and compiled', { timeout: WAIT }, async ({ skip }) => {
    const interpreter = await somePython('3.11');
    const parts = interpreter && (await prepared('uv', interpreter));
    if (parts === null) return skip();
    const build = () =>
      withEnvironment(parts, async (workspace, run) => {
        await run(
          'printf \'[project]\\nname = "mine"\\nversion = "1"\\n\' > pyproject.toml; echo \'X = 1\' > mine.py',
        );
        await run(`${parts.projectCommand} --no-build-isolation .`);
        expect((await run(INSTALLER)).trim()).toBe('uv');
        return treeLines(join((await unwrap(workspace.changes())).folder, 'opt/env'));
      });
    const first = await build();
    expect(first.some((line) => line.includes('site-packages/__pycache__/mine.'))).toBe(true);
    expect(await build()).toEqual(first);
  });

  it('keeps nothing that its builder compiled in the project', { timeout: WAIT }, async ({ skip }) => {
    const interpreter = await somePython('3.11');
    const parts = interpreter && (await prepared('uv', interpreter));
    if (parts === null) return skip();
    const compiled = 'find /testbed -name "*.pyc" -printf "%p %s\\n"';
    const build = (brought: string) =>
      withEnvironment(parts, async (_, run) => {
        await run(
          'printf \'[build-system]\\nrequires = []\\nbuild-backend = "setuptools.build_meta"\\n[project]\\nname = "mine"\\nversion = "1"\\n\' > pyproject.toml',
        );
        await run(`echo 'X = 1' > mine.py; ${brought}`);
        const setup =
          'import sys; sys.path.insert(0, "."); import mine; from setuptools import setup; setup()';
        await run(`echo '${setup}' > setup.py`);
        await run(`${parts.projectCommand} --no-build-isolation -e .`);
        expect((await run(INSTALLER)).trim()).toBe('uv');
        expect(await run('cd / && python -c "import mine; print(mine.__file__)"')).toBe('/testbed/mine.py\n');
        return run(compiled);
      });
    expect(await build(':')).toBe('');
    expect(await build('mkdir __pycache__; echo old > __pycache__/mine.cpython-311.pyc')).toBe(
      '/testbed/__pycache__/mine.cpython-311.pyc 4\n',
    );
  });

  it('is left to pip without a pyproject.toml', { timeout: WAIT }, async ({ skip }) => {
    const interpreter = await somePython('3.11');
    const parts = interpreter && (await prepared('uv', interpreter));
    if (parts === null) return skip();
    await withEnvironment(parts, async (_, run) => {
      const setup = 'from setuptools import setup; setup(name="mine", version="1", py_modules=["mine"])';
      await run(`echo '${setup}' > setup.py; echo 'X = 1' > mine.py`);
      await run(`${parts.projectCommand} -e .`);
      expect(await run('cat /opt/env/lib/python*/site-packages/easy-install.pth')).toContain('/testbed');
    });
  });

  it('compiles what took the place of another version, and nothing twice', { timeout: WAIT }, async ({
    skip,
  }) => {
    const interpreter = await somePython('3.11');
    const parts = interpreter && (await prepared('uv', interpreter));
    if (parts === null) return skip();
    await withEnvironment(parts, async (_, run) => {
      await run(`${parts.installCommand} iniconfig==1.1.1`);
      const times = 'find /opt/env/lib -name "*.pyc" ! -path "*iniconfig*" -printf "%p %T@ %i\\n" | sort';
      const before = await run(times);
      expect(before).not.toBe('');
      await run(`${parts.installCommand} iniconfig==2.0.0`);
      expect(await run(times)).toBe(before);
      const stale =
        'import glob, importlib.util as u; print([f for f in glob.glob("/opt/env/lib/python*/site-packages/iniconfig/*.py") if open(u.cache_from_source(f), "rb").read(16)[8:] != u.source_hash(open(f, "rb").read())])';
      expect((await run(`python -c '${stale}'`)).trim()).toBe('[]');
    });
  });
});

describe('venv of a distribution without ensurepip', () => {
  it('works all the same', { timeout: WAIT }, async ({ skip }) => {
    const interpreter = await somePython(null);
    const parts = interpreter && (await prepared('venv', interpreter));
    if (parts === null) return skip();
    // -I keeps PYTHONPATH out, so the mask stands in the command itself, before the venv module runs.
    const [create, ...rest] = parts.createCommands;
    const masked = `sys.modules["ensurepip"] = None; sys.argv = ["venv", "--without-pip", "/opt/env"]`;
    const python = create!.split(' ')[0];
    const command = `${python} -I -c 'import runpy, sys; ${masked}; runpy.run_module("venv", run_name="__main__")'`;
    const output = await withEnvironment({ ...parts, createCommands: [command, ...rest] }, (_, run) =>
      run('python -m pip list --format=freeze'),
    );
    expect(output).toMatch(/^pip==/m);
  });

  it('names the package when venv itself is missing', async () => {
    const interpreter: Interpreter = {
      version: '3.11.2',
      executable: '/usr/bin/python3.11',
      prefix: '/usr',
      identity: 'cpython 3.11.2 0',
      mounts: [],
      links: {},
      insideExecutable: '/usr/bin/python3.11',
      hasVenv: false,
      library: '/usr/lib/python3.11',
    };
    const provider = pythonProvider('venv', { toolsFolder, index: packageIndex({}) });
    expect(await provider.prepare(interpreter)).toMatchObject({
      ok: false,
      fault: { reason: 'python-missing', detail: expect.stringContaining('apt-get install python3.11-venv') },
    });
  });
});

describe('identity', () => {
  it('holds the interpreter, the provider and every pinned version, and is known without preparing', async ({
    skip,
  }) => {
    const interpreter = await somePython('3.11');
    if (interpreter === null) return skip();
    const deps = { toolsFolder: '/nonexistent', index: packageIndex({}) };
    expect(pythonProvider('venv', deps).identity(interpreter)).toEqual({
      python: interpreter.identity,
      provider: 'venv',
      pip: '24.0',
      setuptools: '68.0.0',
      wheel: '0.42.0',
    });
    expect(pythonProvider('uv', deps).identity(interpreter)).toMatchObject({
      provider: 'uv',
      uv: '0.9.30 2',
    });
  });
});
