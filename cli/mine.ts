/** `swemake mine`: makes new instances from the commits of a repository, with tests that are measured. */

import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { CommandIo } from '../app/io.ts';
import type { Mined, MineOptions } from '../app/mining/mine.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { withHosts } from '../app/refused-hosts.ts';
import { content, jsonLine, shown } from '../app/shown.ts';
import { stopOnSignals } from '../app/signals.ts';
import { named } from '../basics/named.ts';
import { plural } from '../basics/plural.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { customFormat } from '../formats/custom/kind.ts';
import type { Outcome } from '../schemas/outcome.ts';
import { type Issues, readIssues } from '../tasks/mining/statement.ts';
import { readMutated, usualRepo } from '../tasks/mutation/mutated.ts';
import { answerUsage, type OptionValues, option, parseCommand, type UsageError } from './arguments.ts';
import { replaceOutput, writeOutput } from './output-file.ts';
import {
  ALLOW_HOST,
  answerFailure,
  answerNoProposal,
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
import { candidateLines, repeatedly } from './still-running.ts';
import { JOBS_OPTION, jobsOf } from './targets.ts';

const MINE = {
  name: 'mine',
  summary: `Make instances of the format "${customFormat.name}" from the history of a repository: commits that change code and tests`,
  positionals: [
    {
      name: 'REPO',
      description: 'the folder of a git repository, or git+URL@REF; from its commit on, the newest first',
      required: true,
    },
  ],
  options: {
    output: { ...option('FILE', 'where the rows go, as JSON lines; stdout by default'), short: 'o' },
    count: option('N', 'number of instances; 10 by default'),
    limit: option('N', 'most commits that are looked at; 200 by default'),
    'max-files': option('N', 'leave out commits that change more files; 30 by default'),
    issues: option('FILE', 'texts of issues: JSON by number or commit, or lines of number, title, body'),
    'left-out': option('FILE', 'where the commits that made no instance go, with reasons, as JSON lines'),
    dated: { type: 'boolean', description: 'each row sees the package index of its commit’s day (as_of)' },
    repo: option('OWNER/NAME', 'repo of the rows; that of the URL, or local/FOLDER by default'),
    project: option('FILE', 'the project that the rows are for; else the one that init would write'),
    ...PROJECT_OPTIONS,
    ...ALLOW_HOST,
    ...RECIPE_OPTIONS,
    timeout: option(
      'TIME',
      'for one run of the tests, as validation.timeout; by default up to ten times what other candidates need',
    ),
    jobs: JOBS_OPTION,
    json: { type: 'boolean', description: 'print one JSON object at the end' },
  },
  examples: [
    [
      'swemake mine ./mine --count 5 -o rows.jsonl --left-out left-out.jsonl',
      'five of a repository’s own fixes',
    ],
    [
      'swemake mine git+https://github.com/me/mine@main --issues issues.jsonl -o rows.jsonl',
      'with statements from issues',
    ],
  ],
} as const;

type Values = OptionValues<typeof MINE>;
type Settings = Omit<
  MineOptions,
  'rowsProject' | 'runLimit' | 'env' | 'cwd' | 'signal' | 'say' | 'changed' | 'keepLog'
> & {
  /** Seconds that one run of the tests may take; null: by those of other candidates. */
  timeout: number | null;
};

/** Runs the command: 0 when rows were found, 1 when none was, 3 when the machine or the network failed. */
export async function mineCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(MINE, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const settings = readSettings(parsed.positionals[0] as string, values, io);
  if (!settings.ok) return answerUsage(settings.fault, io);
  const { mineRepository } = await import('../app/mining/mine.ts');
  const { openRowsProject, runLimit } = await import('../app/discover/rows-project.ts');
  const stop = stopOnSignals(io, STOPPING);
  const choice =
    values.project === undefined
      ? { folder: rowsFolder(values.output, io), name: 'mine', recipes: [], allowHosts: values['allow-host'] }
      : { file: values.project, output: values.output === undefined ? null : resolve(io.cwd, values.output) };
  const { timeout, count } = settings.value;
  const set = timeout === null ? values.set : [...values.set, `validation.timeout=${timeout}s`];
  let rows = 0;
  const lines = candidateLines(io, Date.now, repeatedly, () => `${rows} of ${count} found`);
  const rowsProject = await openRowsProject(choice, customFormat, { ...values, set }, stop, io, lines.show);
  if (rowsProject === null) {
    lines.stop();
    stop.release();
    return 2;
  }
  // A limit that is written down is obeyed as it is.
  const limit = rowsProject.project.config.validation.timeout === undefined ? runLimit() : null;
  const mined = await mineRepository({
    ...settings.value,
    ...{ rowsProject, runLimit: limit, env: io.env, cwd: io.cwd, signal: stop.drain },
    say: (text) => io.stderr.write(shown(`${text}\n`)),
    changed: (sofar) => {
      rows = sofar.rows.length;
      writeFiles(sofar, values, false, io);
    },
    keepLog(commit, log) {
      const path = join(rowsFolder(values.output, io), '.swemake', 'mine-logs', `${commit.slice(0, 12)}.log`);
      writeOutput(path, log);
      return relative(io.cwd, path);
    },
  }).finally(() => rowsProject.close());
  limit?.stop();
  lines.stop();
  stop.release();
  const isStopped = stop.drain.aborted;
  if (!mined.ok)
    return isStopped
      ? answerStopped(io)
      : 'remedy' in mined.fault
        ? answerNoProposal(mined.fault, io)
        : answerFailure(mined.fault as Failure, 'the repository', io);
  const { leftOut, ended } = mined.value;
  // Rows of an earlier run are worth more than none.
  if (!isStopped || rows > 0) writeFiles(mined.value, values, true, io);
  tell(mined.value, settings.value, values, io);
  const details = leftOut.map(({ detail }) => detail);
  const again = values.project === undefined ? withHosts('mine', args, details) : null;
  if (again !== null) io.stderr.write(shown(`${again}\n`));
  if (isStopped) return answerStopped(io);
  if (ended !== null) return answerFailure(ended as Failure, 'the repository', io);
  if (rows > 0) return 0;
  return mined.value.hasFault ? 3 : 1;
}

type Failure = Exclude<Outcome, { status: 'ok' }>;

const NUMBERS = { count: 10, limit: 200, 'max-files': 30 } as const;

function readSettings(positional: string, values: Values, io: CommandIo): Result<Settings, UsageError> {
  const { cwd } = io;
  const repository = readMutated(positional, cwd, rowsFolder(values.output, io));
  if (repository?.kind !== 'repository')
    return wrong(`"${positional}"`, 'write git+URL@REF or the folder of a git repository');
  const numbers = { count: 0, limit: 0, 'max-files': 0 };
  for (const key of ['count', 'limit', 'max-files'] as const) {
    const text = values[key] ?? String(NUMBERS[key]);
    if (!/^[1-9]\d{0,8}$/.test(text)) return wrong(`--${key} "${text}"`, 'write a whole number above 0');
    numbers[key] = Number(text);
  }
  const repo = values.repo ?? usualRepo(repository, cwd);
  const unfit = wrongRecipe(values, repo) ?? wrongHosts(values['allow-host'], values.project);
  if (unfit !== null) return fault(unfit);
  const issues = issuesOf(values.issues, cwd);
  if (typeof issues === 'string') return wrong(`--issues "${values.issues}": ${issues}`, 'see docs/mine.md');
  const own = recipeOf(values);
  // The recipes of a project win where nothing was asked for.
  const recipe = values.project === undefined && Object.keys(own).length === 0 ? null : own;
  const timeout = timeoutOf(values.timeout);
  if (!timeout.ok) return timeout;
  const jobs = jobsOf(values.jobs);
  if (typeof jobs === 'object' && jobs !== null) return fault(jobs);
  const { count, limit, 'max-files': maxFiles } = numbers;
  const asked = { count, limit, maxFiles, issues, recipe, dated: values.dated };
  return success({ repository, repo, ...asked, timeout: timeout.value, jobs });
}

function issuesOf(file: string | undefined, cwd: string): Issues | string {
  if (file === undefined) return new Map();
  const path = resolve(cwd, file);
  return existsSync(path) ? readIssues(readFileSync(path, 'utf8')) : 'there is no such file';
}

function writeFiles({ rows, leftOut }: Mined, values: Values, isLast: boolean, io: CommandIo): void {
  const write = (file: string | undefined, list: readonly object[]) => {
    if (file !== undefined) replaceOutput(resolve(io.cwd, file), linesOf(list), isLast);
  };
  write(values['left-out'], leftOut);
  if (rows.length > 0 || isLast) write(values.output, rows);
}

function tell(
  { rows, leftOut, commits }: Mined,
  { count: wanted, limit }: Settings,
  { output, json }: Values,
  io: CommandIo,
): void {
  const reasons: Record<string, number> = {};
  for (const { reason } of leftOut) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const instances = rows.map(({ instance_id }) => instance_id);
  if (json) {
    const where = output === undefined ? { rows } : { output };
    io.stdout.write(jsonLine({ instances, wanted, commits, leftOut: reasons, ...where }));
  } else if (output === undefined) io.stdout.write(content(linesOf(rows), io));
  const counted = Object.entries(reasons).map(([reason, count]) => `${count} ${reason}`);
  const left = counted.length === 0 ? '' : `; left out: ${counted.join(', ')}`;
  const more = rows.length < wanted && commits === limit ? '; a larger --limit looks at older commits' : '';
  io.stderr.write(
    shown(
      `${rows.length} of ${plural(wanted, 'instance')} from ${plural(commits, 'commit')}${left}${more}\n`,
    ),
  );
  const unguarded = rows.filter(({ PASS_TO_PASS }) => (PASS_TO_PASS as string[]).length === 0);
  if (unguarded.length > 0)
    io.stderr.write(shown(unguardedText(unguarded.map((one) => `${one.instance_id}`))));
}

/** A row without them rewards a patch that breaks what its other tests would show. */
function unguardedText(ids: readonly string[]): string {
  const have = ids.length === 1 ? '1 instance has' : `${ids.length} instances have`;
  return `warning: ${have} no PASS_TO_PASS, so that nothing shows whether a patch breaks other tests: ${named(ids)}\n`;
}
