/** The last lines of a build: what came out of each stage, what to look at, what the run cost. */

import type { BadRows } from '../app/bad-rows.ts';
import type { Counts } from '../engine/events.ts';
import { addressOf, type NodeEnd, type RunEnd } from '../engine/run.ts';
import { badRowText } from '../schemas/instance.ts';
import type { Outcome } from '../schemas/outcome.ts';
import { formatCount, formatDuration } from './duration.ts';

/** Lines of the worst reason shown per stage. */
const SHOWN_REASONS = 6;

export interface SummaryInput {
  /** Files that the run wrote for the user, relative to the folder that it was started in. */
  files: string[];
  isolation: string;
  warnings: string[];
  badRows: BadRows[];
}

/** Human summary; ends with a newline. */
export function buildSummary(end: RunEnd, shown: SummaryInput): string {
  const nodes = [...end.nodes.entries()];
  const lines: string[] = [];
  const made = nodes.filter(([, node]) => isMade(node)).length;
  const idle = end.executed === 0 && made === nodes.length;
  if (!idle) {
    for (const [address, node] of nodes) {
      const bad = shown.badRows.find((one) => one.address === address);
      lines.push(...stageLines(address, node), ...(bad === undefined ? [] : badRowLines(bad)));
    }
  }
  const faults = nodes.reduce((sum, [, node]) => sum + ownFaults(node), 0);
  if (faults > 0) {
    const what = faults === 1 ? '1 item' : `${formatCount(faults)} items`;
    lines.push(`infra is no answer: nothing is recorded for ${what}; the next build tries again`);
  }
  for (const file of shown.files) lines.push(`wrote ${file}`);
  for (const warning of shown.warnings) lines.push(`warning: ${warning}`);
  if (idle) {
    lines.push(`nothing to do: ${made} targets are up to date (${formatDuration(end.durationMs)})`);
  } else {
    const what = made === nodes.length ? `made ${made}` : `made ${made} of ${nodes.length}`;
    lines.push(
      `${what} targets in ${formatDuration(end.durationMs)} · ${formatCount(end.cached)} actions cached, ` +
        `${formatCount(end.executed)} run · isolation: ${shown.isolation}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Every item that was asked for is answered, no fault among the answers. The answer of a stage of one action must be `ok`, too. */
function isMade({ blocked, state }: NodeEnd): boolean {
  if (blocked !== null || state.planned > 0 || state.counts.infra > 0) return false;
  if (state.counts.failed === 1 && state.size() === 1 && state.has('')) return false;
  return state.fresh || state.remaining === 0;
}

/** 0 made, 1 not made, 3 because of infrastructure, 130 stopped by the user. */
export function exitCode(end: RunEnd): number {
  if (end.drained) return 130;
  const nodes = [...end.nodes.values()];
  if (nodes.some((node) => node.state.counts.infra > 0 || node.blocked?.status === 'infra')) return 3;
  return nodes.every(isMade) ? 0 : 1;
}

/** Faults that happened here and not upstream. */
function ownFaults({ state }: NodeEnd): number {
  if (state.counts.infra === 0) return 0;
  const isOwn = ({ outcome }: { outcome: Outcome }) =>
    outcome.status === 'infra' && outcome.reason !== 'upstream-infra';
  return state.entries().filter(isOwn).length;
}

function stageLines(address: string, node: NodeEnd): string[] {
  const { state, blocked } = node;
  if (blocked !== null) return [`${address.padEnd(20)} not made: ${detailOf(blocked)}`];
  if (state.size() <= 1 && state.counts.ok === 1) return [];
  const lines = [`${address.padEnd(20)} ${formatCount(state.size())} · ${countsText(state.counts)}`];
  if (state.counts.ok === state.size()) return lines;
  const reasons = new Map<string, { count: number; example: string; detail: string }>();
  for (const entry of state.entries()) {
    if (entry.outcome.status === 'ok') continue;
    const reason = `${entry.outcome.status} ${entry.outcome.reason}`;
    const known = reasons.get(reason);
    if (known !== undefined) known.count += 1;
    else reasons.set(reason, { count: 1, example: entry.name, detail: firstLine(detailOf(entry.outcome)) });
  }
  const sorted = [...reasons].sort((a, b) => b[1].count - a[1].count || (a[0] < b[0] ? -1 : 1));
  for (const [reason, { count, example, detail }] of sorted.slice(0, SHOWN_REASONS)) {
    lines.push(`${' '.repeat(20)} ${formatCount(count)} ${reason}: ${detail}`);
    lines.push(`${' '.repeat(20)}   swemake logs '${addressOf(address, example)}'`);
  }
  return lines;
}

function badRowLines({ address, count, first }: BadRows): string[] {
  const rows = count === 1 ? 'bad row' : 'bad rows';
  const example = firstLine(badRowText(first));
  return [
    `${address.padEnd(20)} ${formatCount(count)} ${rows}, left out: ${example}`,
    `${' '.repeat(20)}   swemake logs ${address}`,
  ];
}

/** `20 ok · 1 failed`; statuses that did not occur are left out. */
export function countsText(counts: Counts): string {
  const parts = (Object.entries(counts) as [keyof Counts, number][])
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${formatCount(count)} ${status}`);
  return parts.join(' · ') || 'none';
}

function detailOf(outcome: Outcome): string {
  return 'detail' in outcome ? outcome.detail : outcome.status;
}

function firstLine(text: string): string {
  const line = text.split('\n')[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 157)}...` : line;
}
