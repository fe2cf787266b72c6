/**
 * Makes rows from a repository's own history: each commit of the main line that changes code and tests is tried as a task,
 * the newest first, until there are enough. Every commit that makes none is reported with its reason.
 */
import { availableParallelism } from 'node:os';
import { plural } from '../../basics/plural.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import type { RawRow } from '../../formats/row.ts';
import { testDirectives } from '../../patches/test-files.ts';
import type { TestLists } from '../../schemas/instance.ts';
import type { Infra, Outcome } from '../../schemas/outcome.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';
import {
  LEFT_OUT,
  type LeftOutReason,
  type MinedCommit,
  type MinedTask,
  mainLine,
  partingOf,
  taskOf,
} from '../../tasks/mining/commits.ts';
import type { Issues } from '../../tasks/mining/statement.ts';
import type { Mutated } from '../../tasks/mutation/mutated.ts';
import type { SourceFault } from '../../tasks/source/fault.ts';
import { type GitDeps, historyMirror, resolveRef } from '../../tasks/source/git-mirror.ts';
import { type LeftOut, toldWhy } from '../discover/discover.ts';
import { Blocked, type RowsProject } from '../discover/rows-project.ts';
import type { OverLimit, RunLimit } from '../discover/run-limit.ts';
import type { Lacking } from '../init/lacking.ts';
import type { NoProposal } from '../init/propose-recipe.ts';
import { recipeOf } from '../mutation/tests.ts';
import type { Session } from '../session.ts';
import { olderRecipeAt, type RecipeAt, recipeAt } from './recipe-at.ts';

export interface MineOptions {
  repository: Extract<Mutated, { kind: 'repository' }>;
  /** OWNER/NAME, by which recipes match the rows. */
  repo: string;
  /** How many rows are wanted. */
  count: number;
  /** Most commits that are looked at. */
  limit: number;
  /** Most files that a task may change. */
  maxFiles: number;
  issues: Issues;
  /** What of the recipe the rows say themselves; null: what the repository's files propose. */
  recipe: PartialRecipe | null;
  /** Each row sees the package index of its commit's day. */
  dated: boolean;
  rowsProject: RowsProject;
  /** Actions at once; null: as many as there are processors. */
  jobs: number | null;
  /** Ends candidates whose tests take too long; null: only the project's own limit does. */
  runLimit: RunLimit | null;
  env: NodeJS.ProcessEnv;
  cwd: string;
  signal: AbortSignal;
  /** One line of progress. */
  say(text: string): void;
  /** Told whenever there is a row or a commit more. */
  changed(mined: Mined): void;
  /** Keeps the log of a candidate that is left out; its path, as the user sees it. */
  keepLog(commit: string, log: string): string;
}

interface LeftOutCommit {
  commit: string;
  subject: string;
  reason: string;
  detail: string;
  /** The path of its log; absent: nothing was run. */
  log?: string;
}

export interface Mined {
  /** In the order of the main line, the newest first. */
  rows: RawRow[];
  leftOut: LeftOutCommit[];
  /** Commits that were looked at. */
  commits: number;
  /** A row failed for a reason that another run may not have. */
  hasFault: boolean;
  /** What ended the search before there were enough, or all were tried; null: nothing. */
  ended: Failure | SourceFault | null;
}

type Failure = Exclude<Outcome, { status: 'ok' }>;

/**
 * How many candidates are measured together where so many rows are wanted: their environments are built side by side. Not many
 * more: a candidate is validated when the tests of all of them are measured.
 */
const USUAL_BATCH = 4;

/** The reason of a candidate that was ended. */
const TIMEOUT = 'timeout';
/** Reason and detail of a candidate when the search was stopped. */
const NOT_REACHED = ['cancelled', 'it was not reached'] as const;
/** Reason and detail of a sound candidate that was measured beside the last ones. */
const NOT_NEEDED = [
  'not-needed',
  'it is sound, and there are enough without it; a larger --count takes it',
] as const;

