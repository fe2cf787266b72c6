/**
 * Parsers of Multi-SWE-bench, by the rules of multi-swe-bench 1.1.2, whose classes have one for each repository; these are
 * those that several share, or that repositories of its benchmark have. Its rows list tests as they read them. Each rule
 * is tried on each line. Upstream refuses a log in which a test both passed and failed; here it failed.
 */
import { splitLines, strip } from '../basics/python-text.ts';
import { asText, jsonObjects, objectsOf } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

type Statuses = Map<string, Status>;
/** What a line says, or null. */
type Rule = readonly [status: Status, nameIn: (line: string) => string | null];

const COLOURS = /\x1b\[[0-9;]*m/g;

function byRules(rules: readonly Rule[], clean: (line: string) => string = strip) {
  return (log: string): Statuses => {
    const found: Statuses = new Map();
    for (const line of splitLines(log).map(clean))
      for (const [status, nameIn] of rules) {
        const name = nameIn(line);
        if (name !== null && name !== '') recordWorst(found, name, status);
      }
    return found;
  };
}

/** The group of a pattern; `without`: an end that is no part of the name. */
function of(pattern: RegExp, without?: RegExp) {
  return (line: string): string | null => {
    const name = pattern.exec(line)?.[1];
    return name === undefined ? null : without === undefined ? name : cut(name, without);
  };
}

/** Longer than any end that is cut off, so that a long line takes no more time. */
const LONGEST_END = 60;

/** Without the longest end that fits; a name has one character at least. */
function cut(name: string, end: RegExp): string {
  const from = Math.max(1, name.length - LONGEST_END);
  const at = name.slice(from).search(end);
  return at < 0 ? name : name.slice(0, from + at);
}

const asItIs = (line: string) => line;
const colourless = (line: string) => strip(line.replace(COLOURS, ''));

function goRules(change: (name: string) => string): Rule[] {
  const changed = (pattern: RegExp) => (line: string) => {
    const name = pattern.exec(line)?.[1];
    return name === undefined ? null : change(name);
  };
  return [
    ['PASSED', changed(/^--- PASS: (\S+)/)],
    ['FAILED', changed(/^--- FAIL: (\S+)/)],
    ['FAILED', changed(/^FAIL:?\s?(.\S*)\s/)],
  ];
}

/** A test within another one counts as the other one. */
const parentOf = (name: string) => (name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : name);

const cargoRules: Rule[] = [
  ['PASSED', of(/^test (\S+) ... ok/)],
  ['FAILED', of(/^test (\S+) ... FAILED/)],
  ['SKIPPED', of(/^test (\S+) ... ignored/)],
];

/** Also names with blanks, such as those of examples in documentation. */
const cargoLineRules: Rule[] = [
  ['PASSED', trimmed(/^test (.*) \.\.\. ok$/)],
  ['FAILED', trimmed(/^test (.*) \.\.\. FAILED$/)],
];

function trimmed(pattern: RegExp, without?: RegExp) {
  const read = of(pattern, without);
  return (line: string) => {
    const name = read(line);
    return name === null ? null : strip(name);
  };
}

/** `1/3 Test #1: NAME .....   Passed`: the name ends before the dots in front of the word. */
function ctestName(word: RegExp) {
  return (line: string): string | null => {
    const head = /^\d+\/\d+\s*Test\s*#\d+:\s*/.exec(line)?.[0];
    if (head === undefined) return null;
    const rest = line.slice(head.length);
    let end = rest.search(word);
    if (end < 0) return null;
    while (end > 0 && rest[end - 1] === '.') end--;
    return rest.slice(0, end).trimEnd();
  };
}

const ctestRules: Rule[] = [
  ['PASSED', ctestName(/\.\s*Passed/)],
  ['FAILED', ctestName(/\.\s*\*+Failed/)],
];

/** Catch2's: names in small letters, and what CMake tries of the compiler. */
const catch2Rules: Rule[] = [
  ['PASSED', of(/^-- performing test (.+) - success$/)],
  ['PASSED', catch2Name(/ \.+\s+ passed\s+\S.*$/)],
  ['FAILED', of(/^-- performing test (.+) - failed$/)],
  ['FAILED', catch2Name(/ \.+\*\*\*failed\s+\S.*$/)],
  ['SKIPPED', of(/^-- performing test (.+) - skipped$/)],
];

/** A line of ctest has eighty characters, and its longest end as many. */
function catch2Name(end: RegExp) {
  return (line: string): string | null => {
    const name = /^\d+\/\d+ test\s+#\d+: (.+)$/.exec(line)?.[1] ?? '';
    const from = Math.max(0, name.length - 200);
    const at = name.slice(from).search(end);
    return from + at < 1 ? null : name.slice(0, from + at);
  };
}

const COUNTS =
  /Tests run:\s*(\d+),\s*Failures:\s*(\d+),\s*Errors:\s*(\d+),\s*Skipped:\s*(\d+),\s*Time elapsed:\s*[\d.]+/;

function statusOf([, run, failures, errors, skipped]: readonly string[]): Status | null {
  if (Number(failures) + Number(errors) > 0) return 'FAILED';
  if (skipped === run) return 'SKIPPED';
  return Number(run) > 0 ? 'PASSED' : null;
}

/** Classes, each from the line that counts its tests and ends with its name. */
function parseSurefire(log: string): Statuses {
  const found: Statuses = new Map();
  for (const line of splitLines(log.replace(/\x1b\[[0-9;?]*[mK]/g, ''))) {
    const counts = COUNTS.exec(line);
    const rest = counts === null ? '' : line.slice(counts.index + counts[0].length);
    // A blank, a unit, and the name behind " in ".
    const at = rest.startsWith(' ') ? rest.indexOf(' in ', 2) : -1;
    const status = counts === null || at < 0 ? null : statusOf(counts);
    if (status !== null) recordWorst(found, rest.slice(at + ' in '.length), status);
  }
  return found;
}

/** Surefire's before 2.19: the name is in a line of its own before. */
function parseRunningSurefire(log: string): Statuses {
  const found: Statuses = new Map();
  let running: string | null = null;
  for (const line of log.split('\n')) {
    if (!line.startsWith('Tests run:')) {
      running ??= /Running\s+(\S.*)/.exec(line)?.[1]?.trimEnd() ?? null;
      continue;
    }
    const counts = COUNTS.exec(line);
    const status =
      counts?.index === 0 && /^\s*sec/.test(line.slice(counts[0].length)) ? statusOf(counts) : null;
    if (running !== null && status !== null) recordWorst(found, running, status);
    running = null;
  }
  return found;
}

/** Gradle's tasks, and tests as its log of tests has them. `cached`: a task from the build cache counts as passed. */
function gradleRules(cached: boolean): Rule[] {
  const task = (word: string) => of(new RegExp(`^> Task :(\\S+)${word}$`));
  const testThat = (word: string) => (line: string) => {
    const name = line.endsWith(` ${word}`) ? line.slice(0, -word.length - 1) : '';
    const at = name.indexOf(' > ', 1);
    return at > 0 && name.length > at + ' > '.length ? name : null;
  };
  return [
    ...['', ' UP-TO-DATE', ...(cached ? [' FROM-CACHE'] : [])].map((word): Rule => ['PASSED', task(word)]),
    ['PASSED', testThat('PASSED')],
    ['FAILED', task(' FAILED')],
    ['FAILED', testThat('FAILED')],
    ...[' SKIPPED', ' NO-SOURCE'].map((word): Rule => ['SKIPPED', task(word)]),
    ['SKIPPED', testThat('SKIPPED')],
  ];
}

const TIME = '( \\(.+\\))?$';
const gtestRules: Rule[] = [
  ['PASSED', of(new RegExp(`^\\[       OK \\] (\\S+)${TIME}`))],
  ['PASSED', of(new RegExp(`^\\x1b\\[0;32m\\[       OK \\] \\x1b\\[0m(\\S+)${TIME}`))],
  ['PASSED', of(/^\x1b\[92m---- Passed: (\S+)\x1b\[0m$/)],
  ['FAILED', of(new RegExp(`^\\[  FAILED  \\] (\\S+)${TIME}`))],
  ['FAILED', of(new RegExp(`^\\x1b\\[0;31m\\[  FAILED  \\] \\x1b\\[0m(\\S+)${TIME}`))],
  ['FAILED', of(/^\x1b\[91m\*\*\*\* FAILED: (\S+)\x1b\[0m$/)],
];

const automakeRules: Rule[] = [
  ['PASSED', of(/^PASS: (\S+)$/)],
  ['FAILED', of(/^FAIL: (\S+)$/)],
  ['SKIPPED', of(/^SKIP: (\S+)$/)],
];

/** `[ok]: NAME (12 ms)`: the name ends before the first bracket behind a blank, where the line ends with one. */
const tclRules: Rule[] = (
  [
    ['ok', 'PASSED'],
    ['err', 'FAILED'],
    ['exception', 'FAILED'],
    ['ignore', 'SKIPPED'],
  ] as const
).map(([word, status]) => [
  status,
  (line) => {
    const name = line.startsWith(`[${word}]: `) ? line.slice(`[${word}]: `.length) : '';
    const bracket = name.indexOf(' (', 1);
    return bracket > 0 && name.endsWith(')') && bracket + 3 < name.length ? name.slice(0, bracket) : name;
  },
]);

/** `(5.211 s)` and its like. */
const BRACKET_TIME = /\s\(\d*\.?\d+\s*\w+\)$/;
const suiteRules: Rule[] = [
  ['PASSED', of(/^PASS (.+)$/, BRACKET_TIME)],
  ['FAILED', of(/^FAIL (.+)$/, BRACKET_TIME)],
];

/** jest's files, and their tests as `file:title`. */
function parseJestSuites(log: string): Statuses {
  const found: Statuses = new Map();
  let file: string | null = null;
  for (const line of splitLines(log).map(strip)) {
    for (const [status, nameIn] of suiteRules) {
      file = nameIn(line) ?? file;
      if (nameIn(line) !== null) recordWorst(found, file!, status);
    }
    const [, mark, title = ''] = /^([✓✕]) (.+)$/.exec(line) ?? [];
    if (mark !== undefined && file !== null)
      recordWorst(found, `${file}:${cut(title, BRACKET_TIME)}`, mark === '✓' ? 'PASSED' : 'FAILED');
  }
  return found;
}

const VITEST_TIME = /\s*\d*\.?\d+\s*(?:ms|s|m)$/;
const vitestRules: Rule[] = [
  ['PASSED', of(/^✓ (.+)$/, VITEST_TIME)],
  ['FAILED', of(/^× (.+)$/, VITEST_TIME)],
];

const MOCHA_TIME = /\s\(\d*\.?\d*\s*\w+\)$/;
const mochaRules: Rule[] = [
  ['PASSED', of(/^✔ (.+)$/, MOCHA_TIME)],
  ['FAILED', of(/^\d+\) (.+)$/, MOCHA_TIME)],
];

/** mocha's report as JSON, with whatever stands around it. */
function parseMochaJson(log: string): Statuses {
  const found: Statuses = new Map();
  const lists = { passes: 'PASSED', pending: 'SKIPPED', failures: 'FAILED' } as const;
  for (const report of jsonObjects(log))
    for (const [list, status] of Object.entries(lists))
      for (const { fullTitle } of objectsOf(report[list])) recordWorst(found, asText(fullTitle), status);
  return found;
}

/** Marks of mocha, jest and vitest, with the files that jest names. */
const UNIT_TIME = /\s*\(\d+(?:\.\d+)?\s*(?:ms|s)\)$/;
const markRules: Rule[] = [
  ['PASSED', trimmed(/^PASS:?\s+([^(]+)/)],
  ['PASSED', trimmed(/^[✔✓]\s+(\S.*)$/, UNIT_TIME)],
  ['FAILED', trimmed(/^FAIL:?\s+([^(]+)/)],
  ['FAILED', trimmed(/^[×✗✖✘]\s+(\S.*)$/, UNIT_TIME)],
  ['FAILED', trimmed(/^\d+\)\s+(\S.*)$/, UNIT_TIME)],
];

/** The same, where digits in front of a title are a number of the reporter. */
const numberedMarkRules: Rule[] = markRules.map(([status, nameIn]) => [
  status,
  (line) => nameIn(/^[✔✓×✗✖✘]/.test(line) ? line.replace(/^(.\s+)\d+\s+/, '$1') : line),
]);

/** Marks alone. A title that is skipped or fails anywhere did not pass. */
const markOnlyRules: Rule[] = [
  ['PASSED', trimmed(/^[✔✓]\s+(\S.*)$/, /\s+\([\d.]+\s*\w+\)$/)],
  ['SKIPPED', trimmed(/^-\s+(\S.*)$/)],
  ['FAILED', trimmed(/^✖\s+(\S.*)$/, /\s+\([\d.]+\s*\w+\)$/)],
  ['FAILED', trimmed(/^\d+\)\s*(\S.*)$/)],
];

/** jest's marks, indented, with times that are none of the name. */
const jestMarkRules: Rule[] = [
  ['PASSED', of(/^\s+✓\s+(\S.*)$/, /\s*\(\d+ ms\)$/)],
  ['FAILED', of(/^\s+✕\s+(\S.*)$/, /\s*\(\d+ ms\)$/)],
];

/** Insomnia's: whole files of vitest and of jest. */
const insomniaRules: Rule[] = [
  ['PASSED', of(/^✓ (.+)$/, /(?:\s\(\d+\s+tests\))?(?:\s*\(?\d*\.?\d+\s*\w+\)?)?$/)],
  ...suiteRules,
];

/** By the runner whose log they read. */
export const MULTI_SWE = {
  'multi-swe-go': byRules(goRules((name) => name)),
  'multi-swe-go-parents': byRules(goRules(parentOf)),
  'multi-swe-cargo': byRules(cargoRules),
  'multi-swe-cargo-lines': byRules(cargoLineRules, asItIs),
  'multi-swe-ctest': byRules(ctestRules),
  'multi-swe-catch2': byRules(catch2Rules, (line) => strip(line).toLowerCase()),
  'multi-swe-surefire': parseSurefire,
  'multi-swe-surefire-running': parseRunningSurefire,
  'multi-swe-gradle': byRules(gradleRules(true)),
  'multi-swe-gradle-uncached': byRules(gradleRules(false), asItIs),
  'multi-swe-gtest': byRules(gtestRules),
  'multi-swe-automake': byRules(automakeRules),
  'multi-swe-tcl': byRules(tclRules),
  'multi-swe-jest': parseJestSuites,
  'multi-swe-jest-files': byRules(suiteRules),
  'multi-swe-jest-marks': byRules(jestMarkRules, (line) => line.trimEnd()),
  'multi-swe-vitest': byRules(vitestRules),
  'multi-swe-mocha': byRules(mochaRules),
  'multi-swe-mocha-json': parseMochaJson,
  'multi-swe-marks': byRules(markRules, colourless),
  'multi-swe-marks-numbered': byRules(numberedMarkRules, colourless),
  'multi-swe-marks-only': byRules(markOnlyRules, colourless),
  'multi-swe-insomnia': byRules(insomniaRules),
} as const;
