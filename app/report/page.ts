/** A report as one page that needs nothing else: figures and tables, no script, light and dark. */
import { isBaseline } from '../../agent/kinds/registry.ts';
import {
  type Doubts,
  doubtsText,
  intervalText,
  percent,
  type Rate,
  withoutDoubtsText,
} from '../../basics/rates.ts';
import type { ReportData, RolloutGroup } from './data.ts';
import { barFigure, escaped, histogramFigure } from './figures.ts';

export interface Figure {
  /** Of its file, without the ending. */
  name: string;
  svg: string;
}

/** Every figure, by itself fit for a file. */
export function reportFigures(data: ReportData): Figure[] {
  const funnels = data.funnels
    .filter(({ steps }) => steps.length > 1)
    .map(({ dataset, steps }) => ({
      name: `funnel-${dataset}`,
      svg: barFigure(
        `Instances of ${dataset}, from read to trained on`,
        steps.map(({ name, count }) => ({ label: name, value: count })),
      ),
    }));
  // A baseline solves all or nothing, in one step: the table says it in a line.
  const drawn = data.groups.filter(({ stage, who }) => !(stage.startsWith('rollouts.') && isBaseline(who)));
  return [...funnels, ...drawn.flatMap(groupFigures)].map(({ name, svg }) => ({
    name: fileName(name),
    svg,
  }));
}

function groupFigures(group: RolloutGroup): Figure[] {
  const { who, stage, pass, turns, seconds, exits, repositories } = group;
  const named = titleOf(group);
  const key = who === '' ? stage : `${stage}-${who}`;
  return [
    ...(pass.length === 0
      ? []
      : [
          {
            name: `pass-${key}`,
            svg: barFigure(
              `pass@k of ${named}, 95 % intervals by instance`,
              pass.map((one) => rateBar(`pass@${one.k}`, one, one.instances)),
              1,
            ),
          },
        ]),
    { name: `turns-${key}`, svg: histogramFigure(`Turns of ${named}`, turns, 'turns') },
    { name: `times-${key}`, svg: histogramFigure(`Time of ${named}, waits left out`, seconds, 's') },
    {
      name: `exits-${key}`,
      svg: barFigure(
        `How rollouts of ${named} ended`,
        exits.map(([label, value]) => ({ label, value })),
      ),
    },
    ...(repositories.length === 0
      ? []
      : [
          {
            name: `repositories-${key}`,
            svg: barFigure(
              `Resolved by repository, ${named}`,
              repositories.map(({ repo, rate }) => rateBar(repo, rate, rate.total)),
              1,
            ),
          },
        ]),
  ];
}

function rateBar(
  label: string,
  one: Pick<Rate, 'rate' | 'low' | 'high'> & { doubts?: Pick<Doubts, 'rate'> },
  of: number,
) {
  const { rate, low, high } = one;
  const value = rate ?? 0;
  return {
    label,
    value,
    note: `${percent(value)} of ${of}${withoutDoubtsText(one)}`,
    low: low ?? value,
    high: high ?? value,
  };
}

function titleOf({ stage, who }: RolloutGroup): string {
  return who === '' ? `samples in ${stage}` : `${who} in ${stage}`;
}

/** A name as a file may have it. */
function fileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 120);
}

export interface Provenance {
  /** Digest of the lock file; null without one. */
  lock: string | null;
  /** Digest of the resolved project. */
  config: string;
  profiles: string[];
  settings: string[];
}

