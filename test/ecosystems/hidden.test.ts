/** Which files agents do not see where the repository holds the failing tests, by ecosystem; and that the first state has all others. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isOfTitles, titlesIn } from '../../ecosystems/npm/titles.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { stateTask } from '../../tasks/first-state/first-state.ts';
import { LowerFiles } from '../../tasks/first-state/lower.ts';
import { makeFirstState } from '../../tasks/first-state/make.ts';
import { makeSandbox } from '../executors/sandbox-fixture.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { diffOf, NO_TASK, writeFiles } from '../tasks/first-state/rig.ts';

type Files = Record<string, string>;

function hidden(ecosystem: string, files: Files, ...failing: string[]): string[] {
  const { hides } = ecosystemNamed(ecosystem).tests!;
  return hides!(failing, { paths: Object.keys(files), read: (path) => files[path] ?? '' }).sort();
}

describe('Go', () => {
  const files = {
    'go.mod': 'module example.com/m\n',
    'm.go': 'package m\n',
    'a_test.go': 'package m\nfunc TestA(t *testing.T) {}\n',
    'b_test.go': 'package m\nfunc TestB(t *testing.T) { help() }\n',
    'm/sub/sub_test.go': 'package sub\nfunc TestSub(t *testing.T) {}\n',
    'other/go.mod': 'module "example.com/m/other"\n',
    'other/c_test.go': 'package other\nfunc TestC(t *testing.T) {}\n',
    'testdata/a.txt': 'a',
  };

  test.each([
    ['example.com/m::TestA/inner', ['a_test.go', 'b_test.go']],
    ['example.com/m/m/sub::TestSub', ['m/sub/sub_test.go']],
    ['example.com/m/other::TestC', ['other/c_test.go']],
    ['TestSub/one', ['m/sub/sub_test.go']],
    ['example.com/elsewhere::TestA', []],
  ])('%s', (id, wanted) => {
    expect(hidden('go', files, id)).toEqual(wanted);
  });
});

describe('JavaScript', () => {
  const files = {
    'lib/m.js': "it('value is right')",
    'test/a.js': "describe('value', () => { it('is right', f); it.only(\"isn't \\\"odd\\\"\", f); });",
    'test/b.js': "describe('other', () => it('is right', f));",
    'test/helper.js': 'module.exports = 1;',
    'packages/p/__tests__/c.spec.ts': 'test(`is ${made}`, f)',
  };

  test.each(['npm', 'pnpm', 'yarn'])('%s has the rule', (name) => {
    expect(hidden(name, files, 'test/a.js > value > is right')).toEqual(['test/a.js']);
  });

  test.each([
    ['value is right', ['test/a.js']],
    ['value isn\'t "odd"', ['test/a.js']],
    ['other > is right', ['test/b.js']],
    ['__tests__/c.spec.ts > is made', ['packages/p/__tests__/c.spec.ts']],
    // Titles that are made while tests run: whatever has tests.
    ['is made', ['packages/p/__tests__/c.spec.ts', 'test/a.js', 'test/b.js']],
  ])('%s', (id, wanted) => {
    expect(hidden('npm', files, id)).toEqual(wanted);
  });

  test('titles are read and put together', () => {
    const titles = titlesIn(files['test/a.js']!);
    expect([...titles]).toEqual(['value', 'is right', 'isn\'t "odd"']);
    expect(isOfTitles('value is right', titles)).toBe(true);
    expect(isOfTitles('value is rightly so', titles)).toBe(false);
  });
});

describe('Rust', () => {
  const files = {
    'Cargo.toml': '[workspace]\n',
    'm/Cargo.toml': '[package]\nname = "m"\n',
    'm/src/lib.rs': '#[cfg(test)] mod tests;',
    'm/src/tests.rs': '#[test] fn one() {}',
    'm/tests/api.rs': '#[test] fn value() {}',
    'm/tests/it/main.rs': 'mod deep;',
    'm/tests/it/deep.rs': '#[test] fn value() {}',
    'm/tests/common/mod.rs': '',
    'n/Cargo.toml': '[package]\nname = "n"\n[[test]]\nname = "api"\nharness = true\n[[bench]]\nname = "it"\n',
    'n/tests/api.rs': '#[test] fn value() {}',
  };

  test.each([
    ['api::tests/api::value', ['m/tests/api.rs']],
    ['it::tests/it/main::deep::value', ['m/tests/it/deep.rs', 'm/tests/it/main.rs']],
    ['m::lib::tests::one', []],
    ['value', []],
  ])('%s', (id, wanted) => {
    expect(hidden('cargo', files, id)).toEqual(wanted);
  });
});

describe('Java', () => {
  const files = {
    'src/main/java/ex/M.java': 'class M { OneTest none; }',
    'src/test/java/ex/OneTest.java': 'class OneTest extends Base {}',
    'src/test/java/ex/Base.java': 'class Base {}',
    'src/test/java/ex/TwoTest.java': 'class TwoTest { OneTest.Inner inner; }',
    'src/test/java/ex/ThreeTest.java': 'class ThreeTest extends TwoTest {}',
    'core/src/test/kotlin/ex/KtTest.kt': 'class KtTest',
    'src/test/java/other/OneTester.java': 'class OneTester {}',
  };
  const used = ['OneTest', 'ThreeTest', 'TwoTest'].map((name) => `src/test/java/ex/${name}.java`);

  test.each(['maven', 'gradle'])('%s', (name) => {
    expect(hidden(name, files, 'ex.OneTest#works')).toEqual(used);
    expect(hidden(name, files, 'ex.OneTest$Inner#works')).toEqual(used);
    expect(hidden(name, files, 'ex.KtTest#works')).toEqual(['core/src/test/kotlin/ex/KtTest.kt']);
    expect(hidden(name, files, 'ex.Nowhere#works')).toEqual([]);
  });

  test('a file whose name is no word', () => {
    const path = 'src/test/kotlin/ex/One(2.kt';
    expect(hidden('maven', { ...files, [path]: 'class Copy' }, 'ex.One(2#works')).toEqual([path]);
  });
});

test('in C++ nothing is hidden, whose build names each file', () => {
  expect(ecosystemNamed('cmake').tests!.hides).toBeUndefined();
});

/** Of a repository with a bug. */
async function withheld(ecosystem: string, files: Files, broken: Files, ...failing: string[]) {
  const { deployment, cleanup } = await makeSandbox({ name: '' });
  try {
    const root = temporaryFolder('swemake-hidden-');
    writeFiles(join(root, 'source/testbed'), files);
    writeFiles(join(root, 'environment'), {});
    const into = join(root, 'state');
    writeFiles(into, {});
    const made = await makeFirstState({
      task: { ...NO_TASK, patch: diffOf(files, broken), FAIL_TO_PASS: failing },
      ...{
        ecosystem,
        source: join(root, 'source'),
        lower: new LowerFiles([join(root, 'environment')]),
        into,
      },
      scratch: { deployment, limits: {}, signal: new AbortController().signal, log: () => undefined },
    });
    if (!made.ok) throw new Error(JSON.stringify(made.fault));
    const isShown = (path: string) => existsSync(join(into, 'tree/testbed', path));
    return { withheld: made.value.withheld.map(({ path }) => path), isShown };
  } finally {
    await cleanup();
  }
}

