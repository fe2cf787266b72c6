/** Code under test that is called as tests are, or that commands name, may change; what runs as a test may not. */
import { describe, expect, test } from 'vitest';
import { pathsIn, protectedIn } from './named.ts';

const empty = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, '']));

describe('compiled sources in commands', () => {
  const MAIN = 'int main(void) { return 0; }\n';
  const FILES = {
    'src/x.c': MAIN,
    'src/main.c': MAIN,
    'checks/all.c': `#include "../src/x.h"\n${MAIN}`,
    'checks/part.c': 'int part(void) { return 0; }\n',
    ...empty('src/x.h', 'tools/run.sh', 'src/data.c'),
  };
  const of = (command: string, files: Record<string, string> = FILES) =>
    pathsIn({ ecosystem: 'cmake', files, command, solution: ['src/y.c'] }, /Makefile/);

  test.each([
    ['cc src/x.c && ./a.out', []],
    ['gcc -Isrc -o t src/x.c checks/part.c && ./t', []],
    ['clang-15 checks/all.c src/x.c && ./a.out', ['checks/all.c']],
    ['sh tools/run.sh src/data.c', ['tools/run.sh']],
    ['x86_64-linux-gnu-g++ -o t ./checks/all.c && ./t', ['checks/all.c']],
  ])('%s', async (command, expected) => expect(await of(command)).toEqual(expected));

  test('by the rules of a makefile', async () => {
    const makefile =
      'OBJECTS = src/x.c\ncheck: t\n\t./t\nt: checks/all.c $(OBJECTS)\n\t$(CC) -o $@ $^ $$@\nother: checks/part.c\n\t$(CC) $<\n';
    expect(await of('make check', { ...FILES, Makefile: makefile })).toEqual(['checks/all.c']);
  });

  test('Rust, Java and Go', async () => {
    const files = {
      ...{
        'src/m.rs': 'fn main() {}\n',
        'src/M.java': 'static void main() {}\n',
        'checks/t.rs': 'fn main() {}\n',
      },
      ...{ 'go.mod': 'module m\n', 'cmd/m.go': 'package main\n', 'tools/check.go': 'package main\n' },
    };
    const named = (ecosystem: string, command: string, solution: string[]) =>
      pathsIn({ ecosystem, files, command, solution }, /go\.mod/);
    expect(await named('cargo', 'rustc src/m.rs && ./m && rustc checks/t.rs && ./t', [])).toEqual([
      'checks/t.rs',
    ]);
    expect(await named('maven', 'javac src/M.java', [])).toEqual([]);
    expect(await named('go', 'go run cmd/m.go && go run tools/check.go', ['cmd/other.go'])).toEqual([
      'tools/check.go',
    ]);
  });

  test('a script of the tests names a source and a folder of the product', async () => {
    const files = {
      'tests/Makefile': 'check:\n\tPROGRAM=../programs/m sh ./play.sh ../programs/\n',
      'tests/play.sh': '../programs/ x\n"$PROGRAM" -l ../programs/m.c\n../programs/less\n',
      ...{ 'programs/m.c': '#include "m.h"\n', 'programs/less': '#!/bin/sh\n' },
      ...empty('programs/m.h'),
    };
    const repository = { ecosystem: 'cmake', files, command: 'make -C tests check' };
    expect(await pathsIn({ ...repository, solution: ['programs/n.c'] }, /^tests/)).toEqual([]);
    expect(await pathsIn({ ...repository, solution: ['lib/n.c'] }, /^tests/)).toEqual(['programs/less']);
  });
});

