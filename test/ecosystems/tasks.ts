/**
 * A small repository with one task for each language, and how one who speaks it works there. What this machine lacks is left out, with the
 * reason. LANGUAGES: names of ecosystems that alone are tried.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cmakeLists, JUNIT_4_13, pom } from './build-files.ts';

export interface Task {
  /** Without braces, what its recipe says everywhere, and in containers beside that. */
  recipe: string;
  debian?: string;
  /** Why it cannot be tried on this machine, and why not in containers; null: it can. */
  lack: string | null;
  files: Record<string, string>;
  /** The file that is mended, and the words in it before and after. */
  file: string;
  wrong: string;
  right: string;
  /** The file of tests and what the test patch makes of it. */
  tests: string;
  tested: string;
  failing: string;
  passing: string;
  /** How one of the language runs its tests, and what that prints once they pass. */
  run: string;
  says: RegExp;
}

/** The version that a program of this machine says; null: it is not there. */
function versionOf(program: string, ...options: string[]): string | null {
  try {
    const said = execFileSync(program, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return /\d+\.\d+\.\d+/.exec(said)?.[0] ?? null;
  } catch {
    return null;
  }
}

const RUST = versionOf('rustc', '--version');
const JDK = versionOf('javac', '-version');
const HAS_CPP = ['/usr/bin/cmake', '/usr/bin/c++', '/usr/include/gtest/gtest.h'].every((path) =>
  existsSync(path),
);

const goTests = (value: number) =>
  `package m\n\nimport "testing"\n\nfunc TestValue(t *testing.T) {\n\tif Value() != ${value} {\n\t\tt.Fatal(Value())\n\t}\n}\n\nfunc TestOther(t *testing.T) {\n\tif Other() != 3 {\n\t\tt.Fatal(Other())\n\t}\n}\n`;
const nodeTests = (value: number) =>
  `const assert = require('assert');\nconst m = require('../m');\nit('value is right', () => assert.strictEqual(m.value(), ${value}));\nit('other is right', () => assert.strictEqual(m.other(), 3));\n`;
const rustTests = (value: number) =>
  `#[test]\nfn value() {\n    assert_eq!(m::value(), ${value})\n}\n\n#[test]\nfn other() {\n    assert_eq!(m::other(), 3)\n}\n`;
const javaTests = (value: number) =>
  `package ex;\n\nimport org.junit.*;\n\npublic class MTest {\n  @Test public void value() { Assert.assertEquals(${value}, M.value()); }\n  @Test public void other() { Assert.assertEquals(3, M.other()); }\n}\n`;
const cppTests = (value: number) =>
  `#include <gtest/gtest.h>\n#include "m.h"\nTEST(M, Value) { EXPECT_EQ(value(), ${value}); }\nTEST(M, Other) { EXPECT_EQ(other(), 3); }\n`;

export const TASKS: Record<string, Task> = {
  go: {
    recipe: 'ecosystem: go, toolchain: { go: "1.23.8" }',
    lack: null,
    files: {
      'go.mod': 'module example.com/m\n\ngo 1.21\n',
      'm.go':
        'package m\n\n// Value is one.\nfunc Value() int { return 1 }\n\n// Other is three.\nfunc Other() int { return 3 }\n',
      'm_test.go': goTests(1),
    },
    ...{ file: 'm.go', wrong: 'return 1', right: 'return 2', tests: 'm_test.go', tested: goTests(2) },
    ...{ failing: 'example.com/m::TestValue', passing: 'example.com/m::TestOther' },
    run: 'go vet ./... && go test -run Other -v ./...',
    says: /^ok\s+example\.com\/m\b/m,
  },
  npm: {
    recipe: 'ecosystem: npm, toolchain: { node: "20.19.0" }',
    lack: null,
    files: {
      'package.json': `${JSON.stringify({ name: 'm', version: '1.0.0', main: 'm.js', scripts: { test: 'mocha' }, devDependencies: { mocha: '10.8.2' } }, null, 2)}\n`,
      'm.js': 'exports.value = () => 1;\nexports.other = () => 3;\n',
      'test/m.js': nodeTests(1),
    },
    ...{ file: 'm.js', wrong: 'value = () => 1', right: 'value = () => 2' },
    ...{ tests: 'test/m.js', tested: nodeTests(2), failing: 'value is right', passing: 'other is right' },
    run: 'npm test -- --grep other',
    says: /1 passing/,
  },
  cargo: {
    recipe: `ecosystem: cargo, toolchain: { rust: "${RUST}" }`,
    debian: 'system: [gcc, libc6-dev]',
    lack: RUST === null ? 'there is no rustc' : null,
    files: {
      'Cargo.toml': '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': 'pub fn value() -> i32 {\n    1\n}\n\npub fn other() -> i32 {\n    3\n}\n',
      'tests/api.rs': rustTests(1),
    },
    ...{ file: 'src/lib.rs', wrong: '    1', right: '    2', tests: 'tests/api.rs', tested: rustTests(2) },
    ...{ failing: 'api::tests/api::value', passing: 'api::tests/api::other' },
    run: 'cargo test other',
    says: /test other \.\.\. ok/,
  },
  maven: {
    recipe: `ecosystem: maven, toolchain: { jdk: "${JDK}" }`,
    lack: JDK === null ? 'there is no javac' : null,
    files: {
      'pom.xml': pom('m', JUNIT_4_13),
      'src/main/java/ex/M.java':
        'package ex;\n\npublic class M {\n  public static int value() { return 1; }\n  public static int other() { return 3; }\n}\n',
      'src/test/java/ex/MTest.java': javaTests(1),
    },
    ...{ file: 'src/main/java/ex/M.java', wrong: 'return 1', right: 'return 2' },
    ...{ tests: 'src/test/java/ex/MTest.java', tested: javaTests(2) },
    ...{ failing: 'ex.MTest#value', passing: 'ex.MTest#other' },
    run: 'mvn test -Dtest=MTest#other',
    says: /Tests run: 1, Failures: 0/,
  },
  cmake: {
    recipe: 'ecosystem: cmake',
    debian: 'system: [cmake, g++, libgtest-dev, make]',
    lack: HAS_CPP ? null : 'there is no CMake, compiler or GoogleTest',
    files: {
      'CMakeLists.txt': cmakeLists('src/m.cc'),
      'src/m.h': '#pragma once\nint value();\nint other();\n',
      'src/m.cc': '#include "m.h"\nint value() { return 1; }\nint other() { return 3; }\n',
      'test/m-test.cc': cppTests(1),
    },
    ...{ file: 'src/m.cc', wrong: 'return 1', right: 'return 2' },
    ...{ tests: 'test/m-test.cc', tested: cppTests(2) },
    ...{ failing: 'm-test::M.Value', passing: 'm-test::M.Other' },
    run: 'cmake -S . -B build && cmake --build build && GTEST_FILTER=M.Other ctest --test-dir build -V',
    says: /100% tests passed/,
  },
};

export const TRIED = Object.entries(TASKS).filter(([name, { lack }]) => {
  if (lack !== null) process.stdout.write(`skipped: ${name}: ${lack}\n`);
  return lack === null && (process.env.LANGUAGES?.split(',').includes(name) ?? true);
});
