/**
 * swemake's parser for Mocha: `--reporter json`, `--reporter tap`, or `spec`, its default, and for karma-mocha-reporter, which prints the same
 * tree. JSON alone names files: `file > describe > it`; the suites of one test are one part there, since Mocha joins their titles by spaces.
 */
import {
  asObject,
  asText,
  type JsonObject,
  jsonObjects,
  objectsOf,
  pathId,
  pathInId,
  plainLines,
  TIME,
  withoutDuration,
  withTexts,
} from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

/** Statuses of the tests in a log of Mocha. */
export function parseMocha(log: string): Map<string, Status> {
  const statuses = new Map<string, Status>();
  let isJson = false;
  for (const report of jsonObjects(withReportsApart(log))) {
    if (!Array.isArray(report.tests)) continue;
    isJson = true;
    // Hooks that fail are no tests, and stand among the failures alone.
    for (const test of objectsOf(report.passes)) recordWorst(statuses, idOf(test), 'PASSED');
    for (const test of objectsOf(report.pending)) recordWorst(statuses, idOf(test), 'SKIPPED');
    for (const test of objectsOf(report.failures)) recordWorst(statuses, idOf(test), 'FAILED');
  }
  if (!isJson) readText(log, statuses);
  return statuses;
}

/**
 * Reports in lines of their own: mocha prints none behind its report, and code under test may have left a line open before it. All within a report
 * is indented.
 */
function withReportsApart(log: string): string {
  if (!log.includes('{\n  "stats": {')) return log;
  return log
    .replace(/([^\n])(?=\{\n {2}"stats": \{\n)/g, '$1\n')
    .replace(/^( {2}(?:"\w+": \[)?\]\n\})(?=[^\n])/gm, '$1\n');
}

/** The log with each report of `--reporter json` as `spec` has it. */
export function mochaText(log: string): string {
  return withTexts(withReportsApart(log), ({ tests, passes, pending, failures }) => {
    if (!Array.isArray(tests)) return null;
    const titles = (mark: string, list: unknown) =>
      objectsOf(list).map(({ fullTitle, title }) => `  ${mark} ${asText(fullTitle) || asText(title)}`);
    const failed = objectsOf(failures).flatMap(({ fullTitle, err }, at) => {
      const { message, stack } = asObject(err) ?? {};
      const why = (asText(stack) || asText(message)).trimEnd();
      const lines = why === '' ? [] : why.split('\n').map((line) => `      ${line}`);
      return [`  ${at + 1}) ${asText(fullTitle)}`, ...lines];
    });
    const lines = [...titles('✔', passes), ...titles('-', pending), ...failed];
    return lines.map((line) => `${line}\n`).join('');
  });
}

function idOf({ file, fullTitle, title }: JsonObject): string {
  const [whole, name] = [asText(fullTitle), asText(title)];
  const suites = whole.endsWith(name) ? whole.slice(0, whole.length - name.length).trim() : '';
  return pathId([pathInId(asText(file)), suites, name || whole]);
}

const TAP = /^(not )?ok \d+ (.+)$/;
const NOTE = / # (SKIP|TODO)\b/i;

function readText(log: string, statuses: Map<string, Status>): void {
  const spec = new Spec(statuses);
  for (const line of plainLines(log)) {
    const tap = TAP.exec(line);
    if (tap === null) spec.line(line);
    else {
      const note = tap[2]!.search(NOTE);
      const status = note >= 0 ? 'SKIPPED' : tap[1] === undefined ? 'PASSED' : 'FAILED';
      recordWorst(statuses, (note < 0 ? tap[2]! : tap[2]!.slice(0, note)).trim(), status);
    }
  }
}

/** The trees that `spec` prints, of one run or of several; a list of failures begins behind the counts. */
class Spec {
  private suites: { indent: number; title: string }[] = [];
  private isOver = false;

  private readonly statuses: Map<string, Status>;

  constructor(statuses: Map<string, Status>) {
    this.statuses = statuses;
  }

  line(line: string): void {
    const text = line.trim();
    if (/^\d+ failing$|^SUMMARY:$/.test(text)) this.isOver = true;
    if (this.isOver || text === '') return;
    const indent = line.length - line.trimStart().length;
    const [mark, status] = markOf(text);
    // What the code under test prints stands between the lines of the tree, and is no suite.
    if (status === null && (indent < 2 || indent % 2 === 1)) return;
    while ((this.suites.at(-1)?.indent ?? -1) >= indent) this.suites.pop();
    if (status === null) {
      this.suites.push({ indent, title: text });
      return;
    }
    // A hook that fails is told in the same way.
    const title = withoutDuration(text.slice(mark), TIME).replace(
      /^(.*) \(skipped\)$/,
      status === 'SKIPPED' ? '$1' : '$&',
    );
    const parts = [...this.suites.map((suite) => suite.title), title];
    if (indent >= 2) recordWorst(this.statuses, pathId(parts), status);
  }
}

/** How long the mark in front of a title is, and what it means. */
function markOf(text: string): [length: number, status: Status | null] {
  if (/^[✓✔] /.test(text)) return [2, 'PASSED'];
  if (text.startsWith('✖ ')) return [2, 'FAILED'];
  if (/^[-ℹ] /.test(text)) return [2, 'SKIPPED'];
  const number = /^\d{1,9}\) /.exec(text);
  return number === null ? [0, null] : [number[0].length, 'FAILED'];
}
