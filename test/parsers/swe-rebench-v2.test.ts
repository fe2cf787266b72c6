/** SWE-rebench V2's parsers, on lines that show their rules; both sides of an id are without times. */
import { expect, test } from 'vitest';
import { findParser } from '../../parsers/registry.ts';
import { withoutTimes } from '../../parsers/swe-rebench-v2.ts';

type Case = [parser: string, log: string, statuses: Record<string, string>];

const XML =
  '<?xml version="1.0"?>\n<testsuites><testsuite name="s">\n<testcase name="a &amp; b" classname="C"/>\n<testcase name="c" classname="C"><failure>x</failure><skipped/></testcase>\n<testcase name="d"><skipped/></testcase>\n</testsuite>\n</testsuites>\n';

const CASES: Case[] = [
  [
    'parse_log_elixir',
    '  * test a (12.3ms) [L#4]\n* test b (skipped) [L#5]\n* test c [L#6]\n  1) test a (Mod)\n',
    { a: 'FAILED', b: 'SKIPPED', c: 'PASSED' },
  ],
  [
    'parse_log_ruby_v2',
    'A#b = 0.10 s = .\nA#c = 1.0 s = E\nA#d = 1.0 s = S\n',
    { 'A#b': 'PASSED', 'A#c': 'FAILED', 'A#d': 'SKIPPED' },
  ],
  ['parse_log_cpp_v2', 'Test a b   passed\nTest c failed\nTest c passed\n', { 'a b': 'PASSED', c: 'FAILED' }],
  [
    'parse_log_cpp_v4',
    '1/3 Test  #1: a .....   Passed    0.1 sec\n2/3 Test  #2: b .....***Failed\n3/3 Test  #3: c ..... Timeout\n',
    { a: 'PASSED', c: 'FAILED' },
  ],
  [
    'parse_log_js',
    '  ✔ sends (53ms)\n  - waits\n  1) groups:\n  [W] 2) slack 12 s\n  3) nothing\n',
    { sends: 'PASSED', waits: 'SKIPPED', groups: 'FAILED', slack: 'FAILED' },
  ],
  ['parse_log_js_2', '  ✔ a (53ms)\n  1) a\n  - b\n', { a: 'FAILED', b: 'SKIPPED' }],
  [
    'parse_log_js_4',
    '✔ [web]: a (3ms)\n✖ b\n○ c\nd [todo]\n✔ b\n',
    { a: 'PASSED', b: 'FAILED', c: 'SKIPPED', d: 'SKIPPED' },
  ],
  ['parse_log_npx', '  ✔ a (53ms)\n  1) b (module)\n', { a: 'PASSED', b: 'FAILED' }],
  [
    'parse_log_swift',
    "Test Case 'A.b' passed (0.1 seconds)\nTest Case 'A.c' failed (0.1 seconds)\n",
    { 'A.b': 'PASSED', 'A.c': 'FAILED' },
  ],
  [
    'parse_log_scala',
    '[info] - a (1 milli)\n[info] - b *** FAILED *** (2 millis)\n[info] - c !!! IGNORED !!!\n[info] - d\n',
    { a: 'PASSED', b: 'FAILED', c: 'SKIPPED' },
  ],
  [
    'parse_log_ocaml',
    '  [OK]    suite   0   name.\n  [FAIL]  suite   1   other\n',
    { 'suite 0 name.': 'PASSED', 'suite 1 other': 'FAILED' },
  ],
  [
    'parse_log_csharp',
    '  Passed N.a [1 ms]\n[xUnit.net 00:00:01.2]     N.b [FAIL]\n  Skipped N.c\nPassed N.d [1 ms]\n',
    { 'N.a': 'PASSED', 'N.b': 'FAILED', 'N.c': 'SKIPPED' },
  ],
  [
    'parse_log_r_v2',
    '* checking a ... OK\n* checking tests ...\n  Running\n  ERROR\n* checking c ... WARNING\n* checking d ...\n',
    { a: 'PASSED', tests: 'ERROR', c: 'FAILED', d: 'PASSED' },
  ],
  [
    'parse_log_lein',
    'lein test a.b c.d\nFAIL in (x)\nlein test :only e.f/g\nERROR in (y)\n',
    { 'a.b': 'PASSED', 'c.d': 'FAILED', 'e.f': 'ERROR' },
  ],
  [
    'parse_log_dart',
    '{"type":"testStart","test":{"id":1,"name":"a"}}\n{"type":"testStart","test":{"id":2,"name":"loading x"}}\n{"type":"testDone","testID":1,"result":"failure"}\n{"type":"testDone","testID":2,"result":"success"}\n',
    { a: 'FAILED' },
  ],
  [
    'parse_log_dart_v3',
    '00:01 +64: /t/a.dart: name\n00:02 +8 -1: /t/a.dart: bad [E]\n00:06 +2 -3: loading /t/b.dart [E]\n',
    { '/t/a.dart: name': 'PASSED', '/t/a.dart: bad': 'FAILED', '/t/b.dart': 'ERROR' },
  ],
  [
    'parse_lue_nvim',
    '\x1b[32mSuccess\x1b[0m\t||\ta b\t\nFail || c\nSuccess: 1\n',
    { 'a b': 'PASSED', c: 'FAILED' },
  ],
  [
    'parse_logs_kotlin_junit',
    'Running a.B\nTests run: 2, Failures: 0, Errors: 1, Skipped: 0\n',
    { 'a.B': 'FAILED' },
  ],
  ['parse_log_junit', XML, { 'C a &amp; b': 'PASSED', 'C c': 'FAILED', d: 'SKIPPED' }],
  ['parse_combined_test_reports', XML, { 'C::a & b': 'PASSED', 'C::c': 'FAILED', 'None::d': 'SKIPPED' }],
  ['parse_logs_r_junit', XML, { 'C::a & b': 'PASSED', 'C::c': 'FAILED', d: 'SKIPPED' }],
  [
    'parse_log_gradlew_v1',
    XML.replaceAll(/<.?testsuites>/g, ''),
    { 'a & b (C)': 'PASSED', 'c (C)': 'SKIPPED', d: 'SKIPPED' },
  ],
  ['parse_log_gradlew_v1', XML, {}],
  [
    'parse_log_gradle_custom',
    'A > b() PASSED (1.5s)\nA > c   FAILED\n> Task PASSED\n',
    { 'A > b()': 'PASSED', 'A > c': 'FAILED' },
  ],
  ['parse_log_react_pdf', 'PASS a/b.js (5.2 s)\nFAIL c.js\n', { 'a/b.js': 'PASSED', 'c.js': 'FAILED' }],
  ['parse_log_phpunit', 'Foo (Tests\\Foo)\n ✔ does x [1.34 ms]\n', { 'Foo > does x': 'PASSED' }],
  ['parse_log_gotest', '--- PASS: TestA (0.00s)\n', { TestA: 'PASSED' }],
];

test.each(CASES)('%s: %j', (parser, log, statuses) => {
  expect(Object.fromEntries(findParser(`swe-rebench-v2:${parser}`)!.words(log))).toEqual(statuses);
});

test('times in names', () => {
  const names = ['a [1.34 ms]', 'a (123ms)', 'AES ran 3 tests in 29.08 msec all ok', 'a (1.2s) b'];
  expect(names.map(withoutTimes)).toEqual(['a', 'a', 'AES ran 3 tests all ok', 'a (1.2s) b']);
});
