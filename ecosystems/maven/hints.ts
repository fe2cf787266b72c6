/** What Maven, Gradle and the compiler of Java say of a recipe. */
import type { Hint } from '../hints.ts';

/** Classes of Java 5 have the version 49. */
const OLDEST = 44;

export const JAVA_HINTS: readonly Hint[] = [
  [
    /(?:Source|Target) option (?:1\.)?(\d+) is no longer supported/,
    'toolchain (an older jdk, that compiles for Java $1; or a later level by -D of the property that the pom has for it)',
  ],
  [/invalid target release: (?:1\.)?(\d+)|release version (\d+) not supported/, 'toolchain (jdk $1)'],
  [
    /(?:class file version|class file has wrong version) (\d+)\.\d+/,
    ([version]) => `toolchain (jdk ${Number(version) - OLDEST} or newer)`,
  ],
  [/JDK [Vv]ersion:? \S+ is not in the allowed range ([^\s]+?)\.?(?:\s|$)/, 'toolchain (a jdk within $1)'],
  [
    /does not "(?:opens|exports) ([\w.]+)" to|package (javax\.(?:xml\.bind|annotation|activation|jws|transaction|xml\.ws)|sun\.misc) does not exist|Unsupported class file major version (\d+)|Could not determine java version from '([\d.]+)'/,
    'toolchain (an older jdk, such as 8 or 11: $1)',
  ],
  [
    /(?:Could not find artifact |artifacts could not be resolved: )([^\s:]+:[^\s:]+):\w+(?::\w+)?:(\S+-SNAPSHOT)/,
    ([artifact, version]) =>
      `pre_install, build (sed -i of the pom to a release of ${artifact}: ${version} is not published, or not any more)`,
  ],
  [
    // Maven before 3.9 knows no offline mode here, and asks for what is missing.
    /offline mode and the artifact (\S+) has not been downloaded|Could not transfer artifact (\S+) from\/to .{0,400}(?:name resolution|not known|Unknown host|unreachable)|No cached version of (\S+) available for offline mode/,
    'install (a command that runs the goals of test, so that $1 is fetched)',
  ],
];
