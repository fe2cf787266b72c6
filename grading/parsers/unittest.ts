/**
 * swemake's own parser for `python -m unittest -v` and scripts that end in `unittest.main()`. The id of a test is
 * what unittest prints, `name (module.Class)`, with the name repeated inside since Python 3.11; never a docstring.
 * A status may come lines after its test, behind the test's own output; the list of failures at the end settles
 * what the progress left open.
 */
import { recordWorst, type Status } from '../status.ts';
import { plainLine } from './pytest-line.ts';

const TEST_ID = /^[\p{L}_][\p{L}\p{N}_]* \([\p{L}_][\p{L}\p{N}_.<>]*\)/u;
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
      const id = TEST_ID.exec(line.slice(start.length));
      if (id !== null) recordWorst(this.statuses, id[0], status);
    }
  }

  private progress(line: string): void {
    const id = TEST_ID.exec(line);
    if (id !== null) this.begin(id[0], line.slice(id[0].length));
    else if (line.startsWith('  ') && this.subtest(line.slice(2))) return;
    else if (this.open !== null) this.continued(line);
  }

  private begin(id: string, rest: string): void {
    if (rest === '') {
      this.settle();
      this.open = id;
      this.docstring = true;
    } else if (rest.startsWith(' ... ')) {
      this.settle();
      this.open = id;
      const text = rest.slice(' ... '.length);
      // A test that only has failed subtests writes no status; the next one follows on its line.
      const next = TEST_ID.exec(text);
      if (next !== null) this.begin(next[0], text.slice(next[0].length));
      else this.status(text);
    } else if (this.open !== null) this.continued(id + rest);
  }

  private continued(line: string): void {
    if (this.docstring && line.includes(' ... ')) {
      this.docstring = false;
      this.status(line.slice(line.lastIndexOf(' ... ') + ' ... '.length));
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

  /** `test (module.Class.test) [message] (i=1) ... FAIL`, indented. */
  private subtest(text: string): boolean {
    const id = TEST_ID.exec(text);
    const dots = text.lastIndexOf(' ... ');
    const status = dots < 0 ? null : statusOf(text.slice(dots + ' ... '.length));
    if (id === null || status === null) return false;
    recordWorst(this.statuses, id[0], status);
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

function statusOf(text: string): Status | null {
  const bare = BARE.find(([word]) => word === text);
  if (bare !== undefined) return bare[1];
  return /^skipped ['"]/.test(text) ? 'SKIPPED' : null;
}
