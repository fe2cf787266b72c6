/** The last lines of a build: what came out of each stage, what to look at, what the run cost. */

import { basename, dirname } from 'node:path';
import type { SampleOutcomes } from '../app/agent-outcomes.ts';
import type { BadRows } from '../app/bad-rows.ts';
import type { RemoteReport } from '../cache/remote/remote.ts';
import { type Counts, faultsIn } from '../engine/events.ts';
import { addressOf, type NodeEnd, type RunEnd } from '../engine/run.ts';
import { badRowText } from '../schemas/instance.ts';
import { FAULT_STATUSES, type FaultStatus, isFault, type Outcome } from '../schemas/outcome.ts';
import type { EvaluationMetrics } from '../stages/evaluate/metrics.ts';
import { formatBytes, formatCount, formatDuration } from './duration.ts';
import { evaluationTable, outcomeLines, outcomeWarnings } from './outcome-lines.ts';

/** So many files are named one by one. */
const FEW_FILES = 4;
/** Lines of the worst reason shown per stage. */
const SHOWN_REASONS = 6;

export interface SummaryInput {
  /** Files that the run wrote for the user, relative to the folder that it was started in. */
  files: string[];
  isolation: string;
  warnings: string[];
  badRows: BadRows[];
  /** What came of rollouts; none where nothing was rolled out. */
  outcomes?: SampleOutcomes[];
  evaluations?: EvaluationMetrics[];
  /** What the remote cache did; null without one. */
  remote: RemoteReport | null;
}

/** Human summary; ends with a newline. */
export function buildSummary(end: RunEnd, shown: SummaryInput): string {
  const nodes = [...end.nodes.entries()];
  const lines: string[] = [];
  const { outcomes = [], evaluations = [] } = shown;
  // What cannot be right comes first: nothing below is to be trusted before it is understood.
  for (const warning of outcomeWarnings(outcomes)) lines.push(...warningLines(warning));
  const made = nodes.filter(([, node]) => isMade(node)).length;
  const idle = end.executed === 0 && made === nodes.length;
  if (!idle) {
    for (const [address, node] of nodes) {
      const bad = shown.badRows.find((one) => one.address === address);
      lines.push(...stageLines(address, node), ...(bad === undefined ? [] : badRowLines(bad)));
    }
  }
  lines.push(...notMadeLine(nodes), ...faultLines(nodes));
  if (!idle) lines.push(...outcomeLines(outcomes), ...evaluationTable(evaluations));
  if (shown.remote !== null && !isQuiet(shown.remote)) lines.push(remoteLine(shown.remote));
  lines.push(...fileLines(shown.files));
  for (const warning of shown.warnings) lines.push(...warningLines(warning));
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

function isQuiet({ taken, given, traffic: { up, down } }: RemoteReport): boolean {
  return taken + given + up + down === 0;
}

function remoteLine({ taken, given, traffic: { up, down } }: RemoteReport): string {
  const took = `took ${formatCount(taken)} answers (${formatBytes(down)})`;
  return `remote cache: ${took}, gave ${formatCount(given)} (${formatBytes(up)})`;
}

/** Every item that was asked for is answered, no fault among the answers. The answer of a stage of one action must be `ok`, too. */
function isMade({ blocked, state }: NodeEnd): boolean {
  if (blocked !== null || state.planned > 0 || faultsIn(state.counts) > 0) return false;
  if (state.counts.failed === 1 && state.size() === 1 && state.has('')) return false;
  return state.fresh || state.remaining === 0;
}

/** 0 made, 1 not made, 2 the project or its keys are refused, 3 because of infrastructure, 130 stopped by the user. */
export function exitCode(end: RunEnd): number {
  if (end.drained) return 130;
  const nodes = [...end.nodes.values()];
  const has = (status: FaultStatus) =>
    nodes.some(({ state, blocked }) => state.counts[status] > 0 || blocked?.status === status);
  if (has('stopped')) return 130;
  if (has('config')) return 2;
  if (has('infra')) return 3;
  return nodes.every(isMade) ? 0 : 1;
}

function isCascade(outcome: Outcome): boolean {
  return isFault(outcome) && outcome.reason === 'upstream-infra';
}

/** Stages that wait for others, in one line. */
function notMadeLine(nodes: readonly [string, NodeEnd][]): string[] {
  const waiting = nodes.flatMap(([address, { blocked }]) =>
    blocked !== null && isCascade(blocked) ? [{ address, blocked }] : [],
  );
  if (waiting.length === 0) return [];
  const named = waiting.map(({ address }) => address).join(', ');
  return [`not made, for what is above: ${named} (${firstLine(detailOf(waiting[0]!.blocked))})`];
}

/** What ends without an answer mean, and how many items have one of their own. */
function faultLines(nodes: readonly [string, NodeEnd][]): string[] {
  return FAULT_STATUSES.flatMap((status) => {
    const count = nodes.reduce((sum, [, node]) => sum + ownFaults(node, status), 0);
    if (count === 0) return [];
    const what = count === 1 ? '1 item' : `${formatCount(count)} items`;
    return [`${status} is no answer: nothing is recorded for ${what}; ${NEXT[status]}`];
  });
}

const NEXT: Readonly<Record<FaultStatus, string>> = {
  stopped: 'the next build goes on from here',
  config: 'change what the message names, and build again',
  infra: 'the next build tries again',
};

/** Faults that happened here and not upstream. */
function ownFaults({ state }: NodeEnd, status: FaultStatus): number {
  if (state.counts[status] === 0) return 0;
  return state
    .entries()
    .filter(({ outcome }) => outcome.status === status && outcome.reason !== 'upstream-infra').length;
}

/** Files one by one where they are few, else the folders that they are in. */
function fileLines(files: readonly string[]): string[] {
  if (files.length <= FEW_FILES) return files.map((file) => `wrote ${file}`);
  const folders = [...new Set(files.map((file) => dirname(file)))];
  const common = folders.map((folder) => dirname(folder)).every((folder, _, all) => folder === all[0]);
  if (!common || folders.length < 2)
    return [`wrote ${formatCount(files.length)} files into ${folders.join(', ')}`];
  const names = folders.map((folder) => basename(folder)).join(', ');
  return [`wrote ${formatCount(files.length)} files into ${dirname(folders[0]!)}: ${names}`];
}

/** A warning may have more lines, such as the command that shows it. */
function warningLines(warning: string): string[] {
  const [first, ...rest] = warning.split('\n');
  return [`warning: ${first}`, ...rest.map((line) => `         ${line.trimStart()}`)];
}

function stageLines(address: string, node: NodeEnd): string[] {
  const { state, blocked } = node;
  // What waits for something upstream is named in one line for all.
  if (blocked !== null)
    return isCascade(blocked) ? [] : [`${address.padEnd(20)} not made: ${detailOf(blocked)}`];
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
