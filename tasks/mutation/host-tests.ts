/**
 * Installs a package into a virtual environment of the host and runs its tests there, for `swemake mutate`. The
 * package's code and its mutations run as the user who asked for them, without isolation.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasSucceeded, type ProgramEnd, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { LogParser } from '../../grading/parsers/registry.ts';
import { shellWord } from '../../grading/shell.ts';
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
    `${shellWord(python)} -m venv ${shellWord(environment)}`,
    ...recipe.pre_install,
    ...recipe.packages.map((file) => `python -m pip install -r ${shellWord(file)}`),
    ...(recipe.pip.length === 0 ? [] : [`python -m pip install ${recipe.pip.map(shellWord).join(' ')}`]),
    ...recipe.install,
  ];
  for (const command of steps) {
    const run = { cwd: sourceFolder, env: { ...env, ...active }, timeout: INSTALL_TIMEOUT, signal };
    const end = await runShell(command, run);
    if (hasSucceeded(end)) continue;
    const why =
      end.kind === 'timeout'
        ? `no end after ${INSTALL_TIMEOUT} s`
        : (end.output.trim().split('\n').at(-1) ?? '');
    return fault({ status: 'failed', reason: 'install-failed', detail: `${command}: ${why}` });
  }
  // A mutated file may have the same size and time as the clean one: stale .pyc files would hide the bug.
  const variables = { ...active, HOME: home, LANG: 'C.UTF-8', PYTHONHASHSEED: '0' };
  return success(async (folder, lists, timeout) => {
    const test = lists === null ? recipe.test : testCommand(recipe.test, { ...lists, test_patch: '' });
    const command = [...recipe.eval_commands, test].join('\n');
    const run = { cwd: folder, env: variables, timeout, signal };
    const { kind, output } = await runShell(command, run);
    return { statuses: options.parser.parse(output), timedOut: kind === 'timeout' };
  });
}

interface ShellRun {
  cwd: string;
  env: NodeJS.ProcessEnv;
  timeout: number;
  signal: AbortSignal | undefined;
}

/** Runs a bash command; whatever it started ends with it. */
function runShell(command: string, run: ShellRun): Promise<ProgramEnd> {
  return runProgram({ argv: ['bash', '-c', `exec 2>&1\n${command}`], ...run });
}