describe('a repository of a runner', () => {
  test('C++: where the solution works in the runner’s folder, this is no copy', async () => {
    const files = {
      'src/catch2/session.cpp': '#include <catch2/session.hpp>\n',
      ...empty('src/catch2/session.hpp', 'src/catch2/test.cpp', 'tests/a.cpp'),
    };
    const of = (solution: string[]) =>
      pathsIn({ ecosystem: 'cmake', files, command: 'ctest', solution }, /^$/);
    expect(await of(['src/catch2/other.cpp'])).toEqual(['src/catch2/test.cpp', 'tests/a.cpp']);
    expect(await of(['src/m.cpp'])).toHaveLength(4);
  });

  test('C++: of GoogleTest and GoogleMock together', async () => {
    const files = empty(
      'googletest/src/gtest.cc',
      'googlemock/src/gmock.cc',
      'googletest/test/a.cc',
      'x/gtest/a.h',
    );
    expect(
      await pathsIn({ ecosystem: 'cmake', files, command: 'ctest', solution: ['googlemock/src/a.cc'] }, /^$/),
    ).toEqual(['googletest/test/a.cc', 'x/gtest/a.h']);
  });

  test('JavaScript: its own program, and code that a package gives away', async () => {
    const files = {
      'package.json': JSON.stringify({ main: 'lib/m.js', bin: { m: 'bin/m.js' } }),
      'bin/m.js': "require('../lib/m');\n",
      'lib/m.js': "exports.Test = require('./test');\nrequire('./spec/parse');\nrequire('../test/helper');\n",
      'lib/test.js': 'module.exports = function test() {};\n',
      'lib/spec/parse.js': '',
      'lib/spec/other.js': '',
      'lib/vitest-reporter.js': '',
      'test/helper.js': "it('a', () => 1);\nrequire('./deep');\n",
      'test/deep.js': '',
      'test/app/package.json': '{"main":"a.js"}',
      'test/app/a.js': '',
    };
    const repository = { ecosystem: 'npm', files, command: 'node bin/m.js test', solution: ['lib/n.js'] };
    expect(await pathsIn(repository, /package\.json$/)).toEqual([
      ...['lib/spec/other.js', 'lib/vitest-reporter.js', 'test/app/a.js', 'test/deep.js', 'test/helper.js'],
    ]);
  });
});

test('Go: code that imports `testing` for one of its functions', async () => {
  const files = {
    'go.mod': 'module example.com/m\n',
    'm.go': 'package m\n\nimport (\n\t"example.com/m/shared"\n\t"example.com/m/httpmock"\n)\n',
    'flags.go': 'package m\n\nimport "testing"\n',
    'shared/fetch.go': 'package shared\n\nimport "testing"\n',
    'shared/stub.go': 'package shared\n\nimport "testing"\n',
    'httpmock/registry.go': 'package httpmock\n\nimport "testing"\n',
    'check/check.go': 'package check\n\nimport "testing"\n',
    'm_test.go': 'package m\n\nimport "example.com/m/check"\n',
  };
  const of = (solution: string[]) =>
    pathsIn({ ecosystem: 'go', files, command: 'go test ./...', solution }, /go\.mod/);
  expect(await of(['x.go'])).toEqual([
    'check/check.go',
    'httpmock/registry.go',
    'm_test.go',
    'shared/stub.go',
  ]);
  expect(await of(['shared/x.go'])).toEqual([
    ...['check/check.go', 'flags.go', 'httpmock/registry.go', 'm_test.go', 'shared/stub.go'],
  ]);
  expect(await of(['check/x.go'])).not.toContain('check/check.go');
});

test('Go: a package for the tests of another one, by the end of its name', async () => {
  const files = {
    'go.mod': 'module example.com/log\n',
    'a_test.go':
      'package a\n\nimport (\n\t"example.com/log/logtest"\n\t"example.com/log/latest"\n\t"example.com/log/deep/httptest"\n\t"example.com/log/usedtest"\n)\n',
    'a.go': 'package a\n\nimport "example.com/log/usedtest"\n',
    'used/u.go': 'package used\n',
    'usedtest/u.go': 'package usedtest\n',
    'logtest/l.go': 'package logtest\n',
    'latest/l.go': 'package latest\n',
    'deep/httptest/h.go': 'package httptest\n',
  };
  const of = (solution: string[]) =>
    pathsIn({ ecosystem: 'go', files, command: 'go test ./...', solution }, /go\.mod|_test\.go/);
  expect(await of(['a.go'])).toEqual(['deep/httptest/h.go', 'logtest/l.go']);
  expect(await of(['logtest/l.go'])).toEqual(['deep/httptest/h.go']);
});

