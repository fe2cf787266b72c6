/**
 * Logs of all runners, made up, by which a parser of swemake is found that reads as a class of multi-swe-bench does: one that says of each
 * log that the same tests passed.
 */
export const PROBE_LOGS: Readonly<Record<string, string>> = {
  go: `=== RUN   TestOne
--- PASS: TestOne (0.00s)
=== RUN   TestMany
=== RUN   TestMany/first_case
--- PASS: TestMany (0.01s)
    --- PASS: TestMany/first_case (0.00s)
    --- PASS: TestMany/deep/er (0.00s)
--- SKIP: TestLater (0.00s)
PASS
ok  \texample.com/one\t0.012s
--- FAIL: TestBad (0.00s)
    --- FAIL: TestBad/sub (0.00s)
FAIL
FAIL\texample.com/two\t0.010s
`,
  cargo: `running 4 tests
test bare ... ok
test module::tests::works ... ok
test module::tests::broken ... FAILED
test module::tests::later ... ignored
test panics - should panic ... ok
test timed ... ok <1.2s>
test src/lib.rs - name (line 3) ... ok
test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
`,
  ctest: `Test project /home/one/build
    Start 1: one-test
1/3 Test #1: one-test .........................   Passed    0.01 sec
    Start 2: two
2/3 Test #2: two ..............................***Failed    0.02 sec
 10/11 Test #10: dir/Ten.x .......................   Passed    1.01 sec
 11/11 Test  #11: later ...........................***Not Run (Disabled)   0.00 sec

67% tests passed, 1 tests failed out of 3
`,
  surefire: `[INFO] Running org.one.FirstTest
[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.123 s -- in org.one.FirstTest
[INFO] Running org.one.OldTest
[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s - in org.one.OldTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in org.one.BadTest
[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 0 s -- in org.one.LaterTest
[ERROR] Tests run: 10, Failures: 1, Errors: 0, Skipped: 3
`,
  'surefire-old': `-------------------------
 T E S T S
Running org.one.FirstTest
Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.123 sec
Running org.one.OtherTest
Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.02 sec - in org.one.OtherTest
Running org.one.LaterTest
Tests run: 2, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 0.02 sec

Results :

Tests run: 7, Failures: 0, Errors: 0, Skipped: 2
`,
  gradle: `> Task :core:compileJava
> Task :core:processResources NO-SOURCE
> Task :core:classes UP-TO-DATE
> Task :core:test

org.one.FirstTest > works PASSED

FirstTest > works with (int)[1] PASSED

FirstTest > breaks FAILED
    java.lang.AssertionError

FirstTest > later SKIPPED
> Task :util:jar FROM-CACHE
> Task :util:test FAILED
`,
  gtest: `[==========] Running 3 tests from 2 test suites.
[ RUN      ] Suite.Works
[       OK ] Suite.Works (0 ms)
[ RUN      ] Suite.Breaks
[  FAILED  ] Suite.Breaks (12 ms)
[       OK ] Group/Suite.Case/3 (1 ms)
[==========] 3 tests from 2 test suites ran. (14 ms total)
[  PASSED  ] 2 tests.
`,
  automake: `PASS: tests/one
FAIL: tests/two
SKIP: tests/three
PASS: all POOL tests
# TOTAL: 3
`,
  tcl: `[ok]: It works (12 ms)
[ok]: Another one
[err]: It breaks in tests/unit.tcl
[ignore]: not here
`,
  jest: `PASS src/one.test.js
  adds
    ✓ two numbers (3 ms)
    ✓ none
    ○ skipped later
    ✓ 3 numbers (12 ms)
    ✓ quick (3ms)
PASS packages/two/__tests__/two-test.js (5.211 s)
  ✓ works
PASS  unit src/named.test.js
PASS src/heap.test.js (12 MB heap size)
FAIL src/bad.test.ts
  ✕ breaks (2 ms)

Test Suites: 1 failed, 2 passed, 3 total
`,
  vitest: ` RUN  v1.2.0 /home/one

 ✓ src/one.spec.ts (3 tests) 14ms
 ✓ packages/core/two.spec.ts  (12 tests | 1 skipped) 120ms
 ✓ src/one.spec.ts > group > works 3ms
 ✓ src/one.spec.ts > group > works fast
 × src/one.spec.ts > group > breaks 5ms
 ↓ src/one.spec.ts > group > later
 Test Files  2 passed (2)
`,
  mocha: `
  one
    ✔ works
    ✔ works slowly (120ms)
    - later
    1) breaks
  two
    ✓ has another mark
    ✓ is slow (1s)

  4 passing (130ms)
  1 pending
  1 failing
`,
  tap: `TAP version 13
# Subtest: group
    # Subtest: works
    ok 1 - works
    not ok 2 - breaks
ok 1 - alone
ok 2 - later # SKIP
not ok 3 - bad
1..3
`,
  node: `▶ group
  ✔ works (0.5ms)
  ✖ breaks (1.2ms)
▶ group (2.1ms)
✔ alone (0.3ms)
ℹ tests 3
`,
  'gtest-colours': `\x1b[0;32m[       OK ] \x1b[0mSuite.Works (0 ms)
\x1b[92m---- Passed: one/two\x1b[0m
\x1b[91m**** FAILED: one/three\x1b[0m
`,
  'mocha-json': `> nyc mocha
{
  "stats": {"suites": 1, "tests": 3, "passes": 1, "pending": 1, "failures": 1, "start": "", "end": "", "duration": 5},
  "tests": [],
  "pending": [{"title": "later", "fullTitle": "one later", "file": "/home/one/a.test.js", "currentRetry": 0, "err": {}}],
  "failures": [{"title": "breaks", "fullTitle": "one breaks", "file": "/home/one/a.test.js", "currentRetry": 0, "err": {}}],
  "passes": [{"title": "works", "fullTitle": "one works", "file": "/home/one/a.test.js", "currentRetry": 0, "err": {}}]
}
`,
};
