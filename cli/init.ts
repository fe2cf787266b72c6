/**
 * `swemake init`: writes a first project, from rows, from a repository of your own whose code is mutated, or from a
 * template. Without arguments it asks, if there is a terminal.
 */

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import {
  amountOf,
  type EndpointChoice,
  type ProposedRecipe,
  projectText,
  type SurveyedRows,
} from '../app/init/project-text.ts';
import { amended, type RecipeProposal, requirementIn } from '../app/init/propose-recipe.ts';
import { isBenchmark, knownDataset, QUICKSTART, TEMPLATE_NAMES, TEMPLATES } from '../app/init/templates.ts';
import type { CommandIo } from '../app/io.ts';
import { refusedHosts, withHosts } from '../app/refused-hosts.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { type Stop, stopOnSignals } from '../app/signals.ts';
import { packageRoot } from '../basics/package-root.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { shellWord } from '../basics/shell.ts';
import { cacheFolder } from '../cache/folder.ts';
import { listRuns } from '../cache/run-folders.ts';
import { mutationFormat } from '../formats/mutation/kind.ts';
import { isHubId } from '../schemas/dataset-source.ts';
import { isRepository, type Mutated, readMutated, usualRepo } from '../tasks/mutation/mutated.ts';
import {
  answerUsage,
  type CommandSpec,
  type OptionValues,
  option,
  parseCommand,
  type UsageError,
} from './arguments.ts';
import { askWish, type InitWish, isAddress, wrongEndpoint, wrongSource, wrongTemplate } from './init-wish.ts';
import { writeOutput } from './output-file.ts';
import { ALLOW_HOST, STOPPING, wrongHosts, wrongRecipe } from './rows-command.ts';
import { candidateLines } from './still-running.ts';
import { jobsOf } from './targets.ts';

const INIT = {
  name: 'init',
  summary: 'Write a project to begin with. Without --from and --template it asks.',
  positionals: [{ name: 'FILE', description: 'the project file to write; project.yaml by default' }],
  options: {
    from: option(
      'SOURCE',
      'rows (a file, a folder, OWNER/NAME of the hub), or a git repository to make rows of',
    ),
    template: option('NAME', `one of ${TEMPLATE_NAMES.join(', ')}`),
    name: option('NAME', 'name of the project; that of the file by default'),
    split: option('SPLIT', 'split of the rows, where there are several'),
    count: option('N', 'instances that are made of a repository; 5 by default'),
    repo: option('OWNER/NAME', 'repo of the rows that are made of a repository; local/FOLDER by default'),
    jobs: {
      ...option(
        'N',
        'tests that are measured at the same time (default: the processors, at most 4); the rows are the same',
      ),
      short: 'j',
    },
    ...ALLOW_HOST,
    'discover-tests': {
      type: 'boolean',
      description: 'measure FAIL_TO_PASS and PASS_TO_PASS of rows that lack them; writes rows.jsonl',
    },
    endpoint: option('URL', 'where a model answers, such as http://127.0.0.1:8000/v1'),
    model: option('NAME', 'its name there; custom by default'),
    force: { type: 'boolean', description: 'write over files that are there' },
    schema: {
      type: 'boolean',
      description: 'only write the schema that editors read, .swemake/project.schema.json',
    },
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake init --from rows.jsonl', 'a project for rows of one’s own'],
    [
      'swemake init mine.yaml --from bare.jsonl --discover-tests',
      'rows without tests, which are measured first',
    ],
    ['swemake init --from ./mypackage', 'bugs made in a repository of one’s own, and a project for them'],
    ['swemake init smith.yaml --template swe-smith', 'a first look at a known dataset'],
  ],
} as const satisfies CommandSpec;

type Values = OptionValues<typeof INIT>;
type Wished = Omit<Values, 'count' | 'jobs'> & { count: number; jobs: number | null };

interface NewProject {
  /** Absolute. */
  file: string;
  folder: string;
  name: string;
  /** As the user sees it. */
  shown: string;
}

/** Why nothing was written, with the command's exit code. */
interface Refusal {
  code: 1 | 2 | 3 | 130;
  message: string;
  remedy: string;
  /** What the failed part printed. */
  log?: string | null;
  /** Why single rows were left out. */
  details?: readonly string[];
  /** A project was written whose recipe people can correct. */
  hasDraft?: boolean;
}

