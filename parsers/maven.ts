/**
 * swemake's parser for the text of Maven's Surefire and Failsafe. The id of a method is `Class#method`; a class whose
 * methods are not named is `Class`. Passed methods are named only by `-Dsurefire.reportFormat=plain
 * -Dsurefire.useFile=false`; Surefire's XML names all of them.
 */
import { plainLines } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

const LEVEL = /^\[(?:INFO|ERROR|WARNING|WARN)\] */;
const SUMMARY =
  /^Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+), Time elapsed: .* --? in (\S+)$/;
/** Behind the name of a method, in Surefire 3 and before. */
const AFTER = /^(?: --)? +Time elapsed: [\d.,]+ s(?:ec)?( +<<< [A-Z]+!)?( +skipped)?$/;

/** Statuses of the tests in a log of `mvn test`. */
export function parseMaven(log: string): Map<string, Status> {
  const statuses = new Map<string, Status>();
  for (const line of plainLines(log)) {
    const at = line.lastIndexOf(' Time elapsed:');
    if (at < 0) continue;
    const text = line.replace(LEVEL, '').trimEnd();
    const summary = text.startsWith('Tests run:') ? SUMMARY.exec(text) : null;
    if (summary !== null) recordWorst(statuses, summary[5]!, ofCounts(summary.slice(1, 5).map(Number)));
    else readMethod(text, statuses);
  }
  return statuses;
}

/** `Class.method -- Time elapsed: …`, before Surefire 3 `method(Class)  Time elapsed: …`. */
function readMethod(text: string, statuses: Map<string, Status>): void {
  const elapsed = text.lastIndexOf(' Time elapsed:');
  const isNew = text.endsWith(' --', elapsed);
  const name = text.slice(0, isNew ? elapsed - ' --'.length : elapsed).trimEnd();
  const after = AFTER.exec(text.slice(name.length));
  const id = after === null ? null : isNew ? newId(name) : oldId(name);
  if (id !== null) recordWorst(statuses, id, ofMarks(after![1], after![2]));
}

function newId(name: string): string | null {
  const end = name.search(/[ (]/);
  const dot = name.lastIndexOf('.', end < 0 ? name.length : end);
  // A class whose own set-up failed.
  if (end < 0 && /^[A-Z]/.test(name.slice(dot + 1))) return name;
  return dot <= 0 ? null : `${name.slice(0, dot)}#${name.slice(dot + 1)}`;
}

function oldId(name: string): string | null {
  const open = name.endsWith(')') ? name.lastIndexOf('(') : -1;
  return open <= 0 ? null : `${name.slice(open + 1, -1)}#${name.slice(0, open)}`;
}

function ofCounts([run = 0, failures = 0, errors = 0, skipped = 0]: number[]): Status {
  if (failures > 0) return 'FAILED';
  if (errors > 0) return 'ERROR';
  return skipped > 0 && skipped === run ? 'SKIPPED' : 'PASSED';
}

function ofMarks(mark: string | undefined, skipped: string | undefined): Status {
  if (mark?.includes('FAILURE') === true) return 'FAILED';
  if (mark !== undefined) return 'ERROR';
  return skipped === undefined ? 'PASSED' : 'SKIPPED';
}
