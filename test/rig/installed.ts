/** Programs from registries that tests outside of CI need. Each is installed once, into the user's cache. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `bin/python` of a virtual environment with these packages; null, with the reason printed, where none can be made. */
export function pythonWith(name: string, words: readonly string[]): string | null {
  const folder = installedOnce(name, words, (path) => [
    ['python3', '-m', 'venv', path],
    [join(path, 'bin/python'), '-m', 'pip', 'install', '-q', ...words],
  ]);
  return folder === null ? null : join(folder, 'bin/python');
}

/** A program of Go's module proxy, such as `github.com/buchgr/bazel-remote/v2@v2.6.1`; null as above. */
export function goProgram(name: string, module: string): string | null {
  const folder = installedOnce(name, [module], () => [['go', 'install', module]]);
  return folder === null ? null : join(folder, name);
}

function installedOnce(
  name: string,
  words: readonly string[],
  steps: (folder: string) => readonly (readonly string[])[],
): string | null {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'swemake-tests', `${name}-${words.join('-').replaceAll(/[^\w.]+/g, '-')}`);
  if (existsSync(join(folder, 'complete'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [program, ...rest] of steps(folder)) {
    const env = { ...process.env, GOBIN: folder };
    const { status } = spawnSync(program!, rest, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status === 0) continue;
    process.stdout.write(`skipped: ${name} cannot be installed: ${program} ended with ${status}\n`);
    return null;
  }
  writeFileSync(join(folder, 'complete'), '');
  return folder;
}

/** Whether all of these programs are on PATH; says which is missing. */
export function hasPrograms(what: string, ...programs: string[]): boolean {
  const missing = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0) process.stdout.write(`skipped: ${what}: there is no ${missing.join(', ')}\n`);
  return missing.length === 0;
}