const STOPPED: Refusal = { code: 130, message: 'stopped', remedy: 'nothing was written' };
const GOES_ON = 'the cache keeps what was measured, and the same command goes on from there';

interface Written {
  text: string;
  /** Other files that were written, as the user sees them. */
  files: string[];
  summary: string;
}

export async function initCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(INIT, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const place = newProjectOf(parsed.positionals[0] ?? 'project.yaml', values, io);
  const count = Number(values.count ?? 5);
  const jobs = jobsOf(values.jobs);
  if (typeof jobs === 'object' && jobs !== null) return answerUsage(jobs, io);
  const wrong = wrongValues(values, place, count, io);
  if (wrong !== null) return answerUsage(wrong, io);
  if (values.schema) {
    io.stdout.write(shown(`wrote ${relative(io.cwd, writeSchema(place.folder))}\n`));
    return 0;
  }
  const written = await writtenAsWished(place, { ...values, count, jobs }, io);
  if (!written.ok) {
    const { message, remedy, details = [] } = written.fault;
    const again = withHosts('init', args, [message, ...details]);
    return answerRefusal({ ...written.fault, remedy: again ?? remedy }, io);
  }
  mkdirSync(place.folder, { recursive: true });
  writeFileSync(place.file, written.value.text);
  writeSchema(place.folder);
  return report(place, written.value, values.json, io);
}

function newProjectOf(given: string, values: Values, io: CommandIo): NewProject {
  const path = resolve(io.cwd, /\.ya?ml$/.test(given) ? given : join(given, 'project.yaml'));
  const folder = dirname(path);
  const stem = basename(path).replace(/\.ya?ml$/, '');
  const plain = (stem === 'project' ? basename(folder) : stem)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  return { file: path, folder, name: values.name ?? (plain || 'project'), shown: relative(io.cwd, path) };
}

function wrongValues(values: Values, place: NewProject, count: number, io: CommandIo): UsageError | null {
  const usage = (message: string, remedy: string): UsageError => ({ kind: 'usage', message, remedy });
  if (values.from !== undefined && values.template !== undefined)
    return usage('--from and --template exclude each other', 'leave one of them out');
  const template = values.template === undefined ? null : wrongTemplate(values.template);
  if (template !== null) return usage(template.message, template.remedy);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(place.name))
    return usage(
      `--name "${place.name}" cannot be used`,
      'write letters, digits, dots, dashes and underscores',
    );
  if (!Number.isInteger(count) || count < 1)
    return usage(`--count "${values.count}" cannot be used`, 'write a whole number');
  const repo = values.repo === undefined ? null : wrongRecipe({}, values.repo);
  if (repo !== null) return repo;
  const hosts = wrongHosts(values['allow-host']);
  if (hosts !== null) return hosts;
  if (values.template === QUICKSTART && values['allow-host'].length > 0)
    return usage(`--allow-host has no effect with --template ${QUICKSTART}`, 'leave it out');
  const endpoint = values.endpoint === undefined ? null : wrongEndpoint(values.endpoint);
  if (endpoint !== null) return usage(`--endpoint ${endpoint.message}`, endpoint.remedy);
  if (values.model !== undefined && values.endpoint === undefined)
    return usage('--model needs --endpoint', 'say where the model answers');
  if (existsSync(place.file) && !values.force && !values.schema)
    return usage(`${place.shown} is there already`, 'name another file, or write over it with --force');
  const source = values.from === undefined ? null : wrongSource(values.from, io);
  if (source !== null) return usage(source.message, source.remedy);
  return null;
}

