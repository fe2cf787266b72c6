/** Files that settings outside of JavaScript make part of the tests: they are protected, and code under test is not. */
import { describe, expect, test } from 'vitest';
import { pathsIn, protectedIn } from './named.ts';

const empty = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, '']));

describe('cargo', () => {
  const FILES = {
    'Cargo.toml': [
      '[package]\nname = "m"\nbuild = "build/main.rs"\n[lib]\npath = "code/lib.rs"',
      '[[test]]\nname = "all"\npath = "checks/all.rs"\nharness = false\n[[test]]\nname = "in"\npath = "src/own_main.rs"',
      '[[test]]\nname = "lib"\npath = "code/lib.rs"\n[[bench]]\nname = "b"\npath = "speed/b.rs"',
      '[dependencies]\nparts = { path = "parts" }\n[dev-dependencies]\ntest-kit = { path = "test-kit" }\nmock-api = { path = "mock-api" }\nown-tests = { path = "own-tests" }\ntest-parts = { path = "test-parts" }',
      '[workspace]\nmembers = ["parts"]',
    ].join('\n'),
    'checks/all.rs': 'mod helper;\nmod deep;\nfn main() {}\n',
    'src/own_main.rs': 'mod half;\nfn main() {}\n',
    'test-kit/Cargo.toml': '[package]\nname = "test-kit"\npublish = false\n',
    'mock-api/Cargo.toml': '[package]\nname = "mock-api"\n',
    'own-tests/Cargo.toml': '[package]\nname = "own-tests"\npublish = false\n',
    'test-parts/Cargo.toml': '[package]\nname = "test-parts"\npublish = false\n',
    'parts/Cargo.toml':
      '[package]\nname = "parts"\npublish = false\n[build-dependencies]\ntest-parts = { path = "../test-parts" }\n',
    '.cargo/config.toml': '[target.x86_64]\nrunner = "scripts/run.sh -v"\n[env]\nDATA = "data/all.txt"\n',
    '.config/nextest.toml': '[scripts.setup.db]\ncommand = ["./scripts/up.sh", "x"]\n',
    ...empty(
      'build/main.rs',
      'build/other.rs',
      'code/lib.rs',
      'speed/b.rs',
      'checks/helper.rs',
      'checks/deep/mod.rs',
    ),
    ...empty(
      'src/half.rs',
      'test-kit/src/lib.rs',
      'mock-api/src/lib.rs',
      'own-tests/src/lib.rs',
      'parts/src/lib.rs',
    ),
    ...empty('test-parts/src/lib.rs', 'scripts/run.sh', 'scripts/up.sh', 'scripts/other.sh', 'data/all.txt'),
  };
  const repository = {
    ecosystem: 'cargo',
    files: FILES,
    command: 'cargo test',
    solution: ['own-tests/src/lib.rs'],
  };

  test('targets by their paths, scripts of the build, programs of settings and crates that only tests use', async () => {
    expect(await pathsIn(repository, /Cargo\.toml$|^\.c/)).toEqual([
      ...['build/main.rs', 'checks/all.rs', 'checks/deep/mod.rs', 'checks/helper.rs'],
      ...['scripts/run.sh', 'scripts/up.sh', 'speed/b.rs', 'src/own_main.rs', 'test-kit/src/lib.rs'],
    ]);
  });

  test('a file that a patch adds to such a crate, and a manifest that is none', async () => {
    expect(await protectedIn({ ...repository, added: ['test-kit/src/new.rs'] })).toMatchObject({
      'test-kit/src/new.rs': 'test',
    });
    const broken = { ...FILES, 'Cargo.toml': '[[[' };
    expect(await pathsIn({ ...repository, files: broken }, /Cargo\.toml$|^\.c|^scripts/)).toEqual([]);
  });

  test('the crate of tasks is protected where the command starts it', async () => {
    const files = { 'xtask/Cargo.toml': '[package]\n', ...empty('xtask/src/main.rs') };
    const of = (command: string) => pathsIn({ ecosystem: 'cargo', files, command }, /Cargo\.toml$/);
    expect(await of('cargo xtask test')).toEqual(['xtask/src/main.rs']);
    expect(await of('cargo test')).toEqual([]);
  });
});

