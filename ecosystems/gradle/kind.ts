/**
 * Java with Gradle, which its user gives as a folder: a JDK of this machine, and what projects need in Gradle's own cache, filled by building the
 * project once and running a file of tests of each module. All repositories of a build are the local index, as an init script says.
 */
import { shellWord } from '../../basics/shell.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { type EcosystemBuild, type EcosystemKind, type EcosystemStep, toolchainPlace } from '../kind.ts';
import { placeWitness } from '../maven/java.ts';
import { mavenEcosystem } from '../maven/kind.ts';
import { proposeGradle } from './propose.ts';
import { gradleTests } from './tests.ts';

const HOME = '/opt/env/gradle';
const SCRIPT = `${HOME}/init.d/swemake.gradle`;

/** Where the address of the index is kept: Gradle finds what it fetched by the repository that it came from, also offline. */
const REPOSITORY = `${HOME}/repository`;

/** Gradle reads repositories from no variable. Modules without a listed test have none that fits, which is no failure. */
const INIT = `
def file = new File('${REPOSITORY}')
def only = { repositories ->
  if (!file.exists()) return
  repositories.clear()
  repositories.maven { it.url = file.text.trim(); it.allowInsecureProtocol = true }
}
settingsEvaluated { settings ->
  only(settings.buildscript.repositories)
  settings.pluginManagement { management -> only(management.repositories) }
  if (settings.hasProperty('dependencyResolutionManagement')) only(settings.dependencyResolutionManagement.repositories)
}
allprojects { project ->
  only(project.buildscript.repositories)
  project.afterEvaluate { only(project.repositories) }
  project.tasks.withType(Test) {
    it.filter.failOnNoMatchingTests = false
    it.outputs.upToDateWhen { false }
  }
}
`;

/** Scripts of rows call the wrapper, which would fetch another Gradle. */
const PROGRAMS = [
  `mkdir -p /opt/env/bin ${HOME}/init.d`,
  `printf %s ${shellWord(INIT)} > ${SCRIPT}`,
  `printf '#!/bin/sh\\nexec gradle "$@"\\n' > /opt/env/bin/gradlew`,
  'chmod 755 /opt/env/bin/gradlew',
].join('\n');

/** The index and its proxy, as Gradle finds them. */
const CLIENT = [
  'set -e',
  'eval "${SWEMAKE_CLIENT:-}"',
  `[ ! -e ~/.m2/settings.xml ] || sed -n 's|.*<url>\\(.*\\)</url>.*|\\1|p' ~/.m2/settings.xml > ${REPOSITORY}`,
  'export GRADLE_OPTS="${GRADLE_OPTS:-} ${MAVEN_OPTS:-}"',
].join('\n');

/** What differs between equal builds, and what is of the project, whose code at another state may be a task's solution. */
const TIDY = [
  `rm -rf ${HOME}/daemon ${HOME}/workers ${HOME}/native ${HOME}/notifications ${HOME}/.tmp ${HOME}/caches/journal-1 ${HOME}/caches/build-cache-1 ${HOME}/caches/*/fileHashes ${HOME}/caches/*/kotlin-dsl`,
  `find ${HOME} \\( -name '*.lock' -o -name gc.properties \\) -delete 2> /dev/null || true`,
  'find /testbed \\( -name build -o -name .gradle \\) -type d -prune | while read -r folder; do [ ! -e "${folder%/*}/build.gradle" ] && [ ! -e "${folder%/*}/build.gradle.kts" ] && [ ! -e "${folder%/*}/settings.gradle" ] && [ ! -e "${folder%/*}/settings.gradle.kts" ] || rm -rf "$folder"; done',
].join('\n');

/** A file of tests of each module, since what runs them is fetched with the first. */
const WARM_UP = [
  'gradle testClasses --continue',
  "tests=$(find . -path '*/src/test/java/*Test.java' | sort | awk -F /src/test/java/ '!seen[$1]++ { print $2 }' | sed 's/\\.java$//; s|/|.|g')",
  `[ -z "$tests" ] || gradle test --continue $(for one in $tests; do printf -- ' --tests %s' "$one"; done) || echo 'note: some tests cannot be run'`,
].join('\n');

const build: EcosystemBuild = {
  steps({ pre_install, install }: BuildRecipe): EcosystemStep[] {
    return [
      ...stepsOf('create', 'create', [`${PROGRAMS}\n${placeWitness()}`]),
      ...stepsOf('installation', 'pre_install', pre_install),
      ...stepsOf('installation', 'install', install),
    ];
  },
  variables: ({ jdk = '', gradle = '' }) => ({
    JAVA_HOME: toolchainPlace('jdk', jdk),
    PATH: `/opt/env/bin:${toolchainPlace('jdk', jdk)}/bin:${toolchainPlace('gradle', gradle)}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    GRADLE_USER_HOME: HOME,
    // No process goes on behind a command.
    GRADLE_OPTS: '-Dorg.gradle.daemon=false -Dorg.gradle.console=plain -Dorg.gradle.welcome=never',
  }),
  dialect: 'maven',
  stepVariables: {},
  start: [],
  listCommand: `cd ${HOME}/caches/modules-2/files-2.1 2> /dev/null && ls -d */*/* | tr / : | sort || true`,
};

function stepsOf(phase: EcosystemStep['phase'], name: string, commands: readonly string[]): EcosystemStep[] {
  return commands.map((command, index) => ({
    name: `${name}[${index}]`,
    phase,
    command: [CLIENT, '(', command, ')', TIDY].join('\n'),
  }));
}

export const gradleEcosystem: EcosystemKind = {
  name: 'gradle',
  summary: 'Java with Gradle, which its user gives as a folder, tested by JUnit',
  sources: ['.java'],
  manifests: ['settings.gradle', 'settings.gradle.kts', 'build.gradle', 'build.gradle.kts'],
  output: [
    { folders: ['.gradle'], beside: { folder: 'build', files: ['build.gradle', 'build.gradle.kts'] } },
  ],
  toolchains: {
    jdk: mavenEcosystem.toolchains.jdk!,
    gradle: {
      from: 'folder',
      parents: ({ GRADLE_HOME }) => [...(GRADLE_HOME ? [`${GRADLE_HOME}/..`] : []), '/opt/gradle'],
      parts: ['bin', 'lib', 'init.d'],
      program: 'gradle',
      option: '--version',
    },
  },
  recipe: {
    pip: [],
    packages: [],
    install: [WARM_UP],
    test: 'gradle --continue test',
    parser: 'junit-xml',
  },
  propose: proposeGradle,
  build,
  tests: gradleTests,
};
