/**
 * swemake's parser for Vitest: `--reporter=json`, or `--reporter=verbose` as text, whose lines hold the whole path
 * `file > describe > it`.
 */
import { parseJestJson } from './jest-json.ts';
import { BARE_TIME, plainLines, withoutDuration } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

const STATUS_OF: Readonly<Record<string, Status>> = {
  '✓': 'PASSED',
  '×': 'FAILED',
  '❯': 'FAILED',
  '↓': 'SKIPPED',
  // A test that is to be written, since Vitest 4.
  '□': 'SKIPPED',
};

/** Statuses of the tests in a log of Vitest. */
export function parseVitest(log: string): Map<string, Status> {
  const json = parseJestJson(log);
  if (json !== null) return json;
  const statuses = new Map<string, Status>();
  for (const line of plainLines(log)) {
    const text = line.trim();
    // A file that cannot be loaded has no tests.
    const file = /^FAIL {2}(\S+) \[ \S+ \]$/.exec(text);
    if (file !== null) recordWorst(statuses, file[1]!, 'ERROR');
    const status = Object.hasOwn(STATUS_OF, text.slice(0, 1)) ? STATUS_OF[text.slice(0, 1)] : undefined;
    // A line of a file has no test.
    if (status === undefined || text[1] !== ' ' || !text.includes(' > ')) continue;
    recordWorst(statuses, idOf(text.slice(2), status), status);
  }
  return statuses;
}

/** What Vitest up to 3 writes before the time, and 4 behind it. */
const NOTE = / (?:\[skipped\]|\[todo\]|\(retry x\d+\)(?: \(repeat x\d+\))?|\(repeat x\d+\))(?: \[.*\])?$/;

/** Without the project in front (`|unit| `), and without time, tries and the note of a skipped test behind. */
function idOf(text: string, status: Status): string {
  const project = text.startsWith('|') ? text.indexOf('| ', 1) : -1;
  const path = withoutNote(text.slice(project < 0 ? 0 : project + 2));
  // Behind a test that skipped itself stand its time and why.
  const why = status === 'SKIPPED' && path.endsWith(']') ? path.search(/ \d+(?:\.\d+)?m?s \[/) : -1;
  return why >= 0 ? path.slice(0, why) : withoutNote(withoutDuration(path, BARE_TIME));
}

function withoutNote(path: string): string {
  const tail = path.slice(-60);
  const note = tail.search(NOTE);
  return note < 0 ? path : path.slice(0, path.length - tail.length + note);
}