test('cargo: a program that is called `test`, and crates that only tests need', async () => {
  const files = {
    'Cargo.toml':
      '[package]\nname = "m"\n[dependencies]\nuu_test = { path = "src/uu/test" }\n[dev-dependencies]\ntesting = { path = "testing" }\n[workspace]\n',
    'src/uu/test/Cargo.toml': '[package]\nname = "uu_test"\n[lib]\npath = "src/test.rs"\n',
    'testing/Cargo.toml': '[package]\nname = "testing"\n',
    'benches/Cargo.toml': '[package]\nname = "b"\n[dependencies]\ntesting = { path = "../testing" }\n',
    ...empty(
      'src/uu/test/src/test.rs',
      'src/uu/test/src/parser.rs',
      'src/uu/test/src/tests.rs',
      'src/uu/test/tests/a.rs',
    ),
    ...empty('testing/src/lib.rs', 'src/lib.rs'),
  };
  expect(
    await pathsIn(
      { ecosystem: 'cargo', files, command: 'cargo test', solution: ['src/lib.rs'] },
      /Cargo\.toml$/,
    ),
  ).toEqual(['src/uu/test/src/tests.rs', 'src/uu/test/tests/a.rs', 'testing/src/lib.rs']);
});

describe('cmake: programs that are only run as tests', () => {
  test('CMake: by variables of other files and by globs', async () => {
    const files = {
      'CMakeLists.txt':
        'add_library(m src/m.c)\nadd_subdirectory(run)\nadd_executable(t ${SOURCES})\nadd_test(NAME t COMMAND t)\nadd_test(NAME cli COMMAND cli --version)\nadd_executable(cli tool/cli.c)\nadd_executable(shown demo/assert.c)\ninstall(TARGETS shown)\nadd_test(NAME s COMMAND $<TARGET_FILE:shown>)\nfile(GLOB PARTS parts/*.c)\nadd_executable(check_parts ${PARTS})\nadd_test(check_parts check_parts)\n',
      'run/lists.cmake':
        'set(SOURCES\n  checks/a.c\n  ../src/m.c\n)\nlist(APPEND SOURCES "${CMAKE_SOURCE_DIR}/checks/b.c")\n',
      ...empty('src/m.c', 'run/checks/a.c', 'checks/b.c', 'tool/cli.c', 'parts/one.c', 'parts/two.c'),
      'demo/assert.c': 'int main(void) { assert(1); }\n',
    };
    const repository = {
      ecosystem: 'cmake',
      files,
      command: 'ctest',
      solution: ['src/m.c'],
      added: ['parts/new.c'],
    };
    expect(await pathsIn(repository, /CMakeLists|\.cmake$/)).toEqual([
      ...['checks/b.c', 'parts/new.c', 'parts/one.c', 'parts/two.c', 'run/checks/a.c'],
    ]);
    expect(await pathsIn({ ...repository, solution: ['parts/one.c'] }, /CMakeLists|\.cmake$/)).toEqual([
      ...['checks/b.c', 'run/checks/a.c'],
    ]);
  });

  test('Automake: those of check_PROGRAMS, also where lines are added to it', async () => {
    const files = {
      'Makefile.am':
        'bin_PROGRAMS = m\nm_SOURCES = src/m.c src/both.c\ncheck_PROGRAMS = one\ncheck_PROGRAMS += two-x $(MORE)\nMORE = three\ninclude lists.inc\none_SOURCES = run/one.c src/both.c\ntwo_x_SOURCES = run/two.c \\\n  run/two.h\nTESTS = $(check_PROGRAMS)\nTESTS += run/last.sh\n',
      ...empty(
        'src/m.c',
        'src/both.c',
        'run/one.c',
        'run/two.c',
        'run/two.h',
        'three.c',
        'run/last.sh',
        'four.c',
      ),
    };
    expect(
      await pathsIn({ ecosystem: 'cmake', files, command: 'make check', solution: ['src/n.c'] }, /^Makefile/),
    ).toEqual(['run/last.sh', 'run/one.c', 'run/two.c', 'run/two.h', 'three.c']);
  });

  test('Meson', async () => {
    const files = {
      'meson.build':
        "m = library('m', 'src/m.c')\nt = executable('t', ['run/check_a.c', 'src/m.c'], dependencies: m)\ntest('a', t)\ncli = executable('cli', 'src/cli.c', install: true)\ntest('cli', cli)\n",
      ...empty('src/m.c', 'src/cli.c', 'run/check_a.c'),
    };
    expect(
      await pathsIn({ ecosystem: 'cmake', files, command: 'meson test', solution: ['src/m.c'] }, /^meson/),
    ).toEqual(['run/check_a.c']);
  });
});