/** Somebody who was asked is asked again when nothing can be made of the answer. */
async function writtenAsWished(
  place: NewProject,
  values: Wished,
  io: CommandIo,
): Promise<Result<Written, Refusal>> {
  const { from = null, template = null, endpoint: url, model: name = 'custom' } = values;
  let endpoint: InitWish['endpoint'] | undefined = url === undefined ? undefined : { url, name };
  if (from !== null || template !== null)
    return writeWhole({ from, template, endpoint: endpoint ?? null }, place, values, io);
  if (io.ask === undefined)
    return fault({
      code: 2,
      message: 'there is nothing to begin with',
      remedy: `name rows or a repository with --from, or one of ${TEMPLATE_NAMES.join(', ')} with --template`,
    });
  for (;;) {
    const wish: InitWish | null = await askWish(endpoint, io.ask, io);
    if (wish === null) return fault(STOPPED);
    const written = await writeWhole(wish, place, values, io);
    if (written.ok || written.fault.code === 130) return written;
    io.stderr.write(shown(`  ${written.fault.message}\n  ${written.fault.remedy}\n`));
    endpoint = wish.endpoint;
  }
}

/**
 * Writes everything but the project file, or nothing: folders that were made for it are removed, unless something was run. What
 * is measured takes minutes, and the same command finds it in the cache.
 */
async function writeWhole(
  wish: InitWish,
  place: NewProject,
  values: Wished,
  io: CommandIo,
): Promise<Result<Written, Refusal>> {
  const cache = join(place.folder, '.swemake');
  const made = firstMissing(cache);
  const stop = stopOnSignals(io, STOPPING);
  const written = await write(wish, place, values, stop, io);
  stop.release();
  if (written.ok) return written;
  const hasRun = listRuns(cacheFolder(cache).runs).length > 0;
  if (made !== null && !hasRun && written.fault.hasDraft !== true)
    rmSync(made, { recursive: true, force: true });
  if (stop.drain.aborted) return fault(hasRun ? { ...STOPPED, remedy: GOES_ON } : STOPPED);
  return fault(withLog(written.fault, place, io));
}

/** Keeps the log of a failure beside the project's cache. */
function withLog({ log = null, ...refusal }: Refusal, place: NewProject, io: CommandIo): Refusal {
  if (log === null) return refusal;
  const path = join(place.folder, '.swemake', 'init.log');
  writeOutput(path, log);
  return { ...refusal, message: `${refusal.message}\n      log: ${relative(io.cwd, path)}` };
}

/** The first folder on the way to `path` that is not there; null: all are. */
function firstMissing(path: string): string | null {
  if (existsSync(path)) return null;
  return firstMissing(dirname(path)) ?? path;
}

async function write(
  { from, template, endpoint }: InitWish,
  place: NewProject,
  values: Wished,
  stop: Stop,
  io: CommandIo,
): Promise<Result<Written, Refusal>> {
  const allowHosts = values['allow-host'];
  if (template === QUICKSTART) return quickstart(place, values.force, io);
  const found = template === null ? null : TEMPLATES[template]!;
  if (found !== null) {
    const { rows, isBenchmark } = found;
    return success({
      text: textOf(place, { rows, recipes: [], endpoint, isBenchmark, allowHosts }),
      files: [],
      summary: rows.source,
    });
  }
  const mutated = readMutated(pathOf(from!, io), io.cwd, place.folder);
  if (mutated !== null && mutated.kind === 'repository')
    return fromRepository(mutated, pathOf(from!, io), { ...values, place, endpoint, allowHosts }, stop, io);
  if (!values['discover-tests']) return fromRows(from!, { ...values, place, endpoint, allowHosts }, stop, io);
  const completed = await withTests(from!, { ...values, place, endpoint, allowHosts }, stop, io);
  if (!completed.ok) return completed;
  const written = await fromRows(completed.value, { ...values, place, endpoint, allowHosts }, stop, io);
  return written.ok ? success({ ...written.value, files: [relative(io.cwd, completed.value)] }) : written;
}

