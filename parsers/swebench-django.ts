/** SWE-bench 5's parser for django's test runner, reproduced exactly, with its rules for interleaved output. */
import { isSpace, strip, words } from '../basics/python-text.ts';
import type { WordMap } from './swebench-pytest.ts';

const VERSION_TEST = '--version is equivalent to version';
const PASS_ENDINGS = [' ... ok', ' ... OK', ' ...  OK'] as const;
const MIGRATION = 'Applying sites.0002_alter_domain_unique...test_no_migrations';

export function parseLogDjango(log: string): WordMap {
  const found: WordMap = new Map();
  let previous: string | null = null;
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    if (line.includes(VERSION_TEST)) found.set(VERSION_TEST, 'PASSED');
    if (line.includes(' ... ')) previous = before(line, ' ... ');
    const shortened = recordPass(line, found);
    recordOthers(shortened, found);
    if (shortened.startsWith('ok') && previous !== null) found.set(previous, 'PASSED');
  }
  recordInterrupted(log, found);
  return found;
}

/** Returns the line, cut where upstream cuts it. */
function recordPass(line: string, found: WordMap): string {
  const ending = PASS_ENDINGS.find((suffix) => line.endsWith(suffix));
  if (ending === undefined) return line;
  const cut = line.startsWith(MIGRATION) ? strip(line.slice(line.indexOf('...') + 3)) : line;
  const at = cut.lastIndexOf(ending);
  found.set(at < 0 ? cut : cut.slice(0, at), 'PASSED');
  return cut;
}

function recordOthers(line: string, found: WordMap): void {
  if (line.includes(' ... skipped')) found.set(before(line, ' ... skipped'), 'SKIPPED');
  recordFault(line, ' ... FAIL', 'FAIL:', 'FAILED', found);
  recordFault(line, ' ... ERROR', 'ERROR:', 'ERROR', found);
}

function recordFault(line: string, ending: string, start: string, status: string, found: WordMap): void {
  if (line.endsWith(ending)) found.set(before(line, ending), status);
  const name = line.startsWith(start) ? words(line)[1] : undefined;
  if (name !== undefined) found.set(name, status);
}

function before(line: string, part: string): string {
  return line.slice(0, line.indexOf(part));
}

/** A message of django printed between a test's name and its "ok" on a later line. */
function recordInterrupted(log: string, found: WordMap): void {
  recordSpan(log, 'Testing against Django installed in ', ' silenced).\nok', found);
  const error = 'Internal Server Error: /';
  recordLine(log, error, (rest) => rest.endsWith('/'), found);
  recordLine(log, 'System check identified no issues (0 silenced)', (rest) => rest === '', found);
}

function recordSpan(log: string, start: string, end: string, found: WordMap): void {
  let from = 0;
  for (let at = log.indexOf(start); at >= 0; at = log.indexOf(start, Math.max(from, at + 1))) {
    const name = nameBefore(log, at, from);
    if (name === null) continue;
    const last = endOfSpan(log, end, at + start.length);
    // If this start has no end, later ones have none either.
    if (last < 0) return;
    found.set(name, 'PASSED');
    from = last;
  }
}

function endOfSpan(log: string, end: string, from: number): number {
  for (let at = log.indexOf(end, from); at >= 0; at = log.indexOf(end, at + 1)) {
    const after = at + end.length;
    if (after === log.length || log[after] === '\n') return after;
  }
  return -1;
}

function recordLine(log: string, start: string, fits: (rest: string) => boolean, found: WordMap): void {
  let from = 0;
  for (let at = log.indexOf(start); at >= 0; at = log.indexOf(start, Math.max(from, at + 1))) {
    const name = nameBefore(log, at, from);
    const newline = log.indexOf('\n', at);
    if (name === null || newline < 0) continue;
    const next = log.indexOf('\n', newline + 1);
    const following = log.slice(newline + 1, next < 0 ? log.length : Math.min(next, newline + 4));
    if (following !== 'ok' || !fits(log.slice(at + start.length, newline))) continue;
    found.set(name, 'PASSED');
    from = newline + 3;
  }
}

/** The test's name in `name ... ` in front of `at`, when its line begins at or behind `from`. */
function nameBefore(log: string, at: number, from: number): string | null {
  if (!isSpace(log[at - 1]) || log.slice(at - 4, at - 1) !== '...' || !isSpace(log[at - 5])) return null;
  const lineStart = log.lastIndexOf('\n', at - 6) + 1;
  return lineStart < from ? null : log.slice(lineStart, at - 5);
}