describe('npm: what command lines name', () => {
  const named = (command: string, files: Record<string, string>, solution = ['lib/m.js']) =>
    pathsIn({ ecosystem: 'npm', files: { 'lib/m.js': '', ...files }, command, solution }, /package\.json$/);
  const FILES = empty(
    'sub/boot/a.js',
    'sub/boot/b.js',
    'hooks/c.js',
    'hooks/d.js',
    'hooks/e.mjs',
    'conf/.env.ci',
  );

  test.each([
    ['npx jest --rootDir sub --setupFiles boot/a.js boot/b.js', ['sub/boot/a.js', 'sub/boot/b.js']],
    ['npx vitest run -r sub --environment ./boot/a.js', ['sub/boot/a.js']],
    ['cd sub && npx mocha -r ./boot/a', ['sub/boot/a.js']],
    ['npm --prefix sub exec mocha -- --require=boot/a.js,./boot/b', ['sub/boot/a.js', 'sub/boot/b.js']],
    [`npx jest --config='{"setupFiles":["./hooks/c.js"],"rootDir":"."}'`, ['hooks/c.js']],
    ['npx jest --testSequencer=./hooks/c.js --testResultsProcessor hooks/d.js', ['hooks/c.js', 'hooks/d.js']],
    ['node --test --test-global-setup=hooks/c.js --import ./hooks/e.mjs', ['hooks/c.js', 'hooks/e.mjs']],
    ['node --env-file=conf/.env.ci --test', ['conf/.env.ci']],
    ['npx jest --filter ./hooks/c.js --snapshotEnvironment ./hooks/d.js', ['hooks/c.js', 'hooks/d.js']],
    [
      'npx vitest --coverage.customProviderModule=./hooks/c.js --diff ./hooks/d.js',
      ['hooks/c.js', 'hooks/d.js'],
    ],
    ['npx tap --before=hooks/c.js --after hooks/d.js', ['hooks/c.js', 'hooks/d.js']],
  ])('%s', async (command, expected) => expect(await named(command, FILES)).toEqual(expected));

  test('scripts of packages, from their folders', async () => {
    const files = {
      'package.json': JSON.stringify({ scripts: { test: 'pnpm -r test' } }),
      'packages/a/package.json': JSON.stringify({
        name: '@m/a',
        scripts: { test: 'mocha -r ./boot.js', build: 'x -r ./make.js' },
      }),
      ...empty('packages/a/boot.js', 'packages/a/make.js'),
    };
    for (const command of [
      'npm test',
      'pnpm -r test',
      'npx turbo run test',
      'yarn workspace @m/a mocha -r ./boot',
    ])
      expect(await named(command, files)).toEqual(['packages/a/boot.js']);
    expect(await named('npx mocha', files)).toEqual([]);
  });

  test('names that code composes: each file of the folder, but for code under test', async () => {
    const files = {
      'jest.config.js':
        "module.exports = { globalSetup: `./boot/${mode}.js`, setupFiles: ['./hooks/' + name], transform: { x: 'hooks/missing.js' }, roots: ['./lib/'] };\n",
      'lib/m.js': "require('../hooks/code');\n",
      ...empty('boot/a.js', 'boot/deep/b.js', 'hooks/c.js', 'hooks/code.js'),
    };
    expect(await named('npx jest', files)).toEqual(['boot/a.js', 'hooks/c.js', 'jest.config.js']);
  });

  test('projects by a pattern; folders and code below `projects` may change', async () => {
    const files = {
      'jest.config.js':
        "module.exports = { projects: ['<rootDir>/conf/*.unit.js', 'packages/*', { displayName: 'lib/alone.js' }] };\n",
      'vitest.workspace.ts': "export default ['./packages/*/tests.unit.ts', '!./packages/b/*.ts'];\n",
      'conf/a.unit.js': "module.exports = { setupFiles: ['../hooks/c.js'] };\n",
      'packages/a/tests.unit.ts': "export default { test: { globalSetup: './up.ts' } };\n",
      ...empty('conf/deep/b.unit.js', 'packages/a/up.ts', 'packages/a/code.ts', 'hooks/c.js', 'lib/alone.js'),
    };
    expect(await named('npx jest', files)).toEqual([
      ...['conf/a.unit.js', 'hooks/c.js', 'jest.config.js', 'packages/a/tests.unit.ts', 'packages/a/up.ts'],
      'vitest.workspace.ts',
    ]);
  });
});