export async function mineRepository(
  options: MineOptions,
): Promise<Result<Mined, Failure | SourceFault | NoProposal>> {
  const opened = await options.rowsProject.open((session) => readHistory(session, options));
  if (!opened.ok) return opened;
  const { mirror, line, newest } = opened.value;
  const { repo, rowsProject } = options;
  const { ecosystem } = recipeOf({ repo, version: '', recipe: newest.recipe }, rowsProject.project);
  const parting = partingOf(ecosystemNamed(ecosystem));
  const search = new Search(newest, options);
  let batch: MinedTask[] = [];
  for (const [index, one] of line.entries()) {
    if (options.signal.aborted || search.isEnough) break;
    search.mined.commits += 1;
    const deps = { mirror, env: options.env, signal: options.signal };
    const task = await taskOf(one, options.issues, options.maxFiles, parting, deps);
    if (!task.ok) {
      if (options.signal.aborted) search.mined.commits -= 1;
      else search.mined.ended = task.fault;
      break;
    }
    if (typeof task.value === 'string')
      search.leave(one.commit, task.value, LEFT_OUT[task.value as LeftOutReason]);
    else batch.push(task.value);
    if (batch.length < search.batchSize && index < line.length - 1) continue;
    await search.measure(batch);
    batch = [];
    if (search.mined.ended !== null) break;
  }
  for (const task of batch) search.leave(task, ...NOT_REACHED);
  const { mined } = search;
  if (mined.ended !== null && mined.rows.length === 0) return fault(mined.ended);
  return success(mined);
}

/** What was found so far. */
class Search {
  readonly mined: Mined = { rows: [], leftOut: [], commits: 0, hasFault: false, ended: null };
  readonly #newest: RecipeAt;
  readonly #options: MineOptions;
  /** With the place of their commits among all candidates. */
  readonly #found: { place: number; row: RawRow }[] = [];
  #places = 0;

  constructor(newest: RecipeAt, options: MineOptions) {
    this.#newest = newest;
    this.#options = options;
  }

  get isEnough(): boolean {
    return this.#found.length >= this.#options.count;
  }

