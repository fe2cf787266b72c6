/** SWE-smith's parsers of other languages: what swesmith 0.0.9 itself makes of these logs. */
import { expect, test } from 'vitest';
import { findParser } from '../../parsers/registry.ts';

test.each<[parser: string, log: string, words: Record<string, string>]>([
  [
    'go',
    '=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestB/sub_1 (0.01s)\n--- SKIP: TestC (0.00s)\nFAIL\nFAIL\tgithub.com/a/b\t0.012s\nok  \tgithub.com/a/c\t0.1s',
    { TestA: 'PASSED', 'TestB/sub_1': 'FAILED', TestC: 'SKIPPED', 'github.com/a/b': 'FAILED' },
  ],
  [
    'rust',
    'running 3 tests\ntest a::works ... ok\ntest src/lib.rs - f (line 3) ... FAILED\ntest c ... ignored\ntest result: FAILED. 1 passed',
    { 'a::works': 'PASSED', 'src/lib.rs - f (line 3)': 'FAILED' },
  ],
  [
    'jest',
    'PASS test/a.test.js\n  sums\n    ✓ adds (12 ms)\n    ✕ adds in (5 m) twice (3 s)\n    ○ skipped later',
    { adds: 'PASSED', 'adds in (5 m) twice': 'FAILED', 'skipped later': 'SKIPPED' },
  ],
  [
    'mocha',
    '  sums\n    ✔ adds (120ms)\n    - waits\n    1) breaks\n    ✖ fails\n\n  1 passing',
    { adds: 'PASSED', waits: 'SKIPPED', breaks: 'FAILED', fails: 'FAILED' },
  ],
  [
    'vitest',
    ' ✓ test/a.test.ts (9 tests) 22ms\n ❯ test/b.test.ts (9 tests | 5 failed) 22ms\n ✓ test/c.test.ts > sums > adds 3ms',
    { 'test/a.test.ts': 'PASSED', 'test/b.test.ts': 'FAILED', 'test/c.test.ts > sums > adds 3ms': 'PASSED' },
  ],
  [
    'karma',
    'Chrome: Executed 1 of 3 SUCCESS (0.01 secs)\nChrome: Executed 2 of 3 SUCCESS (0.02 secs)\nExecuted 3 of 3 (1 FAILED)',
    { karma_unit_test_1: 'PASSED', karma_unit_test_2: 'PASSED', karma_unit_test_failed_1: 'FAILED' },
  ],
  [
    'jasmine',
    'Started\n4 specs, 1 failure, 1 pending spec',
    {
      jasmine_spec_1: 'PASSED',
      jasmine_spec_2: 'PASSED',
      jasmine_spec_failed_1: 'FAILED',
      jasmine_spec_pending_1: 'SKIPPED',
    },
  ],
  [
    'maven_surefire',
    '[INFO] Running a.BTest\n[INFO] adds -- Time elapsed: 0.001 s\n[ERROR] breaks -- Time elapsed: 0.002 s <<< FAILURE!\n[ERROR] throws -- Time elapsed: 0.002 s <<< ERROR!\n[INFO] Tests run: 3, Failures: 1, Time elapsed: 0.05 s -- in a.BTest\nold(a.CTest)  Time elapsed: 0.1 sec  <<< FAILURE!',
    { adds: 'PASSED', breaks: 'FAILED', throws: 'PASSED', 'a.CTest.old': 'PASSED' },
  ],
  [
    'gradle_junit_xml',
    'x\n<?xml version="1.0"?>\n<testsuite name="a.B"><testcase name="adds()" classname="a.B"/><testcase name="breaks"><failure/></testcase>\n<testcase name="waits" classname="a.B"><skipped/></testcase></testsuite>\n<?xml version="1.0"?><testsuite name="cut"><testcase name="c"/>',
    { 'a.B.adds()': 'PASSED', 'a.B.breaks': 'FAILED', 'a.B.waits': 'SKIPPED' },
  ],
  [
    'ctest',
    ' 1/3 Test  #1: sums ......................   Passed    0.01 sec\n 2/3 Test  #2: breaks ....................***Failed    0.01 sec\n\n67% tests passed, 1 tests failed out of 3\n\nThe following tests FAILED:\n\t  2 - breaks (Failed)\nErrors while running CTest',
    { sums: 'PASSED', breaks: 'FAILED' },
  ],
  [
    'gtest',
    '[ RUN      ] Sum.Adds\n[       OK ] Sum.Adds (0 ms)\n[  FAILED  ] Sum.Breaks (1 ms)\n[  SKIPPED ] Sum.Waits (0 ms)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Sum.Breaks',
    { 'Sum.Adds': 'PASSED', 'Sum.Breaks': 'FAILED', 'Sum.Waits': 'SKIPPED' },
  ],
  [
    'catch2',
    '<TestCase name="adds" filename="a"><Expression/><OverallResult success="true"/></TestCase><TestCase name="breaks">\n<OverallResult success="false"/></TestCase>',
    { adds: 'PASSED', breaks: 'FAILED' },
  ],
  [
    'boost_test',
    'Entering test suite "Sums"\nEntering test case "adds"\nEntering test case "breaks"\na.cpp(3): error: in "breaks": check failed\nerror in "Sums/x": y',
    { 'Sums/x': 'FAILED', adds: 'PASSED', breaks: 'PASSED', Sums: 'PASSED' },
  ],
  ['jest', '', {}],
  [
    'ctest',
    '50% tests passed, 1 tests failed out of 2',
    { synthetic_pass_0: 'PASSED', synthetic_fail_0: 'FAILED' },
  ],
  [
    'gtest',
    '[==========] 3 tests from 2 test suites ran.\n[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:',
    { test_passed_1: 'PASSED', test_passed_2: 'PASSED', test_failed_1: 'FAILED' },
  ],
  [
    'catch2',
    'test cases: 3 | 2 passed | 1 failed',
    { test_passed_1: 'PASSED', test_passed_2: 'PASSED', test_failed_1: 'FAILED' },
  ],
  ['boost_test', '*** No errors detected', { boost_test_suite: 'PASSED' }],
])('%s', (parser, log, words) => {
  expect(Object.fromEntries(findParser(`swe-smith-${parser}`)!.words(log))).toEqual(words);
});

test.each(['jasmine', 'karma', 'ctest', 'gtest', 'catch2', 'boost_test', 'maven_surefire'])(
  '%s reads any text in linear time',
  (parser) => {
    const { words } = findParser(`swe-smith-${parser}`)!;
    for (const piece of [
      '1',
      '[ ',
      '<TestCase name="a" ',
      'All tests passed (',
      '1/1 Test #1: a',
      '-- ',
      'The following tests FAILED:\n',
    ])
      expect(words(piece.repeat(200_000 / piece.length)).size).toBeLessThan(2);
  },
);

test('a count that is printed many times is the highest', () => {
  const log = 'Executed 1 of 2 SUCCESS\n'.repeat(300_000);
  expect([...findParser('swe-smith-karma')!.words(log)]).toEqual([['karma_unit_test_1', 'PASSED']]);
});
