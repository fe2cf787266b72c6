/** Explanations as text: the verdict, why, and when it was last well. */

import type { Explained, NotFound } from '../app/explained.ts';
import { visible } from '../app/shown.ts';
import type { Digest } from '../basics/digest.ts';
import { formatCount, plural } from '../basics/plural.ts';
import { type Cause, type Change, type Explanation, type LastAnswer, SWEMAKE } from '../engine/explain.ts';
import type { Difference } from '../engine/explain-difference.ts';
import type { Outcome } from '../schemas/outcome.ts';
import { formatDuration } from './duration.ts';

/** Lines shown of one difference, on each side. */
const SHOWN_LINES = 8;
/** Differences shown of one change. */
const SHOWN_PLACES = 12;
const LINE_LENGTH = 160;

/** One item's explanation; ends with a newline. */
export function explanationText(found: Explained): string {
  const lines = [`${found.item}`, `${headline(found)}`];
  if (found.fault !== null) lines.push(`  ${found.fault}`);
  if (found.standing === 'fresh' && found.last?.forced === true)
    lines.push('it last ran because it was forced, with nothing changed (--force or retry)');
  else if (found.standing === 'fresh' && found.changes.length > 0) {
    const than = found.comparedWith === 'last success' ? 'its last success before' : 'its answer before';
    lines.push(`it last ran because this differs from ${than}:`);
  }
  if (found.standing !== 'fresh' || found.last?.forced !== true)
    for (const change of found.changes) lines.push(...indent(changeLines(change)));
  const { count, items } = found.waitsFor;
  for (const item of items) lines.push(...indent(waitLines(item)));
  if (count > items.length) lines.push(`  … and ${formatCount(count - items.length)} more`);
  if (found.lastFault !== null)
    lines.push(`last try: run ${found.lastFault.run} ended in a fault, ${found.lastFault.detail}`);
  lines.push(...lastLines(found), ...notFoundLines(found.notFound));
  return `${lines.join('\n')}\n`;
}

/** What the answer rests on. */
function notFoundLines(all: readonly NotFound[]): string[] {
  const shown = all.slice(0, SHOWN_PLACES).map(({ question, asked, next, isOverturned }) => {
    const end = isOverturned ? 'there now' : `a build asks again after ${timeText(next)}`;
    return `  ${visible(question)} (asked ${timeText(asked)}; ${end})`;
  });
  if (all.length > shown.length) shown.push(`  … and ${formatCount(all.length - shown.length)} more`);
  return all.length === 0 ? [] : ['it rests on "not found":', ...shown];
}

