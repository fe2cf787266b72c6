/** The last lines of a build: the results of each stage, what to look at, and what the run cost. */

import { basename, dirname } from 'node:path';
import { findAgent } from '../agent/kinds/registry.ts';
import type { SampleOutcomes } from '../app/agent-outcomes.ts';
import type { BadRows } from '../app/bad-rows.ts';
import type { ReportedCauses } from '../app/reported-causes.ts';
import type { Rests } from '../app/rests.ts';
import { visible } from '../app/shown.ts';
import { formatCount, plural } from '../basics/plural.ts';
import type { RemoteReport } from '../cache/remote/remote.ts';
import { type Counts, faultsIn, noCounts } from '../engine/events.ts';
import { addressOf, type NodeEnd, type RunEnd } from '../engine/run.ts';
import { badRowText } from '../schemas/instance.ts';
import {
  FAULT_STATUSES,
  type FaultStatus,
  isFault,
  type Outcome,
  type OutcomeStatus,
} from '../schemas/outcome.ts';
import type { EvaluationMetrics } from '../stages/evaluate/metrics.ts';
import { fingerprintOf } from '../stages/filter/causes.ts';
import { splitItem } from '../stages/rollouts/item-name.ts';
import { restLines } from './asked-lines.ts';
import { isOfBaseline } from './baseline-items.ts';
import { formatBytes, formatDuration } from './duration.ts';
import { evaluationTable, outcomeLines, outcomeWarnings } from './outcome-lines.ts';
import { ANY_SCREEN, commandLine, fold, type Screen } from './screen.ts';
import { type Paint, plainPaint, toneOf } from './style.ts';

/** So many files are named one by one. */
const FEW_FILES = 4;
/** Causes that are named for each dataset; all are in failures.md. */
const SHOWN_CAUSES = 3;
/** Lines of the worst reason shown per stage. */
const SHOWN_REASONS = 6;

export interface SummaryInput {
  /** Files that the run wrote for the user, relative to the folder that it was started in. */
  files: string[];
  isolation: string;
  warnings: string[];
  badRows: BadRows[];
  /** Answers that rest on what was not found, and the command that asks for it at once. */
  rests?: Rests[];
  retry?: string;
  /** Why rows did not pass, by dataset. */
  causes?: ReportedCauses[];
  /** What came of rollouts; none where nothing was rolled out. */
  outcomes?: SampleOutcomes[];
  evaluations?: EvaluationMetrics[];
  /** What the remote cache did; null without one. */
  remote: RemoteReport | null;
  /** What the lines must fit; absent: they are as long as they are. */
  screen?: Screen;
}

/** Human summary; ends with a newline. */
export function buildSummary(end: RunEnd, shown: SummaryInput): string {
  const nodes = [...end.nodes.entries()];
  const lines: string[] = [];
  const { outcomes = [], evaluations = [], screen = ANY_SCREEN } = shown;
  // Contradictions come first: do not trust the other numbers before they are understood.
  for (const warning of outcomeWarnings(outcomes)) lines.push(...warningLines(warning, screen));
  const made = nodes.filter(([, node]) => isMade(node)).length;
  const idle = end.executed === 0 && made === nodes.length;
  if (!idle) {
    for (const [address, node] of nodes) {
      lines.push(...stageLines(address, node, screen));
      for (const one of shown.causes ?? []) if (one.address === address) lines.push(...causeLines(one));
      lines.push(...shown.badRows.filter((one) => one.address === address).flatMap(badRowLines));
    }
  } else lines.push(...shown.badRows.flatMap(badRowLines));
  lines.push(...restLines(shown.rests ?? [], shown.retry ?? 'swemake retry'));
  lines.push(...notMadeLine(nodes), ...faultLines(nodes));
  if (!idle) lines.push(...outcomeLines(outcomes), ...evaluationTable(evaluations));
  if (shown.remote !== null && !isQuiet(shown.remote)) lines.push(remoteLine(shown.remote));
  lines.push(...fileLines(shown.files));
  for (const warning of shown.warnings) lines.push(...warningLines(warning, screen));
  if (idle) {
    lines.push(
      `nothing to do: ${made === 1 ? '1 target is' : `${made} targets are`} up to date (${formatDuration(end.durationMs)})`,
    );
  } else {
    const of = plural(nodes.length, 'target');
    const what = made === nodes.length ? `made ${of}` : `made ${made} of ${of}`;
    lines.push(
      `${what} in ${formatDuration(end.durationMs)} · ${plural(end.cached, 'action')} cached, ` +
        `${formatCount(end.executed)} run · isolation: ${shown.isolation}`,
    );
  }
  return `${lines.flatMap((line) => foldText(line, screen)).join('\n')}\n`;
}

