/** Gradle as a kind, with a program that stands in for it: commands for an instance's tests, steps, and files that decide results. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { gradleEcosystem } from '../../ecosystems/gradle/kind.ts';
import { proposeGradle } from '../../ecosystems/gradle/propose.ts';
import { gradleTests } from '../../ecosystems/gradle/tests.ts';
import { findParser } from '../../parsers/registry.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { temporaryFolder } from '../rig/folder.ts';

const INSTANCE = { FAIL_TO_PASS: ['ex.ATest#one'], PASS_TO_PASS: ['ex.BTest#two'], test_patch: '' };

/** A folder with files, in which `gradle` is a script of bash. */
function folderWith(files: Record<string, string>, gradle: string) {
  const folder = temporaryFolder();
  const all = { ...files, 'bin/gradle': `#!/bin/bash\n${gradle}\n` };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  chmodSync(join(folder, 'bin/gradle'), 0o755);
  return {
    folder,
    run: (command: string, env: Record<string, string> = {}) =>
      execFileSync('bash', ['-c', command], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder, ...env },
      }),
  };
}

test('the classes of the listed tests are run offline, and their reports are printed', () => {
  const report = '<testsuite><testcase name="one" classname="ex.ATest"/></testsuite>';
  const { run } = folderWith(
    {
      'a/build/test-results/test/TEST-old.xml':
        '<testsuite><testcase name="old" classname="ex.O"/></testsuite>',
    },
    `echo "asked $@"; mkdir -p a/build/test-results/test; echo '${report}' > a/build/test-results/test/TEST-ex.ATest.xml`,
  );
  const output = run(gradleTests.command('./gradlew --continue test', INSTANCE));
  expect(output).toContain('asked --offline --continue test --tests ex.ATest --tests ex.BTest');
  expect([...findParser('junit-xml')!.parse(output)]).toEqual([['ex.ATest#one', 'PASSED']]);
});

test('a command that chooses tests, or is several ones, is run as it is, and offline', () => {
  expect(gradleTests.command('gradle :a:test --tests ex.ATest', INSTANCE)).toBe(
    'gradle --offline :a:test --tests ex.ATest',
  );
  expect(gradleTests.command('cd a && ../gradlew test', INSTANCE)).toContain('cd a && ../gradlew test');
});

test('steps find the index as a repository, and leave nothing of the project', () => {
  const recipe = { packages: [], pre_install: [], install: ['gradle testClasses'] };
  const steps = gradleEcosystem.build!.steps(recipe as unknown as BuildRecipe);
  expect(steps.map(({ name, phase }) => `${phase} ${name}`)).toEqual([
    'create create[0]',
    'installation install[0]',
  ]);
  const { folder, run } = folderWith(
    { 'm/build.gradle': '', 'm/build/classes/A.class': '', 'docs/build/a.txt': '', 'home/daemon/log': '' },
    'echo "$GRADLE_OPTS" > opts',
  );
  const client =
    'mkdir -p ~/.m2; printf "  <url>http://index.test/maven/now</url>\\n" > ~/.m2/settings.xml; export MAVEN_OPTS=-Dhttp.proxyHost=p';
  const command = steps[1]!.command
    .replaceAll('/opt/env/gradle', `${folder}/home`)
    .replaceAll('/testbed', folder);
  run(command, { SWEMAKE_CLIENT: client, GRADLE_OPTS: '-Da=b' });
  expect(readFileSync(join(folder, 'home/repository'), 'utf8')).toBe('http://index.test/maven/now\n');
  expect(readFileSync(join(folder, 'opts'), 'utf8')).toBe('-Da=b -Dhttp.proxyHost=p\n');
  expect(existsSync(join(folder, 'm/build'))).toBe(false);
  expect(existsSync(join(folder, 'docs/build/a.txt'))).toBe(true);
  expect(existsSync(join(folder, 'home/daemon'))).toBe(false);
});

test('the toolchain is a folder of the user’s, on PATH behind the JDK', () => {
  expect(gradleEcosystem.build!.variables({ jdk: '17.0.15', gradle: '/opt/own/gradle-8.5' })).toMatchObject({
    PATH: expect.stringContaining('/opt/toolchains/jdk/17.0.15/bin:/opt/toolchains/gradle/gradle-8.5/bin:'),
    JAVA_HOME: '/opt/toolchains/jdk/17.0.15',
  });
});

test('what does not compile is told by the compiler’s lines', () => {
  const output = '> Task :a:compileJava FAILED\n/testbed/a/A.java:3: error: ; expected\n  x\nBUILD FAILED\n';
  expect(gradleTests.complaint(output)).toBe('/testbed/a/A.java:3: error: ; expected');
  expect(gradleTests.complaint('> Task :a:compileJava FAILED\nwhy\n')).toBe('> Task :a:compileJava FAILED');
});

test.each([
  ['build.gradle', 'runner'],
  ['a/build.gradle.kts', 'runner'],
  ['gradle.properties', 'runner'],
  ['gradle/libs.versions.toml', 'runner'],
  ['buildSrc/src/main/java/P.java', 'runner'],
  ['a/src/test/resources/junit-platform.properties', 'runner'],
  ['a/src/test/java/ex/ATest.java', 'test'],
  ['a/src/main/java/ex/A.java', null],
  ['src/main/kotlin/ex/build/gradle/A.kt', null],
  ['build/src/main/java/ex/A.java', 'runner'],
])('%s is protected as %s', (path, as) => expect(gradleTests.protects(path)).toBe(as));

test('the wrapper says which Gradle a project must name', () => {
  const wrapper = 'distributionUrl=https\\://services.gradle.org/distributions/gradle-8.10.2-bin.zip\n';
  const said = (text: string) =>
    proposeGradle({
      read: (path) => (path.endsWith('.properties') ? text : ''),
      files: [],
      here: async () => [],
    });
  expect(said(wrapper)).toContain('no recipe is proposed for Gradle (its wrapper asks for Gradle 8.10.2)');
  expect(said('')).toContain('no recipe is proposed for Gradle: ');
});
