/** Multi-SWE-bench's parsers: what multi-swe-bench 1.1.2 itself says passed in these logs, by the class of that repository. */
import { expect, test } from 'vitest';
import { findParser } from '../../parsers/registry.ts';

const passedIn = (parser: string, log: string) =>
  [...findParser(parser)!.parse(log)].flatMap(([id, status]) => (status === 'PASSED' ? [id] : [])).sort();

test.each<[parser: string, repository: string, log: string, passed: string[]]>([
  [
    'go',
    'cli/cli',
    '--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub_1 (0.01s)\n--- FAIL: TestB (0.00s)\n--- SKIP: TestC (0.00s)\nFAIL\texample.com/b\t0.012s',
    ['TestA', 'TestA/sub_1'],
  ],
  [
    'go-parents',
    'grpc/grpc-go',
    '--- PASS: TestA (0.00s)\n    --- PASS: TestA/b/c (0.01s)\n    --- PASS: TestD/e (0.01s)',
    ['TestA', 'TestA/b', 'TestD'],
  ],
  [
    'cargo',
    'clap-rs/clap',
    'test a::works ... ok\ntest b ... FAILED\ntest c ... ignored\ntest src/lib.rs - f (line 3) ... ok\ntest d - should panic ... ok',
    ['a::works'],
  ],
  [
    'cargo-lines',
    'BurntSushi/ripgrep, 772 to 2609',
    'test a::works ... ok\ntest b ... FAILED\ntest src/lib.rs - f (line 3) ... ok\ntest d - should panic ... ok',
    ['a::works', 'd - should panic', 'src/lib.rs - f (line 3)'],
  ],
  [
    'ctest',
    'libsdl-org/SDL',
    '1/3 Test  #1: a-test .......   Passed    0.01 sec\n2/3 Test  #2: b ....***Failed    0.01 sec\n 3/3 Test #3: dir/c.x ...   Passed  1.00 sec',
    ['a-test', 'dir/c.x'],
  ],
  [
    'catch2',
    'catchorg/Catch2',
    '-- Performing Test HAS_X - Success\n1/2 Test #1: RunTests ....   Passed    0.01 sec\n2/2 Test #2: Others .......***Failed    0.01 sec',
    ['has_x', 'runtests'],
  ],
  [
    'surefire',
    'apache/dubbo',
    '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s -- in a.OneTest\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in a.TwoTest\n[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 0 s - in a.LaterTest\n[INFO] Tests run: 7, Failures: 1, Errors: 0, Skipped: 3',
    ['a.OneTest'],
  ],
  [
    'surefire-running',
    'google/gson',
    ' T E S T S\nRunning a.OneTest\nTests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.123 sec\nRunning a.TwoTest\nsays something\nTests run: 2, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 0.02 sec <<< FAILURE!\nResults :\nTests run: 5, Failures: 0, Errors: 1, Skipped: 0',
    ['a.OneTest'],
  ],
  [
    'gradle',
    'googlecontainertools/jib',
    '> Task :core:compileJava\n> Task :core:jar FROM-CACHE\n> Task :core:test\n\nATest > works PASSED\n\nATest > breaks FAILED\n\nATest > later SKIPPED\n> Task :b:test FAILED',
    ['ATest > works', 'core:compileJava', 'core:jar', 'core:test'],
  ],
  [
    'gradle-uncached',
    'mockito/mockito',
    '> Task :core:compileJava UP-TO-DATE\n> Task :core:jar FROM-CACHE\nATest > works PASSED',
    ['ATest > works', 'core:compileJava'],
  ],
  [
    'gtest',
    'ponylang/ponyc',
    '[       OK ] A.Works (0 ms)\n[  FAILED  ] A.Breaks (1 ms)\n\x1b[92m---- Passed: net/TCP\x1b[0m\n[  PASSED  ] 2 tests.',
    ['A.Works', 'net/TCP'],
  ],
  ['automake', 'jqlang/jq', 'PASS: tests/jqtest\nFAIL: tests/shtest\nPASS: two words', ['tests/jqtest']],
  [
    'tcl',
    'redis/redis',
    '[ok]: SET and GET (12 ms)\n[err]: It breaks in tests/unit.tcl\n[ok]: With (brackets) here',
    ['SET and GET', 'With (brackets) here'],
  ],
  [
    'jest',
    'iamkun/dayjs',
    'PASS test/a.test.js (5.211 s)\n  sums\n    ✓ adds (3 ms)\n    ✕ breaks (2 ms)\nFAIL test/b.test.js\n  ✓ works',
    ['test/a.test.js', 'test/a.test.js:adds', 'test/b.test.js:works'],
  ],
  [
    'jest-files',
    'colinhacks/zod',
    'PASS src/a.test.ts\n  ✓ adds (3 ms)\nFAIL src/b.test.ts',
    ['src/a.test.ts'],
  ],
  [
    'jest-marks',
    'KaTeX/KaTeX, 3006 to 4000',
    'PASS test/a.js\n  sums\n    ✓ adds (3 ms)\n    ✓ adds more\n    ✕ breaks (2 ms)',
    ['adds', 'adds more'],
  ],
  [
    'vitest',
    'vuejs/core',
    ' ✓ src/a.spec.ts > sums > adds 3ms\n ✓ src/a.spec.ts > sums > adds more\n × src/a.spec.ts > sums > breaks 5ms',
    ['src/a.spec.ts > sums > adds', 'src/a.spec.ts > sums > adds more'],
  ],
  [
    'mocha',
    'axios/axios',
    '    ✔ adds (120ms)\n    ✔ adds more\n    - later\n    1) breaks',
    ['adds', 'adds more'],
  ],
  [
    'mocha-json',
    'expressjs/express',
    '> mocha --reporter json\n{\n "stats": {},\n "tests": [],\n "pending": [],\n "failures": [{"title": "breaks", "fullTitle": "a breaks"}],\n "passes": [{"title": "works", "fullTitle": "a works"}]\n}',
    ['a works'],
  ],
  [
    'marks',
    'swagger-api/swagger-ui',
    'PASS test/a.js (5.2 s)\n  ✓ adds (3 ms)\n  ✔ more (1.5 s)\n  ✗ breaks\n  1) fails\nFAIL test/b.js',
    ['adds', 'more', 'test/a.js'],
  ],
  ['marks-numbered', 'facebook/lexical', '  ✓ 12 adds (3 ms)\n  ✘ 13 breaks', ['adds']],
  [
    'marks-only',
    'nasa/openmct',
    '  ✔ adds (3 ms)\n  - later\n  2) breaks\n  ✔ later\nPASS test/a.js',
    ['adds'],
  ],
  [
    'insomnia',
    'Kong/insomnia',
    ' ✓ src/a.test.ts (12 tests) 30ms\nPASS src/b.test.ts (5.2 s)\nFAIL src/c.test.ts',
    ['src/a.test.ts', 'src/b.test.ts'],
  ],
])('multi-swe-%s reads as the class of %s', (parser, _, log, passed) => {
  expect(passedIn(`multi-swe-${parser}`, log)).toEqual([...passed].sort());
});

test('a test that passed and failed has failed, where upstream refuses the log', () => {
  const log = '--- PASS: TestA (0.00s)\n--- FAIL: TestA (0.00s)\n--- PASS: TestA (0.00s)';
  expect([...findParser('multi-swe-go')!.parse(log)]).toEqual([['TestA', 'FAILED']]);
});

test.each([
  'ctest',
  'catch2',
  'surefire',
  'surefire-running',
  'gradle',
  'gtest',
  'tcl',
  'jest',
  'vitest',
  'marks',
  'marks-only',
  'insomnia',
])('multi-swe-%s reads any text in linear time', (parser) => {
  const { parse } = findParser(`multi-swe-${parser}`)!;
  for (const piece of [
    '1',
    '.',
    '(',
    ' (1',
    '1/1 Test #1: a .',
    '✓ a 1',
    '✓ (1 ',
    ' > ',
    '[ok]: a (',
    'Running ',
    'Tests run: 1, ',
    '✔ a\t',
  ])
    expect(parse(`${piece.repeat(200_000 / piece.length)}\n`).size).toBeLessThan(2);
});
