/** Puts together everything that is needed to grade a patch. The stage and the agent server both grade with it. */
import type { Tools } from '../contract/tools.ts';
import type { Attempt } from '../schemas/outcome.ts';
import { type Graded, gradePatch } from './grade.ts';
import type { Rules } from './grading-rules.ts';
import { prepareChecks, type SetupRequest } from './run/setup.ts';

export interface Candidate extends Omit<Required<SetupRequest>, 'timeout' | 'protect'> {
  diff: string;
  rules: Rules;
}

/** Grades a patch in a fresh workspace; a fault is no verdict. */
export async function gradeCandidate({ diff, rules, ...task }: Candidate, tools: Tools): Attempt<Graded> {
  const setup = await prepareChecks({ ...task, ...rules }, tools);
  return setup.ok ? gradePatch({ ...rules, diff, baseline: task.baseline }, setup.value) : setup;
}
