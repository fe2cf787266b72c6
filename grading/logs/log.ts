/**
 * Reads statuses of tests from the raw output of an eval script: which part is output of the tests, and whether the
 * log can be graded. The rules are those of SWE-bench 5.
 */
import type { LogParser } from '../../parsers/registry.ts';
import type { StatusMap } from '../../parsers/status.ts';

export const START_MARKER = '>>>>> Start Test Output';
export const END_MARKER = '>>>>> End Test Output';
export const EXIT_CODE_MARKER = '>>>>> Test Exit Code:';
/** Written by SWE-bench's first harness, which had no start and end markers. */
const V1_MARKER = '>>>>> Applied Patch (pred)';

/** Each of these means that the log has no verdict. */
const BAD_MARKERS = [
  '>>>>> Patch Apply Failed',
  '>>>>> Reset Failed',
  '>>>>> Tests Errored',
  '>>>>> Tests Timed Out',
] as const;

export type UngradableReason =
  | 'bad-marker'
  | 'markers-missing'
  | 'no-tests'
  | 'build-failed'
  | 'exit-code-mismatch'
  | 'output-cut'
  | 'timed-out';
export type Gradable = { ok: true } | { ok: false; reason: UngradableReason; detail: string };

/** The result of one run of the tests. */
export interface RunResult {
  statusMap: StatusMap;
  /** The test command's exit code; null when it is not known. */
  exitCode: number | null;
  timedOut: boolean;
  gradable: Gradable;
}

/** modern: both markers required. v1: what follows the last applied patch. whole: a bare test log. */
export type LogLayout = 'modern' | 'v1' | 'whole';

export interface LogFacts {
  /** Exit code as the executor saw it; wins over a line in the log, which a test could print. */
  exitCode?: number | null;
  timedOut?: boolean;
  layout?: LogLayout;
}

export function ungradable(reason: UngradableReason, detail: string): Gradable {
  return { ok: false, reason, detail };
}

/** Parses a log. Never throws; what is wrong with the log is in `gradable`. */
export function readTestLog(log: string, parser: LogParser, facts: LogFacts = {}): RunResult {
  const timedOut = facts.timedOut ?? false;
  const exitCode = facts.exitCode === undefined ? recordedExitCode(log) : facts.exitCode;
  // A run with a timeout has no end marker. Its results so far still show which tests hang.
  const part = timedOut ? startedOutput(log) : testOutput(log, facts.layout ?? 'modern');
  if (!part.ok) return { statusMap: new Map(), exitCode, timedOut, gradable: part.gradable };
  let statusMap = parser.parse(part.text);
  // Output to another pipe may be outside of the markers.
  if (statusMap.size === 0 && !timedOut && part.text.length < log.length) statusMap = parser.parse(log);
  return { statusMap, exitCode, timedOut, gradable: gradableRun(statusMap, timedOut) };
}

function gradableRun(statusMap: StatusMap, timedOut: boolean): Gradable {
  if (timedOut) return ungradable('timed-out', 'the tests ran into their time limit');
  if (statusMap.size === 0) return ungradable('no-tests', 'the output names no test');
  return { ok: true };
}

type TestOutput = { ok: true; text: string } | { ok: false; gradable: Gradable };

function startedOutput(log: string): TestOutput {
  const start = log.indexOf(START_MARKER);
  return { ok: true, text: start < 0 ? '' : log.slice(start + START_MARKER.length) };
}

/** The part of a log that the tests wrote. */
export function testOutput(log: string, layout: LogLayout): TestOutput {
  const bad = BAD_MARKERS.find((marker) => log.includes(marker));
  if (bad !== undefined) return { ok: false, gradable: ungradable('bad-marker', `the log says "${bad}"`) };
  if (layout === 'whole') return { ok: true, text: log };
  if (layout === 'v1') {
    const at = log.lastIndexOf(V1_MARKER);
    return { ok: true, text: at < 0 ? log : log.slice(at + V1_MARKER.length) };
  }
  const start = log.indexOf(START_MARKER);
  const missing = [START_MARKER, END_MARKER].filter((marker) => !log.includes(marker));
  if (missing.length > 0) {
    const detail = `the log has no ${missing.map((marker) => `"${marker}"`).join(' and no ')}`;
    return { ok: false, gradable: ungradable('markers-missing', detail) };
  }
  const from = start + START_MARKER.length;
  const end = log.indexOf(END_MARKER, from);
  return { ok: true, text: log.slice(from, end < 0 ? log.length : end) };
}

/** Which layout a log found on disk has. */
export function layoutOf(log: string): LogLayout {
  if (log.includes(START_MARKER) || log.includes(END_MARKER)) return 'modern';
  return log.includes(V1_MARKER) ? 'v1' : 'whole';
}

/** The exit code that the eval script wrote behind the test output. */
export function recordedExitCode(log: string): number | null {
  const end = log.lastIndexOf(END_MARKER);
  const at = end < 0 ? -1 : log.indexOf(EXIT_CODE_MARKER, end);
  const digits = at < 0 ? null : /^ *(\d{1,3})\b/.exec(log.slice(at + EXIT_CODE_MARKER.length, at + 60));
  return digits === null ? null : Number(digits[1]);
}