/** Many items: how many are in each state, with the first of each kind in full. */
export function groupText(all: readonly Explained[], more: number): string {
  const groups = new Map<string, Explained[]>();
  for (const one of all) {
    const name = headline(one);
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  const texts = [...groups].map(([name, [first, ...others]]) => {
    if (first!.standing === 'fresh') return `${formatCount(others.length + 1)} × ${name}\n`;
    const same = others.length === 0 ? '' : `${formatCount(others.length)} more like this\n`;
    return `${explanationText(first!)}${same}`;
  });
  const rest = more === 0 ? '' : `… and ${plural(more, 'item')} not looked at\n`;
  return texts.join('') + rest;
}

/** The verdict in a line. */
function headline(found: Explanation & Partial<Pick<Explained, 'notFound'>>): string {
  switch (found.standing) {
    case 'fresh':
      return `fresh: nothing that it depends on changed since it was answered`;
    case 'new':
      return 'new: it was never answered';
    case 'gone':
      return 'gone: the project has no such item any more';
    case 'waiting':
      return `waits: ${awaited(found.waitsFor.count)} must be answered first`;
    case 'blocked':
      return 'blocked: it cannot be made now';
    case 'stale':
      if (found.changes.length === 0 && found.notFound?.some(({ isOverturned }) => isOverturned))
        return 'stale: what it did not find is there now';
      return found.changes.length === 0
        ? 'stale: nothing that it depends on changed, but its outputs are gone from the cache'
        : `stale: ${changedText(found.changes)} changed`;
  }
}

/** Zero: a whole stage that is not known yet. */
function awaited(count: number): string {
  if (count === 0) return 'a stage upstream';
  return `${count === 1 ? 'an item' : plural(count, 'item')} upstream`;
}

/** swemake itself is no input of an item. */
function changedText(changes: readonly Change[]): string {
  const roles = changes.map(({ role }) => role).filter((role) => role !== SWEMAKE);
  const own = roles.length === 0 ? [] : [`its ${roles.join(', ')}`];
  return [...(roles.length < changes.length ? [SWEMAKE] : []), ...own].join(' and ');
}

function changeLines(change: Change): string[] {
  const { role, digests, lines, because, note } = change;
  const shown = placeLines(lines);
  if (digests === null) return shown;
  const title = `${role}  ${short(digests.before)} → ${short(digests.now)}`;
  const why = because === null ? [] : causeLines(because);
  return [title, ...indent([...shown, ...why, ...(note === null ? [] : [note])])];
}

function causeLines({ item, at, changes, notes, note }: Cause): string[] {
  const when = at === null ? '' : ` at ${timeText(at)}`;
  const below = [...changes.flatMap(changeLines), ...placeLines(notes), ...(note === null ? [] : [note])];
  return [`because ${item} changed${when}`, ...indent(below)];
}

function waitLines(found: Explanation): string[] {
  const below = [...found.changes.flatMap(changeLines), ...(found.fault === null ? [] : [found.fault])];
  const waits = found.waitsFor.items.flatMap(waitLines);
  return [`${found.item}  ${headline(found)}`, ...indent([...below, ...waits])];
}

function placeLines(all: readonly Difference[]): string[] {
  const shown = all.slice(0, SHOWN_PLACES);
  const width = Math.min(40, Math.max(0, ...shown.map(({ place }) => place.length)));
  const lines = shown.flatMap((one) => differenceLines(one, width));
  return all.length > shown.length ? [...lines, `… and ${all.length - shown.length} more places`] : lines;
}

function differenceLines({ place, before, now }: Difference, width: number): string[] {
  const marked = [...marks('-', before, now), ...marks('+', now, before)];
  if (marked.length === 0) marked.push('(another order)');
  return marked.map((line, index) => `${(index === 0 ? place : '').padEnd(width)}  ${line}`);
}

function marks(sign: string, lines: readonly string[], others: readonly string[]): string[] {
  const shown = lines.slice(0, SHOWN_LINES).map((line, index) => `${sign} ${cut(line, others[index] ?? '')}`);
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `${sign} … ${formatCount(left)} more lines`] : shown;
}

/** A long line from just before where it differs from its counterpart. */
function cut(line: string, other: string): string {
  if (line.length <= LINE_LENGTH) return line;
  let start = 0;
  while (start < line.length && line[start] === other[start]) start += 1;
  const from = Math.max(0, Math.min(start - 20, line.length - LINE_LENGTH));
  return `${from > 0 ? '…' : ''}${line.slice(from, from + LINE_LENGTH)}…`;
}

function lastLines({ last, lastSuccess, standing }: Explanation): string[] {
  if (last === null) return [];
  const lines: string[] = [];
  if (last.outcome.status !== 'ok' || standing === 'fresh') lines.push(`last answer: ${answerText(last)}`);
  if (lastSuccess !== null && (standing !== 'fresh' || last.outcome.status !== 'ok'))
    lines.push(`last success: ${answerText(lastSuccess)}`);
  return lines;
}

function answerText({ outcome, run, at, durationMs, adopted, forced, remote }: LastAnswer): string {
  const parts = [`run ${run}`, timeText(at), formatDuration(durationMs), outcomeText(outcome)];
  return `${parts.join(', ')}${adopted ? ', adopted' : ''}${forced ? ', forced' : ''}${remote ? ', from the remote cache' : ''}`;
}

function outcomeText(outcome: Outcome): string {
  return 'detail' in outcome ? `${outcome.status} ${outcome.reason}: ${outcome.detail}` : outcome.status;
}

/** UTC, to the second. */
function timeText(at: number): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

function short(digest: Digest | null): string {
  return digest === null ? '(none)' : `sha256:${digest.slice(0, 8)}…`;
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
