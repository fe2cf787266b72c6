/**
 * SWE-bench's parsers of other languages, on lines that show their rules, odd ones included.
 */
import { expect, test } from 'vitest';
import { findParser, parserNameOf } from '../../parsers/registry.ts';

type Case = [parser: string, log: string, statuses: Record<string, string>];

const CASES: Case[] = [
  [
    'parse_log_gotest',
    '=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestA/sub (x) (1.2s)\n--- SKIP: TestB (0s)\nsaid --- PASS: TestC (0s)\n',
    { TestA: 'PASSED', 'TestA/sub (x)': 'FAILED', TestB: 'SKIPPED' },
  ],
  [
    'parse_log_cargo',
    'test a::b ... ok\ntest a::c ... FAILED\ntest a::d ... ignored\ntest a::e ... ok (0.1s)\ntest a - should panic ... ok\n',
    { 'a::b': 'PASSED', 'a::c': 'FAILED' },
  ],
  [
    'parse_log_redis',
    '[ok]: SET and GET (12 ms)\n[err]: LPOP in tests/unit/list.tcl\n[err]: dump in a file (5 ms)\n[skip]: big\n[ignore]: slow (1 s)\n',
    {
      'SET and GET': 'PASSED',
      LPOP: 'FAILED',
      'dump in a file': 'FAILED',
      big: 'SKIPPED',
      slow: 'SKIPPED',
    },
  ],
  [
    'parse_log_jq',
    'PASS: tests/jqtest\n  FAIL: tests/man\nPASS:x\n',
    { 'tests/jqtest': 'PASSED', 'tests/man': 'FAILED' },
  ],
  [
    'parse_log_micropython_test',
    'pass  basics/a.py\nFAIL  basics/b.py\nskip  io/c.py\nlrun x\n',
    { 'basics/a.py': 'PASSED', 'basics/b.py': 'FAILED', 'io/c.py': 'SKIPPED' },
  ],
  [
    'parse_log_googletest',
    '1: said [       OK ] core.a (0 ms)\n[  FAILED  ] core.b, where GetParam() = 3 (1 ms)\n[  SKIPPED ] core.c (0 ms)\n[  FAILED  ] core.b\n',
    { 'core.a': 'PASSED', 'core.b, where GetParam() = 3': 'FAILED' },
  ],
  [
    'parse_log_doctest',
    'x\n<doctest binary="t"><TestSuite><TestCase name="a &amp; b"><SubCase name="one"><SubCase name="deep"><Expression success="false"/></SubCase></SubCase><SubCase name="two"><Expression success="true"/></SubCase><SubCase name="none"/></TestCase></TestSuite></doctest>\n',
    {
      'a & b > one': 'FAILED',
      'a & b > deep': 'FAILED',
      'a & b > two': 'PASSED',
      'a & b > none': 'PASSED',
    },
  ],
  [
    'parse_log_maven',
    '+ mvnd test -B -Dtest=a.BTest#c\n[INFO] BUILD SUCCESS\n+ mvnd test -Dtest=a.BTest#d -q\n[ERROR] BUILD FAILURE\n',
    { 'a.BTest#c': 'PASSED', 'a.BTest#d': 'FAILED' },
  ],
  ['parse_log_maven', '[INFO] BUILD SUCCESS\n', { '---NO TEST NAME FOUND YET---': 'PASSED' }],
  [
    'parse_log_ant',
    '    [junit] [PASS] a.b(c)\n    [junit] [FAIL] a.d\n    [junit] [ERR] a.e\n[PASS] f\n',
    { 'a.b(c)': 'PASSED', 'a.d': 'FAILED', 'a.e': 'FAILED' },
  ],
  [
    'parse_log_gradle_custom',
    'org.A > b() PASSED\norg.A > c  FAILED\n> Task x PASSED\norg.A > d SKIPPED\norg.A > e PASSED (1.5s)\n',
    { 'org.A > b()': 'PASSED', 'org.A > c ': 'FAILED' },
  ],
  [
    'parse_log_gradle_custom',
    'org.A > b\nWARNING: from another process\n PASSED\nFAILED\norg.A > c\norg.A > d FAILED\nPASSED\n> Task :e\nPASSED\n',
    { 'org.A > b': 'PASSED', 'org.A > d': 'FAILED' },
  ],
  [
    'parse_log_phpunit',
    ' ✔ early\nFoo (Tests\\Foo)\n ✔ does x\n ✘ fails [1.3 ms]\n ↩ off\nBar (Tests\\Bar)\n ✔ does x\n',
    {
      'None > early': 'PASSED',
      'Foo > does x': 'PASSED',
      'Foo > fails [1.3 ms]': 'FAILED',
      'Foo > off': 'SKIPPED',
      'Bar > does x': 'PASSED',
    },
  ],
  [
    'parse_log_minitest',
    'TestX#test_a. = 0.01 s = .\nTestX#test_b. = 0.02 s = F\nTestX#test_c. = 0.02 s = E\nTestX#test_d. = 0.02 s = S\n',
    // The last sign of the fourth, which was skipped, is the point of its time.
    {
      'TestX#test_a': 'PASSED',
      'TestX#test_b': 'FAILED',
      'TestX#test_c': 'FAILED',
      'TestX#test_d': 'PASSED',
    },
  ],
  [
    'parse_log_cucumber',
    'Feature: one ....\nFeature: two ..F.\nFeature: three .\n',
    { 'Feature: one': 'PASSED', 'Feature: two': 'FAILED' },
  ],
  [
    'parse_log_ruby_unit',
    '  test: name with: colon:\t.: (0.1)\ntest_b: F\ntest_c: E: (1)\ntest_d:  O\ntest_e: Error\n',
    { 'name with: colon': 'PASSED', test_b: 'FAILED', test_c: 'FAILED', test_d: 'SKIPPED' },
  ],
  [
    'parse_log_rspec_transformed_json',
    'a b - passed\nc - failed\nd - pending\ne - passed - failed again\n',
    { 'a b': 'PASSED', c: 'FAILED', 'e - passed': 'FAILED' },
  ],
  [
    'parse_log_jest',
    '  outer\n    ✓ adds (12 ms)\n    ✕ adds (1s)\n    ○ skipped off\n✓ top\n',
    { adds: 'FAILED', 'skipped off': 'SKIPPED', top: 'PASSED' },
  ],
  [
    'parse_log_jest_json',
    '[PASSED] a > b\n[FAILED] a > c\n[PENDING] d\n',
    { 'a > b': 'PASSED', 'a > c': 'FAILED' },
  ],
  [
    'parse_log_vitest',
    ' ✓ a.ts > b 12ms\n × a.ts > c 3 ms\n ↓ a.ts > d [skipped]\n ✓ a.ts > upto 12\n',
    { 'a.ts > b': 'PASSED', 'a.ts > c': 'FAILED', 'a.ts > d': 'SKIPPED', 'a.ts > upto': 'PASSED' },
  ],
  [
    'parse_log_tap',
    'ok 1 a\nnot ok 2 - b\nok 3\n  ok 4 c # SKIP\n',
    { a: 'PASSED', '- b': 'FAILED', 'c # SKIP': 'PASSED' },
  ],
  [
    'parse_log_karma',
    '    ✔ early\nStarting browser Chrome\n  outer\n    ✔ adds\n    inner\n      ✖ adds\n   back\n    ✔ last\nSUMMARY:\n    ✔ late\n',
    { 'outer > adds': 'PASSED', 'outer > inner > adds': 'FAILED', 'outer > last': 'PASSED' },
  ],
  [
    'parse_log_calypso',
    '    ✓ early\n+ ./node_modules/.bin/jest a\n  outer\n    ✓ adds (5ms)\n    inner\n      ✕ fails\n  next\n    ✓ took (5ms) long\n    ✓ bare\nTest Suites: 1\n    ✓ late\n',
    { 'outer - adds': 'PASSED', 'outer - inner - fails': 'FAILED', 'next - bare': 'PASSED' },
  ],
  [
    'parse_log_chart_js',
    '\x1b[31mChrome 100.0 (Linux x86_64) scale ticks FAILED\x1b[39m\nChrome 100.0 (Linux): Executed 3 of 3\n',
    { 'scale ticks ': 'FAILED' },
  ],
  ['parse_log_marked', '1) first \n  2) no\n12) third\n✓ passed\n', { first: 'FAILED', third: 'FAILED' }],
  [
    'parse_log_p5js',
    '  1) outer\n       inner\n         fails:\n     Error\n\n  2) flat\ntitle:\n{\n  3) in json:\n}\n<b>4) in xml:</b>\n',
    { 'outer:inner:fails': 'FAILED' },
  ],
  [
    'parse_log_react_pdf',
    'PASS packages/a.js (5.2 s)\nFAIL packages/b.js\nPASS packages/c (x).js (12ms) more\n  PASS no\n',
    { 'packages/a.js': 'PASSED', 'packages/b.js': 'FAILED', 'packages/c (x).js': 'PASSED' },
  ],
];

test.each(CASES)('%s: %j', (parser, log, statuses) => {
  expect(Object.fromEntries(findParser(parser)!.words(log))).toEqual(statuses);
});

test('every repository of SWE-bench Multilingual has the parser that its tests were listed with', () => {
  expect(parserNameOf('gin-gonic/gin')).toBe('parse_log_gotest');
  expect(parserNameOf('axios/axios')).toBe('parse_log_tap');
  expect(parserNameOf('projectlombok/lombok')).toBe('parse_log_ant');
  expect(parserNameOf('fmtlib/fmt')).toBe('parse_log_googletest');
});
