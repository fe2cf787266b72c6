/** Folders of tools are named by what makes them, and what was fetched for one is not fetched for the next. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { findInterpreter, type Interpreter } from '../../../tasks/python/interpreter.ts';
import { UV_VERSION } from '../../../tasks/python/pins.ts';
import type { ToolsDeps } from '../../../tasks/python/tools.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { copyOfSources } from '../../rig/sources.ts';
import { unwrap } from '../../rig/unwrap.ts';

const SCRIPT = 'tasks/python/compile_new.py';
const NAME = `uv-${UV_VERSION}-py3-none-musllinux_1_1_${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.whl`;
const MAKE = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel: wheel.writestr('uv-${UV_VERSION}.data/scripts/uv', 'the program')`;

let root = process.cwd();
vi.mock('../../../basics/package-root.ts', () => ({ packageRoot: () => root }));

let folder: string;
let downloads: string[];
let deps: ToolsDeps;
let python: Interpreter;

beforeEach(async () => {
  folder = temporaryFolder();
  root = process.cwd();
  root = copyOfSources();
  python = await unwrap(findInterpreter(null, { env: process.env }));
  const wheel = join(folder, 'made.whl');
  execFileSync(python.executable, ['-c', MAKE, wheel]);
  downloads = [];
  const index = {
    files: async () => ({ ok: true, value: [{ filename: NAME }] }),
    download: async ({ filename }: { filename: string }, path: string) => {
      downloads.push(filename);
      copyFileSync(wheel, path);
      return { ok: true, value: '' };
    },
  };
  deps = { toolsFolder: join(folder, 'tools'), index: index as unknown as ToolsDeps['index'] };
});

async function uv(): Promise<string> {
  const { uvFolder } = await import('../../../tasks/python/tools.ts');
  return unwrap(uvFolder(python, deps));
}

test.skipIf(process.platform !== 'linux')(
  'another script makes another folder, and fetches nothing',
  async () => {
    const first = await uv();
    expect(await uv()).toBe(first);
    expect(readFileSync(join(first, 'uv'), 'utf8')).toBe('the program');
    writeFileSync(join(root, SCRIPT), '# another\n');
    const second = await uv();
    expect(second).not.toBe(first);
    expect(readFileSync(join(second, 'compile_new.py'), 'utf8')).toBe('# another\n');
    expect(readFileSync(join(second, 'uv'), 'utf8')).toBe('the program');
    expect(downloads).toEqual([NAME]);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a wheel that was damaged is fetched again the next time',
  async () => {
    rmSync(await uv(), { recursive: true });
    const kept = readdirSync(deps.toolsFolder).find((name) => name.startsWith('wheel-'))!;
    writeFileSync(join(deps.toolsFolder, kept, NAME), 'no zip');
    await expect(uv()).rejects.toThrow(/could not be unpacked/);
    await uv();
    expect(downloads).toEqual([NAME, NAME]);
  },
);
