/** What builds and tools leave in a repository is in no patch, and what people write is. */
import { describe, expect, test } from 'vitest';
import { BUILD_OUTPUT } from '../../ecosystems/registry.ts';
import { leftoversIn, withoutLeftovers } from '../../patches/leftovers.ts';

/** Added paths that stay, with these in the repository. */
function kept(added: string[], known: string[] = []): string[] {
  return [...withoutLeftovers(new Set(), BUILD_OUTPUT)(added, known, () => 1)];
}

describe('is left out', () => {
  test.each<[string, string[], string[]]>([
    ['a folder of CMake, whatever its name', ['out/CMakeCache.txt', 'out/m', 'out/lib/libm.a'], []],
    [
      'a build of CMake in the repository itself',
      ['CMakeCache.txt', 'CMakeFiles/a.dir/m.cc.o', 'm.o'],
      ['m.cc'],
    ],
    ['what ctest writes there', ['CTestTestfile.cmake', 'Testing/Temporary/LastTest.log'], ['m.cc']],
    ['target of cargo', ['target/.rustc_info.json', 'target/debug/m'], ['Cargo.toml']],
    ['a lock file that cargo makes', ['Cargo.lock'], ['Cargo.toml']],
    ['target of another crate', ['a/b/target/.rustc_info.json', 'a/b/target/x'], []],
    ['target of Maven', ['target/classes/ex/M.class', 'core/target/x.jar'], ['pom.xml', 'core/pom.xml']],
    ['target of a module that is new', ['n/target/x.jar'], ['n/pom.xml']],
    ['build of Gradle', ['build/libs/a.jar', '.gradle/8/x.bin'], ['build.gradle.kts']],
    ['compiled classes', ['src/ex/M.class'], ['src/ex/M.java']],
    ['packages', ['node_modules/a/index.js', 'p/node_modules/b/index.js'], ['package.json']],
    ['a virtual environment', ['env/pyvenv.cfg', 'env/bin/python'], []],
    ['output of setuptools', ['build/lib/a.py', 'dist/a.whl', 'a.egg-info/PKG-INFO'], []],
  ])('%s', (_, added, known) => {
    expect(kept(added, known)).toEqual([]);
  });
});

describe('stays', () => {
  test.each<[string, string[], string[]]>([
    ['a folder named target without a build', ['target/x86.rs', 'src/target/a.c'], ['Cargo.toml']],
    ['a folder named build', ['build/a.sh', 'build/b.txt'], ['package.json']],
    ['sources below Testing', ['Testing/a.cc'], ['CMakeLists.txt']],
    ['files of CMake', ['CMakeLists.txt', 'cmake/a.cmake'], []],
    ['what lies in a folder of the repository', ['target/new.txt'], ['pom.xml', 'target/old.txt']],
    ['a file beside a new pom', ['n/src/A.java', 'n/pom.xml'], []],
  ])('%s', (_, added, known) => {
    expect(kept(added, known)).toEqual(added);
  });
});

test('a folder is named once, with a slash', () => {
  const { names } = leftoversIn(['o/CMakeCache.txt', 'o/a/b', 'm.o'], () => false, BUILD_OUTPUT);
  expect(names).toEqual(['m.o', 'o/']);
});
