/** Results of rollouts and evaluations as lines, and warnings about results that cannot be right. */
import { findAgent } from '../agent/kinds/registry.ts';
import type { SampleOutcomes } from '../app/agent-outcomes.ts';
import { formatCount } from '../basics/plural.ts';
import { doubtsText, intervalText, percent, withoutDoubtsText } from '../basics/rates.ts';
import type { EvaluationMetrics } from '../stages/evaluate/metrics.ts';

/** `resolved 7/24 (29.2 %, 95 % interval by instance 14.1–51.0 %) · pass@2 31.0 % · oracle 12/12 · noop 0/12 · exits: submitted 20, …`. */
export function outcomeLines(all: readonly SampleOutcomes[]): string[] {
  const stages = [...new Set(all.map(({ address }) => address))];
  return stages.map((address) => {
    const own = all.filter((one) => one.address === address);
    const parts = own.flatMap(partsOf);
    const exits = Object.entries(own.find(({ isBaseline }) => !isBaseline)?.exits ?? {});
    if (exits.length > 0 && own.filter(({ isBaseline }) => !isBaseline).length === 1)
      parts.push(`exits: ${exits.map(([status, count]) => `${status} ${formatCount(count)}`).join(', ')}`);
    return `${address.padEnd(20)} ${parts.join(' · ')}`;
  });
}

function partsOf(one: SampleOutcomes): string[] {
  const { who, isBaseline, resolved, graded, judged, ended, rate, pass, voided } = one;
  if (graded === 0) return [`${who ?? 'samples'} ${formatCount(ended)} ended, none graded`];
  if (isBaseline) return [`${who} ${formatCount(resolved)}/${formatCount(judged)}${unrewarded(one)}`];
  const doubts = doubtsText(rate);
  if (who !== null)
    return [
      `${who} ${formatCount(resolved)}/${formatCount(graded)}${doubts === '' ? '' : ` (${doubts})`}${unrewarded(one)}`,
      ...voidedText(voided),
    ];
  const most = pass.at(-1);
  return [
    `resolved ${formatCount(resolved)}/${formatCount(graded)} (${percent(rate.rate)}, 95 % interval by instance ${intervalText(rate)})${doubts === '' ? '' : `, ${doubts}`}${unrewarded(one)}`,
    ...(most === undefined ? [] : [`pass@${most.k} ${percent(most.rate)}${withoutDoubtsText(most)}`]),
    ...voidedText(voided),
  ];
}

/** Verdicts that give no reward, neither 1 nor 0. They count against a baseline: of a sound task it has one. */
function unrewarded({ judged, graded }: SampleOutcomes): string {
  return judged === graded ? '' : ` (${formatCount(judged - graded)} without a reward)`;
}

function voidedText(voided: Record<string, number>): string[] {
  const named = Object.entries(voided);
  if (named.length === 0) return [];
  return [`void: ${named.map(([rule, count]) => `${count} ${rule}`).join(', ')}`];
}

/** With fewer rollouts, a common exit status is no sign of anything. */
const FEW = 4;

/** What to do about an exit status that most rollouts have. */
const REMEDIES: Readonly<Record<string, string>> = {
  repeated_format_error:
    'agent.actions is not how the model writes its actions, or a template shows it another way',
  limits_exceeded: 'agent.limits.steps or agent.limits.cost are reached before the work is done',
  time_exceeded: 'agent.limits.time is reached before the work is done',
  context_exceeded: 'agent.context says what to leave out of prompts',
  truncated: 'agent.model.max_tokens cuts replies',
  workspace_killed: 'the limits of the deployment end workspaces',
  content_filtered: 'the endpoint filters what the model says; these rollouts have no reward',
};

/** Warns when nearly all samples end in the same way, and when baselines do not do what they must. */
export function outcomeWarnings(all: readonly SampleOutcomes[]): string[] {
  return all.flatMap((one) => [...dominated(one), ...baselineOff(one)]);
}

function dominated({ who, isBaseline, ended, exits, examples }: SampleOutcomes): string[] {
  const [status, count] = Object.entries(exits)[0] ?? ['submitted', 0];
  if (isBaseline || ended < FEW || status === 'submitted' || count * 2 < ended) return [];
  const of = who === null ? '' : ` of ${who}`;
  const remedy = REMEDIES[status] ?? 'see how they end';
  return [
    `${formatCount(count)} of ${formatCount(ended)} rollouts${of} ended with ${status}: ${remedy}\n  swemake view '${examples[status]}'`,
  ];
}

function baselineOff(one: SampleOutcomes): string[] {
  const { who, baseline, resolved, judged, address } = one;
  if (baseline === undefined || judged === 0) return [];
  const dataset = address.slice(address.indexOf('.') + 1);
  const { title, resolves } = findAgent(baseline)!.baseline!;
  if (resolved === (resolves === 'all' ? judged : 0)) return [];
  return [
    `${title} resolves ${formatCount(resolved)} of ${formatCount(judged)}${unrewarded(one)}, and must resolve ${resolves}: tasks or grading are wrong\n  swemake view 'grade.${dataset}@*#${who ?? '*'}'`,
  ];
}

const DOUBTS = 5;
const MISSING = 6;

/** A table over the names of each evaluation. */
export function evaluationTable(all: readonly EvaluationMetrics[]): string[] {
  if (all.length === 0) return [];
  const rows = [...all]
    .sort((a, b) => (b.rates.all.rate ?? 0) - (a.rates.all.rate ?? 0))
    .map(({ name, dataset, rates: { all: rate }, counts, faults, cost, steps_mean }) => [
      `evaluate.${dataset}`,
      name,
      `${formatCount(rate.resolved)}/${formatCount(rate.total)}`,
      // What had no answer at all has no rate.
      ...(faults.length === rate.total ? ['', ''] : [percent(rate.rate), intervalText(rate)]),
      doubtsText(rate),
      [
        ...(faults.length === 0 ? [] : [`${formatCount(faults.length)} without an answer`]),
        ...(counts.incomplete === 0 ? [] : [`${formatCount(counts.incomplete)} without a prediction`]),
      ].join(', '),
      String(counts.empty_patch),
      String(counts.error),
      steps_mean === null ? '' : steps_mean.toFixed(1),
      cost === null ? '' : cost.toFixed(2),
    ]);
  const header = ['evaluation', 'model', 'resolved', '', '95 %', '', '', 'empty', 'errors', 'steps', '$'];
  // A column about doubts, or about what is missing, is there where an evaluation has some.
  for (const column of [MISSING, DOUBTS])
    if (rows.every((row) => row[column] === '')) for (const row of [header, ...rows]) row.splice(column, 1);
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  );
  const left = [0, 1];
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) =>
        left.includes(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
}