describe('go', () => {
  const FILES = {
    'go.mod': 'module example.com/m\n',
    'm.go': 'package m\n\nimport "example.com/m/internal/half"\n',
    'm_test.go':
      'package m\n\nimport (\n\t"testing"\n\n\t"example.com/m/internal/testutil"\n\t. "example.com/m/mocks"\n\t"example.com/m/internal/half"\n\t"example.com/m/latest"\n)\n',
    'internal/testutil/equal.go': 'package testutil\n\nimport "example.com/m/internal/testutil/deep"\n',
    'internal/testutil/deep/d.go': 'package d\n',
    'internal/half/half.go': 'package half\n',
    'latest/l.go': 'package latest\n',
    'mocks/api.go': 'package mocks\n',
    'cmd/tool/main.go': 'package main\n\nimport "example.com/m/mocks"\n',
    ...empty('overlay.json', 'scripts/run'),
  };
  const repository = { ecosystem: 'go', files: FILES, command: 'go test ./...' };

  test('packages that are called so and that only tests import', async () => {
    expect(await pathsIn(repository, /go\.mod|_test\.go/)).toEqual(['internal/testutil/equal.go']);
    const solved = { ...repository, solution: ['internal/testutil/other.go'] };
    expect(await pathsIn(solved, /go\.mod|_test\.go/)).toEqual([]);
  });

  test('files of options', async () => {
    const command = 'go test -overlay=overlay.json -exec scripts/run ./...';
    expect(await pathsIn({ ...repository, command }, /go\.mod|_test\.go|testutil/)).toEqual([
      'overlay.json',
      'scripts/run',
    ]);
  });
});

describe('Java', () => {
  test('Maven: files and listeners of Surefire, and folders of tests', async () => {
    const pom = `<project><build>
      <testSourceDirectory>\${project.basedir}/checks/java</testSourceDirectory>
      <testResources><testResource><directory>checks/data</directory></testResource></testResources>
      <plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>
        <suiteXmlFiles><suiteXmlFile>conf/suite.xml</suiteXmlFile></suiteXmlFiles>
        <systemPropertiesFile>conf/system.properties</systemPropertiesFile>
        <!-- <includesFile>conf/other.txt</includesFile> -->
        <argLine>-Xmx1g -javaagent:\${basedir}/conf/agent.jar</argLine>
        <properties><property><name>listener</name><value>ex.Listens</value></property></properties>
      </configuration></plugin>
      <plugin><executions><execution><goals><goal>add-test-source</goal></goals><configuration><sources><source>more/java</source></sources></configuration></execution></executions></plugin>
      </plugins></build></project>`;
    const files = {
      ...{ 'pom.xml': pom, 'conf/suite.xml': '', 'conf/system.properties': '', 'conf/agent.jar': '' },
      ...empty(
        'conf/other.txt',
        'src/main/java/ex/Listens.java',
        'src/main/java/ex/M.java',
        'checks/java/ex/MTest.java',
      ),
      ...empty(
        'checks/data/a.json',
        'more/java/ex/More.java',
        'src/integration-test/java/A.java',
        'src/latest/A.java',
      ),
    };
    expect(
      await pathsIn(
        { ecosystem: 'maven', files, command: 'mvn test', solution: ['src/main/java/ex/M.java'] },
        /pom\.xml/,
      ),
    ).toEqual([
      ...[
        'checks/data/a.json',
        'checks/java/ex/MTest.java',
        'conf/agent.jar',
        'conf/suite.xml',
        'conf/system.properties',
      ],
      ...['more/java/ex/More.java', 'src/integration-test/java/A.java', 'src/main/java/ex/Listens.java'],
    ]);
  });

  test('Gradle: folders of tests, and what starts them', async () => {
    const text =
      "sourceSets {\n  main { java { srcDirs = ['code'] } }\n  test { java { srcDirs = ['checks', 'src/main/java'] } resources { srcDir 'check-data' } }\n}\ntest { useTestNG { suites 'conf/suite.xml' }\n jvmArgs \"-javaagent:$projectDir/conf/agent.jar\" }\nprocessResources { from 'conf/own.xml' }\n";
    const files = {
      'build.gradle': text,
      ...empty(
        'code/M.java',
        'checks/MTest.java',
        'check-data/a.txt',
        'conf/suite.xml',
        'conf/agent.jar',
        'conf/own.xml',
      ),
      ...empty('src/main/java/M.java', 'src/jvmTest/kotlin/M.kt'),
    };
    expect(await pathsIn({ ecosystem: 'gradle', files, command: './gradlew test' }, /\.gradle/)).toEqual([
      ...[
        'check-data/a.txt',
        'checks/MTest.java',
        'conf/agent.jar',
        'conf/suite.xml',
        'src/jvmTest/kotlin/M.kt',
      ],
    ]);
  });
});

