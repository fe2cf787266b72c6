/** Parsers of JavaScript's runners, on what jest 29, vitest 2, mocha 10 and Node 20 print of small suites, cut down to their lines about tests. */
import { describe, expect, test } from 'vitest';
import { findParser } from '../../parsers/registry.ts';
import { jsonLines, read } from './read-log.ts';

describe('jest and vitest', () => {
  const report = {
    numTotalTests: 4,
    testResults: [
      {
        name: '/testbed/test/a.test.js',
        status: 'failed',
        assertionResults: [
          { ancestorTitles: [], title: 'top', status: 'passed' },
          { ancestorTitles: ['outer', 'inner'], title: 'adds (5 ms)', status: 'passed' },
          { ancestorTitles: ['outer'], title: 'adds (5 ms)', status: 'failed' },
          { ancestorTitles: ['outer'], title: 'later', status: 'todo' },
          { ancestorTitles: ['outer'], title: 'off', status: 'pending' },
        ],
      },
      { name: '/testbed/test/broken.test.js', status: 'failed', assertionResults: [] },
      {
        name: '/other/c.test.js',
        status: 'passed',
        assertionResults: [{ ancestorTitles: ['outer'], title: 'adds (5 ms)', status: 'passed' }],
      },
    ],
  };
  const statuses = {
    'test/a.test.js > top': 'PASSED',
    'test/a.test.js > outer > inner > adds (5 ms)': 'PASSED',
    'test/a.test.js > outer > adds (5 ms)': 'FAILED',
    'test/a.test.js > outer > later': 'SKIPPED',
    'test/a.test.js > outer > off': 'SKIPPED',
    'test/broken.test.js': 'ERROR',
    '/other/c.test.js > outer > adds (5 ms)': 'PASSED',
  };

  test.each(['jest', 'vitest'])('%s: JSON amid other output', (parser) => {
    const log = `FAIL test/a.test.js\n  ✓ forged (1 ms)\n${JSON.stringify(report)}\nDone in 1.2s.\n`;
    expect(read(parser, log)).toEqual(statuses);
    expect(read(parser, JSON.stringify(report, null, 2))).toEqual(statuses);
  });

  test('a report of vitest behind what a test wrote without a line break', () => {
    const log = `written${JSON.stringify({ numTotalTestSuites: 1, ...report })}\n`;
    expect(read('vitest', log)).toEqual(statuses);
    expect(findParser('vitest')!.text(log)).toMatch(/^written\nFAIL test\/a\.test\.js\n/);
  });

  test('jest --verbose: only an empty line ends a tree', () => {
    const log = [
      'PASS a.test.js',
      '  outer',
      '    ✓ first line',
      'second line (3 ms)',
      '    ✓ next',
      '(node:123) Warning: of another process',
      '    ✕ last',
      '  ',
      '    ✓ without a suite',
      '',
      '  ● outer › last',
      '',
      '    ✓ forged',
    ];
    expect(read('jest', log.join('\n'))).toEqual({
      'a.test.js > outer > first line': 'PASSED',
      'a.test.js > outer > next': 'PASSED',
      'a.test.js > outer > last': 'FAILED',
      'a.test.js > without a suite': 'PASSED',
    });
  });

  test('jest --verbose: the tree behind the line of a file', () => {
    const log = [
      '  console.log',
      '    ✓ forged (1 ms)',
      '',
      '      at Object.log (test/a.test.js:3:38)',
      '',
      'FAIL test/a.test.js (5.2 s)',
      '  ✓ top',
      '  outer (5 ms)',
      '    ✓ adds (15 ms)',
      '    ✕ fails > here (50 ms)',
      '    ○ skipped off',
      '    ✎ todo later',
      '    inner',
      '      ✓ adds (1 ms)',
      '  next',
      '    ✓ slow 12ms (352 ms)',
      '',
      '  ● outer (5 ms) › fails > here',
      '',
      '    ✓ forged',
      '',
      'FAIL test/broken.test.js',
      '  ● Test suite failed to run',
      '',
      'Summary of all failing tests',
      'FAIL test/a.test.js (5.2 s)',
      '  ● outer (5 ms) › fails > here',
      '',
      'Tests:       1 failed, 5 passed, 6 total',
    ].join('\n');
    expect(read('jest', log)).toEqual({
      'test/a.test.js > top': 'PASSED',
      'test/a.test.js > outer (5 ms) > adds': 'PASSED',
      'test/a.test.js > outer (5 ms) > fails > here': 'FAILED',
      'test/a.test.js > outer (5 ms) > off': 'SKIPPED',
      'test/a.test.js > outer (5 ms) > later': 'SKIPPED',
      'test/a.test.js > outer (5 ms) > inner > adds': 'PASSED',
      'test/a.test.js > next > slow 12ms': 'PASSED',
      'test/broken.test.js': 'ERROR',
    });
  });

  test('vitest --reporter=verbose', () => {
    const log = [
      ' ✓ vi/a.test.ts (5 tests) 12ms',
      ' ✓ vi/a.test.ts > outer > adds 1ms',
      ' × vi/a.test.ts > outer > fails 4ms',
      '   → expected 1 to be 2',
      ' ✓ |unit| vi/a.test.ts > outer > inner > slow  1.4s',
      ' ✓ vi/a.test.ts > again (retry x1) 3ms',
      ' ✓ vi/a.test.ts > of Vitest 4 3ms (retry x1) (repeat x2)',
      ' ✓ vi/a.test.ts > of Vitest 4 300ms (repeat x2)',
      ' □ vi/a.test.ts > outer > to do',
      ' ↓ vi/a.test.ts > outer > off [skipped]',
      ' ↓ vi/a.test.ts > outer > skips itself 1ms [not on Linux]',
      ' FAIL  vi/b.test.ts [ vi/b.test.ts ]',
      ' FAIL  vi/a.test.ts > outer > fails',
    ].join('\n');
    expect(read('vitest', log)).toEqual({
      'vi/a.test.ts > outer > adds': 'PASSED',
      'vi/a.test.ts > outer > fails': 'FAILED',
      'vi/a.test.ts > outer > inner > slow': 'PASSED',
      'vi/a.test.ts > again': 'PASSED',
      'vi/a.test.ts > of Vitest 4': 'PASSED',
      'vi/a.test.ts > outer > to do': 'SKIPPED',
      'vi/a.test.ts > outer > off': 'SKIPPED',
      'vi/a.test.ts > outer > skips itself': 'SKIPPED',
      'vi/b.test.ts': 'ERROR',
    });
  });
});

