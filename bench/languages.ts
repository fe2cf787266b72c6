/**
 * The environments of two commits of one repository, for each language: seconds and disk of the first, and of the second, which has the same
 * dependencies and shares what was made for these. Then both are validated. Needs what docs/languages.md says; a language whose toolchain is
 * not there is left out. BENCH_LANGUAGES: names of ecosystems, by default all.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../basics/package-root.ts';
import type { BenchResult } from './measure.ts';

const PROMISE = 0.5;

interface Sample {
  /** As a flow mapping of YAML without braces. */
  recipe: string;
  files: Record<string, string>;
  /** The file that has `WRONG`, and what solves the task. */
  file: string;
  failing: string;
  passing: string;
}

interface Cost {
  seconds: number;
  mib: number;
}

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const wanted = process.env.BENCH_LANGUAGES?.split(',');
  const samples = Object.entries(samplesHere()).filter(([name]) => wanted?.includes(name) ?? true);
  const [ours, peer] = [[], []] as [number[], number[]];
  for (const [name, sample] of samples) {
    const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
    try {
      writeProject(folder, name, sample);
      const made = (target: string): Cost => costOf(folder, target);
      const [first, validated] = [made('environments.first'), made('validate.first')];
      const [second, again] = [made('environments.second'), made('validate.second')];
      print(
        `${name}: first environment ${costText(first)}, its validation ${costText(validated)}; second ${costText(second)}, its validation ${costText(again)}`,
      );
      ours.push(second.seconds);
      peer.push(first.seconds);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const sum = (all: number[]) => all.reduce((one, other) => one + other, 0) * 1000;
  const ratio = sum(ours) / sum(peer);
  return {
    name: 'languages',
    ours: sum(ours),
    peer: sum(peer),
    ratio,
    promise: PROMISE,
    holds: ratio <= PROMISE,
  };
}

function costText({ seconds, mib }: Cost): string {
  return `${seconds.toFixed(1)} s and ${mib.toFixed(0)} MiB`;
}

function costOf(folder: string, target: string): Cost {
  const before = mebibytes(join(folder, '.swemake'));
  const start = performance.now();
  const command = [join(packageRoot(), 'bin/swemake.js'), 'build', 'p.yaml', target];
  const end = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  const seconds = (performance.now() - start) / 1000;
  if (end.status !== 0 || / failed/.test(end.stdout))
    throw new Error(`${target}:\n${end.stdout}\n${end.stderr}`);
  return { seconds, mib: mebibytes(join(folder, '.swemake')) - before };
}

function mebibytes(path: string): number {
  const { stdout } = spawnSync('du', ['-s', '-B1', path], { encoding: 'utf8' });
  return Number(stdout.split('\t')[0]) / 2 ** 20;
}

function writeProject(folder: string, name: string, { recipe, files, file, failing, passing }: Sample): void {
  const repository = join(folder, 'repo');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: repository,
      encoding: 'utf8',
    }).trim();
  mkdirSync(repository);
  git('init', '-q', '-b', 'main');
  for (const [dataset, note] of [
    ['first', 'one'],
    ['second', 'two'],
  ]) {
    for (const [path, text] of Object.entries({ ...files, 'NOTES.txt': `${note}\n` })) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    }
    git('add', '-A');
    git('commit', '-qm', note!);
    const source = `git+./repo@${git('rev-parse', 'HEAD')}`;
    const ids = { FAIL_TO_PASS: [failing], PASS_TO_PASS: [passing] };
    const row = { instance_id: `${name}.${note}`, repo: `owner/${name}`, source, patch_role: 'fix', ...ids };
    const patch = solution(file, files[file]!);
    const whole = { ...row, patch, test_patch: testPatch(), problem_statement: 'value is wrong' };
    writeFileSync(join(folder, `${dataset}.jsonl`), `${JSON.stringify(whole)}\n`);
  }
  writeFileSync(
    join(folder, 'p.yaml'),
    `version: 1
name: languages
dataset:
  first: { source: first.jsonl, format: custom }
  second: { source: second.jsonl, format: custom }
environments: { recipes: [{ match: {}, ${recipe} }] }
deployments:
  box: { type: sandbox, limits: { memory: 4GiB, pids: 512 }, network: { build: proxy, grade: off } }
validation: { deployment: box, gold_runs: 2, timeout: 300s }
`,
  );
}

