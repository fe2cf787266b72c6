/**
 * Makes new instances from one package: source, environment, a clean run of the tests, then candidate after
 * candidate until there are enough. What can go wrong before the search is a value.
 */

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { plural } from '../../basics/plural.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { unloadedIds, unloadedIn, unloadedText } from '../../grading/logs/loading.ts';
import { fileOfId } from '../../patches/test-files.ts';
import { failed, type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import type { PartialRecipe, Recipe } from '../../schemas/recipe.ts';
import { excerptOf } from '../../stages/filter/excerpt.ts';
import { type DeriveOptions, derivePatches, listMutations } from '../../tasks/mutation/derive.ts';
import { type Mutated, nameOf } from '../../tasks/mutation/mutated.ts';
import type { Candidate } from '../../tasks/mutation/mutation.ts';
import { type FetchOptions, fetchMutated, type MutatedSource } from '../../tasks/mutation/package-source.ts';
import type { MutationRow } from '../../tasks/mutation/row.ts';
import { type Lacking, lackingIn } from '../init/lacking.ts';
import { type MutationTask, type PassToPass, runClean, searchTasks, shuffled } from './measure.ts';
import { rowOfTask } from './new-rows.ts';
import type { RunTests } from './test-run.ts';

/** Where mirrors and archives are kept is a folder of the cache, where a build finds what was fetched. */
export interface MutateOptions extends FetchOptions {
  mutated: Mutated;
  repo: string;
  /** Kinds to use; empty for all. */
  kinds: readonly string[];
  /** Files to mutate; empty for all of the package. */
  files: readonly string[];
  count: number;
  seed: number;
  /** Absolute path of the interpreter that reads the code. */
  python: string;
  /** What of the recipe the rows must say themselves. */
  ownRecipe: PartialRecipe;
  /** Seconds for one run of the tests; null takes ten times what the clean source needs. */
  timeout: number | null;
  passToPass: PassToPass;
  /** Most FAIL_TO_PASS tests in a row; null: there is no limit. */
  failToPass: number | null;
  /** Mutations that are tried at once; null, or absent: as many as there are processors, at most four. */
  jobs?: number | null;
  /**
   * Makes the environment in which the tests are run, once. It gets a row like those that will be made, of tests that
   * are not there, and the clean source.
   */
  openTests(
    row: MutationRow,
    source: CleanSource,
    failed: (log: string) => void,
  ): Promise<Result<OpenTests, MutateFailure>>;
  /** Endings of files that are mutated, by the ecosystem of the row's recipe. */
  endings(row: Pick<MutationRow, 'repo' | 'version' | 'recipe'>): readonly string[];
  found(row: MutationRow): void;
  /** Gets what a failed build of the environment printed, or tests of which none passes. */
  failed(log: string): void;
  /** One line of progress. */
  say(text: string): void;
}

/** The code that is mutated, for workspaces. */
export type CleanSource = Pick<MutatedSource, 'layer' | 'identity'>;

/** An environment for the tests of the code that is mutated. */
export interface OpenTests {
  /** Its command runs them. */
  recipe: Recipe;
  run: RunTests;
  /** Prints why modules of tests cannot be loaded, which the command hides; null: it hides nothing that is known. `timeout` is in seconds. */
  load: ((timeout: number) => Promise<Result<string, Infra>>) | null;
  /** Ids of tests that the witness does not see, or that are skipped; absent: there are none. */
  unseen?: RegExp | undefined;
  /** The file that an id names; absent: as pytest and unittest have it. */
  fileOf?: ((id: string) => string | null) | undefined;
}

/** Why no search was made, and what would help, where that is known. */
export type MutateFailure = Exclude<Outcome, { status: 'ok' }> & { remedy?: string };

/** How often the clean source is run; a test that does not pass each time is left out. */
const CLEAN_RUNS = 2;
/** Seconds for one of these runs. */
const CLEAN_TIMEOUT = 900;

/** Calls `found` for every new row; the value is how many there were. */
export async function mutatePackage(options: MutateOptions): Promise<Result<number, MutateFailure>> {
  const workFolder = await mkdtemp(join(tmpdir(), 'swemake-mutate-'));
  try {
    return await mutateIn(workFolder, options);
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

async function mutateIn(workFolder: string, options: MutateOptions): Promise<Result<number, MutateFailure>> {
  const { python, signal, say } = options;
  const name = nameOf(options.mutated);
  const source = await fetchMutated(options.mutated, workFolder, options);
  if (!source.ok) return source;
  const { folder: sourceFolder, facts: named } = source.value;
  const { repo, ownRecipe: recipe } = options;
  const endings = options.endings({ repo, version: named.version, recipe });
  const listed = await listMutations(options.files, { sourceFolder, python, signal }, endings);
  if (!listed.ok) return listed;
  const candidates = chosen(listed.value, options);
  if (candidates.length === 0) return fault(await nothingToChange(name, sourceFolder, endings, options));
  const facts = { repo: options.repo, ...named };
  const first = await firstTask(candidates, { sourceFolder, python, signal });
  if (!first.ok) return first;
  if (first.value === null) return success(0);
  say(`${name}: ${plural(candidates.length, 'candidate')}; building the environment`);
  const row = rowOfTask(first.value, facts, options.ownRecipe);
  const opened = await options.openTests(row, source.value, options.failed);
  if (!opened.ok) return opened;
  const { run: runTests, recipe: built, unseen, fileOf } = opened.value;
  const limit = options.timeout ?? CLEAN_TIMEOUT;
  const clean = await runClean(runTests, CLEAN_RUNS, limit);
  if (!clean.ok) return clean;
  const { stable, failing, seconds, output, exitCode, broke } = clean.value;
  const unloaded = ecosystemNamed(built.ecosystem).tests === null ? unloadedIds(failing) : [];
  const loading = unloaded.length === 0 ? null : await opened.value.load?.(limit);
  if (signal.aborted) return fault(infra('cancelled', 'cancelled'));
  const log = loading?.ok ? `${output}\n== why modules of tests do not load\n${loading.value}` : output;
  const isAsked = unloaded.length > 0 || stable.size === 0;
  const looked = isAsked ? await lackingIn(sourceFolder, { recipe: built, python, signal }) : null;
  const lacking: Lacking = looked?.ok ? looked.value : () => null;
  if (stable.size === 0) {
    options.failed(log);
    if (broke !== undefined) return fault(saysNothing(name, built.test, broke, output));
    return fault(noTests(name, built.test, unloaded, log, lacking));
  }
  for (const id of unloaded) failing.delete(id);
  const passing = `${stable.size} ${stable.size === 1 ? 'test passes' : 'tests pass'} on the clean source`;
  say(`${passing}${failing.size === 0 ? '' : `; left out, since they fail there: ${someOf(failing)}`}`);
  const skipped = skippedIn(output);
  if (skipped !== null) say(skipped);
  if (unloaded.length > 0) {
    const modules = new Set([...stable, ...failing].map(fileOfId)).size + unloaded.length;
    const { text, errors } = whyUnloaded(unloaded, log);
    const left = `${unloaded.length} of ${plural(modules, 'module')} of tests left out`;
    say(`warning: ${left}: ${text}${helpOf(lacking(errors))}`);
  }
  const isOdd = (exitCode ?? 0) !== 0 && failing.size === 0 && unloaded.length === 0;
  if (isOdd)
    say(`warning: the tests ended with code ${exitCode}, though none failed: grading refuses such a run`);
  if (failing.size > 0 || isOdd) {
    const { complaint, hint } = excerptOf(output, failed('no-tests-ran', ''));
    if (complaint !== null)
      say(`  their output says: ${complaint}${hint === null ? '' : `; what would help: ${hint}`}`);
  }
  const hidden = new Set([...stable].filter((id) => unseen?.test(id)));
  // Where there are no others, they are better than none.
  if (hidden.size === stable.size) hidden.clear();
  for (const id of hidden) stable.delete(id);
  if (hidden.size > 0) say(`in no list, since nothing shows that they ran: ${someOf(hidden)}`);
  const { count, passToPass, failToPass } = options;
  const jobs = options.jobs ?? Math.min(availableParallelism(), MAX_USUAL_JOBS);
  const timeout = options.timeout ?? limitFor(seconds);
  if (seconds > LONG)
    say(
      `one run of the tests takes ${Math.ceil(seconds)} s; a change with which they take over ${timeout} s is left out`,
    );
  let rows = 0;
  return searchTasks({
    ...{ sourceFolder, python, runTests, candidates, stable, count, passToPass, timeout, signal },
    ...{ failToPass, jobs, fileOf },
    found: (task) => {
      const lists = `${task.FAIL_TO_PASS.length} fail, ${task.PASS_TO_PASS.length} pass`;
      rows += 1;
      say(`${placeOf(task.candidate)}: ${lists}; ${rows} of ${count} found`);
      options.found(rowOfTask(task, facts, options.ownRecipe));
    },
    rejected: (candidate, why) => say(`${placeOf(candidate)}: ${why}`),
  });
}

/** How many tests pytest skips, and what most of them say; null where it skips none. */
export function skippedIn(output: string): string | null {
  const reasons = new Map<string, number>();
  for (const [, count, reason] of output.matchAll(/^SKIPPED \[(\d+)\] (?:\S+: )?(.+)$/gm))
    reasons.set(reason!, (reasons.get(reason!) ?? 0) + Number(count));
  const [most] = [...reasons].sort((a, b) => b[1] - a[1]);
  if (most === undefined) return null;
  const all = [...reasons.values()].reduce((sum, one) => sum + one, 0);
  const [reason, count] = most;
  const share = count === all ? '' : `, ${count} of them`;
  return `${plural(all, 'test')} skipped${share}: ${reason}`;
}

/** Changes that are tried at once where the user does not say how many: each may need as much memory as the deployment has. */
const MAX_USUAL_JOBS = 4;

/** Seconds of a run from which on people are told how long they wait. */
const LONG = 10;

/** Seconds for a run with a change, by those of the longest clean run. Changes often make a loop without end. */
function limitFor(seconds: number): number {
  return Math.max(5, Math.ceil(Math.min(seconds * 10, seconds * 2 + 60)));
}

/** How many tests are named. */
const NAMED = 3;

function someOf(ids: ReadonlySet<string>): string {
  const more = ids.size - NAMED;
  return [...[...ids].slice(0, NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** The first candidate that has a patch, as a task whose tests are not known yet; null where there is none. */
async function firstTask(
  candidates: readonly Candidate[],
  options: DeriveOptions,
): Promise<Result<MutationTask | null, Infra>> {
  for (const candidate of candidates) {
    const answers = await derivePatches([candidate], options);
    if (!answers.ok) return answers;
    const answer = answers.value[0]!;
    if ('patch' in answer)
      return success({ candidate, patch: answer.patch, FAIL_TO_PASS: ['-'], PASS_TO_PASS: ['-'] });
  }
  return success(null);
}

function chosen(candidates: readonly Candidate[], { kinds, seed }: MutateOptions): Candidate[] {
  const wanted = candidates.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
  return shuffled(wanted, seed);
}

/** Why there is no candidate: a file that is not there, kinds that no code has, or no code at all. */
async function nothingToChange(
  name: string,
  folder: string,
  endings: readonly string[],
  { files, kinds }: MutateOptions,
): Promise<MutateFailure> {
  const isThere = await Promise.all(files.map((file) => isFile(join(folder, file))));
  const gone = files.filter((_, at) => !isThere[at]);
  const nothing = (detail: string, remedy: string) => ({
    ...failed('invalid-row', `${name}: ${detail}`),
    remedy,
  });
  if (gone.length > 0)
    return nothing(
      `it has no file ${gone.join(', ')}`,
      'write --file as the path is from the root of the source',
    );
  const where = files.length === 0 ? 'it' : files.join(', ');
  if (kinds.length > 0)
    return nothing(`${where} has no code for ${kinds.join(', ')}`, 'leave --kinds out, or name other kinds');
  return nothing(
    `${where} has no code to change: nothing in ${endings.join(', ')} outside of tests`,
    files.length === 0
      ? 'name a source with code, and a recipe of its language'
      : 'name another file with --file, or leave it out',
  );
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(whenAbsent(null)))?.isFile() ?? false;
}

function placeOf({ file, line, kind }: Candidate): string {
  return `${file}:${line} ${kind}`;
}

/** What the tests complain of, and the recipe key that would help; where they say nothing, there may be none. */
function saysNothing(name: string, test: string, broke: string, output: string): MutateFailure {
  const found = failed('no-tests-ran', `${name}: "${test}" shows no results: ${broke}`);
  const { hint } = excerptOf(output, found);
  return { ...found, detail: `${found.detail}${helpOf(hint)}` };
}

function noTests(
  name: string,
  test: string,
  unloaded: readonly string[],
  log: string,
  lacking: Lacking,
): MutateFailure {
  const found = `${name}: no test passes twice with "${test}"`;
  const outcome = { status: 'failed', reason: 'no-tests-ran', detail: found } as const;
  const { complaint, hint } = excerptOf(log, outcome);
  const { text: why, errors } =
    unloaded.length > 0 ? whyUnloaded(unloaded, log) : { text: complaint, errors: complaint ?? '' };
  if (why === null && hint === null) return { ...outcome, detail: `${found}; does it hold its tests?` };
  const reason = why === null ? '' : `: ${why}`;
  return { ...outcome, detail: `${found}${reason}${helpOf(lacking(errors) ?? hint)}` };
}

/** What is said of modules of tests that do not load, and all of their errors. */
function whyUnloaded(ids: readonly string[], log: string): { text: string; errors: string } {
  const found = unloadedIn(log);
  return { text: unloadedText(ids, found), errors: found.map(({ why }) => why ?? '').join('\n') };
}

function helpOf(hint: string | null): string {
  return hint === null ? '' : `; what would help: ${hint}`;
}
