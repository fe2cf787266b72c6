/**
 * swemake's own parsers of other languages, on what the runners print. The logs are those of small suites that were run
 * with go 1.26, cargo 1.95, surefire 3.2.5, ctest 3.25 and GoogleTest, cut down to their lines about tests. For those of JavaScript
 * see javascript-formats.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { findParser } from '../../parsers/registry.ts';
import { jsonLines, read } from './read-log.ts';

describe('go-test', () => {
  const event = (Action: string, Package: string, Test?: string, Output?: string) => ({
    ...{ Time: '2026-01-01T00:00:00Z', Action, Package },
    ...(Test === undefined ? {} : { Test }),
    ...(Output === undefined ? { Elapsed: 0.01 } : { Output }),
  });

  test('-json: packages keep tests of one name apart, and what is printed is no result', () => {
    const log = jsonLines(
      event('run', 'ex.org/m/a', 'TestAdd'),
      event('output', 'ex.org/m/a', 'TestAdd', '--- PASS: TestNever (0.00s)\n'),
      event(
        'output',
        'ex.org/m/a',
        'TestAdd',
        '{"Action":"pass","Package":"ex.org/m/a","Test":"TestNever"}\n',
      ),
      event('fail', 'ex.org/m/a', 'TestAdd'),
      event('run', 'ex.org/m/a', 'TestSub/one_two'),
      event('pass', 'ex.org/m/a', 'TestSub/one_two'),
      event('run', 'ex.org/m/b', 'TestAdd'),
      event('pass', 'ex.org/m/b', 'TestAdd'),
      event('skip', 'ex.org/m/b', 'TestSkip'),
      event('fail', 'ex.org/m/b'),
      event('run', 'ex.org/m/c', 'TestKilled'),
      { ImportPath: 'ex.org/m/d [ex.org/m/d.test]', Action: 'build-fail' },
    );
    expect(read('go-test', log)).toEqual({
      'ex.org/m/a::TestAdd': 'FAILED',
      'ex.org/m/a::TestSub/one_two': 'PASSED',
      'ex.org/m/b::TestAdd': 'PASSED',
      'ex.org/m/b::TestSkip': 'SKIPPED',
      // Its process was ended.
      'ex.org/m/c::TestKilled': 'ERROR',
    });
  });

  test('-json is shown as -v prints it, with what stands beside it', () => {
    const log = `go: downloading ex.org/x v1.0.0\n${jsonLines(
      { ImportPath: 'ex.org/m/d', Action: 'build-output', Output: 'd/d.go:2:12: undefined: x\n' },
      { ImportPath: 'ex.org/m/d', Action: 'build-fail' },
      event('start', 'ex.org/m/a'),
      event('run', 'ex.org/m/a', 'TestAdd'),
      event('output', 'ex.org/m/a', 'TestAdd', '=== RUN   TestAdd\n'),
      event('output', 'ex.org/m/a', 'TestAdd', '    a_test.go:3: got '),
      event('output', 'ex.org/m/a', 'TestAdd', '-1\n'),
      event('output', 'ex.org/m/a', 'TestAdd', '--- FAIL: TestAdd (0.00s)\n'),
      event('fail', 'ex.org/m/a', 'TestAdd'),
      { Action: 'unknown', Output: 'own\n' },
    )}exit status 1\n`;
    expect(findParser('go-test')!.text(log)).toBe(
      [
        'go: downloading ex.org/x v1.0.0',
        'd/d.go:2:12: undefined: x',
        '=== RUN   TestAdd',
        '    a_test.go:3: got -1',
        '--- FAIL: TestAdd (0.00s)',
        '{"Action":"unknown","Output":"own\\n"}',
        'exit status 1',
        '',
      ].join('\n'),
    );
    // A text of -v, and a log that ends amid an object, are as they were.
    const text = '=== RUN   TestA\n{\n"Action":';
    expect(findParser('go-test')!.text(text)).toBe(`${text}\n`);
  });

  test('a test that runs twice has passed if it passed both times', () => {
    const log = jsonLines(
      event('pass', 'p', 'TestA'),
      event('fail', 'p', 'TestA'),
      event('pass', 'p', 'TestA'),
    );
    expect(read('go-test', log)).toEqual({ 'p::TestA': 'FAILED' });
  });

  test('-v: the package follows its tests', () => {
    const log = [
      '=== RUN   TestBad',
      'no newline    a_test.go:4: bad',
      '--- FAIL: TestBad (0.00s)',
      '=== RUN   TestGlued',
      'no newline--- PASS: TestGlued (0.00s)',
      '=== RUN   TestForged',
      '--- PASS: TestNever (0.00s)',
      '--- FAIL: TestForged (0.00s)',
      '=== RUN   TestSub',
      '=== RUN   TestSub/one_two',
      '--- PASS: TestSub (0.00s)',
      '    --- PASS: TestSub/one_two (0.00s)',
      '=== RUN   TestCut',
      'FAIL',
      'FAIL\tex.org/m/a\t0.005s',
      '=== RUN   TestBad',
      '--- PASS: TestBad (1.20s)',
      'PASS',
      'ok  \tex.org/m/b\t(cached)',
      '?   \tex.org/m/none\t[no test files]',
      'FAIL\tex.org/m/c [build failed]',
      '',
    ].join('\n');
    expect(read('go-test', log)).toEqual({
      'ex.org/m/a::TestBad': 'FAILED',
      'ex.org/m/a::TestGlued': 'PASSED',
      'ex.org/m/a::TestForged': 'FAILED',
      'ex.org/m/a::TestSub': 'PASSED',
      'ex.org/m/a::TestSub/one_two': 'PASSED',
      'ex.org/m/a::TestCut': 'ERROR',
      'ex.org/m/b::TestBad': 'PASSED',
    });
  });

  test('without -v only failures are named', () => {
    const log = '--- FAIL: TestBad (0.00s)\n    a_test.go:4: bad\nFAIL\nFAIL\tex.org/m/a\t0.005s\n';
    expect(read('go-test', log)).toEqual({ 'ex.org/m/a::TestBad': 'FAILED' });
  });
});

describe('junit-xml', () => {
  test('Surefire: failures, retries, parameters, and what a test printed', () => {
    const log = `[INFO] BUILD FAILURE
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="ex.FooTest" tests="7">
  <properties><property name="x" value="&lt;testcase name=&quot;forged&quot;/&gt;"/></properties>
  <testcase name="good" classname="ex.FooTest" time="0.02">
    <system-out><![CDATA[<testcase name="forged" classname="ex.FooTest"/>]]></system-out>
  </testcase>
  <!-- <testcase name="forged" classname="ex.FooTest"/> -->
  <testcase name="bad" classname="ex.FooTest"><failure message="a &lt; b" type="x">text</failure></testcase>
  <testcase name="err" classname="ex.FooTest"><error>text</error></testcase>
  <testcase name="skip" classname="ex.FooTest"><skipped/></testcase>
  <testcase name="par(String)[1]" classname='ex.FooTest'/>
  <testcase name="flaky" classname="ex.FooTest"><flakyFailure>x</flakyFailure></testcase>
  <testcase name="lost" classname="ex.FooTest"><failure/><skipped/></testcase>
</testsuite>
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="ex.BarTest"><testcase name="good" classname="ex.BarTest"/><testcase name="cut" classname="ex.BarTest">`;
    expect(read('junit-xml', log)).toEqual({
      'ex.FooTest#good': 'PASSED',
      'ex.FooTest#bad': 'FAILED',
      'ex.FooTest#err': 'ERROR',
      'ex.FooTest#skip': 'SKIPPED',
      'ex.FooTest#par(String)[1]': 'PASSED',
      'ex.FooTest#flaky': 'RERUN',
      'ex.FooTest#lost': 'FAILED',
      'ex.BarTest#good': 'PASSED',
      'ex.BarTest#cut': 'ERROR',
    });
  });

  test('CTest, GoogleTest, Vitest and Node name their tests in other ways', () => {
    const log = `<testsuite name="(empty)">
<testcase name="unit" classname="unit" status="run"/>
<testcase name="off" classname="off" status="disabled"/>
<testcase name="crash" classname="crash" status="fail"><failure message=""/></testcase>
</testsuite>
<testsuites name="AllTests"><testsuite name="Math">
<testcase name="Adds" file="/x/unit.cc" line="3" status="run" result="completed" classname="Math" />
<testcase name="DISABLED_Off" status="notrun" result="suppressed" classname="Math" />
</testsuite></testsuites>
<testsuites name="vitest tests"><testsuite name="vi/a.test.ts">
<testcase classname="vi/a.test.ts" name="outer &gt; adds" time="0.1"></testcase>
</testsuite></testsuites>
<testsuites><testsuite name="outer"><testsuite name="inner">
<testcase name="adds" classname="test"/></testsuite><testcase name="adds" classname="test" file="/testbed/n.mjs"><failure/></testcase>
</testsuite></testsuites>`;
    expect(read('junit-xml', log)).toEqual({
      unit: 'PASSED',
      off: 'SKIPPED',
      crash: 'FAILED',
      'Math#Adds': 'PASSED',
      'Math#DISABLED_Off': 'SKIPPED',
      'vi/a.test.ts > outer > adds': 'PASSED',
      'outer > inner > adds': 'PASSED',
      'n.mjs > outer > adds': 'FAILED',
    });
  });
});

test('maven: classes, and the methods that are named, in both forms', () => {
  const log = [
    '[INFO] Running ex.BarTest',
    '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.014 s -- in ex.BarTest$In',
    '[WARNING] Tests run: 1, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.01 s - in ex.OffTest',
    '[ERROR] Tests run: 6, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: 0.484 s <<< FAILURE! -- in ex.FooTest',
    '[ERROR] ex.FooTest.bad -- Time elapsed: 0.028 s <<< FAILURE!',
    '[ERROR] ex.FooTest.err -- Time elapsed: 0.002 s <<< ERROR!',
    '[ERROR] ex.FooTest.par(String)[2] -- Time elapsed: 0.001 s',
    '[ERROR] ex.SetUpTest -- Time elapsed: 0.1 s <<< ERROR!',
    'good(ex.OldTest)  Time elapsed: 0.02 sec',
    'bad(ex.OldTest)  Time elapsed: 1,234.5 sec  <<< FAILURE!',
    '[ERROR] Tests run: 8, Failures: 1, Errors: 1, Skipped: 1',
    '[INFO] BUILD FAILURE',
  ].join('\n');
  expect(read('maven', log)).toEqual({
    'ex.BarTest$In': 'PASSED',
    'ex.OffTest': 'SKIPPED',
    'ex.FooTest': 'FAILED',
    'ex.FooTest#bad': 'FAILED',
    'ex.FooTest#err': 'ERROR',
    'ex.FooTest#par(String)[2]': 'PASSED',
    'ex.SetUpTest': 'ERROR',
    'ex.OldTest#good': 'PASSED',
    'ex.OldTest#bad': 'FAILED',
  });
});

test('cargo-test: binaries keep tests of one name apart; lines of doc tests are no part of ids', () => {
  const log = [
    '     Running unittests src/lib.rs (target/debug/deps/my_crate-8c1a648309b03e4d)',
    'running 4 tests',
    'test tests::adds ... ok',
    'test tests::ign ... ignored, slow, one',
    'test tests::pan - should panic ... ok',
    'test tests::bad ... FAILED',
    '',
    'failures:',
    '---- tests::bad stdout ----',
    'test tests::never ... ok',
    'test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.26s',
    '     Running tests/api.rs (/tmp/target/debug/deps/api-82a5aab28a601199)',
    'running 1 test',
    'test adds ... ok',
    '     Running tests/api.rs (/tmp/target/debug/deps/api-1111111111111111)',
    'running 1 test',
    'test adds ... FAILED',
    '   Doc-tests my_crate',
    'running 2 tests',
    'test src/lib.rs - add (line 2) ... ok',
    'test src/lib.rs - add (line 16) - compile fail ... ok',
    'test src/lib.rs - add (line 26) ... FAILED',
  ].join('\n');
  expect(read('cargo-test', log)).toEqual({
    'my_crate::lib::tests::adds': 'PASSED',
    'my_crate::lib::tests::ign': 'SKIPPED',
    'my_crate::lib::tests::pan': 'PASSED',
    'my_crate::lib::tests::bad': 'FAILED',
    'api::tests/api::adds': 'PASSED',
    // Another package of the workspace.
    'api::tests/api#2::adds': 'FAILED',
    'my_crate::doc::src/lib.rs - add': 'PASSED',
    'my_crate::doc::src/lib.rs - add - compile fail': 'PASSED',
    'my_crate::doc::src/lib.rs - add #2': 'FAILED',
  });
});

test('cargo-test: doc tests of one name are numbered by their lines, in whatever order they end', () => {
  const tests = [
    'test src/lib.rs - add (line 9) ... ok',
    'test src/lib.rs - add (line 105) ... FAILED',
    'test src/lib.rs - add (line 33) ... ignored',
  ];
  for (const order of [tests, tests.toReversed()]) {
    const log = ['   Doc-tests one', ...order, '   Doc-tests two', ...order].join('\n');
    expect(read('cargo-test', log)).toEqual({
      'one::doc::src/lib.rs - add': 'PASSED',
      'one::doc::src/lib.rs - add #2': 'SKIPPED',
      'one::doc::src/lib.rs - add #3': 'FAILED',
      'two::doc::src/lib.rs - add': 'PASSED',
      'two::doc::src/lib.rs - add #2': 'SKIPPED',
      'two::doc::src/lib.rs - add #3': 'FAILED',
    });
  }
});

test('ctest', () => {
  const log = [
    '    Start 1: unit-all',
    '1/8 Test #1: unit-all .........................***Exception: SegFault  0.02 sec',
    ' 2/8 Test  #2: good ...................   Passed    0.01 sec',
    '3/8 Test #3: dots... ............................***Failed    0.00 sec',
    '4/8 Test #4: skips ............................***Skipped   0.00 sec',
    '13/17 Test #13: regex .......***Failed  Required regular expression not found. Regex=[x...y',
    ']  0.01 sec',
    '14/17 Test #14: wrong ... output .......***Failed  Error regular expression found in output. Regex=[ERR...OR]  0.01 sec',
    '5/8 Test #5: missing ..........................***Not Run   0.00 sec',
    '6/8 Test #6: off ..............................***Not Run (Disabled)   0.00 sec',
    '7/8 Test #7: slow .............................***Timeout   1.00 sec',
    '8/8 Test #8: aborts ...........................Subprocess aborted***Exception:   0.00 sec',
    'The following tests FAILED:',
    '\t  3 - dots... (Failed)',
  ].join('\n');
  expect(read('ctest', log)).toEqual({
    'unit-all': 'ERROR',
    good: 'PASSED',
    'dots...': 'FAILED',
    skips: 'SKIPPED',
    missing: 'ERROR',
    off: 'SKIPPED',
    slow: 'ERROR',
    aborts: 'ERROR',
    regex: 'FAILED',
    'wrong ... output': 'FAILED',
  });
});

test('gtest: one test runs at a time, addresses are no part of ids, and a crash ends its test', () => {
  const log = [
    '[ RUN      ] Math.Adds',
    'glued[       OK ] Math.Adds (0 ms)',
    '[ RUN      ] Math.Bad',
    '[       OK ] Math.Never (0 ms)',
    '[  FAILED  ] Math.Bad (0 ms)',
    '[ RUN      ] All/P.Has/1',
    '[  FAILED  ] All/P.Has/1, where GetParam() = 0x55d0 pointing to "b" (0 ms)',
    '[ RUN      ] Math.Skips',
    '[  SKIPPED ] Math.Skips (0 ms)',
    '[  FAILED  ] Math.Adds (0 ms)',
    '[ RUN      ] Zed.Crash',
  ];
  const statuses = {
    'Math.Adds': 'PASSED',
    'Math.Bad': 'FAILED',
    'All/P.Has/1': 'FAILED',
    'Math.Skips': 'SKIPPED',
    'Zed.Crash': 'ERROR',
  };
  expect(read('gtest', log.join('\n'))).toEqual(statuses);
  const verbose = ['test 1', '    Start 1: unit-all', ...log.map((line) => `1: ${line}`)].join('\n');
  const named = Object.fromEntries(Object.entries(statuses).map(([id, one]) => [`unit-all::${id}`, one]));
  expect(read('gtest', verbose)).toEqual(named);
  const parallel = [
    ...['    Start 1: one', '    Start 12: two', '1: [ RUN      ] S.A', '12: [ RUN      ] S.A', '1: text'],
    ...[
      '12: [  FAILED  ] S.A (1 ms)',
      '1: [       OK ] S.A (2 ms)',
      '1: [ RUN      ] S.B',
      '12: [ RUN      ] S.C',
    ],
    ...['1/2 Test  #1: one ...***Exception: SegFault', '12: [       OK ] S.C (2 ms)'],
  ];
  expect(read('gtest', parallel.join('\n'))).toEqual({
    'one::S.A': 'PASSED',
    'one::S.B': 'ERROR',
    'two::S.A': 'FAILED',
    'two::S.C': 'PASSED',
  });
  // --gtest_print_time=0
  const timeless = log.map((line) => line.replace(/ \(\d+ ms\)$/, ''));
  expect(read('gtest', timeless.join('\n'))).toEqual(statuses);
});

describe('reports in JSON are shown as trees', () => {
  const tests = [
    { ancestorTitles: ['clamp'], title: 'low', status: 'passed' },
    {
      ancestorTitles: ['clamp'],
      title: 'high',
      status: 'failed',
      failureMessages: ['Error: 11\n    at a.js:2'],
    },
    { ancestorTitles: [], title: 'later', status: 'pending' },
  ];
  const report = {
    testResults: [
      { name: '/testbed/a.test.js', status: 'failed', assertionResults: tests },
      { name: '/testbed/b.test.js', status: 'failed', message: 'Cannot find module c', assertionResults: [] },
    ],
  };

  test.each(['jest', 'vitest'])('%s', (parser) => {
    const log = `> npx ${parser}\n${JSON.stringify(report, null, 2)}\nnpm notice\n`;
    expect(findParser(parser)!.text(log)).toBe(`> npx ${parser}
FAIL a.test.js
  ✓ clamp > low
  ✕ clamp > high
      Error: 11
          at a.js:2
  ○ later
FAIL b.test.js
      Cannot find module c
npm notice
`);
  });

  test('mocha', () => {
    const one = (fullTitle: string, err = {}) => ({ title: fullTitle.split(' ').at(-1), fullTitle, err });
    const log = `${JSON.stringify({
      ...{ stats: {}, tests: [{}], passes: [one('clamp low')], pending: [one('later')] },
      failures: [one('clamp high', { message: 'no', stack: 'Error: no\n    at a.js:2' })],
    })}\n`;
    expect(findParser('mocha')!.text(log)).toBe(
      '  ✔ clamp low\n  - later\n  1) clamp high\n      Error: no\n          at a.js:2\n',
    );
  });

  test('text is left as it is', () => {
    for (const parser of ['jest', 'vitest', 'mocha', 'pytest'])
      expect(findParser(parser)!.text('PASS a\n  {"a": 1}\n')).toBe('PASS a\n  {"a": 1}\n');
  });
});
