/**
 * Jest's JSON (`--json`), which Vitest writes as well (`--reporter=json`): test files, and in each the assertions with
 * the titles of the suites around them. https://jestjs.io/docs/cli#--json
 */
import { asText, type JsonObject, jsonObjects, objectsOf, pathId, pathInId, withTexts } from './log-lines.ts';
import { plainLine } from './pytest-line.ts';
import { recordWorst, type Status } from './status.ts';

const STATUS_OF: Readonly<Record<string, Status>> = {
  passed: 'PASSED',
  failed: 'FAILED',
  pending: 'SKIPPED',
  skipped: 'SKIPPED',
  disabled: 'SKIPPED',
  todo: 'SKIPPED',
};

/** The statuses in all reports of a log; null when there is none, so that it is read as text. */
export function parseJestJson(log: string): Map<string, Status> | null {
  const statuses = new Map<string, Status>();
  let isReported = false;
  for (const report of jsonObjects(withReportsApart(log))) {
    if (!Array.isArray(report.testResults)) continue;
    isReported = true;
    for (const file of objectsOf(report.testResults)) recordFile(statuses, file);
  }
  return isReported ? statuses : null;
}

/** Reports in lines of their own: code under test may have left a line open before one. */
function withReportsApart(log: string): string {
  return log.replace(/(?<=[^\n])(?=\{"num\w{1,20}TestSuites":)/g, '\n');
}

function recordFile(statuses: Map<string, Status>, file: JsonObject): void {
  const path = pathInId(asText(file.name) || asText(file.testFilePath));
  const tests = objectsOf(file.assertionResults ?? file.testResults);
  // A file that cannot be loaded has no tests.
  if (tests.length === 0 && file.status === 'failed' && path !== '') recordWorst(statuses, path, 'ERROR');
  for (const { ancestorTitles, title, status } of tests) {
    const suites = Array.isArray(ancestorTitles) ? ancestorTitles.map(asText) : [];
    const known = Object.hasOwn(STATUS_OF, asText(status)) ? STATUS_OF[asText(status)] : undefined;
    if (known !== undefined) recordWorst(statuses, pathId([path, ...suites, asText(title)]), known);
  }
}

/** The log with each report as a tree of its tests, as these runners print it. */
export function jestText(log: string): string {
  return withTexts(withReportsApart(log), (report) => {
    if (!Array.isArray(report.testResults)) return null;
    return objectsOf(report.testResults)
      .flatMap(fileLines)
      .map((line) => `${line}\n`)
      .join('');
  });
}

function fileLines(file: JsonObject): string[] {
  const path = pathInId(asText(file.name) || asText(file.testFilePath));
  const tests = objectsOf(file.assertionResults ?? file.testResults);
  const why = tests.length === 0 ? indented(asText(file.message)) : [];
  return [`${file.status === 'failed' ? 'FAIL' : 'PASS'} ${path}`, ...why, ...tests.flatMap(testLines)];
}

function testLines({ ancestorTitles, title, status, failureMessages }: JsonObject): string[] {
  const suites = Array.isArray(ancestorTitles) ? ancestorTitles.map(asText) : [];
  const known = Object.hasOwn(STATUS_OF, asText(status)) ? STATUS_OF[asText(status)] : undefined;
  const mark = known === 'PASSED' ? '✓' : known === 'SKIPPED' ? '○' : '✕';
  const why = Array.isArray(failureMessages) ? failureMessages.map(asText) : [];
  return [`  ${mark} ${pathId([...suites, asText(title)])}`, ...why.flatMap(indented)];
}

function indented(text: string): string[] {
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => `      ${plainLine(line)}`);
}
