/** Packages that are installed for interpreters of the host: no workspace shows them. */
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { translate } from '../../executors/docker/args.ts';
import { containerSettings } from '../../executors/docker/container.ts';
import { packTree, unpackTree } from '../../executors/pool/archive.ts';
import { findInterpreter, type Interpreter } from '../../tasks/python/interpreter.ts';
import { run } from './contract.ts';
import { giveTo, kinds, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swemake-interpreters-'));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Where each kind of manager puts an interpreter, and where it keeps packages beside those of the interpreter itself. */
const LAYOUTS = [
  { kind: 'pyenv', prefix: 'pyenv/versions/3.31.4', more: ['envs/mine/lib/python3.31/site-packages'] },
  { kind: 'uv', prefix: 'uv/cpython-3.31.4-linux-x86_64-gnu', more: [] },
  {
    kind: 'conda',
    prefix: 'trees/3.31/miniconda3',
    more: ['pkgs/leakyswemake-2/site-packages', 'envs/other/lib/python3.31/site-packages'],
  },
  { kind: 'Debian', prefix: 'debian/versions/3.31.4', more: ['lib/python3/dist-packages'] },
];

/** A tree that answers as an interpreter of version 3.31.4, with `leakyswemake` installed wherever packages lie. */
async function plant(prefix: string, more: readonly string[]): Promise<void> {
  const library = join(prefix, 'lib/python3.31');
  const python = join(prefix, 'bin/python3');
  const facts = {
    ...{ implementation: 'cpython', version: '3.31.4', executable: python, prefix, shared: null },
    ...{ abi: [], venv: true, library },
  };
  await write(python, `#!/bin/sh\necho '${JSON.stringify(facts)}'\n`, 0o755);
  await symlink('python3', join(prefix, 'bin/python'));
  await write(join(library, 'abc.py'), 'standard = True\n');
  await symlink('lib', join(prefix, 'lib64'));
  for (const site of ['lib/python3.31/site-packages', ...more]) {
    await write(join(prefix, site, 'leakyswemake/__init__.py'), 'answer = 42\n');
    await write(join(prefix, site, 'leakyswemake-2.0.dist-info/METADATA'), 'Name: leakyswemake\n');
    await write(join(prefix, site, 'leakyswemake_one.py'), 'answer = 42\n');
  }
}

async function write(path: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode });
}

async function planted({ prefix, more }: (typeof LAYOUTS)[number]): Promise<Interpreter> {
  const root = join(folder, prefix);
  await plant(root, more);
  const found = await findInterpreter('3.31', {
    env: {
      PATH: '',
      HOME: folder,
      PYENV_ROOT: join(folder, prefix.split('/')[0]!),
      UV_PYTHON_INSTALL_DIR: join(folder, 'uv'),
    },
    ...(prefix.startsWith('trees') ? { trees: join(folder, 'trees') } : {}),
  });
  if (!found.ok) throw new Error(found.fault.detail);
  expect(found.value.prefix).toBe(root);
  return found.value;
}

const FIND_LEAKY = "find / -path /proc -prune -o -iname '*leakyswemake*' -print 2>/dev/null";
const COUNT_PACKAGES =
  "find /usr \\( -name site-packages -o -name dist-packages \\) -path '/usr/l*/python*' -exec ls -A {} + 2>/dev/null | grep -v : | grep .";

for (const kind of kinds) {
  describe(`a sandbox ${kind.name}`, () => {
    let made: Awaited<ReturnType<typeof makeSandbox>>;
    beforeAll(async () => {
      made = await makeSandbox(kind);
    });
    afterAll(() => made.cleanup());

    // Ids of users make no difference to which folders are hidden.
    const layouts = kind.user === undefined ? LAYOUTS : LAYOUTS.slice(0, 1);
    it.each(layouts)('shows an interpreter of $kind without its packages', async (layout) => {
      await rm(join(folder, layout.prefix), { recursive: true, force: true });
      const { mounts, links } = await planted(layout);
      await giveTo(kind, join(folder, layout.prefix));
      await withWorkspace(
        made.deployment,
        async (workspace) => {
          const look = async (command: string) => (await run(workspace, command, { cwd: '/' })).stdout;
          expect(await look('cat /opt/python/3.31.4/lib/python3.31/abc.py')).toBe('standard = True\n');
          expect(await look(FIND_LEAKY)).toBe('');
          const sites = '/opt/python/3.31.4/lib*/python3.31/site-packages';
          expect(await look(`ls -d ${sites}; ls -A ${sites} | grep -v : | grep .`)).toMatch(/^\S+\n\S+\n$/);
          expect(
            await look(`touch ${sites}/new 2>&1; umount ${sites} 2>&1; find /opt -name '*leakyswemake*'`),
          ).not.toContain('/leakyswemake');
        },
        {},
        { mounts, links },
      );
    });

    it('shows none of the packages of the system', async () => {
      await withWorkspace(made.deployment, async (workspace) => {
        expect((await run(workspace, COUNT_PACKAGES, { cwd: '/' })).stdout).toBe('');
      });
    });
  });
}

describe('other kinds', () => {
  const hides = ['lib/python3.31/site-packages', 'pkgs'];

  it('a container shows an empty folder over each, beside the folders in memory that its args ask for', () => {
    const extra = translate(['--tmpfs=/scratch:size=1m']);
    if (!extra.ok) throw new Error(extra.fault);
    const { HostConfig } = containerSettings({
      ...{ image: 'i', labels: {}, limits: {}, network: 'off', brought: false, known: null, holdsDisk: true },
      mounts: [{ from: '/python', to: '/opt/python/3.31.4', hides }],
      extra: extra.value,
    });
    expect(HostConfig?.Tmpfs).toEqual({
      '/scratch': 'size=1m',
      '/opt/python/3.31.4/lib/python3.31/site-packages': 'ro',
      '/opt/python/3.31.4/pkgs': 'ro',
    });
  });

  it('what is sent to a pool has the folders without their content', async () => {
    const prefix = join(folder, 'sent');
    await plant(prefix, ['pkgs/leakyswemake-2/site-packages']);
    const { path, drop } = await packTree(prefix, true, hides);
    const got = join(folder, 'got');
    await mkdir(got);
    await unpackTree(path, got);
    await drop();
    const { execFileSync } = await import('node:child_process');
    const list = execFileSync('find', ['.', '-type', 'd'], { cwd: got, encoding: 'utf8' });
    expect(list).toContain('./lib/python3.31/site-packages\n');
    expect(execFileSync('find', ['.', '-name', '*leakyswemake*'], { cwd: got, encoding: 'utf8' })).toBe('');
  });
});
