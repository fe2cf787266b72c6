/** What commands that make rows of a repository share: options for its recipe, where the rows go, and how failures are printed. */
import { dirname, resolve } from 'node:path';
import type { CommandIo } from '../app/io.ts';
import { shown } from '../app/shown.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { parseDuration } from '../basics/units.ts';
import { findParser, parserNames } from '../parsers/registry.ts';
import { isFault, type Outcome } from '../schemas/outcome.ts';
import type { PartialRecipe } from '../schemas/recipe.ts';
import { option, type UsageError } from './arguments.ts';

/** A host that the project to be made allows; a project that is there already says it itself. */
export const ALLOW_HOST = {
  'allow-host': {
    ...option(
      'HOST',
      'a host that builds may fetch from, beside package indexes: allow_hosts of the deployment',
    ),
    multiple: true,
  },
} as const;

/** The first host that cannot be one; null: all can. */
export function wrongHosts(hosts: readonly string[], project?: string): UsageError | null {
  if (project !== undefined && hosts.length > 0)
    return usage('--allow-host with --project', 'write allow_hosts in the deployment of that project');
  const bad = hosts.find((host) => !HOST.test(host));
  return bad === undefined
    ? null
    : usage(
        `--allow-host "${bad}"`,
        'write a name such as files.example.org, *.example.org or example.org:8443',
      );
}

/** The project's schema says it to the letter. */
const HOST = /^(\*\.)?[A-Za-z0-9][A-Za-z0-9.-]*(:\d{1,5})?$/;

/** Said when the user stops a command that measures rows. */
export const STOPPING = 'stopping: what runs is ended, and what was measured is kept';

/** Options that are written into the recipe of each row. */
export const RECIPE_OPTIONS = {
  python: option('VERSION', 'version of Python; also written into the rows'),
  pip: {
    ...option('REQUIREMENT', 'what to install before the package; pytest by default'),
    multiple: true,
  },
  install: { ...option('COMMAND', 'installs the package; pip install -e . by default'), multiple: true },
  test: option('COMMAND', 'runs the tests; pytest by default'),
  parser: option('NAME', 'log parser; pytest by default'),
} as const;

interface RecipeValues {
  python?: string | undefined;
  pip: readonly string[];
  install: readonly string[];
  test?: string | undefined;
  parser?: string | undefined;
}

/** The values that were given. Rows keep them, so that they are built as they were measured. */
export function recipeOf({ python, pip, install, test, parser }: RecipeValues): PartialRecipe {
  return {
    ...(python === undefined ? {} : { python }),
    ...(pip.length === 0 ? {} : { pip: [...pip] }),
    ...(install.length === 0 ? {} : { install: [...install] }),
    ...(test === undefined ? {} : { test }),
    ...(parser === undefined ? {} : { parser }),
  };
}

/** The first value that no recipe and no row can have; null: all can be used. */
export function wrongRecipe({ python, parser }: Partial<RecipeValues>, repo: string): UsageError | null {
  if (!/^[^/\s]+\/[^/\s]+$/.test(repo)) return usage(`--repo "${repo}"`, 'write OWNER/NAME');
  if (parser !== undefined && findParser(parser) === null)
    return usage(`parser "${parser}"`, `one of ${parserNames().join(', ')}`);
  if (python !== undefined && !/^3\.\d+$/.test(python))
    return usage(`--python "${python}"`, 'write a version such as 3.11');
  return null;
}

function usage(what: string, remedy: string): UsageError {
  return { kind: 'usage', message: `${what} cannot be used`, remedy };
}

export function wrong(what: string, remedy: string): { ok: false; fault: UsageError } {
  return fault(usage(what, remedy));
}

/** The folder of the rows, in whose cache their environments are built where no project is named. */
export function rowsFolder(output: string | undefined, { cwd }: CommandIo): string {
  return output === undefined ? cwd : dirname(resolve(cwd, output));
}

/** JSON lines. */
export function linesOf(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** The last line of a command that was stopped; the value is the exit code. */
export function answerStopped(io: CommandIo): number {
  io.stderr.write(shown('stopped; the same command goes on from here\n'));
  return 130;
}

/** Seconds of --timeout; null: it is not given. */
export function timeoutOf(text: string | undefined): Result<number | null, UsageError> {
  const seconds = text === undefined ? null : parseDuration(text);
  if (text !== undefined && (seconds === null || seconds <= 0))
    return wrong(`--timeout "${text}"`, 'write a time such as 60s');
  return success(seconds);
}

/** The same where a repository's files propose no recipe. */
export function answerNoProposal(
  { message, remedy }: { message: string; remedy: string },
  io: CommandIo,
): number {
  io.stderr.write(shown(`E004  ${message}\n      ${remedy}\n`));
  return 1;
}

/** Tells why no row was made; the value is the exit code. `subject`: what the user should check. `again`: what helps, where it is known. */
export function answerFailure(
  outcome: Exclude<Outcome, { status: 'ok' }>,
  subject: string,
  io: CommandIo,
  again: string | null = null,
): number {
  const isInfra = isFault(outcome);
  const remedy =
    again !== null
      ? again
      : isInfra
        ? 'run the command again when it is mended'
        : `check ${subject}, and --python, --pip, --install and --test`;
  io.stderr.write(shown(`${isInfra ? 'E003' : 'E004'}  ${outcome.detail}\n      ${remedy}\n`));
  return isInfra ? 3 : 1;
}