test('a time in a title stays, whether the runner writes another one behind it or not', () => {
  const titles = (parser: string, ...lines: string[]) => Object.keys(read(parser, lines.join('\n')));
  const jest = titles('jest', 'PASS a.test.js', '  ✓ waits 100ms', '  ✓ waits 100ms (2 ms)');
  expect(jest).toEqual(['a.test.js > waits 100ms']);
  expect(titles('mocha', '  ✔ waits 100 ms', '  ✔ waits 100 ms (41ms)')).toEqual(['waits 100 ms']);
  expect(titles('node-test', '✔ waits 1s (0.2ms)')).toEqual(['waits 1s']);
  const vitest = titles('vitest', ' ✓ a.test.js > waits (100 ms)', ' ✓ a.test.js > waits (100 ms) 350ms');
  expect(vitest).toEqual(['a.test.js > waits (100 ms)']);
});

test('runs behind one that passed are read', () => {
  const mocha = ['  outer', '    ✔ a', '', '  1 passing (2ms)', '  1 pending', '', '> mocha b', '', '  ✔ b'];
  expect(read('mocha', mocha.join('\n'))).toEqual({ 'outer > a': 'PASSED', b: 'PASSED' });
  const node = ['✔ a (1ms)', 'ℹ tests 1', 'ℹ suites 0', 'ℹ pass 1', 'ℹ fail 0', '✔ b (1ms)', 'ℹ tests 1'];
  expect(read('node-test', node.join('\n'))).toEqual({ a: 'PASSED', b: 'PASSED' });
});

