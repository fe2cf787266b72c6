/** swemake's parser for the text of CTest: one line for each test, `1/3 Test #1: name ....   Passed    0.01 sec`. */
import { plainLines } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

const FILLED = / \.{3,}(?: +Passed\b|[\w ]*\*\*\*)/;
const LINE = /^ *\d+\/\d+ Test +#\d+: /;

/** Statuses of the tests in a log of `ctest`. */
export function parseCtest(log: string): Map<string, Status> {
  const statuses = new Map<string, Status>();
  for (const line of plainLines(log)) {
    const start = LINE.exec(line)?.[0].length;
    if (start === undefined) continue;
    // The name is filled up with dots, behind which stands the result, and why: a pattern that may have dots itself.
    const rest = line.slice(start);
    const end = rest.search(FILLED);
    const status = end < 0 ? null : statusOf(rest.slice(end).replace(/^ \.+/, ''));
    if (status !== null) recordWorst(statuses, rest.slice(0, end).trimEnd(), status);
  }
  return statuses;
}

function statusOf(result: string): Status | null {
  const text = result.trim();
  if (text.startsWith('Passed')) return 'PASSED';
  if (/^\*\*\*(?:Skipped|Not Run \(Disabled\))/.test(text)) return 'SKIPPED';
  if (text.startsWith('***Failed')) return 'FAILED';
  // `***Not Run`: there is no such program; `***Timeout`, `***Exception: SegFault`, `Subprocess aborted***Exception:`, `Child aborted***Exception:`.
  return text.includes('***') ? 'ERROR' : null;
}