/** A file of rows in which none lacks tests: they are measured where a build will validate them. */
async function withTests(
  from: string,
  { place, jobs, force, allowHosts }: Given,
  stop: Stop,
  io: CommandIo,
): Promise<Result<string, Refusal>> {
  const remedy = '--discover-tests reads a file of JSON lines';
  const path = resolve(io.cwd, from);
  if (!existsSync(path) || !/\.jsonl$/.test(path))
    return fault({ code: 2, message: `there is no file "${from}" of JSON lines`, remedy });
  const file = join(place.folder, 'rows.jsonl');
  if (existsSync(file) && !force) return fault(isThere(relative(io.cwd, file)));
  const { completeRows, givenRows } = await import('../app/discover/complete-rows.ts');
  const { toldWhy } = await import('../app/discover/discover.ts');
  const { Blocked, openRowsProject } = await import('../app/discover/rows-project.ts');
  const given = givenRows(readFileSync(path, 'utf8'), from);
  if (typeof given === 'string') return fault({ code: 2, message: `${from}: ${given}`, remedy });
  const choice = { folder: place.folder, name: place.name, recipes: [], allowHosts };
  const values = { profile: [], set: [], 'env-file': undefined };
  const lines = candidateLines(io);
  const rowsProject = await openRowsProject(choice, given.format, values, stop, io, lines.show);
  if (rowsProject === null) {
    lines.stop();
    return fault({ code: 2, message: 'the project is not sound', remedy });
  }
  try {
    const { rows, measured, leftOut } = await completeRows(given.rows, rowsProject, jobs);
    for (const { id, ...one } of leftOut)
      io.stderr.write(shown(`${id}: left out, ${one.reason}: ${toldWhy(one)}\n`));
    if (stop.drain.aborted) return fault(STOPPED);
    io.stderr.write(shown(`${measured} measured, ${leftOut.length} left out\n`));
    if (rows.length === 0) {
      const isFault = leftOut.some((one) => one.isFault);
      return fault({
        ...{ code: isFault ? 3 : 1, message: `no row of ${from} has tests that its patch makes pass` },
        remedy: 'see why above; recipes of a project help: swemake mine and build read them',
        details: leftOut.map(({ detail }) => detail),
      });
    }
    mkdirSync(place.folder, { recursive: true });
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return success(file);
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
    return fault({ code: 3, message: error.message, remedy: 'run the command again' });
  } finally {
    lines.stop();
    rowsProject.close();
  }
}

/** A URL of a repository, as people copy it. */
function pathOf(from: string, io: CommandIo): string {
  return isAddress(from) && !isRepository(resolve(io.cwd, from)) ? `git+${from}@HEAD` : from;
}

interface Rows {
  rows: SurveyedRows;
  recipes: readonly ProposedRecipe[];
  endpoint: EndpointChoice | null;
  isBenchmark: boolean;
  allowHosts: readonly string[];
}

function textOf(place: NewProject, chosen: Rows): string {
  return projectText({
    name: place.name,
    file: shellWord(place.shown),
    schema: '.swemake/project.schema.json',
    ...chosen,
  });
}

function quickstart(place: NewProject, force: boolean, io: CommandIo): Result<Written, Refusal> {
  const rows = join(place.folder, 'quickstart.jsonl');
  if (existsSync(rows) && !force) return fault(isThere(relative(io.cwd, rows)));
  mkdirSync(place.folder, { recursive: true });
  copyFileSync(join(packageRoot(), 'projects', 'quickstart.jsonl'), rows);
  const text = readFileSync(join(packageRoot(), 'projects', 'quickstart.yaml'), 'utf8')
    .replace('../schemas/editor.schema.json', '.swemake/project.schema.json')
    .replaceAll('projects/quickstart.yaml', () => shellWord(place.shown))
    .replace(/^name: .*$/m, `name: ${place.name}`);
  return success({ text, files: [relative(io.cwd, rows)], summary: 'thirty tasks over six small packages' });
}

function isThere(shown: string): Refusal {
  return { code: 2, message: `${shown} is there already`, remedy: 'write over it with --force' };
}

interface Given {
  place: NewProject;
  endpoint: EndpointChoice | null;
  split: string | undefined;
  count: number;
  /** OWNER/NAME of the rows of a repository; undefined: that of its folder or URL. */
  repo: string | undefined;
  /** Tests that are measured at once; null: the user does not say. */
  jobs: number | null;
  force: boolean;
  allowHosts: readonly string[];
}