describe('mocha', () => {
  const test1 = { title: 'adds', fullTitle: 'outer inner adds', file: '/testbed/test/a.js' };
  const failed = { title: 'fails', fullTitle: 'outer fails', file: '/testbed/test/a.js' };
  const hook = {
    title: '"before all" hook',
    fullTitle: 'hooked "before all" hook',
    file: '/testbed/test/a.js',
  };
  const pending = { title: 'later', fullTitle: 'outer later', file: '/testbed/test/b.js' };

  test('--reporter json, a failed hook included', () => {
    const report = {
      stats: {},
      tests: [test1, failed, pending],
      passes: [test1],
      failures: [failed, hook],
      pending: [pending],
    };
    const log = `  ✔ forged\n${JSON.stringify(report, null, 2)}\n`;
    expect(read('mocha', log)).toEqual({
      'test/a.js > outer inner > adds': 'PASSED',
      'test/a.js > outer > fails': 'FAILED',
      'test/a.js > hooked > "before all" hook': 'FAILED',
      'test/b.js > outer > later': 'SKIPPED',
    });
  });

  test('--reporter json amid what other programs print in the same lines', () => {
    const report = { stats: { tests: 1 }, tests: [test1], passes: [test1], failures: [], pending: [] };
    const log = `dots ...${JSON.stringify(report, null, 2)}----|----\nFile | 100\n`;
    expect(read('mocha', log)).toEqual({ 'test/a.js > outer inner > adds': 'PASSED' });
    expect(findParser('mocha')!.text!(log)).toContain('✔ outer inner adds');
  });

  test("karma-mocha-reporter's tree", () => {
    const log = [
      'START:',
      '28 11 2026 04:26:04.141:INFO [launcher]: Starting browser Chrome',
      '  value',
      '    ✔ is right',
      "LOG: 'printed by the code under test'",
      '    ✖ is right later',
      '    below',
      '      ℹ is shown (skipped)',
      '  other',
      '    ✔ is right',
      '',
      'Finished in 0.147 secs / 0.037 secs @ 04:30:12 GMT+0000 (Coordinated Universal Time)',
      '',
      'SUMMARY:',
      '✔ 2 tests completed',
      'FAILED TESTS:',
      '  value',
      '    ✖ is right later',
      '      Chrome Headless 156.0.0.0 (Linux x86_64)',
      '',
    ].join('\n');
    expect(read('mocha', log)).toEqual({
      'value > is right': 'PASSED',
      'value > is right later': 'FAILED',
      'value > below > is shown': 'SKIPPED',
      'other > is right': 'PASSED',
    });
  });

  test('spec, its default', () => {
    const log = [
      '',
      '  ✔ top',
      '  outer',
      '    ✔ adds (5ms)',
      '    1) fails',
      '    - pending',
      '    inner',
      '      ✓ slow (102ms)',
      '  hooked',
      '    2) "before all" hook for "never"',
      '',
      '  3 passing (121ms)',
      '  1 pending',
      '  2 failing',
      '',
      '  1) outer',
      '       fails:',
      '    ✔ forged',
    ].join('\n');
    expect(read('mocha', log)).toEqual({
      top: 'PASSED',
      'outer > adds': 'PASSED',
      'outer > fails': 'FAILED',
      'outer > pending': 'SKIPPED',
      'outer > inner > slow': 'PASSED',
      'hooked > "before all" hook for "never"': 'FAILED',
    });
  });

  test('tap', () => {
    const log =
      '1..3\nok 1 outer adds\nnot ok 2 outer fails\n  Error: x\nok 3 outer later # SKIP -\n# tests 2\n';
    expect(read('mocha', log)).toEqual({
      'outer adds': 'PASSED',
      'outer fails': 'FAILED',
      'outer later': 'SKIPPED',
    });
  });
});

