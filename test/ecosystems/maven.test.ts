/** Maven as a kind: commands for an instance's tests, files that decide them, and what the witness's records say. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mavenEcosystem } from '../../ecosystems/maven/kind.ts';
import { mavenTests } from '../../ecosystems/maven/tests.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { temporaryFolder } from '../rig/folder.ts';

const INSTANCE = {
  FAIL_TO_PASS: ['ex.ATest#one'],
  PASS_TO_PASS: ['ex.BTest#two', 'ex.ATest#two'],
  test_patch: '',
};

test('the toolchain is on PATH, and tests are offline', () => {
  const { variables, steps } = mavenEcosystem.build!;
  const toolchain = { jdk: '17.0.15' };
  expect(variables(toolchain)).toMatchObject({
    JAVA_HOME: '/opt/toolchains/jdk/17.0.15',
    PATH: expect.stringContaining('/opt/toolchains/jdk/17.0.15/bin:/opt/toolchains/maven/3.9.9/bin:'),
    MAVEN_ARGS: '-o -B -ntp',
  });
  const recipe = { packages: ['pom.xml'], pre_install: [], install: ['mvn install'] };
  const made = steps({ ...recipe, toolchain } as unknown as BuildRecipe);
  expect(made.map(({ name, phase }) => `${phase} ${name}`)).toEqual([
    'create create[0]',
    'dependencies packages[0]',
    'installation install[0]',
  ]);
});

test('offline, versions of plugins are in a list of Central', () => {
  const folder = temporaryFolder();
  const plugin = join(folder, 'm2/org/apache/maven/plugins/maven-jar-plugin');
  mkdirSync(plugin, { recursive: true });
  const versions = '<metadata>\n  <release>3.4.2</release>\n</metadata>\n';
  writeFileSync(
    join(plugin, 'maven-metadata-swemake.xml'),
    versions.replace('</metadata>', '  <lastUpdated>20260101000000</lastUpdated>\n</metadata>'),
  );
  const recipe = { packages: [], pre_install: [], install: ['true'] } as unknown as BuildRecipe;
  const { command } = mavenEcosystem.build!.steps(recipe).at(-1)!;
  const here = command.replaceAll('/opt/env', folder).replaceAll('/testbed', folder);
  execFileSync('bash', ['-c', here]);
  expect(readFileSync(join(plugin, 'maven-metadata-central.xml'), 'utf8')).toBe(versions);
});

test('what is compiled before is compiled with jars where a module needs one of another', () => {
  const folder = temporaryFolder();
  const program = (fails: string) =>
    `#!/bin/sh\necho "$*" >> calls\ncase "$*" in *${fails}*) exit 1 ;; esac\n`;
  mkdirSync(join(folder, 'a/src/test/java/ex'), { recursive: true });
  writeFileSync(join(folder, 'a/src/test/java/ex/OneTest.java'), '');
  const calls = (fails: string) => {
    writeFileSync(join(folder, 'mvn'), program(fails), { mode: 0o755 });
    writeFileSync(join(folder, 'calls'), '');
    const { PATH = '' } = process.env;
    execFileSync('bash', ['-e', '-c', mavenEcosystem.recipe.install![0]!], {
      cwd: folder,
      env: { ...process.env, PATH: `${folder}:${PATH}` },
    });
    return readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
  };
  const run = expect.stringMatching(/^-fae test -Dtest=ex\.OneTest .*-Dmaven\.test\.failure\.ignore=true$/);
  expect(calls('none')).toEqual(['-fae clean test-compile', run]);
  expect(calls('test-compile')).toEqual(['-fae clean test-compile', '-fae package -DskipTests', run]);
  // Tests that cannot be run are no reason to have no environment.
  expect(calls('-Dtest')).toEqual(['-fae clean test-compile', run]);
});

test('a JDK that is a path has its last folder’s name', () => {
  expect(mavenEcosystem.build!.variables({ jdk: '/usr/lib/jvm/temurin-21' }).JAVA_HOME).toBe(
    '/opt/toolchains/jdk/temurin-21',
  );
});

describe('commands', () => {
  test('all tests print their reports, too', () => {
    const lines = mavenTests.all!('mvn -fae test').split('\n');
    expect(lines[1]).toMatch(/^mvn -fae test -DfailIfNoTests=false .*; code=\$\?$/);
    expect(lines[2]).toMatch(/^find \. .*TEST-\*\.xml' -exec cat/);
  });

  test('the classes of the listed tests are run, and their reports are printed', () => {
    const lines = mavenTests.command('mvn -fae test', INSTANCE).split('\n');
    expect(lines[0]).toMatch(/^find \. .*TEST-\*\.xml' -delete$/);
    expect(lines[1]).toMatch(/^mvn -fae test -Dtest=ex\.ATest,ex\.BTest .*; code=\$\?$/);
    expect(lines.at(-1)).toBe('(exit $code)');
  });

  test('where no test is listed, the classes of the test patch are run', () => {
    const path = 'gson/src/test/java/ex/deep/CTest.java';
    const test_patch = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;
    const unlisted = { FAIL_TO_PASS: [], PASS_TO_PASS: [], test_patch };
    expect(mavenTests.command('mvn test', unlisted)).toContain('mvn test -Dtest=ex.deep.CTest ');
  });

  test('all tests run where ids name no classes, or name too many for one argument', () => {
    const run = (FAIL_TO_PASS: string[]) => mavenTests.command('mvn test', { ...INSTANCE, FAIL_TO_PASS });
    expect(run(['adds', 'ex.ATest.adds'])).not.toContain('-Dtest=');
    const many = Array.from({ length: 4000 }, (_, at) => `example.of.a.long.name.Test${at}#adds`);
    expect(run(many)).not.toContain('-Dtest=');
    expect(run(many.slice(0, 40))).toContain('-Dtest=ex.ATest,ex.BTest,example.of');
  });

  test('a command that chooses tests is run as it is', () => {
    const test = 'set -x\nmvnd test -pl a -Dtest=ex.ATest#one\nmvnd test -pl a -Dtest=ex.ATest#two';
    expect(mavenTests.command(test, INSTANCE)).toBe(test);
    expect(mavenTests.command('mvn test -Dtest=A', INSTANCE)).toBe('mvn test -Dtest=A');
  });

  test('what is compiled are the modules of the command, with its options', () => {
    const build = (test: string) => mavenTests.buildCommand({ test }, INSTANCE);
    expect(build('mvn -fae test')).toBe('mvn -q test-compile');
    expect(build('set -x\nmvnd test -B -pl a -am -Dx=1 -Dtest=ex.ATest#one')).toBe(
      'mvn -q test-compile -pl a -am -Dx=1',
    );
  });
});

test.each([
  ['pom.xml', 'runner'],
  ['a/pom.xml', 'runner'],
  ['.mvn/maven.config', 'runner'],
  ['mvnw', 'runner'],
  ['a/target/classes/A.class', 'runner'],
  ['src/main/resources/junit-platform.properties', 'runner'],
  ['src/main/resources/META-INF/services/org.junit.jupiter.api.extension.Extension', 'runner'],
  ['src/main/resources/META-INF/services/ex.Plugin', null],
  ['a/src/test/java/ex/ATest.java', 'test'],
  ['a/src/test/resources/x.json', 'test'],
  ['src/main/java/ex/Target.java', null],
  ['a/src/main/java/ex/target/A.java', null],
  ['target/src/main/java/ex/A.java', 'runner'],
])('%s is %s', (path, kind) => {
  expect(mavenTests.protects(path)).toBe(kind);
});

test('a failed build is told by the lines of the compiler', () => {
  const line = '[ERROR] /testbed/src/main/java/ex/M.java:[3,41] cannot find symbol';
  const output = `[INFO] Compiling\n[ERROR] COMPILATION ERROR : \n${line}\n[ERROR]   symbol: method unknown()\n${line}\n`;
  expect(mavenTests.complaint(output)).toBe(line);
  expect(mavenTests.complaint('[ERROR] Non-resolvable parent POM\n')).toBe(
    '[ERROR] Non-resolvable parent POM',
  );
});

describe('what records say', () => {
  const NONCE = 'ab'.repeat(32);
  const line = (kind: string, number: number, ...path: string[]) =>
    `${NONCE} ${kind} ${number} ${JSON.stringify(path)}\n`;
  const CANARIES = [
    line('PASSED', 1, 'swemake.Canary4', 'passes'),
    line('FAILED', 2, 'swemake.Canary4', 'fails'),
  ];
  const ONE = [line('start', 3, 'ex.ATest', 'one', 'one()'), line('PASSED', 3, 'ex.ATest', 'one', 'one()')];
  const seen = (...records: string[][]) => seenOf(INSTANCE, records);
  async function seenOf(instance: typeof INSTANCE, records: string[][]) {
    const request = { folder: '/tmp/w', nonce: NONCE, command: 'mvn test', testFiles: [], toolchain: {} };
    const placed = await mavenTests.witness({ ...request, instance, read: async () => null });
    return placed.seen(records.map((one) => one.join('')));
  }

  test('what tests came to, by the names that reports have', async () => {
    const found = await seen([
      ...CANARIES,
      ...ONE,
      line('FAILED', 4, 'ex.ATest', 'two', 'two(int)[1]', '[1] 5'),
      line('PASSED', 5, 'ex.ATest', 'two', 'two(int)[2]', '[2] 6'),
    ]);
    expect(found).toMatchObject({ state: 'closed', canaries: null, modified: [] });
    expect(found.statuses.get('ex.ATest#one')).toBe('PASSED');
    expect(found.statuses.get('ex.ATest#two(int)[2]')).toBe('PASSED');
    expect(found.statuses.get('ex.ATest#two')).toBe('FAILED');
  });

  test('what a command chooses by -Dtest, where it is listed or nothing is', async () => {
    const records = [
      [
        ...CANARIES,
        ...[line('PASSED', 4, 'ex.ATest', 'one'), line('FAILED', 5, 'ex.ATest$Inner', 'two')],
        line('PASSED', 6, 'ex.BTest', 'three'),
      ],
    ];
    const of = async (FAIL_TO_PASS: string[], PASS_TO_PASS: string[]) => {
      const { statuses } = await seenOf({ ...INSTANCE, FAIL_TO_PASS, PASS_TO_PASS }, records);
      return Object.fromEntries([...statuses].filter(([id]) => !/^ex\.\w+(?:\$\w+)?#/.test(id)));
    };
    expect(await of(['ATest'], ['ex.BTest', 'BTest#three'])).toEqual({
      ATest: 'FAILED',
      'ex.BTest': 'PASSED',
      'BTest#three': 'PASSED',
    });
    expect(await of(['ex.ATest#one'], [])).toEqual({});
    expect(await of([], [])).toMatchObject({ ATest: 'FAILED', 'ex.ATest': 'FAILED', BTest: 'PASSED' });
  });

  test.each([
    ['no machine', [], 'absent', null],
    ['a test without an end', [[...CANARIES, ONE[0]!]], 'open', null],
    ['a line that is no record', [[...CANARIES, 'x\n']], 'broken', null],
    ['a test without a name', [[...CANARIES, line('PASSED', 4)]], 'broken', null],
    [
      'a name that is no text',
      [[...CANARIES, `${NONCE} PASSED 4 [{"toString": 1, "valueOf": 1}]\n`]],
      'broken',
      null,
    ],
    ['no canary', [ONE], 'closed', 'in a run of JUnit'],
    ['one machine without canaries', [[...CANARIES, ...ONE], ONE], 'closed', 'in a run of JUnit'],
    [
      'a canary that must fail and passed once',
      [[...CANARIES, line('PASSED', 9, 'swemake.Canary5', 'fails'), ...ONE]],
      'closed',
      'in a run of JUnit',
    ],
  ])('%s', async (_, records, state, canaries) => {
    expect(await seen(...records)).toMatchObject({ state, canaries });
  });
});
