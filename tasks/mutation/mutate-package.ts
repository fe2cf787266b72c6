/**
 * Makes new instances from one package: source, environment, a clean run of the tests, then candidate after
 * candidate until there are enough. What can go wrong before the search is a value.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault, type Result } from '../../basics/result.ts';
import type { LogParser } from '../../grading/parsers/registry.ts';
import { infra, type Outcome } from '../../schemas/outcome.ts';
import type { PartialRecipe, Recipe } from '../../schemas/recipe.ts';
import type { PackageIndex } from '../source/package-index.ts';
import { type Candidate, listMutations } from './derive.ts';
import { prepareHostTests } from './host-tests.ts';
import { runClean, searchTasks, shuffled } from './measure.ts';
import { type Mutated, nameOf } from './mutated.ts';
import { rowOfTask } from './new-rows.ts';
import { fetchMutated } from './package-source.ts';
import type { MutationRow } from './row.ts';

export interface MutateOptions {
  mutated: Mutated;
  repo: string;
  /** Kinds to use; empty for all. */
  kinds: readonly string[];
  /** Files to mutate; empty for all of the package. */
  files: readonly string[];
  count: number;
  seed: number;
  /** Absolute path of the interpreter that environment and script use. */
  python: string;
  recipe: Recipe;
  parser: LogParser;
  /** What of the recipe the rows must say themselves. */
  ownRecipe: PartialRecipe;
  /** Seconds for one run of the tests; null takes ten times what the clean source needs. */
  timeout: number | null;
  /** Most PASS_TO_PASS tests in a row. */
  passToPass: number;
  index: PackageIndex;
  env: NodeJS.ProcessEnv;
  /** Relative paths of repositories start here. */
  cwd: string;
  signal: AbortSignal;
  found(row: MutationRow): void;
  /** One line of progress. */
  say(text: string): void;
}

/** Why no search was made. */
type Failure = Exclude<Outcome, { status: 'ok' }>;

/** How often the clean source is run; a test that does not pass each time is left out. */
const CLEAN_RUNS = 2;
/** Seconds for one of these runs. */
const CLEAN_TIMEOUT = 900;

/** Calls `found` for every new row; the value is how many there were. */
export async function mutatePackage(options: MutateOptions): Promise<Result<number, Failure>> {
  const workFolder = await mkdtemp(join(tmpdir(), 'swemake-mutate-'));
  try {
    return await mutateIn(workFolder, options);
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

async function mutateIn(workFolder: string, options: MutateOptions): Promise<Result<number, Failure>> {
  const { python, signal, say } = options;
  const name = nameOf(options.mutated);
  const source = await fetchMutated(options.mutated, workFolder, options);
  if (!source.ok) return source;
  const { folder: sourceFolder, facts: named } = source.value;
  const listed = await listMutations(options.files, { sourceFolder, python, signal });
  if (!listed.ok) return listed;
  const candidates = chosen(listed.value, options);
  say(`${name}: ${candidates.length} candidates; building the environment`);
  const tests = await prepareHostTests({ ...options, sourceFolder, workFolder });
  if (!tests.ok) return tests;
  const runTests = tests.value;
  const clean = await runClean(runTests, sourceFolder, CLEAN_RUNS, options.timeout ?? CLEAN_TIMEOUT);
  const { stable, seconds } = clean;
  if (signal.aborted) return fault(infra('cancelled', 'cancelled'));
  if (stable.size === 0) return fault(noTests(name, options.recipe.test));
  say(`${stable.size} tests pass on the clean source`);
  const facts = { repo: options.repo, ...named };
  const { count, passToPass } = options;
  const timeout = options.timeout ?? Math.max(5, Math.ceil(seconds * 10));
  return searchTasks({
    ...{ sourceFolder, python, runTests, candidates, stable, count, passToPass, timeout, signal },
    found: (task) => {
      say(`${placeOf(task.candidate)}: ${task.FAIL_TO_PASS.length} fail, ${task.PASS_TO_PASS.length} pass`);
      options.found(rowOfTask(task, facts, options.ownRecipe));
    },
    rejected: (candidate, why) => say(`${placeOf(candidate)}: ${why}`),
  });
}

function chosen(candidates: readonly Candidate[], { kinds, seed }: MutateOptions): Candidate[] {
  const wanted = candidates.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
  return shuffled(wanted, seed);
}

function placeOf({ file, line, kind }: Candidate): string {
  return `${file}:${line} ${kind}`;
}

function noTests(name: string, test: string): Failure {
  const detail = `${name}: no test passes twice with "${test}"; does it hold its tests?`;
  return { status: 'failed', reason: 'no-tests-ran', detail };
}