/** Commands stay whole. */
function foldText(line: string, { width }: Screen): string[] {
  return line.trimStart().startsWith('swemake ') ? [line] : fold(line, width);
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
  // Examples in brackets are named where they ended.
  const [why] = firstLine(detailOf(waiting[0]!.blocked)).split(' (');
  return [`not made, because of the above: ${named} (${why})`];
}

/** The meaning of ends without an answer, and how many items have one of their own. */
function faultLines(nodes: readonly [string, NodeEnd][]): string[] {
  return FAULT_STATUSES.flatMap((status) => {
    const count = nodes.reduce((sum, [, node]) => sum + ownFaults(node, status), 0);
    if (count === 0) return [];
    const what = plural(count, 'item');
    return [`${status} is no answer: nothing is recorded for ${what}; ${NEXT[status]}`];
  });
}

const NEXT: Readonly<Record<FaultStatus, string>> = {
  stopped: 'the next build continues here',
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
function warningLines(warning: string, screen: Screen): string[] {
  const [first, ...rest] = warning.split('\n');
  const indented = rest.map((line) => {
    const [, command, item] = /^swemake (\S+) '([^']+)'$/.exec(line.trim()) ?? [];
    return command === undefined ? `         ${line.trimStart()}` : commandLine(command, item!, 9, screen);
  });
  return [`warning: ${first}`, ...indented];
}

function stageLines(address: string, node: NodeEnd, screen: Screen): string[] {
  const { state, blocked } = node;
  // All stages that wait for an earlier one are named in one line.
  if (blocked !== null)
    return isCascade(blocked) ? [] : [`${address.padEnd(20)} not made: ${detailOf(blocked)}`];
  if (state.size() <= 1 && state.counts.ok === 1) return [];
  if (state.size() === 0) return [`${address.padEnd(20)} no items`];
  const lines = [`${address.padEnd(20)} ${sizesText(address, node, screen.paint)}`];
  if (state.counts.ok === state.size()) return lines;
  for (const { count, alike, status, reason, example, detail, isSettled } of worstReasons(address, node)) {
    const named = screen.paint(toneOf(status), `${formatCount(count)} ${status}`);
    const part = alike === count ? '' : `, ${formatCount(alike)} with this message`;
    lines.push(`${' '.repeat(20)} ${named} ${reason}${part}: ${detail}`);
    if (!isSettled) lines.push(commandLine('logs', addressOf(address, example), 23, screen));
  }
  return lines;
}

/** `48 · 40 ok · 8 failed · baselines: 12 ok`: baselines are no rollouts of the agent. */
function sizesText(address: string, { state }: NodeEnd, paint: Paint): string {
  const isBaseline = isOfBaseline(address);
  const baselines = isBaseline === null ? [] : state.entries().filter(isBaseline);
  if (baselines.length === 0) return `${formatCount(state.size())} · ${countsText(state.counts, paint)}`;
  const theirs = noCounts();
  for (const { outcome } of baselines) theirs[outcome.status] += 1;
  const own = noCounts();
  for (const status of Object.keys(own) as OutcomeStatus[])
    own[status] = state.counts[status] - theirs[status];
  const size = state.size() - baselines.length;
  return `${formatCount(size)}${size === 0 ? '' : ` · ${countsText(own, paint)}`} · baselines: ${countsText(theirs, paint)}`;
}

