/**
 * Finds mutations that make good tasks: some tests fail because of them and others still pass. How tests are run
 * is handed in, so the same search works with plain processes and with a sandbox.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { byCodeUnit } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { Semaphore } from '../../basics/semaphore.ts';
import { programFault } from '../../executors/program-fault.ts';
import { isFailing, type Status } from '../../parsers/status.ts';
import { fileOfId } from '../../patches/test-files.ts';
import { canonicalDiff } from '../../patches/ways.ts';
import type { TestLists } from '../../schemas/instance.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { derivePatches } from '../../tasks/mutation/derive.ts';
import type { Candidate } from '../../tasks/mutation/mutation.ts';
import { diskFault } from '../../tasks/source/fault.ts';
import { type ChangedFile, isHindered, type RunTests, type TestRun } from './test-run.ts';

export type PassToPass = number | 'all' | null;

export interface SearchOptions {
  /** The clean source. */
  sourceFolder: string;
  python: string;
  runTests: RunTests;
  candidates: readonly Candidate[];
  /** Tests that pass on the clean source every time. */
  stable: ReadonlySet<string>;
  /** How many instances are wanted. */
  count: number;
  /** Seconds for one run of the tests. */
  timeout: number;
  /** Candidates that are tried at once; absent: one. */
  jobs?: number | undefined;
  /** At most so many PASS_TO_PASS tests of the files with a failing one; null: all of these. all: those of the other files, too. */
  passToPass: PassToPass;
  /** A mutation that more tests notice makes no task; null: there is no limit. */
  failToPass: number | null;
  /** The file that an id names; absent: as pytest and unittest have it. */
  fileOf?: ((id: string) => string | null) | undefined;
  signal?: AbortSignal | undefined;
  found(task: MutationTask): void;
  rejected(candidate: Candidate, why: string): void;
}

export interface MutationTask extends TestLists {
  candidate: Candidate;
  /** Introduces the bug. */
  patch: string;
}

/** Candidates in an order that depends on nothing but the seed and their names. */
export function shuffled(candidates: readonly Candidate[], seed: number): Candidate[] {
  const ranked = candidates.map((one) => {
    const { file, function: name, kind, index } = one;
    return { one, rank: digestOf(JSON.stringify([seed, file, name, kind, index])) };
  });
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ one }) => one);
}

/** What the clean source's own tests are like. */
export interface CleanRuns {
  /** Tests that pass in every run. */
  stable: Set<string>;
  /** Tests that fail in some run, in the order of the runs. */
  failing: Set<string>;
  /** The longest run. */
  seconds: number;
  /** What the last run printed. */
  output: string;
  /** With which code it ended, where that is known. */
  exitCode?: number | null;
  /** Why a run says nothing. */
  broke?: string;
}

/** Runs all tests of the clean source several times. */
export async function runClean(
  runTests: RunTests,
  runs: number,
  timeout: number,
): Promise<Result<CleanRuns, Infra>> {
  let stable: Set<string> | null = null;
  const failing = new Set<string>();
  let seconds = 0;
  let output = '';
  let exitCode: number | null = null;
  for (let run = 0; run < runs; run += 1) {
    const started = performance.now();
    const ran = await runTests(null, null, timeout);
    if (!ran.ok) return ran;
    const { statuses, timedOut, broke } = ran.value;
    output = ran.value.output ?? '';
    exitCode = ran.value.exitCode ?? null;
    seconds = Math.max(seconds, ran.value.seconds ?? (performance.now() - started) / 1000);
    if (broke !== undefined) return success({ stable: new Set(), failing, seconds, output, broke });
    for (const [id, status] of statuses) if (isFailing(status)) failing.add(id);
    if (timedOut) return success({ stable: new Set(), failing, seconds, output });
    const passed = [...statuses].filter(([, status]) => status === 'PASSED').map(([id]) => id);
    stable = new Set(passed.filter((id) => stable === null || stable.has(id)));
  }
  return success({ stable: stable ?? new Set(), failing, seconds, output, exitCode });
}

/** With several at once, so many times as many are begun at most before the first of them is done. */
const AHEAD = 4;

/** What a search that has enough, or that was stopped, tells candidates that were begun. */
interface Search {
  isOver: boolean;
}

