/**
 * The numbers of one evaluated name: rates with their denominators, reasons why instances have no verdict, and the
 * cost.
 */
import { plural } from '../../basics/plural.ts';
import { clustersOf, type Rate, rateOf, rateText } from '../../basics/rates.ts';
import { type Finding, isDoubted } from '../../grading/rules/findings.ts';
import type { SampleVerdict } from './buckets.ts';
import type { Sample } from './sample.ts';

export interface EvaluationMetrics {
  name: string;
  /** Identity of the model; null for baselines and for someone else's patches. */
  model: string | null;
  dataset: string;
  harness: 'native' | 'swebench';
  /** Rules of the grader; null when the official harness graded. */
  preset: string | null;
  relaxations: string[];
  /** Of all instances of the dataset, including those without an answer; and of those that passed validation. */
  rates: { all: Rate; validated: Rate | null };
  counts: Record<SampleVerdict['bucket'], number>;
  /** Some, not all FAIL_TO_PASS pass. */
  partial: number;
  /** Reason -> instances; together all that are not resolved. */
  reasons: Record<string, number>;
  /** Instances that the machine failed; they count as not resolved until they are run again. */
  faults: { instance_id: string; reason: string; detail: string }[];
  /** Integrity rule -> findings by effect. */
  integrity: Record<string, Record<Finding['effect'], number>>;
  exit_statuses: Record<string, number>;
  by_repository: Record<string, Rate>;
  steps_mean: number | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  /** US dollars; null without prices. */
  cost: number | null;
  /** Predictions of instances that the dataset does not have. */
  unknown_ids: string[];
}

export interface Evaluated {
  name: string;
  dataset: string;
  harness: EvaluationMetrics['harness'];
  samples: readonly Sample[];
  verdicts: ReadonlyMap<string, SampleVerdict>;
  unknown: string[];
}

export function metricsOf({
  name,
  dataset,
  harness,
  samples,
  verdicts,
  unknown,
}: Evaluated): EvaluationMetrics {
  const resolved = (sample: Sample) => verdicts.get(sample.instance_id)!.bucket === 'resolved';
  const rate = (among: readonly Sample[]) =>
    rateOf([
      ...clustersOf(
        among,
        ({ instance_id }) => instance_id,
        (sample) => (resolved(sample) ? 1 : 0),
        ({ verdict }) => isDoubted(verdict?.integrity ?? []),
      ).values(),
    ]);
  const summaries = samples.flatMap(({ summary }) => (summary === null ? [] : [summary]));
  const own = samples.flatMap(({ verdict }) => (verdict === null ? [] : [verdict]));
  const validated = samples.filter((sample) => sample.validated === true);
  const entries = [...verdicts];
  return {
    name,
    model: summaries.find(({ model }) => model !== null)?.model ?? null,
    dataset,
    harness,
    preset: harness === 'native' ? (own[0]?.preset ?? null) : null,
    relaxations: harness === 'native' ? [...new Set(own.flatMap((one) => one.relaxations))].sort() : [],
    rates: { all: rate(samples), validated: samples[0]?.validated == null ? null : rate(validated) },
    counts: {
      ...{ resolved: 0, unresolved: 0, empty_patch: 0, error: 0, incomplete: 0 },
      ...tally(entries.map(([, { bucket }]) => bucket)),
    },
    partial: own.filter(({ partial }) => partial).length,
    reasons: tally(entries.flatMap(([, verdict]) => reasonOf(verdict) ?? [])),
    faults: entries.flatMap(([instance_id, { isInfra, reason, detail }]) =>
      isInfra ? [{ instance_id, reason: reason ?? '', detail }] : [],
    ),
    integrity: integrityOf(own.flatMap((one) => one.integrity)),
    exit_statuses: tally(summaries.flatMap(({ exit_status }) => exit_status ?? [])),
    by_repository: ratesBy(samples, ({ repo }) => repo, rate),
    steps_mean: meanOf(summaries.filter(({ exit_status }) => exit_status !== null).map(({ steps }) => steps)),
    prompt_tokens: sumOf(summaries.map(({ prompt_tokens }) => prompt_tokens)),
    completion_tokens: sumOf(summaries.map(({ completion_tokens }) => completion_tokens)),
    cost: sumOf(summaries.map(({ cost }) => cost)),
    unknown_ids: unknown,
  };
}

