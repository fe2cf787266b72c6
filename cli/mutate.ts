/** `swemake mutate`: makes new instances by changing the code of a package until some of its tests fail. */
import { join, posix, relative, resolve } from 'node:path';
import type { CommandIo } from '../app/io.ts';
import type { RunCounts } from '../app/mutation/kept-runs.ts';
import type { PassToPass } from '../app/mutation/measure.ts';
import type { MutateOptions } from '../app/mutation/mutate-package.ts';
import type { ProjectChoice } from '../app/mutation/project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { withHosts } from '../app/refused-hosts.ts';
import { content, jsonLine, shown } from '../app/shown.ts';
import { stopOnSignals } from '../app/signals.ts';
import { plural } from '../basics/plural.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { mutationFormat } from '../formats/mutation/kind.ts';
import { MUTATION_KINDS } from '../tasks/mutation/kinds.ts';
import { readMutated, usualRepo } from '../tasks/mutation/mutated.ts';
import type { MutationRow } from '../tasks/mutation/row.ts';
import { answerUsage, type OptionValues, option, parseCommand, type UsageError } from './arguments.ts';
import { replaceOutput, writeOutput } from './output-file.ts';
import {
  ALLOW_HOST,
  answerFailure,
  answerStopped,
  linesOf,
  RECIPE_OPTIONS,
  recipeOf,
  rowsFolder,
  STOPPING,
  timeoutOf,
  wrong,
  wrongHosts,
  wrongRecipe,
} from './rows-command.ts';
import { jobsOf } from './targets.ts';

const MUTATE = {
  name: 'mutate',
  summary: `Make instances of the format "${mutationFormat.name}" from a package or repository and its own tests.`,
  positionals: [
    {
      name: 'SOURCE',
      description:
        'PACKAGE==VERSION of an index, go:MODULE@VERSION, npm:NAME@VERSION, crate:NAME@VERSION, git+URL@REF, or the folder of a repository',
      required: true,
    },
  ],
  options: {
    output: { ...option('FILE', 'where the rows go, as JSON lines; stdout by default'), short: 'o' },
    count: option('N', 'number of instances; 10 by default'),
    seed: option('S', 'seed of the order in which mutations are tried; 0 by default'),
    kinds: option('A,B', 'kinds of mutations; all by default'),
    file: { ...option('PATH', 'mutate only this file of the source'), multiple: true },
    repo: option('OWNER/NAME', 'repo of the rows; pypi/PACKAGE or local/FOLDER by default'),
    project: option('FILE', 'the project that the rows are for; else the one that init would write'),
    ...PROJECT_OPTIONS,
    ...ALLOW_HOST,
    ...RECIPE_OPTIONS,
    timeout: option('TIME', 'for one run of the tests; by default ten times what the clean source needs'),
    'pass-to-pass': option(
      'N',
      'most PASS_TO_PASS tests in a row; by default all of the test files with a failing one. all: of all test files',
    ),
    'fail-to-pass': option(
      'N',
      'leave out mutations that more than N tests notice; by default there is no limit',
    ),
    jobs: {
      ...option(
        'N',
        'mutations whose tests run at the same time (default: the processors, at most 4); the rows are the same',
      ),
      short: 'j',
    },
    json: { type: 'boolean', description: 'print one JSON object at the end' },
  },
  examples: [
    [
      'swemake mutate xmltodict==0.14.2 --repo martinblech/xmltodict --count 20 -o rows.jsonl',
      '20 instances of one package',
    ],
    ['swemake mutate ./mine --count 5 -o rows.jsonl', 'five of the commit that is checked out in a folder'],
    [
      'swemake mutate go:github.com/gorilla/mux@v1.8.1 --project project.yaml -o rows.jsonl',
      'ten of a Go module, by the recipes of a project',
    ],
  ],
} as const;

const SUBJECT = 'the package, its version';

