/** What a build says before it starts: how much it runs of each stage, on which GPUs, about how long, and what it leaves out. */
import type { Forecast } from '../app/forecast.ts';
import { type Estimate, roughly } from '../app/plan-estimate.ts';
import { formatCount } from '../basics/plural.ts';
import type { RunEnd } from '../engine/run.ts';
import { planRows } from './plan-table.ts';

/** Lines; none where nothing would run. */
export function forecastLines({ end, time }: Forecast): string[] {
  const rows = planRows(end);
  const runs = rows
    .map(({ stage, stale, new: unseen, possible }) => ({ stage, count: stale + unseen, possible }))
    .filter(({ count }) => count > 0);
  const unknown = rows.filter(({ items }) => items === null).map(({ stage }) => stage);
  if (runs.length === 0 && unknown.length === 0) return [];
  const named = runs.map(({ stage, count, possible }) => {
    // Those whose inputs are made before may come out as they were.
    const upTo = possible > 0 ? 'up to ' : '';
    return `${stage} ${upTo}${formatCount(count)}${gpusOf(end, stage)}`;
  });
  return [
    ...(named.length === 0 ? [] : [`to run: ${named.join(' · ')}`]),
    ...(unknown.length === 0 ? [] : [`and, how much is not known yet: ${unknown.join(', ')}`]),
    ...timeLine(time),
  ];
}

function gpusOf({ nodes }: RunEnd, stage: string): string {
  const { state } = nodes.get(stage)!;
  const gpus = state.items[0] === undefined ? 0 : (state.stage.resources(state.items[0]).gpu ?? 0);
  return gpus === 0 ? '' : ` (${gpus} ${gpus === 1 ? 'GPU' : 'GPUs'})`;
}

function timeLine({ known, never }: Estimate): string[] {
  if (known === null && never.length === 0) return [];
  const about = known === null ? [] : [`about ${roughly(known)} (from earlier runs)`];
  const without = never.length === 0 ? [] : [`not known for ${never.join(', ')}, which never ran here`];
  return [`time: ${[...about, ...without].join('; ')}`];
}

/** Stages that only a named target makes; null: there are none. */
export function leftOutLine(leftOut: readonly string[]): string | null {
  return leftOut.length === 0 ? null : `made only when named: ${leftOut.join(', ')}`;
}
