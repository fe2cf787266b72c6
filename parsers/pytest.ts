/**
 * swemake's own pytest parser, used for validation. It reads only lines that pytest itself writes: the progress lines
 * and the short test summary of a session. It does not read captured output, in which a test may print anything. If a
 * test is reported twice (passed, then an error in its teardown), the worse report counts. The parser that reproduces
 * SWE-bench's is in swebench-pytest.ts.
 */

import {
  cutNodeId,
  hasFailedSubtest,
  isSessionEnd,
  plainLine,
  progressReport,
  type Report,
  sectionTitle,
  summaryReport,
} from './pytest-line.ts';
import { recordWorst, type Status } from './status.ts';

/** Sections that only pytest opens; with -q they are the first sign of a session. */
const SECTIONS = ['ERRORS', 'FAILURES', 'PASSES', 'XFAILURES', 'XPASSES', 'warnings summary'];
const SUMMARY = 'short test summary info';

type Region = 'progress' | 'summary' | 'other';

class Reader {
  readonly statuses = new Map<string, Status>();
  private region: Region = 'progress';
  /** Sessions open around this line: tests of pytest plugins print whole sessions of their own. */
  private depth = 0;
  /** The session was opened by one of its sections, see `openUnframed`. */
  private unframed = false;
  /** The test whose progress line was broken by its own output. */
  private pending: string | null = null;
  /** The last summary. It is kept separately until it is known whether it belongs to an inner session. */
  private summary: Report[] = [];
  private readonly progressIds = new Set<string>();

  line(line: string): void {
    const title = sectionTitle(line);
    if (title !== null) this.enter(title);
    else if (this.unframed && isSessionEnd(line)) this.leave();
    else if (this.region === 'summary') this.summaryLine(line);
    else if (this.region === 'progress') this.progressLine(line);
  }

  /** Moves the reports of the last summary to the statuses. */
  keepSummary(): void {
    for (const { id, status } of this.summary) recordWorst(this.statuses, id, status);
    this.summary = [];
  }

  private enter(title: string): void {
    this.pending = null;
    if (title === 'test session starts') {
      this.depth++;
      this.region = this.depth === 1 ? 'progress' : 'other';
      this.unframed = false;
    } else if (title === SUMMARY) {
      this.openUnframed();
      this.summary = [];
      this.region = 'summary';
    } else if (isSessionEnd(title)) {
      this.leave();
    } else if (SECTIONS.includes(title)) {
      this.openUnframed();
      this.region = 'other';
      // With -s a test may print a title of its own amid the progress.
    } else if (this.region === 'summary') this.region = 'other';
  }

  /** A session under -q has neither first nor last line in a frame. */
  private openUnframed(): void {
    if (this.depth > 0) return;
    this.depth = 1;
    this.unframed = true;
  }

  private leave(): void {
    if (this.depth <= 1) this.keepSummary();
    this.depth = Math.max(0, this.depth - 1);
    this.region = this.depth === 0 ? 'progress' : 'other';
    this.unframed = false;
  }

  private summaryLine(line: string): void {
    const report = summaryReport(line, this.progressIds);
    if (report !== null) this.summary.push(report);
  }

  private progressLine(line: string): void {
    const report = progressReport(line);
    if (report !== null && startsWithId(report.id)) {
      this.pending = null;
      this.progressIds.add(report.id);
      recordWorst(this.statuses, report.id, report.status);
    } else if (report?.id === '' && this.pending !== null) {
      recordWorst(this.statuses, this.pending, report.status);
      this.pending = null;
    } else if (startsWithId(line)) {
      this.pending = firstId(line);
      if (hasFailedSubtest(line)) recordWorst(this.statuses, this.pending, 'FAILED');
    }
  }
}

/** Statuses of the tests in a log of pytest. Needs `-v`, `-rA` or both. */
export function parsePytest(log: string): Map<string, Status> {
  const reader = new Reader();
  for (let from = 0; from <= log.length; ) {
    const newline = log.indexOf('\n', from);
    const to = newline < 0 ? log.length : newline;
    reader.line(plainLine(log.slice(from, to)));
    from = to + 1;
  }
  reader.keepSummary();
  return reader.statuses;
}

/** `path::name` at the start, whatever follows. */
function startsWithId(line: string): boolean {
  const colons = line.indexOf('::');
  const space = line.indexOf(' ');
  return colons > 0 && (space < 0 || colons < space);
}

/** The id in front of a test's own output: up to the first space outside of brackets. */
function firstId(line: string): string {
  const space = line.indexOf(' ');
  const bracket = line.indexOf('[');
  if (space < 0) return line;
  if (bracket < 0 || space < bracket) return line.slice(0, space);
  const closed = line.indexOf('] ', bracket);
  return closed < 0 ? cutNodeId(line, new Set()) : line.slice(0, closed + 1);
}
