/**
 * SWE-smith's parsers of other languages than Python, by the rules of swesmith 0.0.9, with their odd results: its
 * lists of tests were made with them. Some only count: where a runner names no tests, ids are numbers.
 */
import { isSpace, splitLines, strip } from '../basics/python-text.ts';
import { byLines } from './line-rules.ts';
import { withoutBracketTime } from './swebench-other.ts';
import type { WordMap } from './swebench-pytest.ts';
import { tagsOf } from './xml.ts';

const [PASSED, FAILED, SKIPPED] = ['PASSED', 'FAILED', 'SKIPPED'] as const;

/** A package that failed counts as a test of its name. */
const parseSmithGo = byLines([
  { line: /^--- PASS: (?<name>\S+)/, means: PASSED },
  { line: /^--- FAIL: (?<name>\S+)/, means: FAILED },
  { line: /^FAIL:?\s?(?<name>.\S*)\s/, means: FAILED },
  { line: /^--- SKIP: (?<name>\S+)/, means: SKIPPED },
]);

function parseSmithRust(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of splitLines(log)) {
    const line = raw.startsWith('test ') ? raw.slice('test '.length) : raw;
    const status = line.includes('... ok') ? PASSED : line.includes('... FAILED') ? FAILED : undefined;
    const at = line.lastIndexOf(' ... ');
    if (status !== undefined) found.set(strip(at < 0 ? line : line.slice(0, at)), status);
  }
  return found;
}

const parseSmithJest = byLines([
  {
    line: /^(?<word>[✓✕○])\s(?<name>.+)$/,
    means: { '✓': PASSED, '✕': FAILED, '○': SKIPPED },
    name: withoutBracketTime,
  },
]);

const parseSmithMocha = byLines([
  {
    line: /^(?<word>[✓✔✖-])\s(?<name>.+)$/,
    means: { '✓': PASSED, '✔': PASSED, '✖': FAILED, '-': SKIPPED },
    name: withoutBracketTime,
  },
  { line: /^\p{Nd}+\)\s+(?<name>.+)$/u, means: FAILED, name: withoutBracketTime },
]);

/** Files, up to the first bracket; with the verbose reporter tests, with their times. */
const parseSmithVitest = byLines([
  {
    line: /^(?<word>[✓❯✗○])\s+(?<name>.+)$/,
    means: { '✓': PASSED, '❯': FAILED, '✗': FAILED, '○': SKIPPED },
    name: (name) => strip(name.split('(', 1)[0]!),
  },
]);

/** `[INFO] method -- Time elapsed: …`, or `method(class) Time elapsed: …`, which counts as passed whatever follows. */
function parseSmithSurefire(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    if (!line.includes('Time elapsed:')) continue;
    const plain = /^([a-zA-Z0-9_]+)\(([a-zA-Z0-9_.]+)\)\s+Time elapsed:\s+[\d.]+\s+sec/.exec(line);
    if (plain !== null) found.set(`${plain[2]}.${plain[1]}`, PASSED);
    const level = /^\[(INFO|ERROR)\]\s+/.exec(line);
    if (level === null) continue;
    for (const time of line.matchAll(/--\s+Time elapsed:\s+[\d.]+\s/g)) {
      if (time.index <= level[0].length || !isSpace(line[time.index - 1])) continue;
      const name = strip(line.slice(level[0].length, time.index));
      found.set(name, level[1] === 'ERROR' && line.endsWith('<<< FAILURE!') ? FAILED : PASSED);
      break;
    }
  }
  return found;
}

/** Reports of JUnit that the command prints, each with an XML declaration. */
function parseSmithGradle(log: string): WordMap {
  const found: WordMap = new Map();
  for (let at = log.indexOf('<?xml version'); at >= 0; at = log.indexOf('<?xml version', at)) {
    const end = log.indexOf('</testsuite>', at);
    if (end < 0) break;
    let suite = '';
    let test = '';
    for (const { kind, name, attributes } of tagsOf(log.slice(at, end), 'testsuite')) {
      if (name === 'testsuite') suite = attributes.get('name') ?? '';
      else if (name === 'testcase' && kind !== 'close') {
        test = `${attributes.get('classname') ?? suite}.${attributes.get('name') ?? ''}`;
        found.set(test, PASSED);
      } else if (kind !== 'close' && (name === 'failure' || name === 'error')) found.set(test, FAILED);
      else if (kind !== 'close' && name === 'skipped' && found.get(test) === PASSED) found.set(test, SKIPPED);
    }
    at = end;
  }
  return found;
}