describe('cmake', () => {
  test('scripts that are run as tests, and what they name; programs of the product may change', async () => {
    const files = {
      'CMakeLists.txt':
        'enable_testing()\nadd_executable(m src/m.c)\nadd_test(NAME a COMMAND ${Python3_EXECUTABLE} "${CMAKE_CURRENT_SOURCE_DIR}/run.py" $<TARGET_FILE:m> ${CMAKE_SOURCE_DIR}/src/m.c)\n# add_test(NAME b COMMAND scripts/old.sh)\nadd_custom_target(check COMMAND sh ${PROJECT_SOURCE_DIR}/scripts/all DEPENDS m)\nadd_custom_target(generate COMMAND sh scripts/generate.sh)\nadd_test(NAME c COMMAND tool/cli.py)\n',
      'run.py': "import common\nsubprocess.run(['scripts/common.sh'])\n",
      'scripts/all': '#!/bin/sh\n. "$(dirname "$0")/beside.sh"\n',
      ...empty(
        'src/m.c',
        'scripts/common.sh',
        'scripts/beside.sh',
        'scripts/old.sh',
        'scripts/generate.sh',
        'tool/cli.py',
        'tool/part.py',
      ),
    };
    const repository = {
      ecosystem: 'cmake',
      files,
      command: 'ctest --test-dir build -V',
      solution: ['src/m.c', 'tool/part.py'],
    };
    expect(await pathsIn(repository, /CMakeLists/)).toEqual([
      'run.py',
      'scripts/all',
      'scripts/beside.sh',
      'scripts/common.sh',
    ]);
  });

  test('Automake and Meson', async () => {
    const files = {
      'Makefile.am':
        'bin_PROGRAMS = m\nm_SOURCES = src/m.c\nTESTS = checks/one \\\n  checks/two.sh\nAM_TESTS_ENVIRONMENT = . $(srcdir)/checks/env.sh;\n',
      'meson.build': "test('a', find_program('checks/meson.py'))\n",
      'checks/one': '#!/bin/sh\n',
      ...empty(
        'checks/two.sh',
        'checks/env.sh',
        'checks/meson.py',
        'checks/other.sh',
        'src/m.c',
        'configure.ac',
        'm4/a.m4',
      ),
    };
    expect(await pathsIn({ ecosystem: 'cmake', files, command: 'make check' }, /^$/)).toEqual([
      ...[
        'Makefile.am',
        'checks/env.sh',
        'checks/meson.py',
        'checks/one',
        'checks/two.sh',
        'configure.ac',
        'meson.build',
      ],
    ]);
  });

  test('code that compares for the tests by their runner', async () => {
    const files = {
      'checks/compare.h': '#pragma once\n#include <gtest/gtest.h>\n',
      'checks/all.cc': '#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include "doctest.h"\n',
      'src/m.h': '#include <gtest/gtest_prod.h>\n',
      'src/n.cc': '#include "doctest/doctest.h"\n',
    };
    expect(await protectedIn({ ecosystem: 'cmake', files, command: 'ctest', added: ['src/new.h'] })).toEqual({
      'checks/compare.h': 'support',
      'checks/all.cc': 'support',
    });
  });
});