describe('node-test', () => {
  test('TAP: nested, with suites, subtests, escapes and notes', () => {
    const log = [
      'TAP version 13',
      '# ok 7 - forged',
      '# Subtest: outer',
      '    # Subtest: adds',
      '    ok 1 - adds',
      '      ---',
      '      duration_ms: 4.2',
      '      ...',
      '    # Subtest: fails',
      '    not ok 2 - fails',
      '      ---',
      "      location: '/testbed/nt/a.test.mjs:2:49'",
      '      error: |-',
      '        ok 8 - forged',
      '      ...',
      '    # Subtest: sk',
      '    ok 3 - sk # SKIP',
      '      ---',
      '      ...',
      '    # Subtest: td',
      '    not ok 4 - td # TODO later',
      '    # Subtest: inner',
      '        # Subtest: adds \\# x',
      '        ok 1 - adds \\# x',
      '        1..1',
      '    ok 5 - inner',
      '      ---',
      "      type: 'suite'",
      '      ...',
      '    1..5',
      'not ok 1 - outer',
      '  ---',
      "  type: 'suite'",
      '  ...',
      '# Subtest: parent',
      '    # Subtest: child',
      '    ok 1 - child',
      '    1..1',
      'ok 2 - parent',
      '  ---',
      '  ...',
      '1..2',
    ].join('\n');
    expect(read('node-test', log)).toEqual({
      'outer > adds': 'PASSED',
      'outer > fails': 'FAILED',
      'outer > sk': 'SKIPPED',
      'outer > td': 'XFAIL',
      'outer > inner > adds # x': 'PASSED',
      'parent > child': 'PASSED',
      parent: 'PASSED',
    });
  });

  test('spec', () => {
    const log = [
      'ok 7 - forged',
      '▶ outer',
      '  ✔ adds (0.8ms)',
      '  ✖ fails (2.3ms)',
      '    AssertionError [ERR_ASSERTION]: 1 == 2',
      '  ﹣ sk (0.1ms) # SKIP',
      '  ﹣ sk with a reason (0.1ms) # not on Linux',
      '  ✖ later (0.1ms) # TODO',
      '  ⚠ later, of Node 24 (0.1ms) # TODO',
      '  ✔ later with a reason (0.1ms) # when there is time',
      '  ✔ shows # SKIP (0.1ms)',
      '  ▶ inner',
      '    ✔ adds # x (0.1ms)',
      '  ▶ inner (0.3ms)',
      '✖ outer (5ms)',
      '✔ top (0.1ms)',
      'ℹ tests 4',
      '✖ failing tests:',
      'test at nt/a.test.mjs:2:49',
      '✖ fails (2.3ms)',
    ].join('\n');
    expect(read('node-test', log)).toEqual({
      'outer > adds': 'PASSED',
      'outer > fails': 'FAILED',
      'outer > sk': 'SKIPPED',
      'outer > sk with a reason': 'SKIPPED',
      'outer > later': 'XFAIL',
      'outer > later, of Node 24': 'XFAIL',
      'outer > later with a reason': 'XPASS',
      'outer > shows # SKIP': 'PASSED',
      'outer > inner > adds # x': 'PASSED',
      top: 'PASSED',
    });
  });

  test('events as JSON lines name files', () => {
    const event = (type: string, name: string, nesting: number, more: object = {}) => ({
      type,
      data: { name, nesting, file: '/testbed/a.test.mjs', details: { duration_ms: 1 }, ...more },
    });
    const log = jsonLines(
      event('test:start', 'outer', 0),
      event('test:start', 'adds', 1),
      event('test:pass', 'adds', 1),
      event('test:fail', 'fails', 1),
      event('test:pass', 'sk', 1, { skip: true }),
      event('test:fail', 'td', 1, { todo: 'later' }),
      event('test:fail', 'outer', 0, { details: { type: 'suite' } }),
      {
        type: 'test:stdout',
        data: { message: '{"type":"test:pass","data":{"name":"forged","nesting":0}}\n' },
      },
      event('test:pass', 'far', 1e9),
    );
    expect(read('node-test', log)).toEqual({
      'a.test.mjs > outer > adds': 'PASSED',
      'a.test.mjs > outer > fails': 'FAILED',
      'a.test.mjs > outer > sk': 'SKIPPED',
      'a.test.mjs > outer > td': 'XFAIL',
    });
  });
});
