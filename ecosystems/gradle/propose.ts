/** Why no recipe is proposed for Gradle, with the version that the repository's wrapper asks for. */
import type { ProposedFor } from '../kind.ts';

const WRAPPER = 'gradle/wrapper/gradle-wrapper.properties';

export function proposeGradle({ read }: ProposedFor): string {
  const version = /^distributionUrl=.*\/gradle-(\d[\w.-]*?)-(?:bin|all)\.zip/m.exec(read(WRAPPER))?.[1];
  const wanted = version === undefined ? '' : ` (its wrapper asks for Gradle ${version})`;
  return `no recipe is proposed for Gradle${wanted}: only its user can say in which folders Gradle and a JDK are, and which registry has its plugins`;
}