async function fromRows(
  from: string,
  { place, endpoint, split, allowHosts }: Given,
  stop: Stop,
  io: CommandIo,
): Promise<Result<Written, Refusal>> {
  const known = isHubId(from) ? knownDataset(from) : null;
  if (known !== null) {
    const rows = split === undefined ? known.rows : { ...known.rows, split };
    return success({
      text: textOf(place, { ...known, rows, recipes: [], endpoint, allowHosts }),
      files: [],
      summary: from,
    });
  }
  mkdirSync(place.folder, { recursive: true });
  const { surveyRows } = await import('../app/init/survey.ts');
  const surveyed = await surveyRows({ from, split, folder: place.folder, signal: stop.drain }, io);
  if (!surveyed.ok) {
    const path = resolve(io.cwd, from);
    const isFolder = existsSync(path) && statSync(path).isDirectory();
    return fault({
      code: 1,
      message: `${surveyed.fault}${isFolder ? '; and it is no git repository' : ''}`,
      remedy: isFolder
        ? 'name rows; or commit the code of the folder to git, and bugs are made in it'
        : 'name rows, or the folder of a git repository',
    });
  }
  const rows = surveyed.value;
  const summary = `${rows.source}, format ${rows.format.name}: ${amountOf(rows)}`;
  return success({
    text: textOf(place, { rows, recipes: [], endpoint, isBenchmark: isBenchmark(rows), allowHosts }),
    files: [],
    summary,
  });
}

