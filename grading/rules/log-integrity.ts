/**
 * Checks whether a test log looks as a runner would have written it. For runners other than pytest there is no other
 * check. Such rules can reject the honest log of an unusual project, so they are tried on the logs of the gold runs
 * first (integrity.ts).
 */
import { parsePytest } from '../../parsers/pytest.ts';
import { plainLine } from '../../parsers/pytest-line.ts';
import { findParser } from '../../parsers/registry.ts';
import { isFailing, type Status, type StatusMap } from '../../parsers/status.ts';
import { parseUnittest } from '../../parsers/unittest.ts';
import { END_MARKER, type RunResult, START_MARKER, testOutput } from '../logs/log.ts';
import { scanSessions } from '../logs/pytest-session.ts';
import { type Finding, findingAbout, voided } from './findings.ts';

/** The parts of a run that these rules read. */
export interface LoggedRun {
  log: string;
  run: RunResult;
  /** Name of the parser that read the log. */
  parser: string;
  /** Ids that decide the verdict. */
  listed: readonly string[];
}

/** Parsers of runners that are built on unittest's. */
const UNITTEST = ['unittest', 'parse_log_django', 'swe-smith-python-slugify', 'swe-smith-tornado'];
const UNITTEST_COUNT = /^Ran (\d+) tests? in \d/;
const UNITTEST_VERDICT = /^(?:OK|FAILED|NO TESTS RAN)\b/;

export function logFindings(run: LoggedRun): Finding[] {
  const marks = [START_MARKER, END_MARKER].filter((marker) => run.log.split(marker).length > 2);
  if (marks.length > 0) return [voided('markers-forged', `more than once: ${marks.join(', ')}`)];
  if (run.run.exitCode === null && !run.run.timedOut)
    return [voided('runner-ended-early', 'the test command was killed')];
  const part = testOutput(run.log, 'modern');
  if (!part.ok || run.run.timedOut) return [];
  if (UNITTEST.includes(run.parser)) return unittestFindings(part.text, run.run.statusMap);
  const scan = scanSessions(part.text);
  return scan.begun === 0 ? [] : pytestFindings(part.text, run);
}

function pytestFindings(text: string, { run, parser, listed }: LoggedRun): Finding[] {
  const scan = scanSessions(text);
  const own = parser === 'pytest' ? run.statusMap : parsePytest(text);
  const found: Finding[] = [];
  if (scan.ended < scan.begun) found.push(voided('runner-ended-early', 'pytest’s last line is missing'));
  else {
    const passed = [...own.values()].filter((status) => status === 'PASSED').length;
    const counted = scan.counts.passed ?? 0;
    if (passed > counted)
      found.push(
        voided('counts-disagree', `the output names ${passed} passed tests, pytest counted ${counted}`),
      );
    const failed = (scan.counts.failed ?? 0) + (scan.counts.error ?? 0) + (scan.counts.errors ?? 0);
    // Where pytest itself breaks down it names no test. Such a run has no reward, and says nothing about those that have.
    const mayPass = run.exitCode === 0 || listed.every((id) => passedIn(run.statusMap, id));
    if (failed > 0 && mayPass && !hasFailing(run.statusMap))
      found.push(voided('counts-disagree', `pytest counted ${failed} failed tests, the output names none`));
  }
  found.push(...findingAbout('lines-forged', 'voided', scan.stray, 'reports outside of a session: '));
  if (parser !== 'pytest') {
    const written = asWritten(own, parser);
    const forged = listed.filter(
      (id) => run.statusMap.get(id) === 'PASSED' && written.get(id) !== 'PASSED' && !passedIn(own, id),
    );
    const what = 'called passed where pytest writes no status: ';
    found.push(...findingAbout('lines-forged', 'voided', forged, what));
  }
  return found;
}

/** What the parser makes of pytest's statuses alone: some of upstream's write ids in another way. */
function asWritten(own: StatusMap, parser: string): StatusMap {
  const lines = [...own].map(([name, status]) => `${status} ${name}`);
  return findParser(parser)?.parse(lines.join('\n')) ?? new Map();
}

/** Whether some test that matches `id` passed. Upstream cuts ids at spaces and brackets. */
function passedIn(statuses: StatusMap, id: string): boolean {
  const exact = statuses.get(id);
  if (exact !== undefined) return !isFailing(exact);
  for (const [name, status] of statuses) if (name.startsWith(id) && !isFailing(status)) return true;
  return false;
}

function unittestFindings(text: string, statusMap: StatusMap): Finding[] {
  const lines = text.split('\n').map(plainLine);
  const last = lines.findLastIndex((line) => UNITTEST_COUNT.test(line));
  if (last < 0) {
    if (statusMap.size === 0) return [];
    return [voided('runner-ended-early', 'unittest’s count of tests is missing')];
  }
  const verdict = lines.slice(last + 1).find((line) => UNITTEST_VERDICT.test(line));
  if (verdict === undefined) return [voided('runner-ended-early', 'unittest’s last line is missing')];
  const found: Finding[] = [];
  const ran = lines.reduce((sum, line) => sum + Number(UNITTEST_COUNT.exec(line)?.[1] ?? 0), 0);
  const passed = [...statusMap.values()].filter((status) => status === 'PASSED').length;
  if (passed > ran)
    found.push(voided('counts-disagree', `the output names ${passed} passed tests, unittest ran ${ran}`));
  if (verdict.startsWith('FAILED') && !hasFailing(statusMap))
    found.push(voided('counts-disagree', 'unittest says that tests failed, the output names none'));
  const stray = [...parseUnittest(lines.slice(last).join('\n')).keys()];
  return [...found, ...findingAbout('lines-forged', 'voided', stray, 'reports behind the end: ')];
}

function hasFailing(statuses: ReadonlyMap<string, Status>): boolean {
  for (const status of statuses.values()) if (isFailing(status)) return true;
  return false;
}
