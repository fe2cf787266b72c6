/**
 * Decides from runs of a row's tests, before and with its patch, which of them are its lists, or why it has none. Pure.
 */
import { named } from '../../basics/named.ts';
import type { EcosystemTests } from '../../ecosystems/kind.ts';
import { isCanaryOfAnyRun } from '../../ecosystems/records.ts';
import { isFailing, type StatusMap } from '../../parsers/status.ts';
import type { TestLists } from '../../schemas/instance.ts';
import { failed, flaky, type Outcome, timeout } from '../../schemas/outcome.ts';
import { type Unloaded, unloadedText } from '../logs/loading.ts';
import type { RunResult } from '../logs/log.ts';
import { isOutputCut, OUTPUT_CUT } from '../logs/long-output.ts';
import { listsOf, type Measured } from './lists.ts';
import { cutOff, unbuiltOf, wasCutOff, whyEmpty } from './validation.ts';

/** What a row's tests came to; `lists` where the outcome is ok. */
export interface MeasuredRow {
  outcome: Outcome;
  lists: Measured | null;
}

/** Why runs of the untouched state say nothing; null where they do. */
export function unusableBefore(before: readonly RunResult[]): Outcome | null {
  if (before.every(({ timedOut }) => timedOut))
    return timeout('the tests ran into their time limit before the patch');
  if (before.some(({ timedOut }) => timedOut))
    return flaky('one of two runs of the untouched state ran into the time limit');
  if (before.some(isOutputCut)) return failed('no-failing-test', OUTPUT_CUT);
  const cut = before.find(wasCutOff);
  return cut === undefined ? null : failed('no-failing-test', cutOff(cut));
}

/** What an ecosystem knows of its ids, and which files the test patch brings; absent: nothing. */
export interface Known extends Pick<EcosystemTests, 'unseen' | 'fileOf'> {
  patched?: readonly string[];
  /** Of ids that fail, those of files of tests that do not load. */
  unloaded?: (failing: Iterable<string>) => string[];
  /** Why they do not load, as far as it was printed. */
  errors?: readonly Unloaded[];
}

/** The lists of a row by all of its runs. */
export function measuredRow(
  before: readonly RunResult[],
  gold: readonly RunResult[],
  known: Known = {},
): MeasuredRow {
  const early = unusableBefore(before);
  if (early !== null) return { outcome: early, lists: null };
  const none = unusableGold(gold);
  if (none !== null) return { outcome: none, lists: null };
  const all = listsOf({ before: before.map(ownTests), gold: gold.map(ownTests) });
  const lists = { ...all, ...ofFiles(seenOf(all, known.unseen), known) };
  const outcome = outcomeOf(lists, gold[0]!, known);
  return { outcome, lists: outcome.status === 'ok' ? lists : null };
}

function unusableGold(gold: readonly RunResult[]): Outcome | null {
  if (gold.some(({ timedOut }) => timedOut))
    return timeout('the tests ran into their time limit with the gold patch');
  if (gold.some(isOutputCut)) return failed('gold-fails', OUTPUT_CUT);
  if (gold.some(({ statusMap }) => statusMap.size > 0)) return null;
  const none = `no test ran with the gold patch (${whyEmpty(gold[0]!)})`;
  return unbuiltOf(gold) ?? failed('no-tests-ran', none);
}

/** Files of tests that do not load in a gold run. */
export function unloadedWith({ statusMap }: RunResult, { unloaded }: Known): string[] {
  const failing = [...statusMap].filter(([, status]) => isFailing(status)).map(([id]) => id);
  return unloaded?.(failing) ?? [];
}

/** What a gold run reports is said, since another parser than the runner's may read other words. */
function outcomeOf({ FAIL_TO_PASS, broken, unstable }: Measured, gold: RunResult, known: Known): Outcome {
  if (broken.length > 0)
    return failed('gold-fails', `tests fail with the gold patch that passed before: ${named(broken)}`);
  if (FAIL_TO_PASS.length > 0) return { status: 'ok' };
  if (unstable.length > 0)
    return flaky(`no test begins to pass each time; repeats disagree on ${named(unstable)}`);
  const unloaded = unloadedWith(gold, known);
  const ran = [...ownTests(gold).keys()].filter((id) => !unloaded.includes(id));
  const text = unloaded.length === 0 ? '' : unloadedText(unloaded, known.errors ?? []);
  if (ran.length === 0 && text !== '')
    return failed('no-tests-ran', `no test ran with the gold patch: ${text}`);
  const none = `no test begins to pass with the gold patch, which ran: ${named(ran)}${earlyEnd(gold)}`;
  return failed('no-failing-test', text === '' ? none : `${none}; ${text}`);
}

/** A run that fails without a failing test, canaries among them, may have ended before tests that count. */
function earlyEnd({ exitCode, statusMap }: RunResult): string {
  if ((exitCode ?? 0) === 0 || [...statusMap.values()].some(isFailing)) return '';
  return `; the command ended with code ${exitCode}, though none of them failed, so others may not have run`;
}

/** Without tests that the witness does not see, unless they alone show that the task is solved. `unseen`: their ids. */
function seenOf({ FAIL_TO_PASS, PASS_TO_PASS }: TestLists, unseen: RegExp | undefined): TestLists {
  const seen = (ids: readonly string[]) => ids.filter((id) => unseen?.test(id) !== true);
  const failing = seen(FAIL_TO_PASS);
  return { FAIL_TO_PASS: failing.length === 0 ? FAIL_TO_PASS : failing, PASS_TO_PASS: seen(PASS_TO_PASS) };
}

/**
 * Where a command runs all tests, and ids name files: PASS_TO_PASS of the files that the test patch brings and those with a test of FAIL_TO_PASS, as
 * where the files of the test patch are run alone.
 */
function ofFiles(lists: TestLists, { fileOf, patched = [] }: Known): TestLists {
  const failing = lists.FAIL_TO_PASS.map((id) => fileOf?.(id) ?? null);
  if (fileOf === undefined || patched.length === 0 || failing.includes(null)) return lists;
  const files = new Set([...patched, ...failing]);
  const isOfThese = (id: string) => {
    const file = fileOf(id);
    return file === null || files.has(file);
  };
  return { ...lists, PASS_TO_PASS: lists.PASS_TO_PASS.filter(isOfThese) };
}

/** Without the canaries of witnesses, whose names differ in each run. */
function ownTests({ statusMap }: RunResult): StatusMap {
  return new Map([...statusMap].filter(([id]) => !isCanaryOfAnyRun(id)));
}