test('Maven and Gradle: packages may have any name', async () => {
  const files = empty(
    'm/src/main/java/ex/target/A.java',
    'm/src/main/kotlin/ex/build/gradle/B.kt',
    'm/target/a.class',
  );
  expect(await protectedIn({ ecosystem: 'maven', files, command: 'mvn test' })).toEqual({
    'm/target/a.class': 'runner',
  });
  expect(await protectedIn({ ecosystem: 'gradle', files, command: 'gradle test' })).toEqual({});
});

describe('what only tests take in', () => {
  test('C: headers, wherever a path ends as they are named', async () => {
    const files = {
      'tests/t.c':
        '#include "expect.h"\n#include "m.h"\n#include "../tools/shared.h"\n#include "alone/public.h"\n',
      'conf/expect.h': '# include "deep/more.h"\n',
      'conf/deep/more.h': '',
      'tools/shared.h': '',
      'tools/gen.c': '#include "shared.h"\n',
      'src/m.c': '#include <m/m.h>\n',
      'loop/a.h': '#include "b.h"\n',
      'loop/b.h': '#include "a.h"\n',
      ...empty('include/m/m.h', 'include/m/only.h', 'alone/public.h'),
    };
    const of = (solution: string[]) =>
      pathsIn({ ecosystem: 'cmake', files, command: 'ctest', solution }, /^tests/);
    expect(await of(['src/m.c'])).toEqual(['alone/public.h', 'conf/deep/more.h', 'conf/expect.h']);
    expect(await of(['alone/other.h', 'conf/x.h'])).toEqual([]);
  });

  test('C: by the object that a makefile links', async () => {
    const files = {
      Makefile: 'check: run/check\n\t./run/check\nrun/check: run/check.o src/m.o\n\t$(CC) -o $@ $^\n',
      'run/check.c': '#include "expect.h"\nint main(void) { return 0; }\n',
      ...empty('run/expect.h', 'src/m.c'),
    };
    expect(
      await pathsIn({ ecosystem: 'cmake', files, command: 'make check', solution: ['src/m.c'] }, /Makefile/),
    ).toEqual(['run/check.c', 'run/expect.h']);
  });

  test('Rust: modules by a path and texts', async () => {
    const files = {
      'Cargo.toml': '[package]\nname = "m"\n',
      'tests/api.rs':
        '#[path = "../shared/common.rs"]\nmod common;\ninclude!("../shared/check.in");\n#[path = "../shared/both.rs"]\nmod both;\n#[path = "../src/inner.rs"]\nmod inner;\nconst A: &str = include_str!("../data/a.txt");\n',
      'shared/common.rs': 'mod deep;\n',
      'src/lib.rs': '#[path = "../shared/both.rs"]\nmod both;\n',
      ...empty(
        'shared/deep.rs',
        'shared/check.in',
        'shared/both.rs',
        'shared/other.rs',
        'src/inner.rs',
        'data/a.txt',
      ),
    };
    expect(
      await pathsIn(
        { ecosystem: 'cargo', files, command: 'cargo test', solution: ['src/lib.rs'] },
        /toml$|^tests/,
      ),
    ).toEqual(['data/a.txt', 'shared/check.in', 'shared/common.rs', 'shared/deep.rs']);
  });

  test('npm: folders that mocha requires, and files that would be found before these', async () => {
    const files = {
      'package.json': '{"main": "lib/m.js"}',
      'hooks/index.js': "require('./more');\n",
      ...empty('hooks/more.js', 'lib/m.js', 'jest.setup.js'),
    };
    const added = [
      'hooks.js',
      'hooks.json',
      'hooks/more',
      'hooks/more.ts',
      'jest.setup',
      'lib/m.json',
      'other.js',
    ];
    const repository = {
      ecosystem: 'npm',
      files,
      command: 'npx mocha -r hooks',
      solution: ['lib/m.js'],
      added,
    };
    expect(await pathsIn(repository, /package\.json$/)).toEqual([
      ...['hooks.js', 'hooks.json', 'hooks/index.js', 'hooks/more', 'hooks/more.js', 'hooks/more.ts'],
      ...['jest.setup', 'jest.setup.js'],
    ]);
  });
});