  /** How many candidates are measured together next. */
  get batchSize(): number {
    const { count, jobs } = this.#options;
    return Math.max(jobs ?? availableParallelism(), Math.min(USUAL_BATCH, count - this.#found.length));
  }

  leave({ commit, subject }: MinedCommit, reason: string, detail: string, text: string | null = null): void {
    const log = text === null ? null : this.#options.keepLog(commit, text);
    this.mined.leftOut.push({ commit, subject, reason, detail, ...(log === null ? {} : { log }) });
    const where = log === null ? '' : `; log: ${log}`;
    this.#options.say(`${commit.slice(0, 8)} ${subject}: ${reason}, ${detail}${where}`);
    this.#options.changed(this.mined);
  }

  /** Modules that are missing are looked for in the files of the repository. */
  #leaveFor(commit: MinedCommit, lacking: Lacking, { reason, detail, hint, log }: LeftOut): void {
    const help = lacking(detail) ?? hint;
    this.leave(commit, reason, toldWhy({ detail, hint: help }), log);
  }

  /** Measures candidates, and takes down what each of them came to. */
  async measure(tasks: readonly MinedTask[]): Promise<void> {
    if (tasks.length === 0) return;
    this.#options.say(
      `${plural(tasks.length, 'candidate')}: their tests are measured; ${this.#progress()} so far`,
    );
    const recipes = await this.#recipesOf(tasks);
    if (!recipes.ok) {
      if (this.#options.signal.aborted) for (const task of tasks) this.leave(task, ...NOT_REACHED);
      else this.#endWith(recipes.fault, tasks);
      return;
    }
    const rows = recipes.value.map((recipe, at) => rowOf(tasks[at]!, recipe, this.#options));
    const left = await this.#discover(rows);
    if (left === null) {
      if (this.mined.ended !== null) this.#endWith(this.mined.ended, tasks);
      return;
    }
    for (const [at, { instance_id }] of rows.entries()) {
      const one = left.get(String(instance_id));
      if (one === undefined) continue;
      const over = one.isFault ? this.#options.runLimit?.ended.get(String(instance_id)) : undefined;
      if (over === undefined) this.mined.hasFault ||= one.isFault;
      if (over === undefined) this.#leaveFor(tasks[at]!, recipes.value[at]!.lacking, one);
      else this.leave(tasks[at]!, TIMEOUT, overText(over));
    }
    for (const { row } of this.#found.splice(this.#options.count)) {
      const at = rows.findIndex(({ instance_id }) => instance_id === row.instance_id);
      this.leave(tasks[at]!, ...NOT_NEEDED);
    }
  }

  /** Ends the search. Without rows the command tells the fault alone. */
  #endWith(ended: NonNullable<Mined['ended']>, tasks: readonly MinedTask[]): void {
    this.mined.ended = ended;
    if (this.mined.rows.length > 0) for (const task of tasks) this.leave(task, ended.reason, ended.detail);
  }

  /** What the files of their own commits propose, unless a recipe is asked for. */
  async #recipesOf(tasks: readonly MinedTask[]): Promise<Result<RecipeAt[], Infra>> {
    const { repository, repo, recipe, rowsProject } = this.#options;
    if (recipe !== null) return success(tasks.map(() => this.#newest));
    const given = { url: repository.url, repo, recipe, project: rowsProject.project };
    return rowsProject.open(async (session) => {
      const deps = gitDeps(session, this.#options);
      const found: RecipeAt[] = [];
      for (const { base } of tasks) {
        const older = await olderRecipeAt(base, this.#newest, given, deps);
        if (!older.ok) return older;
        found.push(older.value);
      }
      return success(found);
    });
  }

  /** Why rows have no lists, by instance_id; null where nothing could be measured. */
  async #discover(rows: readonly RawRow[]): Promise<Map<string, LeftOut> | null> {
    const { rowsProject, jobs, runLimit, signal } = this.#options;
    const first = this.#places;
    this.#places += rows.length;
    const found = (id: string, { FAIL_TO_PASS, PASS_TO_PASS }: TestLists) => {
      const at = rows.findIndex(({ instance_id }) => instance_id === id);
      this.#add(first + at, { ...rows[at]!, FAIL_TO_PASS, PASS_TO_PASS });
    };
    const left = new Map<string, LeftOut>();
    let open = rows;
    // Some gave their place to others, or waited for work of one that was ended: they are tried again, once.
    for (let tries = 0; tries < 2 && open.length > 0; tries += 1) {
      const answers = await rowsProject.discover(open, { jobs, limit: runLimit, found }).catch(blocked);
      if (answers instanceof Blocked) {
        this.mined.ended = answers.outcome as Failure;
        return null;
      }
      for (const [id, one] of answers)
        if (one.isMeasured) left.delete(id);
        else left.set(id, one);
      open = open.filter(({ instance_id }) => {
        const id = String(instance_id);
        return !signal.aborted && left.get(id)?.reason === 'cancelled' && !runLimit?.ended.has(id);
      });
    }
    return left;
  }

  #add(place: number, row: RawRow & TestLists): void {
    const { count, say, changed } = this.#options;
    this.#found.push({ place, row });
    this.#found.sort((a, b) => a.place - b.place);
    this.mined.rows = this.#found.slice(0, count).map((one) => one.row);
    const lists = `${row.FAIL_TO_PASS.length} fail, ${row.PASS_TO_PASS.length} pass`;
    say(`${row.instance_id}: ${lists}; ${this.#progress()}`);
    changed(this.mined);
  }

  /** How many of the wanted rows there are. */
  #progress(): string {
    return `${this.mined.rows.length} of ${this.#options.count} found`;
  }
}

function blocked(error: unknown): Blocked {
  if (error instanceof Blocked) return error;
  throw error;
}

function overText({ limit, longest }: OverLimit): string {
  return `a run of its tests took over ${limit} s, and the longest of others ${longest} s; --timeout gives it more`;
}

/** The main line, and the recipe of the newest commit. */
async function readHistory(
  session: Session,
  { repository, repo, recipe, limit, rowsProject: { project }, ...options }: MineOptions,
) {
  const { env, signal } = options;
  const { url, ref } = repository;
  const deps = gitDeps(session, options);
  const head = await resolveRef(url, ref, deps);
  if (!head.ok) return head;
  const mirror = await historyMirror(url, head.value, deps);
  if (!mirror.ok) return mirror;
  const line = await mainLine(head.value, limit, { mirror: mirror.value, env, signal });
  if (!line.ok) return line;
  const newest = await recipeAt(head.value, { url, repo, recipe, project }, deps);
  if (!newest.ok) return newest;
  return success({ mirror: mirror.value, line: line.value, newest: newest.value });
}

function gitDeps(
  { cache }: Session,
  { env, signal, cwd }: Pick<MineOptions, 'env' | 'signal' | 'cwd'>,
): GitDeps {
  return {
    ...{ env, signal, projectFolder: cwd },
    ...{ sourcesFolder: cache.folder.sources, locks: cache.locks },
  };
}

/** A row of the format "custom". */
function rowOf(
  task: MinedTask,
  { recipe, collects }: RecipeAt,
  { repo, repository, dated }: MineOptions,
): RawRow {
  const own = dated ? { ...recipe, as_of: task.day } : recipe;
  const brought = testDirectives(task.test_patch);
  const files = brought.filter(collects);
  return {
    instance_id: `${repo.replace('/', '__')}-${task.commit.slice(0, 12)}`,
    repo,
    source: `git+${repository.source}@${task.base}`,
    base_commit: task.base,
    patch: task.patch,
    test_patch: task.test_patch,
    // A file that pytest would leave alone may not even load.
    ...(files.length > 0 && files.length < brought.length && { test_files: files }),
    problem_statement: task.problem_statement,
    created_at: task.day,
    ...(Object.keys(own).length === 0 ? {} : { recipe: own }),
  };
}