/**
 * Tries candidates until `count` of them make tasks; what counts is their order, however many are tried at once. A candidate is
 * left out if its tests run into their limit on a busy machine twice.
 */
export async function searchTasks(options: SearchOptions): Promise<Result<number, Infra>> {
  const { candidates, count, jobs = 1, signal } = options;
  const search: Search = { isOver: false };
  const turns = new Semaphore(jobs);
  const ahead = jobs === 1 ? 1 : jobs * AHEAD;
  const begun: Promise<Result<MutationTask | string, Infra>>[] = [];
  const patches = new Set<string>();
  try {
    for (const [index, candidate] of candidates.entries()) {
      if (patches.size === count || signal?.aborted) break;
      for (const next of candidates.slice(begun.length, index + ahead)) {
        const trying = turns.run(() => tryCandidate(next, options, search));
        // It is awaited later, or not at all.
        trying.catch(() => undefined);
        begun.push(trying);
      }
      const tried = await begun[index]!;
      if (!tried.ok) {
        if (!isHindered(tried.fault)) return tried;
        options.rejected(candidate, tried.fault.detail);
      } else if (typeof tried.value === 'string') options.rejected(candidate, tried.value);
      else if (patches.has(tried.value.patch))
        options.rejected(candidate, 'the same change as an earlier one');
      else {
        patches.add(tried.value.patch);
        options.found(tried.value);
      }
    }
    return success(patches.size);
  } finally {
    search.isOver = true;
    await Promise.allSettled(begun);
  }
}

/** The task that a candidate makes, or why it makes none. */
async function tryCandidate(
  candidate: Candidate,
  options: SearchOptions,
  search: Search,
): Promise<Result<MutationTask | string, Infra>> {
  const { runTests, stable, timeout } = options;
  const ended = success('the search has ended');
  if (search.isOver) return ended;
  const changed = await changedBy(candidate, options);
  if (!changed.ok) return changed;
  if (typeof changed.value === 'string') return success(changed.value);
  const { patch, withBug } = changed.value;
  const whole = await runTests(withBug, null, timeout);
  if (!whole.ok) return whole;
  if (whole.value.broke !== undefined) return success(whole.value.broke);
  if (whole.value.timedOut) return success('the tests run into their time limit');
  const lists = taskLists(whole.value.statuses, stable, options);
  if (typeof lists === 'string') return success(lists);
  if (search.isOver) return ended;
  // An instance's tests are run without the other files: what depends on those is not its own.
  const [buggy, clean] = [await runTests(withBug, lists, timeout), await runTests(null, lists, timeout)];
  if (!buggy.ok) return buggy;
  if (!clean.ok) return clean;
  const alone = confirmed(lists, buggy.value, clean.value);
  if (typeof alone === 'string') return success(alone);
  return success({ candidate, patch, ...alone });
}

/** The candidate's patch and the file that it changes; or why there is none. */
async function changedBy(
  candidate: Candidate,
  { sourceFolder, python, signal }: SearchOptions,
): Promise<Result<{ patch: string; withBug: ChangedFile } | string, Infra>> {
  const answers = await derivePatches([candidate], { sourceFolder, python, signal });
  if (!answers.ok) return answers;
  const answer = answers.value[0]!;
  if ('error' in answer) return success(answer.error);
  // What is applied is what graders will read.
  const bug = canonicalDiff(answer.patch, 'apply');
  if (bug === null) return success('its patch cannot be read');
  const bytes = await patched(candidate.file, bug, sourceFolder, signal);
  if (!bytes.ok) return bytes;
  return success({ patch: answer.patch, withBug: { path: candidate.file, bytes: bytes.value } });
}

/** The file with the patch applied, in a folder of its own: tests may be running on the clean source. */
async function patched(
  file: string,
  patch: string,
  sourceFolder: string,
  signal: AbortSignal | undefined,
): Promise<Result<Uint8Array, Infra>> {
  let folder = '';
  try {
    folder = await mkdtemp(join(tmpdir(), 'swemake-mutation-'));
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await copyFile(join(sourceFolder, file), path);
    const refused = await applyPatch(patch, folder, signal);
    return refused === null ? success(await readFile(path)) : fault(refused);
  } catch (error) {
    return fault(diskFault(error));
  } finally {
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  }
}

