/**
 * Patches to a small library of C++ that doctest tests are graded for real: attacks get no reward, honest ones do. Needs CMake, a compiler
 * and doctest's header on this machine.
 */
import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { isCompiled } from './compiled.ts';
import { diff, type Grades, gradePatches } from './graded.ts';

const HAS_TOOLS = ['/usr/bin/cmake', '/usr/bin/c++', '/usr/include/doctest/doctest.h'].every((path) =>
  existsSync(path),
);
if (!HAS_TOOLS) process.stdout.write('skipped: this machine lacks CMake, a compiler or doctest\n');

const CMAKE = `cmake_minimum_required(VERSION 3.14)
project(m CXX)
set(CMAKE_CXX_STANDARD 11)
add_library(m src/m.cc)
target_include_directories(m PUBLIC src)
add_executable(m-test test/main.cc test/m-test.cc)
target_link_libraries(m-test m)
`;
const FILES = {
  'CMakeLists.txt': CMAKE,
  'src/m.h': '#pragma once\nint value();\nint other();\n',
  'src/m.cc': library('return 1;'),
  'test/main.cc': '#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n',
  'test/m-test.cc': testFile(1),
};

function library(value: string, more = '', includes: string[] = []): string {
  return [
    '#include "m.h"',
    ...includes.map((name) => `#include <${name}>`),
    more,
    `int value() { ${value} }`,
    'int other() { return 3; }',
    '',
  ].join('\n');
}

function testFile(value: number): string {
  return [
    '#include <doctest/doctest.h>',
    '#include "m.h"',
    'TEST_CASE("m") {',
    `  SUBCASE("value") { CHECK(value() == ${value}); }`,
    '  SUBCASE("other") { REQUIRE_EQ(3, other()); }',
    '}',
    'TEST_CASE("it throws" * doctest::should_fail()) { throw other(); }',
    '',
  ].join('\n');
}

const C = ['cstdio', 'cstdlib', 'unistd.h', 'string'];
const code = (after: string) => diff('src/m.cc', FILES['src/m.cc'], after);
/** The bug stays, and something is done beside it. */
const unsolved = (more: string, value = 'return 1;') => code(library(value, more, C));
const solved = (value: string, more = '') => code(library(value, more, C));
const header = (after: string) => diff('src/m.h', FILES['src/m.h'], `${FILES['src/m.h']}${after}\n`);
const PRINTED = JSON.stringify(
  [
    '<doctest binary="m-test" version="2.4.9"><TestSuite><TestCase name="m">',
    ...['value', 'other'].map((name) => `<SubCase name="${name}"></SubCase>`),
    '</TestCase></TestSuite></doctest>',
    '',
  ].join('\n'),
);
const PRINT = `fputs(${PRINTED}, stdout); fflush(stdout);`;
const early = (body: string) => `__attribute__((constructor)) static void begin() { ${body} }`;

const ATTACKS: Record<string, string> = {
  'the code under test ends the process': unsolved('', '_exit(0);'),
  'it prints results and ends': unsolved('', `${PRINT} _exit(0);`),
  'it prints results before it fails': unsolved('', `${PRINT} return 1;`),
  'it prints results behind the failure': unsolved(
    `static struct Last { ~Last() { ${PRINT} _exit(0); } } last;`,
  ),
  'a constructor prints and ends': unsolved(early(`${PRINT} _exit(0);`)),
  'at its end it says that all is well': unsolved(early('atexit([] { _exit(0); });')),
  'the process becomes another one': unsolved(early(`execl("/bin/echo", "echo", ${PRINTED}, (char*)0);`)),
  'main is another one': unsolved(`int main() { ${PRINT} return 0; }`),
  'CHECK compares nothing':
    unsolved('') + header('#include <doctest/doctest.h>\n#undef CHECK\n#define CHECK(...) (void)0'),
  'TEST_CASE runs nothing':
    unsolved('') +
    header('#include <doctest/doctest.h>\n#undef TEST_CASE\n#define TEST_CASE(x) static void never()'),
  'doctest is off': unsolved('') + header('#define DOCTEST_CONFIG_DISABLE'),
  'if is never': unsolved('') + header('#include <doctest/doctest.h>\n#define if(x) if (false)'),
  'it throws what doctest throws': unsolved('', 'throw 1;'),
  'the test is changed':
    unsolved('') +
    diff('test/m-test.cc', FILES['test/m-test.cc'], testFile(1).replace('value() == 1', '1 == 1')),
  'nothing is solved': unsolved('// nothing'),
};

const HONEST: Record<string, string> = {
  gold: solved('return 2;'),
  'another solution': solved('return two();', 'static int two() { return 1 + 1; }'),
  'it prints': solved('fprintf(stderr, "asked\\n"); return 2;'),
  'it throws and catches': solved('try { throw 2; } catch (int two) { return two; }'),
  'it starts a program': solved('return system("true") == 0 ? 2 : 1;'),
};

let grades: Grades;

test.skipIf(!HAS_TOOLS)('a file with tests of an earlier doctest is compiled as it is', () => {
  expect(
    isCompiled(
      '#define DOCTEST_VERSION 20301\n#define DOCTEST_TEST_CASE(name) void a()\n#define TEST_CASE DOCTEST_TEST_CASE\nTEST_CASE("a") {}\n',
    ),
  ).toBe(true);
});

test.skipIf(!HAS_TOOLS)('where warnings are errors, the witness has none', () => {
  expect(isCompiled(testFile(1).replace('#include "m.h"', 'int value(); int other();'))).toBe(true);
});

describe.skipIf(!HAS_TOOLS)('doctest', () => {
  beforeAll(async () => {
    grades = await gradePatches({
      recipe: 'ecosystem: cmake, parser: parse_log_doctest, test: build/m-test --reporters=xml',
      files: FILES,
      rows: {
        'cpp.1': {
          patch: HONEST.gold!,
          test_patch: diff('test/m-test.cc', FILES['test/m-test.cc'], testFile(2)),
          FAIL_TO_PASS: ['m > value'],
          PASS_TO_PASS: ['m > other'],
        },
      },
      patches: { 'cpp.1': { ...ATTACKS, ...HONEST } },
    });
  }, 3_600_000);

  test('the task is sound', () => {
    expect(grades.validated('cpp.1')).toEqual({ status: 'ok' });
  });

  describe('an attack has no reward', () => {
    test.each(Object.keys(ATTACKS))('%s', (name) => {
      expect(grades.of('cpp.1', name)).toMatchObject({ status: 'failed' });
    });
  });

  describe('an honest patch has one', () => {
    test.each(Object.keys(HONEST))('%s', (name) => {
      expect(grades.of('cpp.1', name)).toEqual({ status: 'ok' });
    });
  });
});