/** Bugs are made in the code, with the recipe that its files propose. */
async function fromRepository(
  mutated: Extract<Mutated, { kind: 'repository' }>,
  from: string,
  { place, endpoint, count, repo: asked, jobs, force, allowHosts }: Given,
  stop: Stop,
  io: CommandIo,
): Promise<Result<Written, Refusal>> {
  const hasOthers = existsSync(join(place.folder, 'rows.jsonl')) && !existsSync(place.file);
  // Rows of another project stay.
  const rowsName = hasOthers ? `${place.name}.jsonl` : 'rows.jsonl';
  const rowsFile = join(place.folder, rowsName);
  const shownRows = relative(io.cwd, rowsFile);
  if (existsSync(rowsFile) && !force) return fault(isThere(shownRows));
  const { mutatePackage } = await import('../app/mutation/mutate-package.ts');
  const { openMutationSession } = await import('../app/mutation/tests.ts');
  const { findInterpreter } = await import('../tasks/python/interpreter.ts');
  const { packageIndex } = await import('../tasks/source/package-index.ts');
  const say = (text: string) => void io.stderr.write(shown(`${text}\n`));
  const shared = { index: packageIndex(io.env), env: io.env, cwd: io.cwd, signal: stop.drain };
  const { proposeFor } = await import('../app/init/propose-for.ts');
  const proposed = await proposeFor(mutated, shared);
  if (!proposed.ok) return proposed;
  const isPython = proposed.value.recipe.ecosystem === undefined;
  const means = isPython ? '--pip, --install and --test' : '--project and a recipe of your own';
  const remedy = `run swemake mutate with ${means}, then swemake init --from its rows`;
  const repo = asked ?? usualRepo(mutated, io.cwd);
  const rowsOf = (amount: number): SurveyedRows => ({
    ...{ source: rowsName, format: mutationFormat, rows: amount, isAll: true, bad: 0 },
    repos: [{ repo, rows: amount, needs: 'usual' }],
  });
  let proposal = proposed.value;
  const textFor = (amount: number) =>
    textOf(place, {
      rows: rowsOf(amount),
      recipes: [{ repo, ...proposal }],
      ...{ endpoint, isBenchmark: false, allowHosts },
    });
  /** What is proposed is written down, so that people can correct it; a project that is there stays. */
  const drafted = (refusal: Omit<Refusal, 'remedy'>): Refusal => {
    if (existsSync(place.file)) return { ...refusal, remedy };
    mkdirSync(place.folder, { recursive: true });
    writeFileSync(place.file, textFor(count));
    writeSchema(place.folder);
    const again = [
      ...['swemake', 'mutate', from, '--project', place.shown, '--repo', repo],
      ...['--count', `${count}`, '-o', shownRows],
    ];
    return {
      ...{ ...refusal, hasDraft: true },
      remedy: `correct the recipe in ${place.shown}, which was written, then run ${again.map(shellWord).join(' ')}`,
    };
  };
  const python = await findInterpreter(null, { env: io.env });
  if (!python.ok) return fault({ code: 3, message: python.fault.detail, remedy: 'install a Python' });
  say(`${repo}: its code is changed and its tests are run here`);
  const rows: object[] = [];
  let log: string | null = null;
  /** Null after the errors of its project were printed. */
  const makeRows = async () => {
    const recipes = [{ repo, ...proposal }];
    const choice = { folder: place.folder, name: place.name, recipes, allowHosts };
    const values = { profile: [], set: [], 'env-file': undefined };
    const session = await openMutationSession(choice, values, stop, io);
    if (session === null) return null;
    return mutatePackage({
      ...{ mutated, repo, kinds: [], files: [], count, seed: 0, jobs },
      ...{ passToPass: null, failToPass: null, timeout: null },
      ...{ python: python.value.executable, ownRecipe: {}, openTests: session.openTests, say, ...shared },
      endings: session.endings,
      sourcesFolder: session.sourcesFolder,
      locks: session.locks,
      found: (row) => rows.push(row),
      failed: (text) => {
        log = text;
      },
    }).finally(() => session.close());
  };
  let made = await makeRows();
  for (;;) {
    const next: RecipeProposal | null = made?.ok === false ? amended(proposal, log ?? '') : null;
    if (next === null || stop.drain.aborted) break;
    say(`${next.notes.at(-1)} The recipe is amended and tried again.`);
    [proposal, log] = [next, null];
    made = await makeRows();
  }
  if (made === null) return fault({ code: 2, message: `the recipe of ${repo} is not sound`, remedy });
  if (stop.drain.aborted) return fault(STOPPED);
  if (!made.ok) {
    const { status, detail } = made.fault;
    const haveRun = 'reason' in made.fault && made.fault.reason === 'no-tests-ran';
    // A refused host is no requirement, whatever words are in its message, and neither is the command of tests that ran.
    const isOther = haveRun || refusedHosts(detail).length > 0;
    const asking = isOther ? null : requirementIn(detail, proposal);
    const message = asking === null ? detail : `${detail}; ${asking}`;
    // The machine's faults and refused hosts need no other recipe.
    if (status === 'infra' || refusedHosts(detail).length > 0)
      return fault({ code: status === 'infra' ? 3 : 1, message, remedy, log });
    const { excerptOf } = await import('../stages/filter/excerpt.ts');
    const { hint } = excerptOf(log, made.fault);
    const help = hint === null || message.includes('would help') ? '' : `; what would help: ${hint}`;
    return fault(drafted({ code: 1, message: `${message}${help}`, log }));
  }
  if (rows.length === 0)
    return fault(
      drafted({ code: 1, message: `no change of ${repo} makes a task: each fails no test or all of them` }),
    );
  mkdirSync(place.folder, { recursive: true });
  writeFileSync(rowsFile, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return success({
    text: textFor(rows.length),
    files: [shownRows],
    summary: `${rows.length} ${rows.length === 1 ? 'task' : 'tasks'} made of ${repo}`,
  });
}

/** The schema beside the project's cache, where the first line of the project names it for editors. */
function writeSchema(folder: string): string {
  const path = join(folder, '.swemake', 'project.schema.json');
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(join(packageRoot(), 'schemas', 'editor.schema.json'), path);
  return path;
}

async function report(
  place: NewProject,
  { files, summary }: Written,
  json: boolean,
  io: CommandIo,
): Promise<number> {
  const { diagnoseProject } = await import('../compiler/load.ts');
  const { printDiagnostics } = await import('../app/diagnostics.ts');
  const diagnostics = await diagnoseProject(place.file, { env: io.env, cwd: io.cwd });
  printDiagnostics(diagnostics, io);
  if (json) io.stdout.write(jsonLine({ project: place.shown, files: [place.shown, ...files], diagnostics }));
  else
    io.stdout.write(
      shown(`wrote ${[place.shown, ...files].join(' and ')}: ${summary}
next: swemake build ${shellWord(place.shown)}
`),
    );
  return diagnostics.some(({ severity }) => severity === 'error') ? 2 : 0;
}

function answerRefusal({ code, message, remedy }: Refusal, io: CommandIo): number {
  const label = code === 3 ? 'E003' : code === 2 ? 'E001' : 'E004';
  io.stderr.write(
    code === 130 ? shown(`${message}; ${remedy}\n`) : shown(`${label}  ${message}\n      ${remedy}\n`),
  );
  return code;
}
