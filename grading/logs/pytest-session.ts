/**
 * Facts about a whole log of pytest: sessions that began and ended, the runner's counts, and lines like the runner's
 * where it writes none. Forged output is rarely consistent.
 */
import {
  isSessionEnd,
  plainLine,
  progressReport,
  sectionTitle,
  summaryReport,
} from '../../parsers/pytest-line.ts';

export interface SessionScan {
  /** Sessions that are not inside another one: number of first lines, and of last lines. */
  begun: number;
  ended: number;
  /** Of all last lines together: how many tests passed, failed (errors included), and so on, by pytest's words. */
  counts: Record<string, number>;
  /** Ids in lines that look like reports, after the end of a session and before the next one. */
  stray: string[];
}

const NO_IDS: ReadonlySet<string> = new Set();

export function scanSessions(log: string): SessionScan {
  const scan: SessionScan = { begun: 0, ended: 0, counts: {}, stray: [] };
  let depth = 0;
  for (const raw of log.split('\n')) {
    const line = plainLine(raw);
    const title = sectionTitle(line);
    if (title === 'test session starts') {
      depth += 1;
      if (depth === 1) scan.begun += 1;
    } else if (isSessionEnd(title ?? line)) {
      // Under -q neither line has a frame, and the first one is not written at all.
      if (depth === 0 && title === null) scan.begun += 1;
      if (depth <= 1) {
        scan.ended += 1;
        addCounts(scan.counts, title ?? line);
      }
      depth = Math.max(0, depth - 1);
    } else if (depth === 0 && scan.begun > 0) {
      const id = strayId(line);
      if (id !== null) scan.stray.push(id);
    }
  }
  return scan;
}

function addCounts(counts: Record<string, number>, text: string): void {
  for (const [, number, word] of text.matchAll(/(\d+) ([a-z]+)/g)) {
    counts[word!] = (counts[word!] ?? 0) + Number(number);
  }
}

function strayId(line: string): string | null {
  if (!line.includes('::')) return null;
  const id = (progressReport(line) ?? summaryReport(line, NO_IDS))?.id ?? '';
  return id.includes('::') ? id : null;
}

/** What flaky writes of a test that it tries again; the reason in between can be of any length. */
const TRY_LEFT = / \(\d+ runs remaining out of \d+\)\./;

/** How often pytest-rerunfailures or flaky tried a test again. */
export function rerunsIn(log: string): number {
  if (!/\brerun\b| runs remaining out of /.test(log)) return 0;
  const tries = log.split('\n').filter((line) => TRY_LEFT.test(line) && / failed(?:;| \()/.test(line));
  return (scanSessions(log).counts.rerun ?? 0) + tries.length;
}
