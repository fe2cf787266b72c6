/**
 * The grammar of single lines of pytest's output. Ids may hold spaces, dashes, brackets and even status words, so
 * a line is read from the end that pytest writes itself (status, reason, progress), never by splitting at spaces.
 */
import { STATUSES, type Status } from './status.ts';

export interface Report {
  id: string;
  status: Status;
}

const ANSI = /\x1b\[[0-9;?]*[A-Za-z]/g;
const XDIST_WORKER = /^\[gw\d+\] (?:\[ *\d+(?:%|\/\d+)\] )?/;
const PROGRESS = /^\s*(?:\d+%|\d+\/\d+)$/;
const DURATION = /\s{1,80}\d+(?:\.\d+)?(?:us|ms|s|m|h)(?: \d+(?:\.\d+)?[smh])?$/;

const WITH_REASON: readonly Status[] = ['SKIPPED', 'XFAIL', 'XPASS'];
const NO_IDS: ReadonlySet<string> = new Set();

/** Colour codes and the carriage return of CRLF removed. */
export function plainLine(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.includes('\x1b') ? text.replace(ANSI, '') : text;
}

/** `==== title ====`, the line that opens a section; null for other lines. */
export function sectionTitle(line: string): string | null {
  if (!line.startsWith('=') || !line.endsWith('=')) return null;
  let from = 0;
  while (line[from] === '=') from++;
  let to = line.length;
  while (to > from && line[to - 1] === '=') to--;
  if (to - from < 3 || line[from] !== ' ' || line[to - 1] !== ' ') return null;
  return line.slice(from + 1, to - 1);
}

/** The last line of a session, such as `2 failed, 9 passed in 0.06s (0:00:01)`. */
export function isSessionEnd(title: string): boolean {
  return /^(?:no tests ran|\d+ [a-z]+\b.{0,200}) in \d+\.\d+ ?s(?:econds)?(?: \([\d:, a-z]+\))?$/.test(title);
}

/** A progress line of `-v`, with or without xdist. `id` is empty when only the status stands there. */
export function progressReport(line: string): Report | null {
  const worker = line.startsWith('[gw') ? XDIST_WORKER.exec(line) : null;
  if (worker !== null) return xdistReport(line.slice(worker[0].length));
  const text = withoutProgress(line);
  for (const status of STATUSES) {
    if (text === status) return { id: '', status };
    if (text.endsWith(` ${status}`)) return { id: text.slice(0, -status.length).trimEnd(), status };
  }
  // With -vv a reason may have several lines.
  for (const status of WITH_REASON) {
    if (text.startsWith(`${status} (`)) return { id: '', status };
    const at = text.indexOf(` ${status} (`);
    if (at > 0) return { id: text.slice(0, at).trimEnd(), status };
  }
  return null;
}

/** `id SUBFAILED[message] (i=1)`, or the plugin's `id [message] (i=1) SUBFAIL`: the test holds a failed subtest. */
export function hasFailedSubtest(line: string): boolean {
  return line.search(/ SUBFAIL(?:ED)?(?:\[|\(|\s|$)/) > 0;
}

/** A line of the short test summary; `known` are ids whose spelling is certain. */
export function summaryReport(line: string, known: ReadonlySet<string>): Report | null {
  const status = statusAtStart(line);
  if (status === null) return subtestReport(line, known);
  const rest = line.slice(status.length + 1);
  // `SKIPPED [2] file.py:3: reason` counts places, it names no test.
  if (status === 'SKIPPED' && /^\[\d+\]/.test(rest)) return null;
  // pytest never writes a reason behind a passed test, so the whole rest is the id.
  const id = status === 'PASSED' ? rest.trimEnd() : cutNodeId(rest, known, status === 'XPASS');
  return id === '' ? null : { id, status };
}

function statusAtStart(line: string): Status | null {
  return STATUSES.find((word) => line.startsWith(`${word} `)) ?? null;
}

/** `SUBFAILED[message] (i=1) id - reason` or `[message] (i=1) SUBFAIL id`: the id is the word with "::". */
function subtestReport(line: string, known: ReadonlySet<string>): Report | null {
  if (!/^(?:SUBFAIL|\[|\()/.test(line)) return null;
  const at = line.search(/(?:^| )SUBFAIL(?:ED)?[ [(]/);
  const colons = at < 0 ? -1 : line.indexOf('::', at);
  if (colons < 0) return null;
  const id = cutNodeId(line.slice(line.lastIndexOf(' ', colons) + 1), known);
  return { id, status: 'FAILED' };
}

/**
 * The id at the start of `id - reason`. A known id wins; else a dash inside of brackets belongs to the id.
 * `spaced` also reads `id reason`, which old versions wrote for XPASS; without a bracket an id has no space.
 */
export function cutNodeId(text: string, known: ReadonlySet<string>, spaced = false): string {
  const whole = text.trimEnd();
  if (known.has(whole)) return whole;
  const cuts = dashes(whole);
  for (let i = cuts.length - 1; i >= 0; i--) {
    const candidate = whole.slice(0, cuts[i]);
    if (known.has(candidate)) return candidate;
  }
  const dash = cuts[0] ?? -1;
  const bracket = whole.indexOf('[');
  if (bracket < 0 || (dash >= 0 && dash < bracket)) {
    if (dash >= 0) return whole.slice(0, dash);
    const space = spaced ? whole.indexOf(' ') : -1;
    return space < 0 ? whole : whole.slice(0, space);
  }
  const closed = closingDash(whole, bracket);
  if (closed >= 0) return whole.slice(0, closed);
  if (whole.endsWith(']')) return whole;
  const spacedEnd = spaced ? whole.indexOf('] ', bracket) : -1;
  if (spacedEnd >= 0) return whole.slice(0, spacedEnd + 1);
  return dash < 0 ? whole : whole.slice(0, dash);
}

/** Where the first "] - " stands whose brackets match; without such a one, the first of all. Else -1. */
function closingDash(text: string, bracket: number): number {
  let open = 0;
  let first = -1;
  for (let at = bracket; at < text.length; at++) {
    if (text[at] === '[') open++;
    if (text[at] !== ']') continue;
    open--;
    if (!text.startsWith(' - ', at + 1)) continue;
    if (open === 0) return at + 1;
    if (first < 0) first = at + 1;
  }
  return first;
}

/** Positions of the first " - "s. Bounded: a reason may be megabytes long. */
function dashes(text: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(' - '); at >= 0 && found.length < 32; at = text.indexOf(' - ', at + 1)) {
    found.push(at);
  }
  return found;
}

function xdistReport(text: string): Report | null {
  const status = statusAtStart(text);
  if (status === null) return subtestReport(text, NO_IDS);
  const id = text.slice(status.length + 1).trimEnd();
  return id === '' ? null : { id, status };
}

/** The line without the progress at its right edge: `[ 50%]`, `[ 3/26]` or a duration. */
function withoutProgress(line: string): string {
  const text = line.trimEnd();
  if (text.endsWith(']')) {
    const open = text.lastIndexOf('[');
    const before = text[open - 1];
    const isProgress = open > 0 && before === ' ' && PROGRESS.test(text.slice(open + 1, -1));
    return isProgress ? text.slice(0, open).trimEnd() : text;
  }
  const tail = text.slice(-100);
  const duration = /[smh]$/.test(tail) ? DURATION.exec(tail) : null;
  return duration === null ? text : text.slice(0, text.length - tail.length + duration.index).trimEnd();
}
