/**
 * Installs a package into a virtual environment of the host and runs its tests there, for `swemake mutate`. The
 * package's code and its mutations run as the user who asked for them, without isolation.
 */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import type { LogParser } from '../../grading/parsers/registry.ts';
import { testCommand } from '../../grading/test-command.ts';
import type { FailedReason } from '../../schemas/outcome.ts';
import type { Recipe } from '../../schemas/recipe.ts';
import type { RunTests } from './measure.ts';

export interface HostTestsOptions {
  /** The package's source; an editable install points to it. */
  sourceFolder: string;
  /** A folder of our own, for the environment and a home. */
  workFolder: string;
  python: string;
  /** Debian packages and the version of Python are taken as they are. */
  recipe: Recipe;
  parser: LogParser;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

export interface InstallFailed {
  status: 'failed';
  reason: Extract<FailedReason, 'install-failed'>;
  detail: string;
}

/** Seconds for one install command. */
const INSTALL_TIMEOUT = 1800;

/** Makes the environment; the value runs the package's tests in it. */
export async function prepareHostTests(options: HostTestsOptions): Promise<Result<RunTests, InstallFailed>> {
  const { sourceFolder, workFolder, python, recipe, env, signal } = options;
  const environment = join(workFolder, 'env');
  const home = join(workFolder, 'home');
  await mkdir(home, { recursive: true });
  const path = `${join(environment, 'bin')}:${env.PATH ?? '/usr/bin:/bin'}`;
  const active = { VIRTUAL_ENV: environment, PATH: path, PYTHONDONTWRITEBYTECODE: '1', ...recipe.env };
  const steps = [
    `${quoted(python)} -m venv ${quoted(environment)}`,
    ...recipe.pre_install,
    ...recipe.packages.map((file) => `python -m pip install -r ${quoted(file)}`),
    ...(recipe.pip.length === 0 ? [] : [`python -m pip install ${recipe.pip.map(quoted).join(' ')}`]),
    ...recipe.install,
  ];
  for (const command of steps) {
    const run = { cwd: sourceFolder, env: { ...env, ...active }, timeout: INSTALL_TIMEOUT, signal };
    const { code, output, timedOut } = await runShell(command, run);
    if (code === 0) continue;
    const why = timedOut ? `no end after ${INSTALL_TIMEOUT} s` : (output.trim().split('\n').at(-1) ?? '');
    return fault({ status: 'failed', reason: 'install-failed', detail: `${command}: ${why}` });
  }
  // A mutated file may have the same size and time as the clean one: stale .pyc files would hide the bug.
  const variables = { ...active, HOME: home, LANG: 'C.UTF-8', PYTHONHASHSEED: '0' };
  return success(async (folder, lists, timeout) => {
    const test = lists === null ? recipe.test : testCommand(recipe.test, { ...lists, test_patch: '' });
    const command = [...recipe.eval_commands, test].join('\n');
    const run = { cwd: folder, env: variables, timeout, signal };
    const { output, timedOut } = await runShell(command, run);
    return { statuses: options.parser.parse(output), timedOut };
  });
}

interface ShellRun {
  cwd: string;
  env: NodeJS.ProcessEnv;
  timeout: number;
  signal: AbortSignal | undefined;
}

/** Characters of output that are kept. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs a bash command; at the time limit its whole process group is killed. */
function runShell(
  command: string,
  { cwd, env, timeout, signal }: ShellRun,
): Promise<{ code: number | null; output: string; timedOut: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `exec 2>&1\n${command}`], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    let timedOut = false;
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group is gone already.
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeout * 1000);
    signal?.addEventListener('abort', kill);
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      if (output.length < MAX_OUTPUT) output += text;
    });
    // What a test left running would hold the pipe open for ever.
    child.on('exit', kill);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
      resolve({ code, output, timedOut });
    });
    if (signal?.aborted) kill();
  });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