/** Why an instance is not resolved; null: it is. A bucket without a reason of its own is its name as in outcomes. */
function reasonOf({ bucket, reason }: SampleVerdict): string | null {
  return reason ?? BUCKET_REASONS[bucket];
}

const BUCKET_REASONS: Readonly<Record<SampleVerdict['bucket'], string | null>> = {
  ...{ resolved: null, unresolved: 'not-resolved', empty_patch: 'empty-patch', error: 'error' },
  incomplete: 'no-prediction',
};

/** How often each value occurs, by name. */
export function tally<T extends string>(values: readonly T[]): Record<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))) as Record<T, number>;
}

/** Findings by rule and effect. */
export function integrityOf(findings: readonly Finding[]): EvaluationMetrics['integrity'] {
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
  return Object.fromEntries(
    rules.map((rule) => [
      rule,
      tally(findings.filter((one) => one.rule === rule).map(({ effect }) => effect)),
    ]),
  );
}

/** The sum of what is known; null when nothing is. */
export function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function ratesBy<T>(
  samples: readonly T[],
  groupOf: (one: T) => string,
  rate: (among: readonly T[]) => Rate,
): Record<string, Rate> {
  const groups = [...new Set(samples.map(groupOf))].sort();
  return Object.fromEntries(
    groups.map((group) => [group, rate(samples.filter((one) => groupOf(one) === group))]),
  );
}

/** The same as text for people. */
export function summaryText(
  metrics: EvaluationMetrics,
  verdicts: ReadonlyMap<string, SampleVerdict>,
): string {
  const { rates, counts, faults } = metrics;
  const lines = [
    `# ${metrics.name} on ${metrics.dataset}`,
    '',
    ...(faults.length === 0
      ? []
      : [
          `**${plural(faults.length, 'instance')} ${faults.length === 1 ? 'has' : 'have'} no answer: a machine or service failed.** Build again to complete this.`,
          '',
        ]),
    `- resolved, of all instances of the dataset: ${rateText(rates.all)}`,
    ...(rates.validated === null
      ? []
      : [`- resolved, of the instances that passed validation: ${rateText(rates.validated)}`]),
    `- ${counts.unresolved} unresolved, ${plural(counts.empty_patch, 'empty patch', 'empty patches')}, ${plural(counts.error, 'error')}, ${withoutPrediction(metrics)}`,
    `- judged by ${metrics.harness === 'native' ? `the native grader, rules of ${metrics.preset ?? 'no patch'}` : 'the official harness'}`,
    ...metrics.relaxations.map((relaxation) => `  - ${relaxation}`),
    ...(metrics.model === null ? [] : [`- model: ${metrics.model}`]),
    ...(metrics.cost === null ? [] : [`- cost: ${metrics.cost.toFixed(2)} US dollars`]),
    ...(metrics.unknown_ids.length === 0
      ? []
      : [
          `- predictions of ${plural(metrics.unknown_ids.length, 'instance')} that the dataset does not have were left out`,
        ]),
  ];
  const notable = [...verdicts].filter(([, { bucket, reason }]) => bucket === 'error' || reason !== null);
  if (notable.length > 0) lines.push('', '## Not resolved for a reason', '');
  for (const [id, { reason, detail }] of notable)
    lines.push(`- ${id}: ${reason ?? 'error'}${detail === '' ? '' : `: ${oneLine(detail)}`}`);
  if (Object.keys(metrics.integrity).length > 0) lines.push('', '## Integrity findings', '');
  for (const [rule, effects] of Object.entries(metrics.integrity))
    lines.push(
      `- ${rule}: ${Object.entries(effects)
        .map(([effect, count]) => `${count} ${effect}`)
        .join(', ')}`,
    );
  return `${lines.join('\n')}\n`;
}

/** Grading is given nothing for these, and calls that an empty patch. */
function withoutPrediction({ counts, harness }: EvaluationMetrics): string {
  const count = `${counts.incomplete} without a prediction`;
  return counts.incomplete === 0 || harness !== 'native' ? count : `${count} (\`empty-patch\` in grade)`;
}

function oneLine(text: string): string {
  const [first = ''] = text.split('\n');
  return first.length > 200 ? `${first.slice(0, 200)}…` : first;
}
