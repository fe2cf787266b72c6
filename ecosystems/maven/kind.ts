/**
 * Java with Maven: a JDK of this machine, Maven from a repository of its own layout, and what projects need in a local repository, which is
 * filled by building the project once and running two tests of ours in it: plugins fetch what they need when they run.
 */
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { type EcosystemBuild, type EcosystemKind, type EcosystemStep, toolchainPlace } from '../kind.ts';
import { JAVA_HINTS } from './hints.ts';
import { placeWitness } from './java.ts';
import { proposeMaven } from './propose.ts';
import { mavenTests } from './tests.ts';

const REPOSITORY = '/opt/env/m2';
const MAVEN = '3.9.9';
/** The local index, as Maven's settings call it. */
const MIRROR = 'swemake';

/** Rows call the daemon, which is Maven behind a name. */
const PROGRAMS = [
  'mkdir -p /opt/env/bin',
  `printf '#!/bin/sh\\nexec mvn "$@"\\n' > /opt/env/bin/mvnd`,
  'chmod 755 /opt/env/bin/mvnd',
].join('\n');

/** Settings of the registry as Maven finds it. */
const CLIENT = 'set -e\neval "${SWEMAKE_CLIENT:-}"';

/**
 * What manifests name, as far as it can be known without the code. `go-offline` would ask for more, and where it fails, what it fetched
 * before is left to chance.
 */
const AHEAD = `mvn -fn dependency:resolve dependency:resolve-plugins || echo 'note: some of it will be fetched with the code'`;

/** Marks in the local repository of when and from where files came; with them Maven asks the repository again. */
const TIDY = [
  `find ${REPOSITORY} \\( -name '*.lastUpdated' -o -name _remote.repositories -o -name resolver-status.properties \\) -delete 2> /dev/null || true`,
  `find ${REPOSITORY} -name 'maven-metadata-*.xml' -exec sed -i '/^ *<lastUpdated>/d' {} + 2> /dev/null || true`,
  // Offline the mirror is not known: versions of plugins that no pom names are looked up in Central's list.
  `find ${REPOSITORY} -name maven-metadata-${MIRROR}.xml 2> /dev/null | while read -r file; do cp "$file" "\${file%${MIRROR}.xml}central.xml"; done`,
  // Nothing of the project stays, whose code at another state may be a task's solution.
  `find /testbed -name pom.xml -not -path '*/target/*' | while read -r pom; do rm -rf "\${pom%pom.xml}target"; done`,
].join('\n');

const NO_TESTS = '-DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false';

/**
 * Compiles all, and runs a file of tests of each module, since Surefire fetches what runs them by itself. A module
 * with a module-info.java may need the jar of another. Commands may begin with `clean`.
 */
const WARM_UP = [
  'mvn -fae clean test-compile || mvn -fae package -DskipTests',
  "tests=$(find . -path '*/src/test/java/*Test.java' | sort | awk -F /src/test/java/ '!seen[$1]++ { print $2 }' | sed 's/\\.java$//; s|/|.|g' | paste -sd,)",
  `[ -z "$tests" ] || mvn -fae test -Dtest="$tests" ${NO_TESTS} -Dmaven.test.failure.ignore=true || echo 'note: some tests cannot be run'`,
].join('\n');

const build: EcosystemBuild = {
  steps({ packages, pre_install, install }: BuildRecipe): EcosystemStep[] {
    const ahead = packages.includes('pom.xml') ? [AHEAD] : [];
    return [
      ...stepsOf('create', 'create', [`${PROGRAMS}\n${placeWitness()}`]),
      ...stepsOf('dependencies', 'packages', ahead),
      ...stepsOf('installation', 'pre_install', pre_install),
      ...stepsOf('installation', 'install', install),
    ];
  },
  afterPatch: () => [CLIENT, '(', AHEAD, ')', TIDY].join('\n'),
  variables: ({ jdk = '', maven = MAVEN }) => ({
    JAVA_HOME: toolchainPlace('jdk', jdk),
    PATH: `/opt/env/bin:${toolchainPlace('jdk', jdk)}/bin:${toolchainPlace('maven', maven)}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    MAVEN_OPTS: `-Dmaven.repo.local=${REPOSITORY}`,
    // Of Maven from 3.9 on.
    MAVEN_ARGS: '-o -B -ntp',
  }),
  dialect: 'maven',
  reads: (path) => /(?:^|\/)pom\.xml$|^\.mvn\//.test(path),
  stepVariables: { MAVEN_ARGS: '-B -ntp' },
  start: [],
  listCommand: `cd ${REPOSITORY} 2> /dev/null && find . -name '*.pom' | sed -E 's|^\\./(.*)/([^/]+)/([^/]+)/[^/]+$|\\1:\\2:\\3|; s|/|.|g' | sort || true`,
};

function stepsOf(phase: EcosystemStep['phase'], name: string, commands: readonly string[]): EcosystemStep[] {
  return commands.map((command, index) => ({
    name: `${name}[${index}]`,
    phase,
    command: [CLIENT, '(', command, ')', TIDY].join('\n'),
  }));
}

export const mavenEcosystem: EcosystemKind = {
  name: 'maven',
  summary: 'Java with Maven, tested by JUnit',
  sources: ['.java'],
  manifests: ['pom.xml'],
  output: [{ beside: { folder: 'target', files: ['pom.xml'] }, files: /\.class$/ }],
  toolchains: {
    jdk: {
      from: 'folder',
      parents: ({ JAVA_HOME }) => [...(JAVA_HOME ? [`${JAVA_HOME}/..`] : []), '/usr/lib/jvm'],
      parts: ['bin', 'conf', 'lib', 'jmods'],
      program: 'javac',
      option: '-version',
    },
    maven: {
      from: 'maven',
      artifact: 'org/apache/maven/apache-maven',
      file: 'bin.tar.gz',
      usual: () => MAVEN,
    },
  },
  recipe: {
    pip: [],
    packages: ['pom.xml'],
    install: [WARM_UP],
    test: 'mvn -fae test',
    parser: 'junit-xml',
  },
  propose: proposeMaven,
  hints: JAVA_HINTS,
  build,
  tests: mavenTests,
};
