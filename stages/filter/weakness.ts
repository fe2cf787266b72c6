/**
 * Which sound instances are graded with fewer checks than others: the witness sees less of their runner, or their own
 * gold runs break a rule, which is then excused for every patch. Pure.
 */
import type { IntegrityRule } from '../../grading/rules/findings.ts';
import type { IntegrityBaseline } from '../../grading/rules/integrity.ts';
import { FEWEST } from '../../grading/rules/mutants.ts';

/** One reason, with the instances that it holds for. */
export interface Weakness {
  why: string;
  instances: string[];
}

const LEAST = '"excused":[]';
const WHOLE = '"witness":"tests"';
const MUTANTS = '"mutants":[';

const SEEN: Readonly<Record<IntegrityBaseline['witness'], string | null>> = {
  none: 'no witness: the output of the tests is believed',
  session: 'the witness sees the end of the runner, and not each test',
  tests: null,
};

/** Why an instance is graded with less, by the output `integrity` of its validation, which is canonical JSON. */
export function weaknessesIn(integrity: string): string[] {
  if (integrity.includes(LEAST) && integrity.includes(WHOLE) && !integrity.includes(MUTANTS)) return [];
  const { witness, excused, mutants } = JSON.parse(integrity) as IntegrityBaseline;
  const seen = SEEN[witness];
  const isUnchecked = mutants !== undefined && mutants.length < FEWEST;
  return [
    ...(seen === null ? [] : [seen]),
    ...excused.map(excusedText),
    ...(isUnchecked ? [`its tests catch fewer than ${FEWEST} mutants, so patches are run with none`] : []),
  ];
}

/** What rules look at that runs of a sound task break most often. */
const MEANINGS: Partial<Record<IntegrityRule, string>> = {
  'counts-disagree': 'the output names more passed tests than the runner counted, or fewer failed ones',
  'lines-forged': 'the output has lines like those of the runner where it writes none',
  'exit-code-disagrees': 'the exit code of the command is not that of the runner',
  'runner-ended-early': 'the runner does not end by itself',
  'status-unlike-gold': 'listed tests neither pass nor fail',
  'tests-missing': 'listed tests are in no report',
};

function excusedText(rule: IntegrityRule): string {
  const meaning = MEANINGS[rule];
  return `the task's own runs break ${rule}, so this check is off${meaning === undefined ? '' : `: ${meaning}`}`;
}

/** Those with the most instances first, then by reason. */
export function byReason(found: readonly { instance: string; why: string }[]): Weakness[] {
  const reasons = new Map<string, string[]>();
  for (const { instance, why } of found) {
    const instances = reasons.get(why) ?? [];
    if (instances.length === 0) reasons.set(why, instances);
    instances.push(instance);
  }
  return [...reasons]
    .map(([why, instances]) => ({ why, instances }))
    .sort((a, b) => b.instances.length - a.instances.length || (a.why < b.why ? -1 : 1));
}
