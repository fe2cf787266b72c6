/** Puts together everything that is needed to grade a patch. The stage and the agent server both grade with it. */
import type { Result } from '../basics/result.ts';
import type { ItemResult } from '../contract/reader.ts';
import type { Tools } from '../contract/tools.ts';
import type { Work } from '../contract/work.ts';
import type { Instance } from '../schemas/instance.ts';
import type { Infra, Outcome } from '../schemas/outcome.ts';
import type { RowTests } from '../schemas/recipe.ts';
import { type Graded, gradePatch } from './grade.ts';
import type { Rules } from './grading-rules.ts';
import type { IntegrityBaseline } from './rules/integrity.ts';
import { pluginPackages } from './rules/runner-packages.ts';
import { prepareChecks } from './run/setup.ts';

export interface Candidate {
  diff: string;
  instance: Instance;
  tests: RowTests;
  work: Work;
  environment: ItemResult;
  rules: Rules;
  /** What validation knows of the task's runner; null when it was not validated. */
  baseline: IntegrityBaseline | null;
  /** It passed validation, so its source could be had then. */
  isValidated: boolean;
}

/** Grades a patch in a fresh workspace; a fault is no verdict. */
export async function gradeCandidate(
  candidate: Candidate,
  tools: Tools,
): Promise<Result<Graded, Infra | Outcome>> {
  const { diff, rules, baseline, ...task } = candidate;
  const { timeout, protect, preset, max_patch: maxPatch, repeats, suspicion } = rules;
  const plugins = baseline === null ? null : pluginPackages(baseline);
  const reads = baseline?.reads ?? null;
  const setup = await prepareChecks({ ...task, timeout, protect, plugins, reads }, tools);
  return setup.ok ? gradePatch({ diff, preset, maxPatch, repeats, suspicion, baseline }, setup.value) : setup;
}
