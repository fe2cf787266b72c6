/** swemake's parser for the text of CTest: one line for each test, `1/3 Test #1: name ....   Passed    0.01 sec`. */
import { plainLines } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

const LINE = /^ *\d+\/\d+ Test +#\d+: /;

/** Statuses of the tests in a log of `ctest`. */
export function parseCtest(log: string): Map<string, Status> {
  const statuses = new Map<string, Status>();
  for (const line of plainLines(log)) {
    const start = LINE.exec(line)?.[0].length;
    if (start === undefined) continue;
    // The name is filled up with dots; behind the last three of them stands the result.
    const dots = line.lastIndexOf('...');
    const status = dots < start ? null : statusOf(line.slice(dots + 3));
    if (status === null) continue;
    let end = dots;
    while (line[end - 1] === '.') end--;
    recordWorst(statuses, line.slice(start, end).trimEnd(), status);
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
