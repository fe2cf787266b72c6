/** Finding interpreters: what fits, what is remembered, what is said when there is none. */
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInterpreter } from '../../../tasks/python/interpreter.ts';
import type { Memo } from '../../../tasks/python/probe.ts';
import { somePython } from './build.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swemake-python-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A script that answers as a Python of `version` would and notes that it was run. */
async function fakePython(path: string, version: string): Promise<string> {
  const executable = join(folder, path);
  const facts = {
    implementation: 'cpython',
    version,
    executable,
    prefix: dirname(dirname(executable)),
    shared: null,
    abi: [version],
    venv: true,
    library: join(dirname(dirname(executable)), 'lib'),
  };
  await mkdir(dirname(executable), { recursive: true });
  await writeFile(
    executable,
    `#!/bin/sh\necho run >> '${executable}.runs'\necho '${JSON.stringify(facts)}'\n`,
  );
  await chmod(executable, 0o755);
  return executable;
}

async function runsOf(executable: string): Promise<number> {
  return (await readFile(`${executable}.runs`, 'utf8').catch(() => '')).split('\n').length - 1;
}

function keeping(): Memo & { values: Map<string, string> } {
  const values = new Map<string, string>();
  return { values, get: (key) => values.get(key), set: (key, value) => void values.set(key, value) };
}

describe('findInterpreter', () => {
  it('counts what the machine’s owner has every start run', async () => {
    const executable = await fakePython('started/bin/python3.7', '3.7.1');
    const library = join(folder, 'started/lib');
    const memo = keeping();
    const identity = async () => {
      const found = await findInterpreter('3.7', { executable, env: {}, memo } as never);
      return found.ok ? found.value.identity : found.fault.detail;
    };
    const seen = [await identity()];
    await mkdir(join(library, 'usercustomize'), { recursive: true });
    for (const [name, text] of [
      ['sitecustomize.py', 'a = 1'],
      ['sitecustomize.py', 'a = 22'],
      ['usercustomize/__init__.py', 'b = 1'],
    ] as const) {
      await writeFile(join(library, name), text);
      seen.push(await identity());
    }
    expect(new Set(seen).size).toBe(4);
    await rm(library, { recursive: true });
    expect(await identity()).toBe(seen[0]);
    expect(await runsOf(executable)).toBeGreaterThan(0);
  });

  it('finds the Python of this machine and says how it looks inside', async ({ skip }) => {
    const python = await somePython(null);
    if (python === null) return skip();
    expect(python.version).toMatch(/^3\.\d+\.\d+/);
    expect(python.identity).toMatch(/^cpython 3\.\d+\.\S+ [0-9a-f]{64}$/);
    if (python.prefix.startsWith('/usr')) {
      expect(python).toMatchObject({ mounts: [], links: {}, insideExecutable: python.executable });
    } else {
      const inside = `/opt/python/${python.version}`;
      expect(python.mounts).toMatchObject([{ from: python.prefix, to: inside }]);
      expect(python.links).toEqual({ [python.prefix]: inside });
      expect(python.insideExecutable.startsWith(`${inside}/bin/`)).toBe(true);
    }
  });

  it('takes any patch release of a minor version, and only the named one when it is named', async () => {
    await fakePython('minor/bin/python3', '3.9.4');
    const env = { PATH: join(folder, 'minor/bin'), HOME: folder };
    const found = async (version: string) => {
      const result = await findInterpreter(version, { env });
      return result.ok ? result.value.version : result.fault.reason;
    };
    expect(await found('3.9')).toBe('3.9.4');
    expect(await found('3.9.4')).toBe('3.9.4');
    expect(await found('3.9.40')).toBe('python-missing');
    expect(await found('3.94')).toBe('python-missing');
  });

  it('takes nothing but conda trees when they alone count', async () => {
    const tree = await fakePython('only/3.4/miniconda3/bin/python', '3.4.1');
    const options = { env: process.env, trees: join(folder, 'only'), treesOnly: true };
    expect(await findInterpreter('3.4', options)).toMatchObject({ ok: true, value: { executable: tree } });
    expect(await findInterpreter(null, options)).toMatchObject({ ok: true, value: { executable: tree } });
    expect(await findInterpreter('3.5', options)).toMatchObject({
      ok: false,
      fault: {
        reason: 'python-missing',
        detail: expect.stringMatching(/only\/3\.5\/miniconda3; this provides it: .*install -y python=3\.5$/),
      },
    });
  });

  it('prefers conda trees, and finds pyenv and uv versions without PATH', async () => {
    const tree = await fakePython('trees/3.4/miniconda3/bin/python', '3.4.1');
    const pyenv = await fakePython('.pyenv/versions/3.4.10/bin/python3', '3.4.10');
    const older = await fakePython('.pyenv/versions/3.4.9/bin/python3', '3.4.9');
    const uv = await fakePython('.local/share/uv/python/cpython-3.5.2-linux-x86_64-gnu/bin/python3', '3.5.2');
    const env = { PATH: '', HOME: folder };
    const found = async (version: string, trees?: string) => {
      const result = await findInterpreter(version, { env, trees });
      return result.ok ? result.value.executable : result.fault.detail;
    };
    expect(await found('3.4', join(folder, 'trees'))).toBe(tree);
    expect(await found('3.4')).toBe(pyenv);
    expect(await found('3.4.9')).toBe(older);
    expect(await found('3.5')).toBe(uv);
  });

  it('looks behind the shims of pyenv', async () => {
    const real = await fakePython('.pyenv/versions/3.2.1/bin/python3', '3.2.1');
    const shim = await fakePython('.pyenv/shims/python3', '9.9.9');
    await writeFile(join(folder, '.pyenv/version'), '3.2.1\n');
    const result = await findInterpreter(null, { env: { PATH: dirname(shim), HOME: folder } });
    expect(result.ok && result.value.executable).toBe(real);
    expect(await runsOf(shim)).toBe(0);
  });

  it('names the one command that provides a missing version', async () => {
    const detail = async (env: NodeJS.ProcessEnv) => {
      const result = await findInterpreter('3.99', { env });
      return result.ok ? 'found' : result.fault.detail;
    };
    const tools = join(folder, 'tools/bin');
    await mkdir(tools, { recursive: true });
    await symlink('/bin/true', join(tools, 'uv'));
    expect(await detail({ PATH: tools, HOME: '/nonexistent' })).toContain(
      'provides it: uv python install 3.99',
    );
    expect(await detail({ PATH: '', HOME: '/nonexistent' })).toContain('uv python install 3.99');
    expect(await detail({ PATH: tools, HOME: folder })).toContain('provides it: pyenv install 3.99');
  });
});