export function reportPage(data: ReportData, { lock, config, profiles, settings }: Provenance): string {
  const figures = reportFigures(data);
  const pictures = figures.map(({ svg }) => `<figure>${svg}</figure>`).join('\n');
  const facts: [string, string][] = [
    ['project', data.project],
    ['profiles', profiles.join(', ') || 'none'],
    ['settings', settings.join(', ') || 'none'],
    ['swemake', data.version],
    ['resolved project', config],
    ['lock file', lock ?? 'none'],
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(data.project)} · swemake report</title><style>${PAGE_STYLE}</style></head>
<body><main><h1>${escaped(data.project)}</h1>
${data.groups.length === 0 ? '<p>Nothing was rolled out yet.</p>' : `<h2>Results</h2>${groupTable(data.groups)}`}
${data.evaluations.length === 0 ? '' : `<h2>Evaluation</h2>${evaluationTable(data)}`}
${data.training.length === 0 ? '' : `<h2>Training</h2>${trainingTable(data)}`}
<h2>Figures</h2>
${pictures === '' ? '<p>There is nothing to draw yet.</p>' : `<div class="figures">${pictures}</div>`}
<h2>Why there was no reward</h2>${listTable(data.groups, 'reasons', 'reason')}
<h2>Integrity</h2>${listTable(data.groups, 'findings', 'finding')}
<h2>Stages</h2>${table(
    ['stage', 'items', 'ok', 'failed', 'flaky', 'timeout', 'without an answer', 'digest'],
    data.stages.map(({ stage, items, counts, digest }) => [
      stage,
      String(items),
      ...[counts.ok, counts.failed, counts.flaky, counts.timeout].map(String),
      String(counts.infra + counts.config + counts.stopped),
      digest === null ? '' : digest.slice(0, 16),
    ]),
  )}
<h2>Provenance</h2>${table(['what', 'which'], facts)}
</main></body></html>
`;
}

function groupTable(groups: readonly RolloutGroup[]): string {
  return table(
    [
      'rollouts of',
      'ended',
      'graded',
      'resolved',
      '',
      '95 % interval by instance',
      'prompt tokens',
      'written',
      'US dollars',
      'model',
    ],
    groups.map((group) => [
      titleOf(group),
      String(group.rollouts),
      String(group.graded),
      `${group.rate.resolved} of ${group.rate.total}`,
      withDoubts(percent(group.rate.rate), group.rate),
      intervalText(group.rate),
      group.promptTokens === null ? '' : String(group.promptTokens),
      group.completionTokens === null ? '' : String(group.completionTokens),
      group.cost === null ? '' : group.cost.toFixed(2),
      group.models.join(', '),
    ]),
  );
}

/** The rate, and how many of the resolved ones have doubts. */
function withDoubts(text: string, rate: Rate): string {
  const doubts = doubtsText(rate);
  return doubts === '' ? text : `${text} (${doubts})`;
}

function evaluationTable({ evaluations }: ReportData): string {
  return table(
    [
      'model',
      'dataset',
      'resolved',
      '',
      '95 % interval by instance',
      'empty',
      'errors',
      'without a prediction',
    ],
    evaluations.map(({ name, dataset, rates: { all }, counts }) => [
      name,
      dataset,
      `${all.resolved} of ${all.total}`,
      withDoubts(percent(all.rate), all),
      intervalText(all),
      String(counts.empty_patch),
      String(counts.error),
      String(counts.incomplete),
    ]),
  );
}

/** What trainers asked the agent server for. */
function trainingTable({ training }: ReportData): string {
  const shown = (value: number | null | undefined) => (value == null ? '' : value.toFixed(2));
  return table(
    ['step', 'rollouts', 'graded', 'mean reward', 'turns', 'seconds', 'of them the model', 'the environment'],
    training.map(({ name, rollouts, graded, reward, metrics }) => [
      name,
      String(rollouts),
      String(graded),
      shown(reward),
      shown(metrics['agent/turns_mean']),
      shown(metrics['agent/total_time_mean']),
      shown(metrics['agent/model_time_ratio']),
      shown(metrics['agent/env_time_ratio']),
    ]),
  );
}

function listTable(groups: readonly RolloutGroup[], of: 'reasons' | 'findings', title: string): string {
  const rows = groups.flatMap((group) =>
    group[of].map(([name, count]) => [titleOf(group), name, String(count)]),
  );
  return rows.length === 0 ? '<p>None.</p>' : table(['rollouts of', title, 'how many'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<td>${escaped(cell)}</td>`).join('');
  const titles = head.map((cell) => `<th scope="col">${escaped(cell)}</th>`).join('');
  const body = rows.map((row) => `<tr>${cells(row)}</tr>`).join('');
  return `<div class="wide" tabindex="0"><table><thead><tr>${titles}</tr></thead><tbody>${body}</tbody></table></div>`;
}

const PAGE_STYLE = `:root{color-scheme:light dark;--ink:#1c2733;--faint:#5a6672;--paper:#fff;--line:#dde2e7}
@media (prefers-color-scheme:dark){:root{--ink:#e6ebf0;--faint:#a4afba;--paper:#14191f;--line:#303a44}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1100px;margin:0 auto;padding:24px}
h1{font-size:26px;margin:0 0 8px}h2{font-size:18px;margin:32px 0 8px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:4px 16px 4px 0;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--faint);font-weight:500}.wide{overflow-x:auto}
.figures{display:grid;gap:16px;grid-template-columns:repeat(auto-fill,minmax(min(100%,480px),1fr));align-items:start}
figure{margin:0;padding:8px;background:#fff;border:1px solid var(--line);border-radius:6px;max-width:100%}
figure svg{max-width:100%;height:auto}`;
