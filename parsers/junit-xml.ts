/**
 * swemake's parser for JUnit's XML, as Surefire, Gradle, CTest (`--output-junit`), GoogleTest (`--gtest_output=xml`),
 * Vitest, jest-junit and Node's runner write it: one or more reports anywhere in the log. The id of a test is
 * `Class#method`; `file > suite > name` where the report names files in place of classes; its name where it has no class.
 */
import { pathId, pathInId } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';
import { type Tag, tagsOf } from './xml.ts';

const STATUS_OF: Readonly<Record<string, Status>> = {
  failure: 'FAILED',
  error: 'ERROR',
  skipped: 'SKIPPED',
  disabled: 'SKIPPED',
  // Surefire ran the test again, and then it passed.
  flakyFailure: 'RERUN',
  flakyError: 'RERUN',
};
/** What an attribute `status` (CTest, GoogleTest) or `result` (GoogleTest) says of a test without such a child. */
const STATED: Readonly<Record<string, Status>> = {
  fail: 'FAILED',
  notrun: 'SKIPPED',
  disabled: 'SKIPPED',
  suppressed: 'SKIPPED',
  skipped: 'SKIPPED',
};

/** Statuses of the tests in all reports of a log. */
export function parseJunitXml(log: string): Map<string, Status> {
  const statuses = new Map<string, Status>();
  const suites: string[] = [];
  let test: { id: string; status: Status } | null = null;
  const close = () => {
    if (test !== null) recordWorst(statuses, test.id, test.status);
    test = null;
  };
  for (const tag of tagsOf(log, 'testsuite')) {
    const { kind, name, attributes } = tag;
    if (name === 'testsuite' || name === 'testsuites') {
      close();
      if (kind === 'open') suites.push(name === 'testsuite' ? (attributes.get('name') ?? '') : '');
      else if (kind === 'close') suites.pop();
    } else if (name === 'testcase') {
      close();
      if (kind !== 'close') test = begun(tag, suites);
      if (kind === 'empty') close();
    } else if (test !== null && kind !== 'close' && Object.hasOwn(STATUS_OF, name)) {
      test = { id: test.id, status: worse(test.status, STATUS_OF[name]!) };
    }
  }
  // The report was cut off inside of this test.
  if (test !== null) recordWorst(statuses, (test as { id: string }).id, 'ERROR');
  return statuses;
}

function begun({ attributes }: Tag, suites: readonly string[]): { id: string; status: Status } | null {
  const name = attributes.get('name') ?? '';
  if (name === '') return null;
  const stated = [attributes.get('status'), attributes.get('result')].find(
    (word) => word !== undefined && Object.hasOwn(STATED, word),
  );
  return { id: idOf(name, attributes, suites), status: stated === undefined ? 'PASSED' : STATED[stated]! };
}

function idOf(name: string, attributes: Tag['attributes'], suites: readonly string[]): string {
  const owner = attributes.get('classname') ?? '';
  // Node's runner: every class is "test", suites are nested, and files are named since Node 22.
  if (owner === 'test') return pathId([pathInId(attributes.get('file') ?? ''), ...suites, name]);
  if (owner === '' || owner === name) return name;
  // Vitest and jest-junit: the class is the file.
  return /\.[cm]?[jt]sx?$/.test(owner) ? pathId([pathInId(owner), name]) : `${owner}#${name}`;
}

function worse(one: Status, other: Status): Status {
  const both = new Map([['', one]]);
  recordWorst(both, '', other);
  return both.get('')!;
}