describe('other forms', () => {
  test('cargo: modules by a path, aliases, and crates that are published nowhere', async () => {
    const files = {
      'Cargo.toml':
        '[workspace]\nmembers = ["*"]\n[workspace.package]\npublish = false\n[package]\nname = "m"\n[[test]]\nname = "a"\npath = "checks/a.rs"\n[dev-dependencies]\ntest-kit = { path = "test-kit" }\ntest-data = { path = "test-data" }\n',
      'checks/a.rs': '#[path = "../parts/b.rs"]\nmod c;\n',
      'test-kit/Cargo.toml': '[package]\nname = "test-kit"\npublish = []\n',
      'test-data/Cargo.toml': '[package]\nname = "test-data"\npublish.workspace = true\n',
      '.cargo/config.toml': '[alias]\nt = "run -p tester --"\n',
      'run/Cargo.toml': '[package]\nname = "tester"\n',
      ...empty('parts/b.rs', 'test-kit/src/lib.rs', 'test-data/src/lib.rs', 'run/src/main.rs'),
    };
    const of = (command: string) =>
      pathsIn({ ecosystem: 'cargo', files, command }, /Cargo\.toml$|^\.c|^test-/);
    expect(await of('cargo t')).toEqual(['checks/a.rs', 'parts/b.rs', 'run/src/main.rs']);
    expect(await of('cargo test')).toEqual(['checks/a.rs', 'parts/b.rs']);
    expect(await protectedIn({ ecosystem: 'cargo', files, command: 'cargo test' })).toMatchObject({
      'test-kit/src/lib.rs': 'test',
      'test-data/src/lib.rs': 'test',
    });
  });

  test('Go: imports in backquotes and beside comments, and a program behind a shell', async () => {
    const files = {
      'go.mod': 'module example.com/m\n',
      'm_test.go':
        '// of src/*.go\npackage m\n\nimport (\n\t"testing" // (as ever)\n\t/* more) */\n\t`example.com/m/testutil`\n)\n',
      'testutil/a.go': 'package testutil\n',
      ...empty('tools/run.sh'),
    };
    const command = "go test -exec 'sh tools/run.sh' ./...";
    expect(await pathsIn({ ecosystem: 'go', files, command }, /go\.mod|_test\.go/)).toEqual([
      'testutil/a.go',
      'tools/run.sh',
    ]);
  });

  test('Maven: resources in any order; a module and its code are no folder of tests', async () => {
    const files = {
      'core/pom.xml':
        '<testResource><filtering>true</filtering><directory>data</directory></testResource><testResource><directory>.</directory></testResource><testResource><directory>src</directory></testResource><argLine>-Dconf=src/main/resources/app.conf</argLine><jvm>${basedir}/run/java</jvm>',
      ...empty(
        'core/src/main/java/M.java',
        'core/src/main/resources/app.conf',
        'core/data/a.txt',
        'core/run/java',
      ),
    };
    expect(await pathsIn({ ecosystem: 'maven', files, command: 'mvn test' }, /pom\.xml/)).toEqual([
      'core/data/a.txt',
      'core/run/java',
    ]);
  });

  test('Gradle: folders over several lines; programs of tasks that are no tests', async () => {
    const text =
      "sourceSets {\n  test {\n    java {\n      srcDir 'one'\n      srcDirs = [\n        'two',\n        'three'\n      ]\n    }\n  }\n}\ntask generate(type: Exec) { commandLine 'sh', 'tools/generate.sh' }\ntask systemTest(type: Exec) {\n  commandLine 'sh', 'tools/run.sh'\n}\n";
    const files = {
      'build.gradle': text,
      ...empty('one/A.java', 'two/A.java', 'three/A.java', 'tools/generate.sh', 'tools/run.sh'),
    };
    expect(await pathsIn({ ecosystem: 'gradle', files, command: './gradlew test' }, /\.gradle/)).toEqual([
      'one/A.java',
      'three/A.java',
      'tools/run.sh',
      'two/A.java',
    ]);
  });

  test('CMake and Meson: a variable with a script; generators, and files that a script reads, may change', async () => {
    const files = {
      'CMakeLists.txt': 'set(RUN run/all.py)\nadd_test(NAME a COMMAND python3 ${RUN})\n',
      'run/all.py': "text = open('code/product.py').read()\nsubprocess.run(['run/part.sh'])\n",
      'meson.build':
        "gen = find_program('code/gen.py')\ncheck = find_program('run/check.py')\ntest('a', check, args: files('run/b.py'))\n",
      ...empty('code/product.py', 'code/gen.py', 'run/part.sh', 'run/check.py', 'run/b.py'),
    };
    expect(await pathsIn({ ecosystem: 'cmake', files, command: 'ctest' }, /CMakeLists|meson/)).toEqual([
      'run/all.py',
      'run/b.py',
      'run/check.py',
      'run/part.sh',
    ]);
  });

  test('CMake: scripts that their names protect leave room for others', async () => {
    const all = Array.from({ length: 300 }, (_, at) => `test/${at}.sh`);
    const calls = [...all, 'run/last.sh'].map((path) => `add_test(NAME a COMMAND sh ${path})\n`);
    const files = { 'CMakeLists.txt': calls.join(''), ...empty(...all, 'run/last.sh') };
    expect(await pathsIn({ ecosystem: 'cmake', files, command: 'ctest' }, /CMakeLists|^test\//)).toEqual([
      'run/last.sh',
    ]);
  });
});
