/** Runs a row's tests before and with its gold patch, several times each, to find which of them are its lists. */
import { success } from '../basics/result.ts';
import { goldPatch } from '../patches/apply.ts';
import { touchedFiles } from '../patches/touched.ts';
import type { Attempt } from '../schemas/outcome.ts';
import { unloadedIds, unloadedIn, unloadedScripts } from './logs/loading.ts';
import type { RunResult } from './logs/log.ts';
import { type MeasuredRow, measuredRow, unloadedWith, unusableBefore } from './rules/measured.ts';
import type { CheckSetup } from './run/setup.ts';

/** Runs of each state, at least: one alone shows no flake. */
const LEAST_RUNS = 2;

/** The lists of a row, or the outcome that says why it has none. */
export async function measureTests(given: CheckSetup, goldRuns: number): Attempt<MeasuredRow> {
  const { runCheck } = await import('./run/check.ts');
  const { isExplained, tracebacks } = await import('./run/tracebacks.ts');
  const setup = { ...given, trusted: true };
  const before: RunResult[] = [];
  const gold: RunResult[] = [];
  let log = '';
  for (let repeat = 1; repeat <= LEAST_RUNS; repeat += 1) {
    const ran = await runCheck(setup, `untouched, run ${repeat} of ${LEAST_RUNS}`, null);
    if (!ran.ok) return ran;
    before.push(ran.value.evidence.run);
  }
  const early = unusableBefore(before);
  if (early !== null) return success({ outcome: early, lists: null });
  const wanted = Math.max(LEAST_RUNS, goldRuns);
  for (let repeat = 1; repeat <= wanted; repeat += 1) {
    const title = `gold patch, run ${repeat} of ${wanted}`;
    const ran = await runCheck(setup, title, goldPatch(setup.instance));
    if (!ran.ok) return ran;
    gold.push(ran.value.evidence.run);
    log = ran.value.evidence.log;
  }
  const patched = touchedFiles(setup.instance.test_patch).map(({ path }) => path);
  const isPython = (setup.ecosystem ?? null) === null;
  const known = { ...setup.ecosystem, patched, unloaded: isPython ? unloadedIds : unloadedScripts };
  const measured = measuredRow(before, gold, known);
  const unloaded = unloadedWith(gold[0]!, known);
  if (measured.outcome.status === 'ok' || !(isExplained(measured.outcome) || unloaded.length > 0))
    return success(measured);
  const shown = await tracebacks(setup);
  return success(measuredRow(before, gold, { ...known, errors: unloadedIn(shown?.log ?? log) }));
}