/** One line of the file becomes right. */
function solution(path: string, text: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes('WRONG'));
  const right = lines[at]!.replace(/1(.*)WRONG/, '2$1RIGHT');
  const head = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n`;
  return `${head}@@ -${at + 1} +${at + 1} @@\n-${lines[at]}\n+${right}\n`;
}

/** Without a hidden test, agents would see another repository than the one that is measured. */
function testPatch(): string {
  return 'diff --git a/hidden.txt b/hidden.txt\nnew file mode 100644\n--- /dev/null\n+++ b/hidden.txt\n@@ -0,0 +1 @@\n+hidden\n';
}

function versionOf(program: string, option: string): string | null {
  const { stdout, stderr } = spawnSync(program, [option], { encoding: 'utf8' });
  return /\d+\.\d+\.\d+/.exec(`${stdout ?? ''}${stderr ?? ''}`)?.[0] ?? null;
}

function samplesHere(): Record<string, Sample> {
  const [rust, jdk] = [versionOf('rustc', '--version'), versionOf('javac', '-version')];
  return {
    go: {
      recipe: 'ecosystem: go, toolchain: { go: "1.23.8" }',
      files: {
        'go.mod': 'module example.com/m\n\ngo 1.21\n\nrequire github.com/gorilla/mux v1.8.1\n',
        'm.go':
          'package m\n\nimport "github.com/gorilla/mux"\n\nfunc Value() int {\n\treturn 1 // WRONG\n}\n\nfunc Other() bool { return mux.NewRouter() != nil }\n',
        'm_test.go':
          'package m\n\nimport "testing"\n\nfunc TestValue(t *testing.T) {\n\tif Value() != 2 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestOther(t *testing.T) {\n\tif !Other() {\n\t\tt.Fatal()\n\t}\n}\n',
      },
      ...{ file: 'm.go', failing: 'example.com/m::TestValue', passing: 'example.com/m::TestOther' },
    },
    npm: {
      recipe: 'ecosystem: npm, toolchain: { node: "20.19.0" }',
      files: {
        'package.json':
          '{ "name": "m", "version": "1.0.0", "dependencies": { "lodash": "4.17.21" }, "devDependencies": { "mocha": "10.8.2", "chai": "4.5.0" } }\n',
        'm.js':
          'const _ = require("lodash");\nexports.value = () => 1; // WRONG\nexports.other = () => _.add(1, 2);\n',
        'test/m.js':
          'const m = require("../m");\nconst { expect } = require("chai");\nit("value is right", () => expect(m.value()).to.equal(2));\nit("other is right", () => expect(m.other()).to.equal(3));\n',
      },
      ...{ file: 'm.js', failing: 'value is right', passing: 'other is right' },
    },
    ...(rust === null
      ? {}
      : {
          cargo: {
            recipe: `ecosystem: cargo, toolchain: { rust: "${rust}" }`,
            files: {
              'Cargo.toml':
                '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nserde_json = "1"\n',
              'src/lib.rs':
                'pub fn value() -> i32 {\n    1 // WRONG\n}\n\npub fn other() -> bool {\n    serde_json::json!(null).is_null()\n}\n',
              'tests/api.rs':
                '#[test]\nfn value() {\n    assert_eq!(m::value(), 2)\n}\n\n#[test]\nfn other() {\n    assert!(m::other())\n}\n',
            },
            ...{ file: 'src/lib.rs', failing: 'api::tests/api::value', passing: 'api::tests/api::other' },
          },
        }),
    ...(jdk === null
      ? {}
      : {
          maven: {
            recipe: `ecosystem: maven, toolchain: { jdk: "${jdk}" }`,
            files: {
              'pom.xml': POM,
              'src/main/java/ex/M.java':
                'package ex;\n\npublic class M {\n  public static int value() {\n    return 1; // WRONG\n  }\n\n  public static int other() { return com.google.common.primitives.Ints.max(1, 3); }\n}\n',
              'src/test/java/ex/MTest.java':
                'package ex;\n\nimport org.junit.*;\n\npublic class MTest {\n  @Test public void value() { Assert.assertEquals(2, M.value()); }\n  @Test public void other() { Assert.assertEquals(3, M.other()); }\n}\n',
            },
            ...{ file: 'src/main/java/ex/M.java', failing: 'ex.MTest#value', passing: 'ex.MTest#other' },
          },
        }),
    ...(versionOf('cmake', '--version') === null
      ? {}
      : {
          cmake: {
            recipe: 'ecosystem: cmake',
            files: {
              'CMakeLists.txt': CMAKE,
              'm.cc': 'int value() {\n  return 1; // WRONG\n}\nint other() { return 3; }\n',
              'test/m-test.cc':
                '#include <gtest/gtest.h>\nint value();\nint other();\nTEST(M, Value) { EXPECT_EQ(value(), 2); }\nTEST(M, Other) { EXPECT_EQ(other(), 3); }\n',
            },
            ...{ file: 'm.cc', failing: 'm-test::M.Value', passing: 'm-test::M.Other' },
          },
        }),
  };
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>ex</groupId>
  <artifactId>m</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source>
    <maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>com.google.guava</groupId><artifactId>guava</artifactId><version>33.3.1-jre</version></dependency>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>
  </dependencies>
</project>
`;

const CMAKE = `cmake_minimum_required(VERSION 3.14)
project(m CXX)
set(CMAKE_CXX_STANDARD 17)
enable_testing()
find_package(GTest REQUIRED)
add_library(m m.cc)
add_executable(m-test test/m-test.cc)
target_link_libraries(m-test m GTest::gtest_main)
add_test(NAME m-test COMMAND m-test)
`;
