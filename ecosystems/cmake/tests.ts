/** How tests of C and C++ are run, which files decide what they come to, and what a failed build says. */

import { shellWord } from '../../basics/shell.ts';
import type { TestedInstance } from '../../patches/test-files.ts';
import { chosenIf } from '../chosen.ts';
import { complaintIn } from '../complaint.ts';
import type { EcosystemFile, EcosystemTests } from '../kind.ts';
import { cmakeDoubts } from './doubts.ts';
import { cmakeLists } from './lists.ts';
import { CODE, cmakeWitness, LAUNCHER } from './witness.ts';

export const cmakeTests: EcosystemTests = {
  command: (test, instance) =>
    /^ctest\b(?!.*\s-(?:R|-tests-regex)\b)/.test(test) ? `${test}${chosen(instance)}` : test,
  buildCommand: () => null,
  compiling: {
    variables: { CMAKE_C_COMPILER_LAUNCHER: LAUNCHER, CMAKE_CXX_COMPILER_LAUNCHER: LAUNCHER },
    programs: [LAUNCHER, CODE],
  },
  complaint(output) {
    const lines = output.split('\n');
    const errors = lines.flatMap((line, at) => {
      if (!ERRORS.test(line)) return [];
      // CMake says what is wrong in the lines below.
      const below = /^CMake Error.*:$/.test(line)
        ? lines.slice(at + 1).find((one) => one.trim() !== '')
        : undefined;
      return [below?.startsWith('  ') === true ? `${line} ${below.trim()}` : line];
    });
    return complaintIn(output, errors);
  },
  protects,
  named: async (task) => (await import('./named.ts')).cmakeNamed(task, protects),
  lists: cmakeLists,
  doubts: cmakeDoubts,
  witness: cmakeWitness,
};

/** Lines of compilers, linkers and CMake that say what is wrong. */
const ERRORS = /^\S+:\d+(?::\d+)?: (?:fatal )?error: |^CMake Error|undefined reference to|ld: error: /;

/** Of ids such as `binary::Suite.Name`, the binaries as CTest names them. */
function chosen({ FAIL_TO_PASS, PASS_TO_PASS }: TestedInstance): string {
  const names = [...FAIL_TO_PASS, ...PASS_TO_PASS].map((id) => /^(.+?)::/.exec(id)?.[1] ?? null);
  if (names.length === 0 || names.includes(null)) return '';
  const plain = [...new Set(names)].sort().map((name) => name!.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return chosenIf(` -R ${shellWord(`^(${plain.join('|')})$`)}`);
}

const RUNNER =
  /^(?:CMakeLists\.txt|CMakePresets\.json|CMakeUserPresets\.json|CTest\w*\.\w+|\w+\.cmake(?:\.in)?|[\w.-]+\.cmake|(?:GNUm|[Mm])akefile(?:\.\w+)*|[\w.-]+\.mk|configure(?:\.ac|\.in)?|ac(?:local|include)\.m4|meson(?:\.build|_options\.txt|\.options)|conanfile\.\w+|vcpkg\.json)$/;
const TEST_FILE = /(?:^|[_-])(?:tests?|unittests?)\.(?:c|cc|cpp|cxx|h|hh|hpp)$|^test_\w+\.(?:c|cc|cpp|cxx)$/;

/** What compares or runs for the tests: code with a runner's own header, but for what only declares a friend. */
const WITH_RUNNER =
  /^[^\S\n]*#[^\S\n]*(?:include[^\S\n]*[<"](?:gtest\/gtest\.h|gmock\/gmock[\w-]*\.h|catch2?\/|catch\.hpp)|define[^\S\n]+(?:DOCTEST_CONFIG_IMPLEMENT|CATCH_CONFIG_(?:MAIN|RUNNER)))/m;

function protects(path: string, text?: () => string | null): EcosystemFile | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (RUNNER.test(name)) return 'runner';
  if (
    /(?:^|\/)(?:tests?|unittests?|googletest|gtest|googlemock|gmock|doctest|catch2)\//.test(path) ||
    TEST_FILE.test(name)
  )
    return 'test';
  if (/(?:^|\/)(?:testdata|fixtures)\//.test(path)) return 'support';
  const isCode = cmakeDoubts.sources.some((ending) => path.endsWith(ending));
  return isCode && WITH_RUNNER.test(text?.() ?? '') ? 'support' : null;
}
