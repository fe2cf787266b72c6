/**
 * Moves a virtual environment that was made elsewhere to `/opt/env`. Its old path is in scripts and settings, and its
 * interpreter is a link to another machine's. A file that cannot be rewritten is refused by name.
 */
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Interpreter } from '../../tasks/python/interpreter.ts';

const INSIDE = '/opt/env';
/** Larger files are data: they are searched, but not rewritten. */
const TEXT_LIMIT = 4 * 1024 * 1024;

/** The folder at or one level below `root` that is a virtual environment, or null. */
export async function findVenv(root: string): Promise<string | null> {
  const names = await readdir(root).catch(whenAbsent([]));
  const candidates = [root, join(root, INSIDE), ...names.map((name) => join(root, name))];
  return candidates.find((folder) => existsSync(join(folder, 'pyvenv.cfg'))) ?? null;
}

/** Rewrites the environment in `folder` for `/opt/env` and `interpreter`; the fault says why that cannot be done. */
export async function relocateVenv(
  folder: string,
  interpreter: Interpreter,
): Promise<Result<string, string>> {
  const settings = await readFile(join(folder, 'pyvenv.cfg'), 'utf8');
  const version = /^version(?:_info)?\s*=\s*(\d+\.\d+)/m.exec(settings)?.[1];
  const wanted = interpreter.version.split('.').slice(0, 2).join('.');
  if (version !== undefined && version !== wanted)
    return fault(`it is of Python ${version}, and the recipe’s interpreter is ${interpreter.version}`);
  const old = await oldPlace(folder);
  if (old === null)
    return fault('bin/activate does not say where it was made, so its paths cannot be rewritten');
  const stuck: string[] = [];
  await rewrite(folder, folder, old, stuck);
  if (stuck.length > 0)
    return fault(
      `binary files hold its old path ${old}, which cannot be rewritten: ${stuck.slice(0, 5).join(', ')}`,
    );
  await linkInterpreter(folder, interpreter, wanted);
  return success(old);
}

async function oldPlace(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, 'bin/activate'), 'utf8').catch(whenAbsent(''));
  return /^\s*(?:export )?VIRTUAL_ENV=["']?(\/[^"'\n]*?)["']?\s*$/m.exec(text)?.[1] ?? null;
}

async function rewrite(root: string, folder: string, old: string, stuck: string[]): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    // Compiled files are valid by the times of their sources, which a layer does not keep.
    if (entry.isDirectory() && entry.name === '__pycache__') await rm(path, { recursive: true });
    else if (entry.isDirectory()) await rewrite(root, path, old, stuck);
    else if (entry.isSymbolicLink()) await rewriteLink(path, old);
    else if (entry.isFile()) await rewriteFile(root, path, old, stuck);
  }
}

async function rewriteLink(path: string, old: string): Promise<void> {
  const target = await readlink(path);
  if (!target.startsWith(`${old}/`)) return;
  await rm(path);
  await symlink(INSIDE + target.slice(old.length), path);
}

async function rewriteFile(root: string, path: string, old: string, stuck: string[]): Promise<void> {
  const bytes = await readFile(path);
  if (!bytes.includes(old)) return;
  if (bytes.includes(0) || bytes.length > TEXT_LIMIT) {
    stuck.push(relative(root, path));
    return;
  }
  const { mode } = await lstat(path);
  await writeFile(path, bytes.toString('latin1').replaceAll(old, INSIDE), { encoding: 'latin1', mode });
}

/** As `python -m venv /opt/env` would link it. */
async function linkInterpreter(folder: string, interpreter: Interpreter, minor: string): Promise<void> {
  const { insideExecutable, version } = interpreter;
  for (const name of ['python', 'python3', `python${minor}`]) {
    const path = join(folder, 'bin', name);
    await rm(path, { force: true });
    await symlink(name === 'python' ? insideExecutable : 'python', path);
  }
  const lines = [
    `home = ${dirname(insideExecutable)}`,
    'include-system-site-packages = false',
    `version = ${version}`,
    `executable = ${insideExecutable}`,
  ];
  await writeFile(join(folder, 'pyvenv.cfg'), `${lines.join('\n')}\n`);
}
