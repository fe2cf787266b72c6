/**
 * Small mutations of the code that the gold patch changes, which show whether tests still see that code: a test that
 * caught a mutation under the gold patch and passes with the same mutation under another patch does not look at it any
 * more. Pure; how they are found and run is in grading/run/mutants.ts.
 */
import type { TestLists } from '../../schemas/instance.ts';
import type { RunResult } from '../logs/log.ts';
import type { GradingRules } from './rules.ts';
import { failingOf, gradeRun } from './verdict.ts';

/** A mutation as whole lines of one function. */
export interface Mutant {
  file: string;
  /** In the gold patch's code. */
  line: number;
  /** Qualified name, such as `Class.method`. */
  function: string;
  kind: string;
  old: string;
  new: string;
}

/** One that listed tests catch in the gold patch's code. */
export interface KeptMutant extends Mutant {
  /** These tests, at most {@link MAX_TESTS}. */
  caught: string[];
}

/** A patch is judged by at least so many mutants. */
export const FEWEST = 3;
const MAX_TESTS = 20;

/** Listed tests that do not pass in a run; null where the run says nothing of them. */
export function failingIn(run: RunResult, lists: TestLists, rules: GradingRules): string[] | null {
  if (run.timedOut || !run.gradable.ok) return null;
  const { tests_status: found } = gradeRun(run, lists, { ...rules, verdict: 'tests' });
  return found === null ? null : failingOf(found);
}

/** A mutant that is kept; null where no listed test catches it. */
export function keptMutant(mutant: Mutant, failing: readonly string[] | null): KeptMutant | null {
  if (failing === null || failing.length === 0) return null;
  return { ...mutant, caught: failing.slice(0, MAX_TESTS) };
}

/** Whether every test that caught the mutant under the gold patch passes with it now. */
export function survives({ caught }: KeptMutant, failing: readonly string[] | null): boolean {
  return failing !== null && !caught.some((id) => failing.includes(id));
}

/** `pkg/core.py:12 flip_comparison in Class.method`. */
export function mutantText({ file, line, kind, function: name }: Mutant): string {
  return `${file}:${line} ${kind} in ${name}`;
}