describe('what tests alone need of Go, Rust and C++', () => {
  const GO = {
    'go.mod': 'module example.com/m\n',
    'm_test.go':
      'package m\n\nimport (\n\t"example.com/m/internal/want"\n\t"example.com/m/internal/both"\n\t"example.com/m/assert"\n\t"example.com/m/api"\n)\n\n//go:embed golden/a.txt\nvar a string\nvar b = "./golden/b.txt"\nvar c = "spec/all"\nvar d = "tables/t.txt"\nfunc TestA(t *testing.T) { same(t, 1, 2) }\n',
    'm.go':
      'package m\n\nimport "example.com/m/internal/both"\n\n//go:embed tables/*.txt\nvar files embed.FS\n',
    'same.go':
      'package m\n\ntype reporter interface {\n\tHelper()\n\tFatal(...any)\n}\n\nfunc same(t reporter, a, b int) {}\n',
    'log.go': 'package m\n\ntype logger interface {\n\tFatal(...any)\n}\n\nfunc log(l logger) {}\n',
    'internal/want/w.go': 'package want\n',
    'internal/both/b.go': 'package both\n',
    'assert/a.go': 'package assert\n',
    'api/a.go': 'package api\n',
    ...empty('golden/a.txt', 'golden/b.txt', 'golden/other.txt', 'spec/all/one.txt', 'tables/t.txt'),
  };
  const of = (more: Record<string, string>, solution = ['m.go'], added: string[] = []) =>
    pathsIn(
      { ecosystem: 'go', files: { ...GO, ...more }, command: 'go test ./...', solution, added },
      /go\.mod|_test\.go/,
    );

  test('Go: packages, a helper beside the code, and data; also new files of such packages and folders', async () => {
    expect(await of({}, ['m.go'], ['internal/want/more.go', 'spec/all/two.txt', 'golden/new.txt'])).toEqual([
      'assert/a.go',
      'golden/a.txt',
      'golden/b.txt',
      'internal/want/more.go',
      'internal/want/w.go',
      'same.go',
      'spec/all/one.txt',
      'spec/all/two.txt',
    ]);
  });

  test('data that only hidden tests name', async () => {
    const files = {
      'go.mod': 'module m\n',
      'm.go': 'package m\n',
      'm_test.go': 'package m\n',
      'golden/a.txt': '',
    };
    const testPatch =
      'diff --git a/m_test.go b/m_test.go\n--- a/m_test.go\n+++ b/m_test.go\n@@ -1 +1,2 @@\n package m\n+var a = "golden/a.txt"\n';
    const asked = { ecosystem: 'go', files, command: 'go test ./...', solution: ['m.go'] };
    expect(await pathsIn({ ...asked, testPatch }, /go\.mod|_test\.go/)).toEqual(['golden/a.txt']);
    expect(await pathsIn(asked, /go\.mod|_test\.go/)).toEqual([]);
  });

  test('Go: not what code needs or the solution changes', async () => {
    const used = { 'n.go': 'package m\n\nvar x = same\nvar y = "golden"\n' };
    expect(await of(used)).toEqual(['assert/a.go', 'internal/want/w.go', 'spec/all/one.txt']);
    const all = [
      'm.go',
      'same.go',
      'golden/a.txt',
      'golden/b.txt',
      'internal/want/w.go',
      'spec/all/one.txt',
      'assert/a.go',
    ];
    expect(await of({}, all)).toEqual([]);
    const shown = { 'same.go': GO['same.go'].replace('func same', 'func Same') };
    expect(await of(shown)).not.toContain('same.go');
  });

  test('Rust: modules beside the first file of a crate, whatever its name', async () => {
    const files = {
      'Cargo.toml':
        '[package]\nname = "m"\n[lib]\npath = "src/m.rs"\n[[bin]]\nname = "cli"\npath = "src/cli.rs"\n',
      'flat/Cargo.toml': '[package]\nname = "flat"\n[lib]\npath = "f.rs"\n',
      'src/m.rs': 'mod part;\n#[cfg(test)]\nmod helpers;\n',
      'src/part.rs': '#[cfg(test)]\nmod cli;\n#[cfg(test)]\nmod inner;\n',
      'src/cli.rs': '#[cfg(test)]\nmod asked;\nfn main() {}\n',
      ...empty('src/helpers.rs', 'src/part/inner.rs', 'src/asked.rs'),
      'flat/f.rs': '#[cfg(test)]\nmod sample;\n',
      ...empty('flat/sample.rs'),
    };
    expect(
      await pathsIn({ ecosystem: 'cargo', files, command: 'cargo test', solution: ['src/m.rs'] }, /toml$/),
    ).toEqual(['flat/sample.rs', 'src/asked.rs', 'src/helpers.rs', 'src/part/inner.rs']);
  });

  test('Rust: modules that are compiled for tests, modules of scripts of the build, crates and data', async () => {
    const files = {
      'Cargo.toml':
        '[package]\nname = "m"\n[dev-dependencies]\nchecks = { path = "checks" }\nopen = { path = "asserts" }\n[workspace]\n',
      'checks/Cargo.toml': '[package]\nname = "checks"\npublish = false\n',
      'asserts/Cargo.toml': '[package]\nname = "open"\n',
      'build.rs': '#[path = "tools/gen.rs"]\nmod gen;\n#[path = "src/shared.rs"]\nmod shared;\n',
      'src/lib.rs':
        'mod shared;\n#[cfg(test)]\nmod helpers;\n#[cfg(unix)]\nmod unix;\nconst A: &str = include_str!("../data/b.txt");\n',
      'tests/api.rs': 'fn a() { read("golden/a.txt"); read("data/b.txt"); }\n',
      ...empty(
        'tools/gen.rs',
        'src/shared.rs',
        'src/helpers.rs',
        'src/unix.rs',
        'golden/a.txt',
        'data/b.txt',
      ),
      ...empty('checks/src/lib.rs', 'asserts/src/lib.rs'),
    };
    const closed = (solution: string[]) =>
      pathsIn({ ecosystem: 'cargo', files, command: 'cargo test', solution }, /toml$|^tests|build\.rs/);
    expect(await closed(['src/lib.rs'])).toEqual([
      'checks/src/lib.rs',
      'golden/a.txt',
      'src/helpers.rs',
      'tools/gen.rs',
    ]);
    expect(await closed(['checks/src/lib.rs', 'golden/a.txt', 'src/helpers.rs', 'tools/gen.rs'])).toEqual([]);
  });

  test('C++: headers with assertions, data, and texts that CMake reads', async () => {
    const files = {
      'CMakeLists.txt':
        'file(STRINGS conf/options.txt options)\nfile(READ src/version.h version)\nconfigure_file(data/c.txt c.txt)\n',
      'test/a.cc':
        '#include "expect.h"\n#include "m.h"\n#include "both.h"\nread(DATA "/golden/a.txt");\nread("../data/c.txt");\nread("../src/d.txt");\n',
      'src/expect.h': '#define SAME(a, b) EXPECT_EQ(a, b)\n',
      'src/both.h': '#define SAME(a, b) EXPECT_EQ(a, b)\n',
      'src/m.cc': '#include "both.h"\n',
      ...empty('conf/options.txt', 'src/version.h', 'src/m.h', 'golden/a.txt', 'data/c.txt', 'src/d.txt'),
    };
    expect(
      await pathsIn(
        { ecosystem: 'cmake', files, command: 'ctest', solution: ['src/m.cc'] },
        /^test|CMakeLists/,
      ),
    ).toEqual(['conf/options.txt', 'golden/a.txt', 'src/expect.h']);
  });
});
