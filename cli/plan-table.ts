/** The table of `plan` and `build --dry-run`: per stage what is fresh, stale, new or not known yet, and why. */

import type { AgentSize } from '../app/agent-sizes.ts';
import type { EnvironmentDisk, ToolchainDisk } from '../app/environment-disk.ts';
import { type Estimate, roughly } from '../app/plan-estimate.ts';
import { formatCount } from '../basics/plural.ts';
import { versionChangeIn } from '../contract/versions.ts';
import { NEVER_ANSWERED } from '../engine/reason.ts';
import { INPUT_MAY_CHANGE, type NodeEnd, type RunEnd } from '../engine/run.ts';
import { formatBytes } from './duration.ts';

/** The engine's words for a stage that waits for another one. */
const NOT_FINISHED = ' is not finished';

export interface PlanRow {
  stage: string;
  /** null: not known before something upstream has run. */
  items: number | null;
  fresh: number;
  stale: number;
  new: number;
  /** Of the stale ones: run only if an input comes out different. */
  possible: number;
  why: string;
}

/** One row a stage. */
export function planRows(end: RunEnd): PlanRow[] {
  return [...end.nodes.entries()].map(([stage, node]) => planRow(stage, node));
}

function planRow(stage: string, node: NodeEnd): PlanRow {
  const { state, blocked, reasons } = node;
  if (blocked !== null) {
    const why = 'detail' in blocked ? blocked.detail : blocked.status;
    return { stage, items: null, fresh: 0, stale: 0, new: 0, possible: 0, why };
  }
  const fresh = state.fresh ? state.size() : state.cached;
  const unseen = reasons.get(NEVER_ANSWERED) ?? 0;
  const why = [...reasons]
    .filter(([reason]) => reason !== NEVER_ANSWERED)
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => (reasons.size === 1 ? reason : `${formatCount(count)} ${reason}`));
  return {
    stage,
    items: state.size(),
    fresh,
    stale: state.planned - unseen,
    new: unseen,
    possible: reasons.get(INPUT_MAY_CHANGE) ?? 0,
    why: why.join('; '),
  };
}

/**
 * The table as text, with the amount that would run and, where it is known, how long that took before. `seen`: stages
 * that were run for the plan.
 */
export function planText(
  rows: readonly PlanRow[],
  { known, never }: Estimate,
  seen: readonly string[] = [],
): string {
  const header = ['stage', 'items', 'fresh', 'stale', 'new', 'why'];
  const waiting = rows.filter((row) => row.items === null && row.why.endsWith(NOT_FINISHED));
  // Stages that wait are one line; a single one keeps its own.
  const shown = waiting.length > 1 ? rows.filter((row) => !waiting.includes(row)) : rows;
  const cells = shown.map((row) => [
    row.stage,
    row.items === null ? '?' : formatCount(row.items),
    ...[row.fresh, row.stale, row.new].map((count) => (count === 0 ? '' : formatCount(count))),
    row.why,
  ]);
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]!.length)),
  );
  const lines = [header, ...cells].map((line) =>
    line
      .map((cell, column) =>
        column === 0
          ? cell.padEnd(widths[0]! + 2)
          : column === 5
            ? `  ${cell}`
            : cell.padStart(widths[column]! + 2),
      )
      .join('')
      .trimEnd(),
  );
  if (waiting.length > 1) {
    const [first] = waiting;
    const above = first!.why.slice(0, -NOT_FINISHED.length);
    lines.push(`not known before ${above} is done: ${waiting.map(({ stage }) => stage).join(', ')}`);
  }
  for (const { text, reasons } of versionChanges(rows))
    lines.push(`${text}${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}`);
  const actions = rows.reduce((sum, row) => sum + row.stale + row.new - row.possible, 0);
  const possible = rows.reduce((sum, row) => sum + row.possible, 0);
  const unknown = rows.filter((row) => row.items === null).length;
  const perhaps = possible === 0 ? '' : `, up to ${formatCount(possible)} more if what they need changes`;
  const unseen = unknown === 1 ? '1 stage is' : `${unknown} stages are`;
  const others = never.length === 0 ? '' : ` without ${never.join(', ')}, which never ran here`;
  const time = known === null ? '' : `, about ${roughly(known)} (from earlier runs)${others}`;
  const more = time + perhaps + (unknown === 0 ? '' : `, and ${unseen} not known yet`);
  const ran = seen.length === 0 ? 'nothing was run' : `only ${seen.join(', ')} was looked through`;
  const total =
    actions === 0 && unknown === 0
      ? 'nothing would run'
      : `would run ${formatCount(actions)} ${actions === 1 ? 'action' : 'actions'} now${more}; ${ran}`;
  return `${lines.join('\n')}\n${total}\n`;
}

/** Changes of swemake that make items stale, each once. */
function versionChanges(rows: readonly PlanRow[]): { text: string; reasons: string[] }[] {
  const all = rows.flatMap(({ why }) =>
    why.split('; ').map((one) => versionChangeIn(one.replace(/^[\d,]+ /, ''))),
  );
  const found = all.filter((one) => one !== null);
  return [...new Map(found.map((one) => [one.text, one])).values()];
}

/** What environments take, those that are built and all of them. */
export function diskText({
  environments,
  built,
  shared,
  unshared,
  estimate,
  toolchains,
  unread,
}: EnvironmentDisk): string {
  const unknown = unread.length === 0 ? '' : `; unknown for ${unread.join(', ')}, until it is read`;
  const some = (count: number) => `${formatCount(count)} ${count === 1 ? 'environment' : 'environments'}`;
  if (estimate === null) return `disk: none of ${some(environments)} is built${unknown}\n`;
  const all = estimate === shared ? '' : `; about ${formatBytes(estimate)} for all ${some(environments)}`;
  return `disk: ${formatBytes(shared)} for ${some(built)}, which without sharing were ${formatBytes(unshared)}${all}${unknown}\n${toolchainsText(toolchains)}`;
}

/** What toolchains take, which environments share; nothing where there are none. */
export function toolchainsText(toolchains: readonly ToolchainDisk[]): string {
  if (toolchains.length === 0) return '';
  return `toolchains: ${toolchains.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(', ')}\n`;
}

/** What agents take that are to be installed. */
export function agentsText(agents: readonly AgentSize[]): string {
  return agents
    .map(({ agent, bytes }) =>
      bytes === null
        ? `${agent}: its size is not known before it is installed\n`
        : `${agent}: about ${formatBytes(bytes)} to install\n`,
    )
    .join('');
}

/** What finished trainings keep in the cache. */
export function keptText(trainings: readonly { bytes: number }[]): string {
  if (trainings.length === 0) return '';
  const bytes = trainings.reduce((sum, one) => sum + one.bytes, 0);
  const which =
    trainings.length === 1 ? 'a finished training' : `${formatCount(trainings.length)} finished trainings`;
  return `the cache keeps ${formatBytes(bytes)} of ${which} beside the checkpoints; swemake gc lists it\n`;
}
