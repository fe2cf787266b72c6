/**
 * Mutants of the gold patch's code: validation looks for some that the listed tests catch, and grading runs the tests of
 * a patch that passed with the same mutants in its code. Each mutant has a workspace and a run of the tests of its own.
 */
import { join } from 'node:path';
import { digestOf } from '../../basics/digest.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { fileFault } from '../../executors/helper-fault.ts';
import { goldPatch, type PatchStep } from '../../patches/apply.ts';
import { type Attempt, type Infra, infra, isFault } from '../../schemas/outcome.ts';
import { hostPython } from '../../tasks/images/host-python.ts';
import { FEWEST, failingIn, type KeptMutant, keptMutant, type Mutant, survives } from '../rules/mutants.ts';
import type { GradingRules } from '../rules/rules.ts';
import { type ChangedFile, isPython } from '../suspicion/suspicion.ts';
import { textsOf } from './changed-files.ts';
import { runCheck, withPatch } from './check.ts';
import type { CheckSetup } from './setup.ts';

/** Seconds for one answer of mutants.py, which only parses. */
const TIMEOUT = 120;
const MAX_OUTPUT = 1 << 27;
/** So many mutants are run for each one that is wanted. */
const TRIES = 2;
/** A mutant's run may take so many times the gold patch's, and at least {@link SHORTEST} seconds. */
const TIMES_LONGER = 5;
const SHORTEST = 20;

/** Mutants of the gold patch's code that listed tests catch, at most `wanted`. `files`: what the gold patch changes. */
export async function findMutants(
  setup: CheckSetup,
  files: readonly ChangedFile[],
  { wanted, rules, seconds }: { wanted: number; rules: GradingRules; seconds: number },
): Attempt<KeptMutant[]> {
  const python = files.filter(({ path, after }) => isPython(path, after));
  const listed = await ask<(Mutant & { is_changed: boolean })[]>('list', { files: python }, setup.signal);
  if (!listed.ok) return listed;
  const texts = new Map(files.map(({ path, after }) => [path, after]));
  const begun = performance.now();
  const timeout = Math.min(setup.timeout, Math.max(SHORTEST, Math.ceil(seconds * TIMES_LONGER)));
  const kept: KeptMutant[] = [];
  let tried = 0;
  for (const mutant of inTurn(listed.value)) {
    if (kept.length === wanted || tried === wanted * TRIES) break;
    const placed = await placedIn([mutant], texts, setup.signal);
    if (!placed.ok) return placed;
    tried += 1;
    const patch = goldPatch(setup.instance);
    const run = await failingWith(mutant, placed.value[0]!, patch, { ...setup, timeout }, rules);
    if (!run.ok) return run;
    const caught = keptMutant(mutant, run.value);
    if (caught !== null) kept.push(caught);
  }
  setup.log(
    `== mutants · ${kept.length} of ${tried} are caught by listed tests · ${secondsSince(begun)} s\n`,
  );
  return success(kept);
}

function secondsSince(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(1);
}

/** What mutants say of a patch that passed. */
export interface MutantsVerdict {
  runs: number;
  survivor: KeptMutant | null;
}

/** Runs the tests of a patch that passed with each mutant that fits in its code, until one of them survives; null: too few fit. */
export async function tryMutants(
  setup: CheckSetup,
  patch: PatchStep,
  mutants: readonly KeptMutant[],
  rules: GradingRules,
): Attempt<MutantsVerdict | null> {
  if (mutants.length < FEWEST) return success(null);
  const texts = await patchedTexts(setup, patch, mutants);
  if (!texts.ok) return texts;
  const placed = await placedIn(mutants, texts.value, setup.signal);
  if (!placed.ok) return placed;
  const fitting = mutants.flatMap((mutant, at) => {
    const text = placed.value[at] ?? null;
    return text === null ? [] : [{ mutant, text }];
  });
  if (fitting.length < FEWEST) return success(null);
  const begun = performance.now();
  let runs = 0;
  let survivor: KeptMutant | null = null;
  for (; survivor === null && runs < fitting.length; runs += 1) {
    const { mutant, text } = fitting[runs]!;
    const run = await failingWith(mutant, text, patch, setup, rules);
    if (!run.ok) return run;
    if (survives(mutant, run.value)) survivor = mutant;
  }
  setup.log(`== mutants · ${runs} of ${fitting.length} were run · ${secondsSince(begun)} s\n`);
  return success({ runs, survivor });
}

/** Listed tests that fail with the mutant in the patch's code; null where the run says nothing of them. */
async function failingWith(
  mutant: Mutant,
  text: string | null,
  patch: PatchStep,
  setup: CheckSetup,
  rules: GradingRules,
): Attempt<string[] | null> {
  if (text === null) return success(null);
  const change = async (workspace: Workspace) => {
    const written = await workspace.write(`/testbed/${mutant.file}`, text);
    return written.ok ? null : fileFault('writing a mutant', written.fault);
  };
  const { title, diff, role } = patch;
  const named = `${title} with ${mutant.kind} in ${mutant.file}:${mutant.line}`;
  const ran = await runCheck(setup, named, { title, diff, role, change });
  if (!ran.ok) return isFault(ran.fault) ? ran : success(null);
  return success(failingIn(ran.value.evidence.run, setup.instance, rules));
}

/** The mutants' files as they are with the patch. */
async function patchedTexts(
  setup: CheckSetup,
  { title, diff, role }: PatchStep,
  mutants: readonly Mutant[],
): Attempt<ReadonlyMap<string, string>> {
  const paths = [...new Set(mutants.map(({ file }) => file))];
  return withPatch(setup, { title, diff, role }, (workspace) => textsOf(paths, workspace));
}

/** Other lines before other mutants of a line, and changed lines before others of the same functions. */
function inTurn(listed: readonly (Mutant & { is_changed: boolean })[]): Mutant[] {
  const byChance = listed
    .map(({ is_changed, ...mutant }) => ({ mutant, is_changed, rank: digestOf(JSON.stringify(mutant)) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const counts = new Map<string, number>();
  return byChance
    .map((one) => {
      const place = `${one.mutant.file}:${one.mutant.line}`;
      const count = counts.get(place) ?? 0;
      counts.set(place, count + 1);
      return { ...one, turn: count + (one.is_changed ? 0 : 1) };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ mutant }) => mutant);
}

/** For each mutant the text of its file with it, null where it does not fit. */
function placedIn(
  mutants: readonly Mutant[],
  texts: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Result<(string | null)[], Infra>> {
  return ask('place', { mutants, texts: Object.fromEntries(texts) }, signal);
}

async function ask<T>(
  command: 'list' | 'place',
  request: object,
  signal: AbortSignal,
): Promise<Result<T, Infra>> {
  const python = hostPython();
  const end = await runProgram({
    argv: [python, '-I', join(packageRoot(), 'tasks/mutation/mutants.py'), command],
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
    input: JSON.stringify(request),
    timeout: TIMEOUT,
    maxOutput: MAX_OUTPUT,
    signal,
  });
  if (end.kind === 'cancelled') return fault(infra('cancelled', 'cancelled while mutants were made'));
  if (!hasSucceeded(end) || end.truncated) {
    const reason = end.kind === 'missing' ? 'python-missing' : 'helper';
    return fault(infra(reason, `${python} mutants.py ${command}: ${complaintOf(end)}`));
  }
  return success(JSON.parse(end.stdout) as T);
}