function parseSmithCtest(log: string): WordMap {
  const found: WordMap = new Map();
  const LINE = /\d{1,9}\/\d{1,9}\s+Test\s+#\d+:\s+([\p{L}\p{N}_\-/.]+)\s+\.+\s+(Passed|Failed)/giu;
  for (const [, name, word] of log.matchAll(LINE))
    found.set(name!, word!.toLowerCase() === 'passed' ? PASSED : FAILED);
  const LISTED = /^\s+\d+\s+-\s+([\p{L}\p{N}_\-/.]+)/u;
  const lines = log.split('\n');
  const list = lines.findIndex(
    (line, at) => line.endsWith('The following tests FAILED:') && LISTED.test(nextOf(lines, at)),
  );
  for (const line of list < 0 ? [] : lines.slice(list + 1)) {
    const name = LISTED.exec(line)?.[1];
    if (name !== undefined) found.set(name, FAILED);
    else if (strip(line) !== '') break;
  }
  const [, failed, all] =
    /\d{1,3}%\s+tests\s+passed,\s+(\d+)\s+tests\s+failed\s+out\s+of\s+(\d+)/i.exec(log) ?? [];
  if (found.size === 0 && all !== undefined) {
    count(found, (number) => `synthetic_pass_${number - 1}`, PASSED, Number(all) - Number(failed));
    count(found, (number) => `synthetic_fail_${number - 1}`, FAILED, Number(failed));
  }
  return found;
}

/** The first line behind this one that is not empty. */
function nextOf(lines: readonly string[], at: number): string {
  let next = at + 1;
  while (next < lines.length && strip(lines[next]!) === '') next += 1;
  return lines[next] ?? '';
}

const SUMMARY = /^\p{Nd}+$/u;
const parseGtestLines = byLines([
  ...(
    [
      [/^\[\s*(?:OK|PASSED)\s*\]\s+(?<name>[\p{L}\p{N}_:/.]+)(?<word>.*)$/u, PASSED],
      [/^\[\s*FAILED\s*\]\s+(?<name>[\p{L}\p{N}_:/.]+)(?<word>\s+\(.*|)$/u, FAILED],
      [/^\[\s*(?:SKIPPED|DISABLED)\s*\]\s+(?<name>[\p{L}\p{N}_:/.]+)(?<word>.*)$/u, SKIPPED],
    ] as const
  ).map(([line, means]) => ({
    line,
    means,
    // "[  PASSED  ] 3 tests." is no test.
    name: (name: string, rest: string) =>
      SUMMARY.test(name) || /\d\s+tests?[.,]/.test(`${name}${rest}`) ? '' : name,
  })),
]);

function parseSmithGtest(log: string): WordMap {
  const found = parseGtestLines(log);
  if (found.size === 0 && /\[\s*=+\s*\]\s*\d+\s+tests?\s+from/.test(log)) {
    countAs(found, 'test_passed', PASSED, /\[\s*PASSED\s*\]\s*(\d+)\s+tests?/.exec(log)?.[1]);
    countAs(found, 'test_failed', FAILED, /\[\s*FAILED\s*\]\s*(\d+)\s+tests?/.exec(log)?.[1]);
  }
  return found;
}

/** Catch2's XML; without any, lines `name ... PASSED`. */
function parseSmithCatch2(log: string): WordMap {
  const found: WordMap = new Map();
  const TEST = /<TestCase\s+name="([^"]+)"[^>]{0,4096}>/g;
  const RESULT = /<OverallResult\s+success="(true|false)"/g;
  for (let test = TEST.exec(log); test !== null; test = TEST.exec(log)) {
    RESULT.lastIndex = TEST.lastIndex;
    const result = RESULT.exec(log);
    if (result === null) break;
    found.set(test[1]!, result[1] === 'true' ? PASSED : FAILED);
    TEST.lastIndex = RESULT.lastIndex;
  }
  if (found.size > 0) return found;
  // A name begins a line and has none of these characters.
  const LINE = /(?:^|[.:[\]])([^.:[\]]+)\.\.\.\s*(PASSED|FAILED)/gi;
  for (const { index, 0: all, 1: text = '', 2: word = '' } of log.matchAll(LINE)) {
    const start = index === 0 && all.startsWith(text) ? 0 : text.indexOf('\n') + 1;
    const name = start === 0 && index > 0 ? '' : strip(text.slice(start));
    if (name !== '') found.set(name, word.toUpperCase());
  }
  if (found.size > 0) return found;
  const [, passed, failed] =
    /test cases:\s*\d+\s*\|\s*(\d+)\s*passed\s*\|\s*(\d+)\s*failed/i.exec(log) ??
    /All tests passed\s*\([^)\n]{0,200}?(\d{1,9})\s+test cases?\)/i.exec(log) ??
    [];
  countAs(found, 'test_passed', PASSED, passed);
  countAs(found, 'test_failed', FAILED, failed);
  return found;
}