/** What the logs of failures say, and the recipe key that would likely help; then which rows passed and are graded with less. */
function causeLines({ address, causes, graded_with_less: weaknesses = [] }: ReportedCauses): string[] {
  const indent = ' '.repeat(20);
  const failures = causes
    .slice(0, SHOWN_CAUSES)
    .flatMap(({ instances, complaint, hint }) => [
      `${plural(instances.length, 'row')}: ${complaint}`,
      ...(hint === null ? [] : [`  would help: ${hint}`]),
    ]);
  const passed = weaknesses
    .slice(0, SHOWN_CAUSES)
    .map(({ why, instances }) => `${plural(instances.length, 'row')} graded with less: ${why}`);
  return [...failures, ...passed].map((line, at) => `${at === 0 ? address.padEnd(20) : indent} ${line}`);
}

interface Reason {
  count: number;
  /** Of them, those with the same message. */
  alike: number;
  status: OutcomeStatus;
  reason: string;
  /** An item that ended so. */
  example: string;
  detail: string;
  /** It needs no attention: it is as it should be, or was reported where it happened. */
  isSettled: boolean;
}

/**
 * Why items failed, each reason with its most frequent message: first what needs attention, and of that the most frequent. Items
 * that the user stopped are left out.
 */
function worstReasons(address: string, { state }: NodeEnd): Reason[] {
  const reasons = new Map<string, Map<string, Reason>>();
  for (const { name, outcome } of state.entries()) {
    if (outcome.status === 'ok' || outcome.status === 'stopped') continue;
    const { status } = outcome;
    const none = address.startsWith('grade.') && status === 'failed' ? resolvesNone(name) : null;
    const key = `${none} ${status} ${outcome.reason}`;
    const messages = reasons.get(key) ?? new Map<string, Reason>();
    reasons.set(key, messages);
    const text = reasonText(outcome, none);
    const message = fingerprintOf(text.detail, [name]);
    const known = messages.get(message);
    if (known !== undefined) known.alike += 1;
    else messages.set(message, { count: 0, alike: 1, status, example: name, ...text });
  }
  const found = [...reasons].map(([key, messages]) => {
    const all = [...messages.values()].sort((a, b) => b.alike - a.alike);
    return [key, { ...all[0]!, count: all.reduce((sum, { alike }) => sum + alike, 0) }] as const;
  });
  const sorted = found.sort(
    ([a, one], [b, other]) =>
      Number(one.isSettled) - Number(other.isSettled) || other.count - one.count || (a < b ? -1 : 1),
  );
  return sorted.slice(0, SHOWN_REASONS).map(([, reason]) => reason);
}

/** The baseline of a sample that must not resolve its task; null for any other sample. */
function resolvesNone(item: string): string | null {
  const { sample } = splitItem(item);
  return findAgent(sample)?.baseline?.resolves === 'none' ? sample : null;
}

function reasonText(outcome: Outcome, none: string | null): Pick<Reason, 'reason' | 'detail' | 'isSettled'> {
  const reason = 'reason' in outcome ? outcome.reason : '';
  if (none !== null) return { reason: none, detail: 'it hands in nothing, so it must', isSettled: true };
  if (isCascade(outcome)) return { reason, detail: 'for what is above', isSettled: true };
  return { reason, detail: firstLine(detailOf(outcome)), isSettled: reason === 'environment-failed' };
}

function badRowLines({ address, count, left, first }: BadRows): string[] {
  const rows = count === 1 ? 'bad row' : 'bad rows';
  const example = firstLine(badRowText(first));
  return [
    `${address.padEnd(20)} ${formatCount(count)} ${rows}, left out: ${example}`,
    `${' '.repeat(20)}   ${formatCount(left)} of ${plural(left + count, 'row')} left`,
    `${' '.repeat(20)}   swemake logs ${address}`,
  ];
}

/** `20 ok · 1 failed`; statuses that did not occur are left out. */
export function countsText(counts: Counts, paint: Paint = plainPaint): string {
  const parts = (Object.entries(counts) as [keyof Counts, number][])
    .filter(([, count]) => count > 0)
    .map(([status, count]) => paint(toneOf(status), `${formatCount(count)} ${status}`));
  return parts.join(' · ') || 'none';
}

function detailOf(outcome: Outcome): string {
  return 'detail' in outcome ? visible(outcome.detail) : outcome.status;
}

function firstLine(text: string): string {
  const line = text.split('\n')[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 157)}...` : line;
}
