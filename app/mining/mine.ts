/**
 * Makes rows from a repository's own history: each commit of the main line that changes code and tests is tried as a task,
 * the newest first, until there are enough. Every commit that makes none is reported with its reason.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import type { RawRow } from '../../formats/row.ts';
import type { Outcome } from '../../schemas/outcome.ts';
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
import { exportCommit, type GitDeps, historyMirror, resolveRef } from '../../tasks/source/git-mirror.ts';
import { Blocked, type RowsProject } from '../discover/rows-project.ts';
import { type NoProposal, proposeRecipe } from '../init/propose-recipe.ts';
import { recipeOf } from '../mutation/tests.ts';
import type { Session } from '../session.ts';

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
  env: NodeJS.ProcessEnv;
  cwd: string;
  signal: AbortSignal;
  /** One line of progress. */
  say(text: string): void;
}

interface LeftOutCommit {
  commit: string;
  subject: string;
  reason: string;
  detail: string;
}

export interface Mined {
  rows: RawRow[];
  leftOut: LeftOutCommit[];
  /** Commits that were looked at. */
  commits: number;
  /** A row failed for a reason that another run may not have. */
  hasFault: boolean;
}

type Failure = Exclude<Outcome, { status: 'ok' }>;

/** How many candidates are measured at once, at least: their environments are built side by side. */
const LEAST_BATCH = 4;

export async function mineRepository(
  options: MineOptions,
): Promise<Result<Mined, Failure | SourceFault | NoProposal>> {
  const opened = await options.rowsProject.open((session) => readHistory(session, options));
  if (!opened.ok) return opened;
  const { mirror, line, recipe } = opened.value;
  const { repo, rowsProject } = options;
  const { ecosystem } = recipeOf({ repo, version: '', recipe }, rowsProject.project);
  const parting = partingOf(ecosystemNamed(ecosystem));
  const mined: Mined = { rows: [], leftOut: [], commits: 0, hasFault: false };
  const leave = ({ commit, subject }: MinedCommit, reason: string, detail: string): void => {
    mined.leftOut.push({ commit, subject, reason, detail });
    options.say(`${commit.slice(0, 8)} ${subject}: ${reason}, ${detail}`);
  };
  let batch: MinedTask[] = [];
  for (const [index, one] of line.entries()) {
    if (options.signal.aborted || mined.rows.length >= options.count) break;
    mined.commits += 1;
    const deps = { mirror, env: options.env, signal: options.signal };
    const task = await taskOf(one, options.issues, options.maxFiles, parting, deps);
    if (!task.ok) return task;
    if (typeof task.value === 'string') leave(one.commit, task.value, LEFT_OUT[task.value as LeftOutReason]);
    else batch.push(task.value);
    const wanted = Math.max(options.count - mined.rows.length, LEAST_BATCH);
    if (batch.length < wanted && index < line.length - 1) continue;
    try {
      await measure(batch, recipe, mined, leave, options);
    } catch (error) {
      if (error instanceof Blocked) return fault(error.outcome as Failure);
      throw error;
    }
    batch = [];
  }
  mined.rows.length = Math.min(mined.rows.length, options.count);
  return success(mined);
}

/** The main line, and the recipe that the newest commit proposes. */
async function readHistory({ cache }: Session, { repository, recipe, limit, ...options }: MineOptions) {
  const { env, signal, cwd } = options;
  const { url, ref } = repository;
  const deps: GitDeps = {
    ...{ env, signal, projectFolder: cwd },
    ...{ sourcesFolder: cache.folder.sources, locks: cache.locks },
  };
  const head = await resolveRef(url, ref, deps);
  if (!head.ok) return head;
  const mirror = await historyMirror(url, head.value, deps);
  if (!mirror.ok) return mirror;
  const line = await mainLine(head.value, limit, { mirror: mirror.value, env, signal });
  if (!line.ok) return line;
  if (recipe !== null) return success({ mirror: mirror.value, line: line.value, recipe });
  const work = await mkdtemp(join(tmpdir(), 'swemake-mine-'));
  try {
    const exported = await exportCommit(url, head.value, join(work, 'source'), deps);
    if (!exported.ok) return exported;
    const proposed = await proposeRecipe(join(work, 'source'), { env, signal });
    if (!proposed.ok) return proposed;
    return success({ mirror: mirror.value, line: line.value, recipe: proposed.value.recipe });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function measure(
  tasks: readonly MinedTask[],
  recipe: PartialRecipe,
  mined: Mined,
  leave: (commit: MinedCommit, reason: string, detail: string) => void,
  options: MineOptions,
): Promise<void> {
  if (tasks.length === 0) return;
  options.say(`${tasks.length} ${tasks.length === 1 ? 'candidate' : 'candidates'}: their tests are measured`);
  const rows = tasks.map((task) => rowOf(task, recipe, options));
  const found = await options.rowsProject.discover(rows);
  for (const [index, row] of rows.entries()) {
    const one = found.get(String(row.instance_id))!;
    if (!one.isMeasured) {
      mined.hasFault ||= one.isFault;
      leave(tasks[index]!, one.reason, one.detail);
      continue;
    }
    const { FAIL_TO_PASS, PASS_TO_PASS } = one;
    mined.rows.push({ ...row, FAIL_TO_PASS, PASS_TO_PASS });
    options.say(`${row.instance_id}: ${FAIL_TO_PASS.length} fail, ${PASS_TO_PASS.length} pass`);
  }
}

/** A row of the format "custom". */
function rowOf(task: MinedTask, recipe: PartialRecipe, { repo, repository, dated }: MineOptions): RawRow {
  const own = dated ? { ...recipe, as_of: task.day } : recipe;
  return {
    instance_id: `${repo.replace('/', '__')}-${task.commit.slice(0, 12)}`,
    repo,
    source: `git+${repository.source}@${task.base}`,
    base_commit: task.base,
    patch: task.patch,
    test_patch: task.test_patch,
    problem_statement: task.problem_statement,
    created_at: task.day,
    ...(Object.keys(own).length === 0 ? {} : { recipe: own }),
  };
}