describe('the first state', () => {
  test('has a crate whose folder is named as the binary of its tests', async () => {
    const files = {
      'Cargo.toml': '[workspace]\nmembers = ["m"]\n',
      'm/Cargo.toml': '[package]\nname = "m"\n',
      'm/src/lib.rs': 'pub fn value() -> i32 {\n    1\n}\n',
      'm/tests/m.rs': '#[test]\nfn value() {}\n',
    };
    const broken = { 'm/src/lib.rs': 'pub fn value() -> i32 {\n    2\n}\n' };
    const unit = await withheld('cargo', files, broken, 'm::lib::tests::one');
    expect(unit.withheld).toEqual([]);
    expect(unit.isShown('m/src/lib.rs')).toBe(true);
    const whole = await withheld('cargo', files, broken, 'm::tests/m::value');
    expect(whole.withheld).toEqual(['m/tests/m.rs']);
    expect([whole.isShown('m/tests/m.rs'), whole.isShown('m/src/lib.rs')]).toEqual([false, true]);
  });

  test('has what the solution changes, and in C++ all that is built', async () => {
    const files = {
      'package.json': '{}\n',
      'test/a.js': "it('is right', () => {});\n",
      'test/b.js': "it('is right', () => {});\n",
    };
    const made = await withheld(
      'npm',
      files,
      { 'test/b.js': "it('is right', () => { throw 1; });\n" },
      'is right',
    );
    expect(made.withheld).toEqual(['test/a.js']);
    const cpp = { 'm/CMakeLists.txt': 'project(m)\n', 'm/m.cc': 'int m = 1;\n', 'm/m-test.cc': '// M.One\n' };
    const built = await withheld('cmake', cpp, { 'm/m.cc': 'int m = 2;\n' }, 'm::M.One');
    expect(built.withheld).toEqual([]);
    expect(Object.keys(cpp).every(built.isShown)).toBe(true);
  });
});

describe('what a sample depends on', () => {
  const ids = (...FAIL_TO_PASS: string[]) => stateTask({ ...NO_TASK, FAIL_TO_PASS });

  test('holds ids that name no file of Python', () => {
    expect(ids('ex.OneTest#works')).not.toEqual(ids('ex.TwoTest#works'));
    expect(ids('a/test_a.py::test_one')).toEqual(ids('a/test_a.py::test_two'));
  });
});