describe('the memo', () => {
  it('saves asking again, and counts only for unchanged files', async () => {
    const executable = await fakePython('memo/bin/python3', '3.7.7');
    const options = { env: { PATH: dirname(executable), HOME: folder }, memo: keeping() };
    const first = await findInterpreter('3.7', options);
    expect(await findInterpreter('3.7', options)).toEqual(first);
    expect(await runsOf(executable)).toBe(1);
    await utimes(executable, 1, 1);
    await findInterpreter('3.7', options);
    expect(await runsOf(executable)).toBe(2);
  });

  it('remembers what is no Python', async () => {
    const broken = join(folder, 'broken/bin/python3');
    await mkdir(dirname(broken), { recursive: true });
    await writeFile(broken, `#!/bin/sh\necho run >> '${broken}.runs'\nexit 1\n`);
    await chmod(broken, 0o755);
    const options = { env: { PATH: dirname(broken), HOME: '/nonexistent' }, memo: keeping() };
    await findInterpreter('3.77', options);
    await findInterpreter('3.77', options);
    expect(await runsOf(broken)).toBe(1);
  });

  it('notices that a shared library changed', async ({ skip }) => {
    const python = await somePython('3.11');
    if (python === null) return skip();
    const memo = keeping();
    await findInterpreter('3.11', { env: process.env, memo });
    for (const [key, value] of memo.values)
      memo.values.set(key, value.replace(/("[^"]*libpython[^"]*":")\d+/, '$10'));
    const again = await findInterpreter('3.11', { env: process.env, memo });
    expect(again.ok && again.value.identity).toBe(python.identity);
  });
});
