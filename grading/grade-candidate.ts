/** Puts together everything that is needed to grade a patch. The stage and the agent server both grade with it. */
import type { Tools } from '../contract/tools.ts';
import type { Attempt } from '../schemas/outcome.ts';
import { type Graded, gradeAlone, gradePatch } from './grade.ts';
import type { Rules } from './grading-rules.ts';
import type { IntegrityBaseline } from './rules/integrity.ts';
import { prepareChecks, type SetupRequest } from './run/setup.ts';

export interface Candidate extends Omit<Required<SetupRequest>, 'timeout' | 'protect'> {
  diff: string;
  rules: Rules;
}

/** Grades a patch in a fresh workspace; a fault is no verdict. */
export async function gradeCandidate({ diff, rules, ...task }: Candidate, tools: Tools): Attempt<Graded> {
  const prepare = (baseline: IntegrityBaseline | null) =>
    prepareChecks({ ...task, ...rules, baseline }, tools);
  const setup = await prepare(task.baseline);
  if (!setup.ok) return setup;
  const request = { ...rules, diff, baseline: task.baseline };
  return task.baseline === null
    ? gradeAlone(request, setup.value, prepare)
    : gradePatch(request, setup.value);
}
