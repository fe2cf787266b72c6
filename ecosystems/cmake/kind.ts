/**
 * C and C++ with CMake, its generators and the compilers of the base, and tests of GoogleTest or doctest. Nothing is fetched: what a project
 * takes from elsewhere while it is configured (FetchContent, git) must be in the base or in the repository.
 */
import type { BuildRecipe } from '../../schemas/recipe.ts';
import type { EcosystemBuild, EcosystemKind, EcosystemStep } from '../kind.ts';
import { CMAKE_HINTS } from './hints.ts';
import { cmakeTests } from './tests.ts';
import { placeLauncher } from './witness.ts';

const build: EcosystemBuild = {
  steps({ pre_install, install }: BuildRecipe): EcosystemStep[] {
    const step = (phase: EcosystemStep['phase'], name: string) => (command: string, index: number) => ({
      name: `${name}[${index}]`,
      phase,
      command: `set -e\n${command}`,
    });
    return [
      ...[placeLauncher()].map(step('create', 'create')),
      ...pre_install.map(step('installation', 'pre_install')),
      ...install.map(step('installation', 'install')),
    ];
  },
  variables: () => ({ CTEST_OUTPUT_ON_FAILURE: '1' }),
  dialect: null,
  stepVariables: {},
  start: [],
  listCommand: '{ cmake --version; c++ --version; } | grep version || true',
};

export const cmakeEcosystem: EcosystemKind = {
  name: 'cmake',
  summary: 'C and C++ with CMake, tested by GoogleTest or doctest',
  sources: ['.c', '.cc', '.cpp', '.cxx', '.h', '.hh', '.hpp', '.hxx'],
  manifests: ['CMakeLists.txt'],
  output: [
    { marks: ['CMakeCache.txt'], folders: ['CMakeFiles'] },
    { files: /^(?:CMakeCache\.txt|cmake_install\.cmake|CTestTestfile\.cmake|a\.out|.+\.o)$/ },
    { beside: { folder: 'Testing', files: ['CTestTestfile.cmake'] } },
  ],
  toolchains: {},
  recipe: {
    pip: [],
    packages: [],
    install: [],
    build: ['cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug', 'cmake --build build --parallel "$(nproc)"'],
    test: 'ctest --test-dir build -V',
    parser: 'gtest',
  },
  propose: () => ({
    recipe: {},
    notes: ['CMake and the compilers are those of the base, and CTest finds the tests.'],
  }),
  hints: CMAKE_HINTS,
  build,
  tests: cmakeTests,
};
