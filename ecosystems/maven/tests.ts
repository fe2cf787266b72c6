/** How tests of Java are run by Maven, which files decide what they come to, and what a failed build says. */

import { shellWord, simpleCommands } from '../../basics/shell.ts';
import { type TestedInstance, testDirectives } from '../../patches/test-files.ts';
import { chosenIf } from '../chosen.ts';
import { complaintIn } from '../complaint.ts';
import type { EcosystemFile, EcosystemTests, RepositoryFiles } from '../kind.ts';
import { javaDoubts } from './doubts.ts';
import { mavenWitness } from './witness.ts';

const REPORTS = "-path '*/target/surefire-reports/TEST-*.xml'";

/** No tests are listed, so all run. */
export const NO_LISTS: TestedInstance = { FAIL_TO_PASS: [], PASS_TO_PASS: [], test_patch: '' };

export const mavenTests: EcosystemTests = {
  /** The classes of the listed tests, and their reports behind what Maven prints. */
  command(test, instance) {
    if (isChosen(test)) return test;
    const classes = [...new Set(classesOf(instance))].sort();
    const chosen = classes.length === 0 ? '' : chosenIf(` -Dtest=${shellWord(classes.join(','))}`);
    return [
      `find . ${REPORTS} -delete`,
      `${test}${chosen} -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false; code=$?`,
      `find . ${REPORTS} -exec cat {} +`,
      '(exit $code)',
    ].join('\n');
  },
  all: (test) => mavenTests.command(test, NO_LISTS),
  buildCommand({ test }) {
    const options = optionsOf(test);
    return `mvn -q test-compile${options === '' ? '' : ` ${options}`}`;
  },
  complaint(output) {
    const errors = output.split('\n').filter((line) => /^\[ERROR\] \S/.test(line));
    const places = new Set(errors.filter((line) => /^\[ERROR\] \S+\.java:\[/.test(line)));
    return complaintIn(output, [...places], errors);
  },
  protects,
  named: async (task) => (await import('./named.ts')).mavenNamed(task),
  hides: hiddenClasses,
  doubts: javaDoubts,
  witness: mavenWitness,
};

/** Of the listed tests; where none are, those of the test files that the task brings. None: an id does not say its class. */
export function classesOf({ FAIL_TO_PASS, PASS_TO_PASS, test_patch }: TestedInstance): string[] {
  const ids = [...FAIL_TO_PASS, ...PASS_TO_PASS];
  if (ids.some((id) => !id.includes('#'))) return [];
  if (ids.length > 0) return ids.map((id) => id.split('#', 1)[0]!);
  return testDirectives(test_patch).flatMap((path) => {
    const name = /(?:^|\/)src\/test\/java\/(.+)\.java$/.exec(path)?.[1];
    return name === undefined ? [] : [name.replaceAll('/', '.')];
  });
}

/** A command that says itself which tests it runs, or that is more than one command, is run as it is. */
function isChosen(test: string): boolean {
  return /(?:^|\s)-Dtest=|[\n;&|]/.test(test.trim());
}

/** Options of the command's first Maven that choose modules and say how they are built. */
function optionsOf(test: string): string {
  for (const { words } of simpleCommands(test)) {
    const texts = words.map(({ text }) => text);
    if (!texts.some((text) => /(?:^|\/)mvn[dw]?$/.test(text))) continue;
    return texts
      .flatMap((text, at) =>
        /^(?:-pl|--projects|-f|--file)$/.test(text)
          ? [`${text} ${texts[at + 1] ?? ''}`]
          : /^(?:-am|--also-make|-P\S+|--projects=\S+|-D(?!test=)\S+)$/.test(text)
            ? [text]
            : [],
      )
      .join(' ');
  }
  return '';
}

function protects(path: string): EcosystemFile | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/^(?:pom\.xml|mvnw(?:\.cmd)?|\.sdkmanrc|\.mavenrc)$/.test(name)) return 'runner';
  if (/(?:^|\/)(?:\.mvn|target)\//.test(moduleOf(path))) return 'runner';
  return javaFile(path);
}

/** Without folders of packages, which may have any name: the part of a source's path before `src/main/java/`. */
export function moduleOf(path: string): string {
  return path.replace(/(^|\/)src\/main\/(?:java|kotlin|groovy|scala)\/.*$/s, '$1');
}

/** Tests, and what JUnit, Surefire and the compiler load by themselves. */
export function javaFile(path: string): EcosystemFile | null {
  if (
    /(?:^|\/)META-INF\/services\/(?:org\.junit|org\.apache\.maven|javax\.annotation\.processing)/.test(
      path,
    ) ||
    path.endsWith('junit-platform.properties')
  )
    return 'runner';
  return /(?:^|\/)src\/(?:it|tests?|test[A-Z]\w*|[\w-]+Tests?|[\w-]+-tests?)\//.test(path) ? 'test' : null;
}

/** Files of the tests' classes, and tests that name one of these: all tests of a module are compiled together. */
export function hiddenClasses(failing: readonly string[], { paths, read }: RepositoryFiles): string[] {
  const tests = paths.filter((path) => /\.(?:java|kt|groovy)$/.test(path) && javaFile(path) === 'test');
  const classes = new Set(failing.map((id) => id.split(/[#$]/, 1)[0]!.replaceAll('.', '/')));
  const hidden = new Set(tests.filter((path) => classes.has(classOf(path))));
  for (let before = 0; before < hidden.size; ) {
    before = hidden.size;
    const names = new Set(
      [...hidden].map((path) => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')),
    );
    const isNaming = (path: string) => (read(path).match(/\w+/g) ?? []).some((word) => names.has(word));
    for (const path of tests) if (!hidden.has(path) && isNaming(path)) hidden.add(path);
  }
  return [...hidden];
}

/** `org/example/OneTest` of a file below a folder of sources. */
function classOf(path: string): string {
  return path.replace(/^(?:.*\/)?src\/[^/]+\/(?:java|kotlin|groovy)\//, '').replace(/\.\w+$/, '');
}