function parseSmithBoost(log: string): WordMap {
  const found: WordMap = new Map();
  for (const [, name] of log.matchAll(/Entering test (?:case|suite) "([^"]+)"/g)) found.set(name!, PASSED);
  for (const [, name] of log.matchAll(/error(?:\s+in)?\s+"([^"]+)"/gi)) found.set(name!, FAILED);
  if (found.size > 0) return found;
  if (log.includes('*** No errors detected')) {
    const passed = /(\d{1,9})\s+test cases?\s+(?:out of \d+ )?passed/i.exec(log)?.[1];
    if (passed === undefined) found.set('boost_test_suite', PASSED);
    else countAs(found, 'test_passed', PASSED, passed);
  } else countAs(found, 'test_failed', FAILED, /\*\*\* (\d+) failures? detected/.exec(log)?.[1]);
  return found;
}

function parseSmithKarma(log: string): WordMap {
  const found: WordMap = new Map();
  const most = (pattern: RegExp) => {
    let found = 0;
    for (const [, number] of log.matchAll(pattern)) found = Math.max(found, Number(number));
    return `${found}`;
  };
  countAs(found, 'karma_unit_test', PASSED, most(/Executed\s+(\d+)\s+of\s+\d+\s+SUCCESS/g));
  countAs(found, 'karma_unit_test_failed', FAILED, most(/Executed\s+\d+\s+of\s+\d+\s+\((\d+)\s+FAILED\)/g));
  countAs(
    found,
    'karma_unit_test_skipped',
    SKIPPED,
    most(/Executed\s+\d+\s+of\s+\d+\s+\((\d+)\s+skipped\)/g),
  );
  return found;
}

function parseSmithJasmine(log: string): WordMap {
  const found: WordMap = new Map();
  const COUNTS =
    /(\d{1,9})[^\S\n]+specs?,[^\S\n]+(\d+)[^\S\n]+failures?(?:,[^\S\n]+(\d+)[^\S\n]+pending[^\S\n]+specs?)?/;
  const [, all, failed = '0', pending = '0'] = COUNTS.exec(log) ?? [];
  if (all === undefined) return found;
  countAs(found, 'jasmine_spec', PASSED, `${Number(all) - Number(failed) - Number(pending)}`);
  countAs(found, 'jasmine_spec_failed', FAILED, failed);
  countAs(found, 'jasmine_spec_pending', SKIPPED, pending);
  return found;
}

/** No suite has more tests; a log may print any number. */
const MOST_COUNTED = 1_000_000;

function count(found: WordMap, idOf: (number: number) => string, status: string, tests: number): void {
  for (let number = 1; number <= Math.min(tests, MOST_COUNTED); number += 1) found.set(idOf(number), status);
}

function countAs(found: WordMap, name: string, status: string, tests: string | undefined): void {
  count(found, (number) => `${name}_${number}`, status, Number(tests ?? 0));
}

/** By the names of their functions there; those of Go and Rust are methods of a class. */
export const SWESMITH_OTHER = {
  'swe-smith-go': parseSmithGo,
  'swe-smith-rust': parseSmithRust,
  'swe-smith-jest': parseSmithJest,
  'swe-smith-mocha': parseSmithMocha,
  'swe-smith-vitest': parseSmithVitest,
  'swe-smith-karma': parseSmithKarma,
  'swe-smith-jasmine': parseSmithJasmine,
  'swe-smith-maven_surefire': parseSmithSurefire,
  'swe-smith-gradle_junit_xml': parseSmithGradle,
  'swe-smith-ctest': parseSmithCtest,
  'swe-smith-gtest': parseSmithGtest,
  'swe-smith-catch2': parseSmithCatch2,
  'swe-smith-boost_test': parseSmithBoost,
} as const;
