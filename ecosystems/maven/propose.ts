/** The JDK for a repository in Java: the oldest one of this machine that compiles what its pom asks for. */
import type { Proposal, ProposedFor } from '../kind.ts';

/** Properties and settings of the compiler, as `1.8` or `8`. https://maven.apache.org/plugins/maven-compiler-plugin */
const LEVEL =
  /<(?:maven\.compiler\.)?(?:release|source|target|java\.version|javaVersion|jdk\.version)>\s*(?:1\.)?(\d+)\s*</g;

/** The least version of Java for which a JDK is proposed, since JDK 7 and older run no current Maven. */
const LEAST = 8;

export async function proposeMaven({ read, here }: ProposedFor): Promise<Proposal | string> {
  const levels = [...read('pom.xml').matchAll(LEVEL)].map(([, level]) => Number(level));
  const level = Math.max(LEAST, ...levels);
  const known = await here('jdk');
  const jdk = known.find((one) => majorOf(one) >= level);
  if (jdk === undefined)
    return known.length === 0
      ? 'this machine has no JDK in JAVA_HOME or /usr/lib/jvm'
      : `the repository needs a JDK of ${level} or later, and this machine has ${known.join(', ')}`;
  return {
    recipe: { toolchain: { jdk } },
    notes: [`The JDK is the oldest of this machine that compiles for Java ${level}.`],
  };
}

/** 8 of 1.8.0, and 17 of 17.0.15. */
function majorOf(version: string): number {
  return Number(/^(?:1\.)?(\d+)/.exec(version)?.[1]);
}