type Values = OptionValues<typeof MUTATE>;
type Settings = Omit<
  MutateOptions,
  | 'python'
  | 'index'
  | 'env'
  | 'cwd'
  | 'sourcesFolder'
  | 'locks'
  | 'signal'
  | 'openTests'
  | 'endings'
  | 'found'
  | 'failed'
  | 'say'
>;

/** Runs the command: 0 when rows were found, 1 when none was, 3 when the machine or the network failed. */
export async function mutateCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(MUTATE, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const settings = readSettings(parsed.positionals[0] as string, values, io);
  if (!settings.ok) return answerUsage(settings.fault, io);
  const { packageIndex } = await import('../tasks/source/package-index.ts');
  const { mutatePackage } = await import('../app/mutation/mutate-package.ts');
  const { openMutationSession } = await import('../app/mutation/tests.ts');
  const { findInterpreter } = await import('../tasks/python/interpreter.ts');
  const python = await findInterpreter(null, { env: io.env });
  if (!python.ok) return answerFailure(python.fault, SUBJECT, io);
  const { mutated, ownRecipe: asked } = settings.value;
  const rows: MutationRow[] = [];
  let log: string | null = null;
  const stop = stopOnSignals(io, STOPPING);
  const shared = { index: packageIndex(io.env), env: io.env, cwd: io.cwd, signal: stop.drain };
  // Rows of a repository that no recipe is named for bring the one that its files propose.
  let ownRecipe = asked;
  if (values.project === undefined && mutated.kind === 'repository' && Object.keys(asked).length === 0) {
    const { proposeFor } = await import('../app/init/propose-for.ts');
    const proposed = await proposeFor(mutated, shared);
    if (!proposed.ok) {
      stop.release();
      if (stop.drain.aborted) return 130;
      const { code, message, remedy } = proposed.fault;
      io.stderr.write(shown(`${code === 3 ? 'E003' : 'E004'}  ${message}\n      ${remedy}\n`));
      return code;
    }
    ownRecipe = proposed.value.recipe;
  }
  const session = await openMutationSession(projectOf(values, io), values, stop, io);
  if (session === null) {
    stop.release();
    return 2;
  }
  const made = await mutatePackage({
    ...settings.value,
    ownRecipe,
    python: python.value.executable,
    ...shared,
    openTests: session.openTests,
    endings: session.endings,
    sourcesFolder: session.sourcesFolder,
    locks: session.locks,
    found: (row) => {
      rows.push(row);
      writeFile(rows, values, false, io);
    },
    failed: (text) => {
      log = text;
    },
    say: (text) => io.stderr.write(shown(`${text}\n`)),
  }).finally(() => session.close());
  stop.release();
  const { count } = settings.value;
  const isStopped = stop.drain.aborted;
  // Rows of an earlier run are worth more than none.
  if (!isStopped || rows.length > 0) writeFile(rows, values, true, io);
  printRows(rows, count, session.runs, values, io);
  io.stderr.write(shown(`${rows.length} of ${plural(count, 'instance')}${runsText(session.runs)}\n`));
  if (isStopped) return answerStopped(io);
  if (!made.ok && log !== null) {
    const path = join(rowsFolder(values.output, io), '.swemake', 'mutate.log');
    writeOutput(path, log);
    io.stderr.write(shown(`log: ${relative(io.cwd, path)}\n`));
  }
  if (!made.ok) {
    const again = againWith(args, values, made.fault.detail) ?? made.fault.remedy ?? null;
    return answerFailure(made.fault, SUBJECT, io, again);
  }
  return rows.length > 0 ? 0 : 1;
}

/** The same command with the hosts that were refused. Who names a project writes them there. */
function againWith(args: readonly string[], { project }: Values, detail: string): string | null {
  return project === undefined ? withHosts('mutate', args, [detail]) : null;
}

