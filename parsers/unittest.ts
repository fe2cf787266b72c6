/**
 * swemake's own parser for `python -m unittest -v` and scripts that end in `unittest.main()`. The id of a test is
 * what unittest prints, `name (module.Class)`, with the name repeated inside since Python 3.11; never a docstring. A
 * status may be some lines after its test, behind the test's output. The list of failures at the end decides what the
 * progress lines left open.
 */

import { plainLine } from './pytest-line.ts';
import { recordWorst, type Status } from './status.ts';

const TEST_ID = /^[\p{L}_][\p{L}\p{N}_]* \([\p{L}_][\p{L}\p{N}_.<>]*\)/u;
/** Between a test and its status. */
const DOTS = ' ... ';
const BARE: readonly [word: string, status: Status][] = [
  ['ok', 'PASSED'],
  ['FAIL', 'FAILED'],
  ['ERROR', 'ERROR'],
  ['expected failure', 'XFAIL'],
  ['unexpected success', 'XPASS'],
];
const LISTED: readonly [start: string, status: Status][] = [
  ['ERROR: ', 'ERROR'],
  ['FAIL: ', 'FAILED'],
  ['UNEXPECTED SUCCESS: ', 'XPASS'],
];

class Reader {
  readonly statuses = new Map<string, Status>();
  /** Behind the progress stand the failures, each under a line of "=". */
  private inList = false;
  private afterRule = false;
  /** The test whose status has not been read yet. */
  private open: string | null = null;
  /** A docstring's first line stands on the line after its test. */
  private docstring = false;
  /** The last line ended in a status word glued to the test's output; it counts if nothing better follows. */
  private glued: Status | null = null;

  line(line: string): void {
    if (/^={70}$/.test(line)) {
      this.settle();
      this.inList = true;
      this.afterRule = true;
      return;
    }
    if (/^Ran \d+ tests? in \d/.test(line)) {
      this.settle();
      this.inList = false;
    } else if (this.inList) this.listed(line);
    else this.progress(line);
    this.afterRule = false;
  }

  /** Ends the open test with what is known of it. */
  settle(): void {
    if (this.open !== null && this.glued !== null) this.record(this.glued);
    this.open = null;
    this.docstring = false;
    this.glued = null;
  }

  private listed(line: string): void {
    for (const [start, status] of LISTED) {
      if (!line.startsWith(start) || !(this.afterRule || status === 'XPASS')) continue;
      const id = idAtStart(line.slice(start.length));
      if (id !== null) recordWorst(this.statuses, id, status);
    }
  }

  private progress(line: string): void {
    let rest = line;
    let id = idAtStart(rest);
    // A test with only failed subtests has no status; the next test begins on its line.
    while (id !== null && rest.startsWith(DOTS, id.length)) {
      this.begin(id);
      rest = rest.slice(id.length + DOTS.length);
      id = idAtStart(rest);
    }
    if (id !== null && rest === id) {
      this.begin(id);
      this.docstring = true;
    } else if (rest !== line) this.status(rest);
    else if (!this.subtest(line) && this.open !== null) this.continued(line);
  }

  private begin(id: string): void {
    this.settle();
    this.open = id;
  }

  private continued(line: string): void {
    if (this.docstring && line.includes(DOTS)) {
      this.docstring = false;
      const next = nextTest(line);
      if (next !== null) this.progress(next);
      else this.status(line.slice(line.lastIndexOf(DOTS) + DOTS.length));
    } else this.status(line);
  }

  private status(text: string): void {
    const status = statusOf(text);
    if (status !== null) {
      this.record(status);
      this.open = null;
      this.glued = null;
    } else this.glued = BARE.find(([word]) => text.endsWith(word))?.[1] ?? null;
  }

  /** `  test (module.Class.test) [message] (i=1) ... FAIL`. */
  private subtest(line: string): boolean {
    const id = line.startsWith('  ') ? idAtStart(line.slice(2)) : null;
    const dots = id === null ? -1 : line.lastIndexOf(DOTS);
    const status = dots < 0 ? null : statusOf(line.slice(dots + DOTS.length));
    if (id === null || status === null) return false;
    recordWorst(this.statuses, id, status);
    return true;
  }

  private record(status: Status): void {
    if (this.open !== null) recordWorst(this.statuses, this.open, status);
  }
}

/** Statuses of the tests in a verbose log of unittest. */
export function parseUnittest(log: string): Map<string, Status> {
  const reader = new Reader();
  for (const line of log.split('\n')) reader.line(plainLine(line));
  reader.settle();
  return reader.statuses;
}

function idAtStart(text: string): string | null {
  return TEST_ID.exec(text)?.[0] ?? null;
}

/** The next test on the line of a docstring, whose test had only failed subtests. */
function nextTest(line: string): string | null {
  for (let at = line.indexOf(DOTS); at >= 0; at = line.indexOf(DOTS, at + 1)) {
    const rest = line.slice(at + DOTS.length);
    const id = idAtStart(rest);
    if (id !== null && (rest === id || rest.startsWith(DOTS, id.length))) return rest;
  }
  return null;
}

function statusOf(text: string): Status | null {
  const bare = BARE.find(([word]) => word === text);
  if (bare !== undefined) return bare[1];
  return /^skipped ['"]/.test(text) ? 'SKIPPED' : null;
}
