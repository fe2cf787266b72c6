/**
 * Checks whether a task is sound, by the real grader: the tests on the untouched state, with an empty patch, and several
 * times with the gold patch. What the gold runs show is what patches are compared with later.
 */
import { success } from '../basics/result.ts';
import { goldPatch } from '../patches/apply.ts';
import { listedTests } from '../schemas/instance.ts';
import type { Attempt } from '../schemas/outcome.ts';
import { withMissing } from './logs/missing.ts';
import { baselineOf, type IntegrityBaseline, type RunEvidence } from './rules/integrity.ts';
import { goldReads } from './rules/reads.ts';
import type { GradingRules } from './rules/rules.ts';
import { type ValidationVerdict, validationVerdict, verdictBeforeGold } from './rules/validation.ts';
import { gradeRun } from './rules/verdict.ts';
import type { CheckSetup } from './run/setup.ts';
import type { ChangedFile } from './suspicion/suspicion.ts';

/** How an instance is checked. */
export interface ValidationRequest {
  gold_runs: number;
  rules: GradingRules;
  /** How many mutants of the gold patch's code are kept; absent for none. */
  mutants?: number;
}

export type Validated = ValidationVerdict & { integrity: IntegrityBaseline };

/** The checks in order; the gold runs are left out when the untouched state decides. */
export async function validateTask(
  given: CheckSetup,
  { gold_runs: goldRuns, rules, mutants: wanted = 0 }: ValidationRequest,
): Attempt<Validated> {
  const { runCheck } = await import('./run/check.ts');
  const setup = { ...given, trusted: true };
  const { instance } = setup;
  const before = await runCheck(setup, 'untouched', null);
  if (!before.ok) return before;
  const empty = await runCheck(setup, 'empty patch', null);
  if (!empty.ok) return empty;
  const untouched = [before.value.evidence, empty.value.evidence];
  const gold: RunEvidence[] = [];
  let typed: RunEvidence | null = null;
  let why: RunEvidence | null = null;
  const checked = (verdict: ValidationVerdict): Validated => {
    const { log } = why ?? gold.at(-1) ?? untouched[0]!;
    const outcome = withMissing(verdict.outcome, log);
    const integrity = baselineOf(gold, untouched, listedTests(instance), rules, typed);
    return { ...verdict, outcome, integrity };
  };
  const checks = { lists: instance, rules, before: untouched[0]!.run, empty: untouched[1]!.run };
  const early = verdictBeforeGold({ ...checks, gold: [] });
  if (early !== null) return success(checked(early));
  const changed: ChangedFile[] = [];
  const inspect =
    wanted === 0 ? {} : { inspect: (files: ChangedFile[]) => void changed.splice(0, Infinity, ...files) };
  const begun = performance.now();
  for (let repeat = 1; repeat <= goldRuns; repeat += 1) {
    const title = `gold patch, run ${repeat} of ${goldRuns}`;
    // What was read is watched from then on: what tests make anew is known, too.
    const protection = { ...setup.protection, data: goldReads(gold).data };
    const run = await runCheck({ ...setup, protection, record: ['reads'] }, title, {
      ...goldPatch(instance),
      ...inspect,
    });
    if (!run.ok) return run;
    gold.push(run.value.evidence);
  }
  const seconds = (performance.now() - begun) / 1000 / goldRuns;
  const verdict = validationVerdict({ ...checks, gold: gold.map(({ run }) => run) });
  if (verdict.outcome.status === 'ok' && (setup.ecosystem ?? null) === null) {
    // A run of its own: its modules of tests are not what the others load. Tests that do not bear it are not compared.
    const ran = await runCheck({ ...setup, record: ['operands'] }, 'gold patch, types', goldPatch(instance));
    if (!ran.ok) return ran;
    const { evidence } = ran.value;
    typed = gradeRun(evidence.run, instance, rules).reward === 1 ? evidence : null;
  }
  const { isExplained, tracebacks } = await import('./run/tracebacks.ts');
  if (isExplained(verdict.outcome)) why = await tracebacks(setup);
  const found = checked(verdict);
  if (wanted === 0 || found.outcome.status !== 'ok') return success(found);
  const { findMutants } = await import('./run/mutants.ts');
  const mutants = await findMutants(setup, changed, { wanted, rules, seconds });
  if (!mutants.ok) return mutants;
  return success({ ...found, integrity: { ...found.integrity, mutants: mutants.value } });
}