/** `git apply` by its own rules, also when the folder lies inside of another repository; why it gave no answer, or null. */
async function applyPatch(
  patch: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<Infra | null> {
  const env = {
    PATH: process.env.PATH,
    LC_ALL: 'C',
    GIT_CEILING_DIRECTORIES: dirname(folder),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
  };
  const argv = ['git', 'apply', '-'];
  const end = await runProgram({ argv, env, cwd: folder, input: patch, timeout: 60, signal });
  if (hasSucceeded(end)) return null;
  // The code by which git says that a patch does not apply.
  if (end.kind === 'exited' && end.exitCode === 1)
    throw new Error(`a patch that was derived here does not apply: ${complaintOf(end)}`);
  return programFault(end, { doing: 'git apply', remedy: 'apt-get install git', otherwise: 'helper' });
}

function taskLists(
  statuses: ReadonlyMap<string, Status>,
  stable: ReadonlySet<string>,
  { passToPass, failToPass, candidates, fileOf = fileOfId }: SearchOptions,
): TestLists | string {
  // Doctests stand in files that are restored before grading, the bug included.
  const sources = new Set(candidates.map(({ file }) => file));
  const listed = [...statuses].filter(([id]) => stable.has(id) && !sources.has(fileOfId(id) ?? ''));
  const seen = listed.filter(([, status]) => isFailing(status)).map(([id]) => id);
  // They did not run: a module or a hook of theirs fails, or the run ended before them.
  const unseen = [...stable].filter((id) => !statuses.has(id) && !sources.has(fileOfId(id) ?? ''));
  if (seen.length === 0 && unseen.length > 0)
    return `no test fails, and ${unseen.length} of ${stable.size} tests did not run: the change may not compile, or end their run`;
  if (seen.length === 0) return 'no test fails';
  const failing = [...seen, ...unseen];
  if (failToPass !== null && failing.length > failToPass)
    return `${failing.length} tests fail, more than --fail-to-pass`;
  const files = new Set(failing.map(fileOf));
  const others = listed.filter(([, status]) => status === 'PASSED');
  const beside = others.filter(([id]) => files.has(fileOf(id)));
  // Each file may hold one test.
  const passing = passToPass !== 'all' && beside.length > 0 ? beside : others;
  if (passing.length === 0) return 'no test passes';
  const ids = passing.map(([id]) => id);
  // Parallel runners change the order of the log.
  const PASS_TO_PASS = typeof passToPass === 'number' ? ids.sort(byCodeUnit).slice(0, passToPass) : ids;
  return { FAIL_TO_PASS: failing, PASS_TO_PASS };
}

const NOT_ALONE = 'its tests depend on other test files';

function confirmed(lists: TestLists, buggy: TestRun, clean: TestRun): TestLists | string {
  const broke = buggy.broke ?? clean.broke;
  if (broke !== undefined) return broke;
  if (buggy.timedOut || clean.timedOut) return 'the tests run into their time limit';
  const passes = (run: TestRun, id: string) => run.statuses.get(id) === 'PASSED';
  const fails = (run: TestRun, id: string) => {
    const status = run.statuses.get(id);
    return status === undefined || isFailing(status);
  };
  if (!lists.FAIL_TO_PASS.some((id) => buggy.statuses.has(id))) {
    const ended = [...clean.statuses].filter(([id, status]) => status === 'ERROR' && id.endsWith('.py'));
    const isCut = ended.length > 0 && ![...clean.statuses.values()].includes('PASSED');
    return isCut ? `the command of its tests also runs ${ended[0]![0]}, which does not load` : NOT_ALONE;
  }
  const FAIL_TO_PASS = lists.FAIL_TO_PASS.filter((id) => fails(buggy, id) && passes(clean, id));
  const PASS_TO_PASS = lists.PASS_TO_PASS.filter((id) => passes(buggy, id) && passes(clean, id));
  if (FAIL_TO_PASS.length === 0 || PASS_TO_PASS.length === 0) return NOT_ALONE;
  return { FAIL_TO_PASS, PASS_TO_PASS };
}