/** The cache of the rows' folder is used where no project is named. */
function projectOf({ project, output, 'allow-host': allowHosts }: Values, io: CommandIo): ProjectChoice {
  if (project !== undefined)
    return { file: project, output: output === undefined ? null : resolve(io.cwd, output) };
  return { folder: rowsFolder(output, io), name: 'mutate', recipes: [], allowHosts };
}

function readSettings(positional: string, values: Values, io: CommandIo): Result<Settings, UsageError> {
  const { cwd } = io;
  const mutated = readMutated(positional, cwd, rowsFolder(values.output, io));
  if (mutated === null)
    return wrong(
      `"${positional}"`,
      'write PACKAGE==VERSION, go:MODULE@VERSION, npm:NAME@VERSION, crate:NAME@VERSION, git+URL@REF or the folder of a git repository',
    );
  const numbers: Partial<Record<string, number>> = {};
  for (const key of ['count', 'seed', 'pass-to-pass', 'fail-to-pass'] as const) {
    const text = values[key];
    if (text === undefined || (key === 'pass-to-pass' && text === 'all')) continue;
    if (!/^\d{1,9}$/.test(text))
      return wrong(`--${key} "${text}"`, `write a whole number${key === 'pass-to-pass' ? ', or all' : ''}`);
    if ((key === 'count' || key === 'fail-to-pass') && Number(text) === 0)
      return wrong(`--${key} "${text}"`, 'write a whole number above 0');
    numbers[key] = Number(text);
  }
  const timeout = timeoutOf(values.timeout);
  if (!timeout.ok) return timeout;
  const jobs = jobsOf(values.jobs);
  if (typeof jobs === 'object' && jobs !== null) return fault(jobs);
  const repo = values.repo ?? usualRepo(mutated, cwd);
  const unfit = wrongRecipe(values, repo) ?? wrongHosts(values['allow-host'], values.project);
  if (unfit !== null) return fault(unfit);
  const kinds = values.kinds?.split(',').map((kind) => kind.trim()) ?? [];
  const unknown = kinds.find((kind) => !MUTATION_KINDS.some((known) => known === kind));
  if (unknown !== undefined) return wrong(`kind "${unknown}"`, `one of ${MUTATION_KINDS.join(', ')}`);
  // One file has one name, by which its mutations are numbered.
  const paths = values.file.map((file) => posix.normalize(file));
  const outside = values.file.find((_, at) => /^(?:\/|\.\.(?:\/|$))/.test(paths[at]!));
  if (outside !== undefined)
    return wrong(`--file "${outside}"`, 'write the path from the root of the source');
  const ownRecipe = recipeOf(values);
  const { count = 10, seed = 0 } = numbers;
  const { 'pass-to-pass': most = null, 'fail-to-pass': failToPass = null } = numbers;
  const passToPass: PassToPass = values['pass-to-pass'] === 'all' ? 'all' : most;
  const names = { mutated, repo, kinds, files: [...new Set(paths)] };
  const lists = { passToPass, failToPass };
  return success({ ...names, count, seed, ...lists, ownRecipe, timeout: timeout.value, jobs });
}

function runsText({ executed, cached }: RunCounts): string {
  const all = executed + cached;
  return all === 0 ? '' : `; ${plural(all, 'run')} of the tests, ${cached} of them cached`;
}

function writeFile(
  rows: readonly MutationRow[],
  { output }: Values,
  isLast: boolean,
  { cwd }: CommandIo,
): void {
  if (output !== undefined) replaceOutput(resolve(cwd, output), linesOf(rows), isLast);
}

function printRows(
  rows: readonly MutationRow[],
  wanted: number,
  runs: RunCounts,
  { output, json }: Values,
  io: CommandIo,
): void {
  const instances = rows.map(({ instance_id }) => instance_id);
  if (json)
    io.stdout.write(jsonLine({ instances, wanted, runs, ...(output === undefined ? { rows } : { output }) }));
  else if (output === undefined) io.stdout.write(content(linesOf(rows), io));
}
