/**
 * Reads one hunk of a diff. Its counts say where it ends. If they do not fit the lines that follow, as in diffs by
 * models, the lines decide.
 */
import type { Hunk } from './patch.ts';

export interface ReadHunk {
  hunk: Hunk;
  /** Index of the line after it. */
  end: number;
}

const HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)$/;
export const NO_NEWLINE = '\\ No newline at end of file';

/** The hunk whose `@@` line is at `start`, or why it cannot be read. */
export function readHunk(lines: readonly string[], start: number): ReadHunk | string {
  const found = HEADER.exec(lines[start]!.trimEnd());
  if (found === null) return 'a hunk without line numbers';
  const [, oldStart, oldCount = '1', newStart, newCount = '1', heading] = found;
  const counted = endByCounts(lines, start + 1, Number(oldCount), Number(newCount));
  const end = counted === null ? endByLines(lines, start + 1) : endBehind(lines, counted);
  const body = lines.slice(start + 1, end);
  if (body.length === 0 || body[0]!.startsWith('\\')) return 'a hunk without lines';
  if (counted !== null && lines.slice(counted, end).some((line) => INDENTED.test(line)))
    return 'an indented diff';
  const numbers = { oldStart: Number(oldStart), newStart: Number(newStart) };
  return { hunk: { ...numbers, heading: heading!.trimEnd(), lines: body.map(hunkLine) }, end };
}

const INDENTED = /^[ \t]+(?:diff --git \S|\+\+\+ \S|@@ -\d+(?:,\d+)? \+\d)/;

/** The index after the lines that the counts announce; null when there are too few. */
function endByCounts(
  lines: readonly string[],
  start: number,
  oldCount: number,
  newCount: number,
): number | null {
  let [oldLeft, newLeft, at] = [oldCount, newCount, start];
  for (; oldLeft > 0 || newLeft > 0; at++) {
    const mark = at < lines.length ? markOf(lines[at]!) : null;
    if (mark === ' ' || mark === '-') oldLeft--;
    if (mark === ' ' || mark === '+') newLeft--;
    if (mark === null || oldLeft < 0 || newLeft < 0) return null;
  }
  return at;
}

/** The index after further lines that can only belong to the hunk: its counts were too small. */
function endBehind(lines: readonly string[], counted: number): number {
  let at = counted;
  while (at < lines.length && !isBlank(lines[at]!) && !isEnd(lines, at) && !isSigned(lines, at)) at++;
  return at;
}

/** The index where the lines end: the counts were too large. Blank lines at the end belong to what follows. */
function endByLines(lines: readonly string[], start: number): number {
  let at = start;
  while (at < lines.length && !isEnd(lines, at)) at++;
  while (at > start && isBlank(lines[at - 1]!)) at--;
  return at;
}

function isEnd(lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) return true;
  return markOf(line) === null || isSignature(lines, at);
}

function isBlank(line: string): boolean {
  return line === '' || line === '\r';
}

const BEFORE_SIGNATURE = /^-- ?\r?$/;

/** `-- ` and git's version are the end of a mailed patch. */
function isSignature(lines: readonly string[], at: number): boolean {
  return BEFORE_SIGNATURE.test(lines[at]!) && /^(?:\d+\.\d.*)?\r?$/.test(lines[at + 1] ?? '');
}

/** The same with any other text, such as the name of GitLab. */
function isSigned(lines: readonly string[], at: number): boolean {
  return BEFORE_SIGNATURE.test(lines[at]!) && markOf(lines[at + 1] ?? '') === null;
}

function markOf(line: string): string | null {
  const mark = line[0];
  // Some tools and models take the space from an empty line.
  if (mark === undefined || isBlank(line)) return ' ';
  return mark === ' ' || mark === '-' || mark === '+' || mark === '\\' ? mark : null;
}

function hunkLine(line: string): string {
  if (line.startsWith('\\')) return NO_NEWLINE;
  return markOf(line) === ' ' && !line.startsWith(' ') ? ` ${line}` : line;
}

/** How many lines it has before and after. */
export function countsOf({ lines }: Hunk): [number, number] {
  const removed = lines.filter((line) => line.startsWith('-')).length;
  const added = lines.filter((line) => line.startsWith('+')).length;
  const kept = lines.filter((line) => line.startsWith(' ')).length;
  return [kept + removed, kept + added];
}
