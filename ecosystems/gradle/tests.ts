/** How tests of Java are run by Gradle, which files decide what they come to, and what a failed build says. */

import { shellWord } from '../../basics/shell.ts';
import { complaintIn } from '../complaint.ts';
import type { EcosystemTests } from '../kind.ts';
import { javaDoubts } from '../maven/doubts.ts';
import { classesOf, hiddenClasses, javaFile, moduleOf, NO_LISTS } from '../maven/tests.ts';
import { mavenWitness } from '../maven/witness.ts';

const REPORTS = "-path '*/build/test-results/*/TEST-*.xml'";

/** `gradle` and `./gradlew` alike are the toolchain's, with what was fetched. */
function offline(command: string): string {
  return command.replaceAll(/(?<![\w/.-])(?:\.\/)?gradlew?(?=\s|$)/g, 'gradle --offline');
}

export const gradleTests: EcosystemTests = {
  /** The classes of the listed tests, and their reports behind what Gradle prints. */
  command(test, instance) {
    if (/(?:^|\s)--tests[\s=]|[\n;&|]/.test(test.trim())) return offline(test);
    const classes = [...new Set(classesOf(instance))].sort();
    const chosen = classes.map((name) => ` --tests ${shellWord(name)}`).join('');
    return [
      `find . ${REPORTS} -delete`,
      `${offline(test)}${chosen}; code=$?`,
      `find . ${REPORTS} -exec cat {} +`,
      '(exit $code)',
    ].join('\n');
  },
  all: (test) => gradleTests.command(test, NO_LISTS),
  buildCommand: () => 'gradle --offline -q testClasses',
  complaint(output) {
    const lines = output.split('\n');
    const errors = lines.filter((line) => /^\S+\.java:\d+: error: /.test(line));
    return complaintIn(
      output,
      errors,
      lines.filter((line) => /^> Task .* FAILED$/.test(line)),
    );
  },
  protects(path) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (/\.gradle(?:\.kts)?$|^(?:gradlew(?:\.bat)?|gradle\.properties|.*\.versions\.toml)$/.test(name))
      return 'runner';
    if (/(?:^|\/)(?:buildSrc|build-logic|build|\.gradle|gradle)\//.test(moduleOf(path))) return 'runner';
    return javaFile(path);
  },
  named: async (task) => (await import('../maven/named.ts')).gradleNamed(task),
  hides: hiddenClasses,
  doubts: javaDoubts,
  witness: mavenWitness,
};
