/** The report for people: summary.md. */
import { plural } from '../../basics/plural.ts';
import { doubtsText, intervalText, percent, rateText, withoutDoubtsText } from '../../basics/rates.ts';
import type { ReportMetrics } from './metrics.ts';

export function reportText(report: ReportMetrics): string {
  const { instances, rollouts, rate } = report;
  const lines = [
    `# Rollouts of ${report.dataset}`,
    '',
    ...report.alarms.flatMap((alarm) => [`**Alarm: ${alarm}.**`, '']),
    ...faultLines(report),
    `- instances: ${instances.dataset} in the dataset, ${instances.validated} validated, ${instances.rolled_out} rolled out, ${instances.resolved} resolved at least once`,
    `- rollouts: ${rollouts.total}, of which ${rollouts.graded} have a verdict`,
    `- resolved, of the rollouts with a verdict: ${rateText(rate)}`,
    ...report.pass.map(passLine),
    ...(report.models.length === 0 ? [] : [`- model: ${report.models.join(', ')}`]),
    `- rules: ${report.presets.join(', ') || 'none'}`,
    ...report.relaxations.map((relaxation) => `  - ${relaxation}`),
    ...tokenLines(report),
    ...section('Baselines', baselineRows(report)),
    ...section('How rollouts ended', countRows(report.exit_statuses)),
    ...section('Why there was no reward', countRows(report.reasons)),
    ...section('Integrity findings', integrityRows(report)),
    ...section('By repository', repositoryRows(report)),
    ...section('Waits, in seconds', waitRows(report)),
    ...section('Metrics', metricRows(report)),
  ];
  return `${lines.join('\n')}\n`;
}

function faultLines({ faults }: ReportMetrics): string[] {
  const total = Object.values(faults).reduce((sum, count) => sum + count, 0);
  if (total === 0) return [];
  const named = Object.entries(faults).map(([reason, count]) => `${count} ${reason}`);
  const have = total === 1 ? 'has' : 'have';
  return [
    `**${plural(total, 'rollout')} ${have} no answer (${named.join(', ')}).** Build again to complete this.`,
    '',
  ];
}

function passLine(pass: ReportMetrics['pass'][number]): string {
  const { k, rate, instances, left_out } = pass;
  const short = left_out === 0 ? '' : `, ${left_out} with fewer samples left out`;
  return `- pass@${k}: ${percent(rate)} (${plural(instances, 'instance')}${short}; 95 % interval ${intervalText(pass)})${withoutDoubtsText(pass)}`;
}

function tokenLines({ prompt_tokens, completion_tokens, prompts, cost }: ReportMetrics): string[] {
  const tokens =
    prompt_tokens === null && completion_tokens === null
      ? []
      : [`- tokens: ${prompt_tokens ?? 'unknown'} read, ${completion_tokens ?? 'unknown'} written`];
  const sent =
    prompts === undefined
      ? []
      : [`- prompts: ${prompts.token_in} of ${prompts.calls} sent as ids, ${prompts.fell_back} fell back`];
  return [...tokens, ...sent, ...(cost === null ? [] : [`- cost: ${cost.toFixed(2)} US dollars`])];
}

function section(title: string, rows: string[]): string[] {
  return rows.length === 0 ? [] : ['', `## ${title}`, '', ...rows];
}

/** A Markdown table; cells hold no bars. */
function table(head: string[], rows: (string | number)[][]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

function countRows(counts: Record<string, number>): string[] {
  const sorted = Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return table(['', 'rollouts'], sorted);
}

function baselineRows({ baselines }: ReportMetrics): string[] {
  const rows = Object.entries(baselines).map(([name, { rollouts, graded, resolved }]) => [
    name,
    rollouts,
    graded,
    resolved,
  ]);
  return table(['', 'rollouts', 'with a verdict', 'resolved'], rows);
}

function integrityRows({ integrity }: ReportMetrics): string[] {
  const rows = Object.entries(integrity).flatMap(([rule, effects]) =>
    Object.entries(effects).map(([effect, count]) => [rule, effect, count]),
  );
  return table(['rule', 'what was done', 'findings'], rows);
}

function repositoryRows({ by_repository }: ReportMetrics): string[] {
  const rows = Object.entries(by_repository).map(([repo, own]) => [
    repo,
    own.instances,
    own.rollouts,
    own.resolved,
    percent(own.reward_mean),
    intervalText(own),
    doubtsText(own),
  ]);
  // A column about doubts is there where a repository has some.
  const columns = rows.some((row) => row.at(-1) !== '') ? 7 : 6;
  return table(
    ['repository', 'instances', 'rollouts', 'resolved', 'share', '95 % interval by instance', 'doubts'].slice(
      0,
      columns,
    ),
    rows.map((row) => row.slice(0, columns)),
  );
}

function waitRows({ waits }: ReportMetrics): string[] {
  const names = { queued: 'for a workspace to be begun', open: 'opening it', endpoint: 'for the endpoint' };
  const rows = Object.entries(waits ?? {}).map(([name, { mean, max, sum }]) => [
    names[name as keyof typeof names],
    mean.toFixed(2),
    max.toFixed(2),
    sum.toFixed(1),
  ]);
  return table(['', 'mean', 'longest', 'all'], rows);
}

function metricRows({ metrics }: ReportMetrics): string[] {
  const shown = (value: number) => (Number.isInteger(value) ? value : Number(value.toPrecision(4)));
  return table(
    ['', 'value'],
    Object.entries(metrics).map(([name, value]) => [name, shown(value)]),
  );
}
