/** C and C++ as a kind: commands for an instance's tests, files that decide them, and what the witness's records say. */
import { describe, expect, test } from 'vitest';
import { cmakeTests } from '../../ecosystems/cmake/tests.ts';
import { stepsOf } from '../../ecosystems/steps.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { buildOf, ecosystemOf, ecosystemSteps } from '../../tasks/toolchains/prepare.ts';

const INSTANCE = {
  FAIL_TO_PASS: ['m-test::M.Value'],
  PASS_TO_PASS: ['other+test::Other.One'],
  test_patch: '',
};

test('the listed programs complete a command of CTest that chooses none', () => {
  expect(cmakeTests.command('ctest --test-dir build -V', INSTANCE)).toBe(
    "ctest --test-dir build -V -R '^(m-test|other\\+test)$'",
  );
  const own = 'ctest --test-dir build -V -R m-test';
  expect(cmakeTests.command(own, INSTANCE)).toBe(own);
  const nameless = { ...INSTANCE, FAIL_TO_PASS: ['M.Value'] };
  expect(cmakeTests.command('ctest -V', nameless)).toBe('ctest -V');
});

test.each([
  ['test/m-test.cc', 'test'],
  ['src/m_test.cpp', 'test'],
  ['test/gtest/gtest/gtest.h', 'test'],
  ['src/doctest/doctest.h', 'test'],
  ['CMakeLists.txt', 'runner'],
  ['cmake/Find.cmake', 'runner'],
  ['src/CMakeLists.txt', 'runner'],
  ['CTestConfig.cmake', 'runner'],
  ['include/m/latest.h', null],
  ['src/m.cc', null],
])('%s is %s', (path, kind) => {
  expect(cmakeTests.protects(path)).toBe(kind);
});

test('a failed build is told by the errors of the compiler', () => {
  const output = [
    '[ 50%] Building CXX object m.cc.o',
    '/testbed/src/m.cc:3:10: error: ‘nothing’ was not declared in this scope',
    'gmake: *** [Makefile:146: all] Error 2',
  ].join('\n');
  expect(cmakeTests.complaint(output)).toBe(
    '/testbed/src/m.cc:3:10: error: ‘nothing’ was not declared in this scope',
  );
  const configured =
    'CMake Error at Features.cmake:464 (message):\n  Required packages are missing\nCall Stack\n';
  expect(cmakeTests.complaint(configured)).toBe(
    'CMake Error at Features.cmake:464 (message): Required packages are missing',
  );
  expect(cmakeTests.complaint("m.cc:(.text+0x5): undefined reference to `nowhere()'")).toContain('nowhere');
});

describe('what records say', () => {
  const NONCE = 'ab'.repeat(32);
  const line = (kind: string, text = '', secret = NONCE) => `${secret} ${kind} ${text}\n`;
  const SOUND = [
    line('begin'),
    line('PASSED', 'M.Value'),
    line('canary', '/testbed/test/m-test.cc sound'),
    line('PASSED', 'ZzzzSwemake.Canary'),
    line('end'),
  ];
  const seen = async (records: string[]) =>
    (
      await cmakeTests.witness({
        ...{
          folder: '/tmp/w',
          nonce: NONCE,
          command: 'ctest',
          testFiles: ['test/m-test.cc', 'test/util.cc'],
        },
        ...{ instance: INSTANCE, toolchain: {} },
        read: async (path) => (path.endsWith('m-test.cc') ? 'TEST(M, Value) {}\n' : 'int one;\n'),
      })
    ).seen(records);

  test('what tests came to is known with and without their program', async () => {
    const found = await seen([SOUND.join('')]);
    expect(found).toMatchObject({ state: 'closed', canaries: null });
    expect([...found.statuses]).toEqual([
      ['M.Value', 'PASSED'],
      ['m-test::M.Value', 'PASSED'],
    ]);
    expect(found.isCanary('m-test::ZzzzSwemake.Canary')).toBe(true);
  });

  test.each([
    ['no record', [], 'absent', 'in test/m-test.cc'],
    ['no end', [SOUND.slice(0, -1).join('')], 'open', null],
    ['the secret of another run', [line('begin', '', 'cd'.repeat(32))], 'broken', 'in test/m-test.cc'],
    [
      'assertions that do not fail',
      [SOUND.join('').replace('cc sound', 'cc unsound')],
      'closed',
      'in test/m-test.cc',
    ],
    [
      'a file without its test',
      [SOUND.filter((one) => !/canary/.test(one)).join('')],
      'closed',
      'in test/m-test.cc',
    ],
  ])('%s', async (_, records, state, canaries) => {
    expect(await seen(records)).toMatchObject({ state, canaries });
  });
});

test('an environment’s key names what is placed in it for the compiler', () => {
  const recipe = { ecosystem: 'cmake', pre_install: [], install: [] } as unknown as BuildRecipe;
  const own = ecosystemOf(recipe)!;
  expect(stepsOf(buildOf(own), recipe)[0]!.command).toContain('DOCTEST_REGISTER_LISTENER');
  const more = { ...recipe, install: ['true'] } as BuildRecipe;
  expect(ecosystemSteps(own, more)).not.toBe(ecosystemSteps(own, recipe));
});

test('submodules that a recipe names are checked out before its own commands', () => {
  const recipe = {
    ...{ ecosystem: 'cmake', pre_install: ['true'], install: [] },
    submodules: ["vendored/it's"],
  } as unknown as BuildRecipe;
  const own = ecosystemOf(recipe)!;
  const steps = stepsOf(buildOf(own), recipe);
  expect(steps.map(({ name, phase }) => [name, phase])).toEqual([
    ['create[0]', 'create'],
    ['submodules[0]', 'installation'],
    ['pre_install[0]', 'installation'],
  ]);
  expect(steps[1]!.command).toBe("git submodule update --quiet --init -- 'vendored/it'\\''s'");
  expect(ecosystemSteps(own, { ...recipe, submodules: [] })).not.toBe(ecosystemSteps(own, recipe));
});
