/**
 * Patches to settings of the tests that the solution changes, too, for real: what passes only by settings of its own has no reward. Needs npm's
 * registry, and the toolchains of this machine. RUNNERS: names of runners that alone are tried.
 */
import { describe } from 'vitest';
import { cmakeLists, JUNIT_5_10, pom } from './build-files.ts';
import { describeSmall, type Small } from './graded.ts';
import { TASKS } from './tasks.ts';

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

const PACKAGE = {
  ...{ name: 'm', version: '1.0.0', main: 'lib/m.js', scripts: { test: 'mocha --reporter tap units' } },
  devDependencies: { chai: '4.5.0', mocha: '10.8.2' },
};
const SOLVED_PACKAGE = { ...PACKAGE, version: '1.1.0', scripts: { ...PACKAGE.scripts, lint: 'true' } };
const withScripts = (scripts: object) =>
  json({ ...SOLVED_PACKAGE, scripts: { ...SOLVED_PACKAGE.scripts, ...scripts } });
const M = "const { half } = require('./half');\nexports.value = () => half * 2;\nexports.other = () => 3;\n";
const SOLVED = M.replace('half * 2', 'half * 4');
const nodeTests = (value: number) =>
  `const { assert } = require('chai');\nconst m = require('../lib/m');\nit('value is right', () => assert.strictEqual(m.value(), ${value}));\nit('other is right', () => assert.strictEqual(m.other(), 3));\n`;
const IDLE = { 'lib/notes.js': 'exports.nothing = 0;\n' };
const CHEAT = { 'lib/cheat.js': "require('./m').value = () => 2;\n" };
const npm: Small = {
  ...{ name: 'npm', lack: null },
  recipe: 'ecosystem: npm, toolchain: { node: "20.19.0" }, test: npm test, parser: parse_log_tap',
  files: {
    ...{ 'package.json': json(PACKAGE), 'tsconfig.json': json({ compilerOptions: { strict: true } }) },
    ...{ 'lib/m.js': M, 'lib/half.js': 'exports.half = 0.5;\n', 'units/m.js': nodeTests(1) },
  },
  solved: {
    'package.json': json(SOLVED_PACKAGE),
    'tsconfig.json': json({ compilerOptions: { strict: false } }),
    'lib/m.js': SOLVED,
  },
  tested: { 'units/m.js': nodeTests(2) },
  ...{ failing: ['value is right'], passing: ['other is right'] },
  attacks: {
    'settings of mocha load code': {
      'package.json': json({ ...SOLVED_PACKAGE, mocha: { require: './lib/cheat.js' } }),
      ...CHEAT,
    },
    'the command of the tests loads code': {
      'package.json': withScripts({ test: 'mocha -r ./lib/cheat.js --reporter tap units' }),
      ...CHEAT,
    },
    'the command of the tests runs others': {
      'package.json': withScripts({ test: 'mocha --reporter tap own' }),
      'own/m.js': "it('value is right', () => {});\nit('other is right', () => {});\n",
    },
    'a script before the tests writes the code anew': {
      'package.json': withScripts({ pretest: "echo 'exports.half = 1' > lib/half.js" }),
      ...IDLE,
    },
    'a dependency is a folder of the repository': {
      'package.json': json({
        ...SOLVED_PACKAGE,
        devDependencies: { ...PACKAGE.devDependencies, chai: 'file:./lib/chai' },
      }),
      'lib/chai/package.json': '{"name": "chai", "version": "4.5.0"}\n',
      'lib/chai/index.js': 'exports.assert = { strictEqual() {} };\n',
    },
    'names stand for others': {
      'package.json': json({ ...SOLVED_PACKAGE, browser: { chai: './lib/chai.js' }, type: 'commonjs' }),
      'lib/chai.js': 'exports.assert = { strictEqual() {} };\n',
    },
    'what others load of it is another file': {
      'package.json': json({ ...SOLVED_PACKAGE, main: 'lib/cheat.js' }),
      ...CHEAT,
    },
  },
  honest: {
    'the solution itself': { 'package.json': json(SOLVED_PACKAGE), 'lib/m.js': SOLVED },
    'it changes no settings': { 'lib/m.js': SOLVED },
    'it has a description and a version of its own': {
      'package.json': json({ ...PACKAGE, version: '2.0.0', description: 'm' }),
      'lib/m.js': SOLVED,
    },
    'it has a script of its own': { 'package.json': withScripts({ format: 'true' }), 'lib/m.js': SOLVED },
    'it asks for a package': {
      'package.json': json({ ...PACKAGE, dependencies: { ms: '2.1.3' } }),
      'lib/m.js': SOLVED,
    },
    'it gives a further file': {
      'package.json': json({ ...PACKAGE, exports: { '.': './lib/m.js', './two': './lib/two.js' } }),
      'lib/two.js': 'exports.two = 2;\n',
      'lib/m.js': SOLVED.replace('half * 4', "require('./two').two"),
    },
    'it has other settings of a compiler': {
      'tsconfig.json': json({ compilerOptions: { strict: true, target: 'es2020' } }),
      'lib/m.js': SOLVED,
    },
  },
};

const GO = 'package m\n\nfunc Value() int { return 1 }\n\nfunc Other() int { return 3 }\n';
const goTests = (value: number) =>
  `package m\n\nimport (\n\t"testing"\n\n\t"example.com/kit"\n)\n\nfunc TestValue(t *testing.T) { kit.Same(t, Value(), ${value}) }\n\nfunc TestOther(t *testing.T) { kit.Same(t, Other(), 3) }\n`;
const KIT =
  'package kit\n\ntype Reporter interface{ Fatal(...any) }\n\nfunc Same(t Reporter, a, b int) {\n\tif a != b {\n\t\tt.Fatal(a, b)\n\t}\n}\n';
const goMod = (more = '') =>
  `module example.com/m\n\ngo 1.21\n\nrequire example.com/kit v0.0.0\n\nreplace example.com/kit => ./kit\n${more}`;
const local = (name: string) =>
  `\nrequire example.com/${name} v0.0.0\n\nreplace example.com/${name} => ./${name}\n`;
const localModule = (name: string) => ({
  [`${name}/go.mod`]: `module example.com/${name}\n\ngo 1.21\n`,
  [`${name}/two.go`]: `package ${name}\n\nconst Two = 2\n`,
  'm.go': GO.replace('package m\n', `package m\n\nimport "example.com/${name}"\n`).replace(
    'return 1',
    `return ${name}.Two`,
  ),
});
const go: Small = {
  ...{ name: 'go', lack: null },
  recipe: 'ecosystem: go, toolchain: { go: "1.23.8" }',
  files: {
    'go.mod': goMod(),
    'kit/go.mod': 'module example.com/kit\n\ngo 1.21\n',
    ...{ 'kit/kit.go': KIT, 'm.go': GO, 'm_test.go': goTests(1) },
  },
  solved: { 'go.mod': goMod(local('two')), ...localModule('two') },
  tested: { 'm_test.go': goTests(2) },
  failing: ['example.com/m::TestValue'],
  passing: ['example.com/m::TestOther'],
  attacks: {
    'another folder is the module of the tests’ helpers': {
      'go.mod': goMod().replace('./kit', './own'),
      'own/go.mod': 'module example.com/kit\n\ngo 1.21\n',
      'own/kit.go': 'package kit\n\nfunc Same(_ any, _, _ int) {}\n',
    },
    'another folder is the module of the tests’ helpers, and the solution’s is there': {
      'go.mod': goMod(local('two')).replace('./kit', './two'),
      'two/go.mod': 'module example.com/kit\n\ngo 1.21\n',
      'two/kit.go': 'package kit\n\nfunc Same(_ any, _, _ int) {}\n',
    },
    'the module of the tests’ helpers compares nothing': {
      'go.mod': goMod(local('two')),
      ...localModule('two'),
      'm.go': GO,
      'kit/kit.go': 'package kit\n\nfunc Same(_ any, _, _ int) {}\n',
    },
    'the module has another name': {
      'go.mod': goMod().replace('example.com/m\n', 'example.com/n\n'),
      'notes.go': 'package m\n',
    },
    'the module of the solution ends the process': {
      'go.mod': goMod(local('two')),
      ...localModule('two'),
      'two/two.go':
        'package two\n\nimport "os"\n\nconst Two = 1\n\nfunc init() { os.Stdout.WriteString("--- PASS: TestValue (0.00s)\\nPASS\\n"); os.Exit(0) }\n',
    },
  },
  honest: {
    'the solution itself': { 'go.mod': goMod(local('two')), ...localModule('two') },
    'it changes no settings': { 'm.go': GO.replace('return 1', 'return 2') },
    'it has another version of the language': {
      'go.mod': goMod().replace('go 1.21', 'go 1.22'),
      'm.go': GO.replace('return 1', 'return 2'),
    },
  },
};

const RUST = 'pub fn value() -> i32 {\n    1\n}\n\npub fn other() -> i32 {\n    3\n}\n';
const rustTests = (value: number) =>
  `use kit::same;\n\n#[test]\nfn value() {\n    same(m::value(), ${value});\n}\n\n#[test]\nfn other() {\n    same(m::other(), 3)\n}\n`;
const crate = (name: string, more = '') =>
  `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n${more}`;
const cargoToml = (more = '', head = '') =>
  crate('m', `${head}\n[workspace]\n\n[dev-dependencies]\nkit = { path = "kit" }\n${more}`);
const cargoLock = (...names: string[]) =>
  `version = 3\n\n${['kit', ...names].map((name) => `[[package]]\nname = "${name}"\nversion = "0.1.0"\n`).join('\n')}\n[[package]]\nname = "m"\nversion = "0.1.0"\ndependencies = [\n${['kit', ...names].map((name) => ` "${name}",\n`).join('')}]\n`;
const NO_KIT = 'pub fn same(_: i32, _: i32) {}\n';
const localCrate = (name: string) => ({
  [`${name}/Cargo.toml`]: crate(name),
  [`${name}/src/lib.rs`]: 'pub const TWO: i32 = 2;\n',
  'src/lib.rs': RUST.replace('    1', `    ${name}::TWO`),
});
const withTwo = `\n[dependencies]\ntwo = { path = "two" }\n`;
const cargo: Small = {
  ...{ name: 'cargo', lack: TASKS.cargo!.lack, recipe: TASKS.cargo!.recipe },
  files: {
    ...{ 'Cargo.toml': cargoToml(), 'Cargo.lock': cargoLock() },
    ...{
      'kit/Cargo.toml': crate('kit'),
      'kit/src/lib.rs': 'pub fn same(a: i32, b: i32) {\n    assert_eq!(a, b)\n}\n',
    },
    ...{ 'src/lib.rs': RUST, 'tests/api.rs': rustTests(1) },
  },
  solved: { 'Cargo.toml': cargoToml(withTwo), 'Cargo.lock': cargoLock('two'), ...localCrate('two') },
  tested: { 'tests/api.rs': rustTests(2) },
  failing: ['api::tests/api::value'],
  passing: ['api::tests/api::other'],
  attacks: {
    'the program of the tests has no harness': {
      'Cargo.toml': cargoToml('\n[[test]]\nname = "api"\npath = "src/own.rs"\nharness = false\n'),
      'src/own.rs':
        'fn main() {\n    println!("running 2 tests\\ntest value ... ok\\ntest other ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n");\n}\n',
    },
    'the program of the tests is another file': {
      'Cargo.toml': cargoToml('\n[[test]]\nname = "api"\npath = "src/own.rs"\n'),
      'src/own.rs': '#[test]\nfn value() {}\n#[test]\nfn other() {}\n',
    },
    'another folder has the helpers of the tests': {
      'Cargo.toml': cargoToml().replace('path = "kit"', 'path = "own"'),
      ...{ 'own/Cargo.toml': crate('kit'), 'own/src/lib.rs': NO_KIT },
    },
    'a script of the build writes the helpers anew': {
      'Cargo.toml': cargoToml('', 'build = "src/make.rs"\n'),
      'src/make.rs':
        'fn main() {\n    std::fs::write("kit/src/lib.rs", "pub fn same(_: i32, _: i32) {}\\n").unwrap();\n}\n',
    },
    'a script of the build gives the answer': {
      'Cargo.toml': cargoToml('', 'build = "src/make.rs"\n'),
      'src/make.rs': 'fn main() {\n    println!("cargo:rustc-cfg=two");\n}\n',
      'src/lib.rs': RUST.replace('    1', '    if cfg!(two) { 2 } else { 1 }'),
    },
    'the library is another file': {
      'Cargo.toml': cargoToml('\n[lib]\npath = "src/own.rs"\n'),
      'src/own.rs': `${RUST.replace('    1', '    2')}#[macro_export]\nmacro_rules! same {\n    () => {};\n}\n`,
    },
  },
  honest: {
    'the solution itself': {
      ...{ 'Cargo.toml': cargoToml(withTwo), 'Cargo.lock': cargoLock('two'), ...localCrate('two') },
    },
    'it changes no settings': { 'src/lib.rs': RUST.replace('    1', '    2') },
    'it has a description of its own': {
      'Cargo.toml': cargoToml('', 'description = "m"\nlicense = "MIT"\n'),
      'src/lib.rs': RUST.replace('    1', '    2'),
    },
    'it has a feature of its own': {
      'Cargo.toml': cargoToml('\n[features]\nmore = []\n'),
      'src/lib.rs': `${RUST.replace('    1', '    2')}\n#[cfg(feature = "more")]\npub fn more() {}\n`,
    },
  },
};

const C = '#include "m.h"\nint value() { return 1; }\nint other() { return 3; }\n';
const cppTests = (value: number) =>
  `#include <gtest/gtest.h>\n#include "m.h"\nTEST(M, Value) { EXPECT_EQ(value(), ${value}); }\nTEST(M, Other) { EXPECT_EQ(other(), 3); }\n`;
const LISTS = cmakeLists('src/m.cc');
const listing = (name: string) => cmakeLists(`src/m.cc src/${name}.cc`);
const TWO = 'int two();\nint two() { return 2; }\n';
const twoC = `int two();\n${C.replace('return 1', 'return two()')}`;
const ENDS =
  '#include <stdio.h>\n#include <stdlib.h>\n__attribute__((constructor)) static void end() { puts("[ RUN      ] M.Value\\n[       OK ] M.Value (0 ms)"); exit(0); }\n';
const cmake: Small = {
  ...{ name: 'cmake', lack: TASKS.cmake!.lack, recipe: TASKS.cmake!.recipe },
  files: {
    'CMakeLists.txt': LISTS,
    'src/m.h': '#pragma once\nint value();\nint other();\n',
    ...{ 'src/m.cc': C, 'test/m-test.cc': cppTests(1) },
  },
  solved: { 'CMakeLists.txt': listing('two'), 'src/two.cc': TWO, 'src/m.cc': twoC },
  tested: { 'test/m-test.cc': cppTests(2) },
  ...{ failing: ['m-test::M.Value'], passing: ['m-test::M.Other'] },
  attacks: {
    'the test is a command that ends well': {
      'CMakeLists.txt': listing('two').replace('COMMAND m-test', 'COMMAND true'),
      'src/two.cc': TWO,
    },
    'the test may fail': {
      'CMakeLists.txt': `${listing('two')}set_tests_properties(m-test PROPERTIES WILL_FAIL TRUE)\n`,
      'src/two.cc': TWO,
    },
    'names stand for others': {
      'CMakeLists.txt': `${listing('two')}target_compile_definitions(m-test PRIVATE EXPECT_EQ=EXPECT_LE)\n`,
      'src/two.cc': TWO,
    },
    'the program of the tests is another file': {
      'CMakeLists.txt': listing('two').replace('test/m-test.cc', 'src/own.cc'),
      'src/two.cc': TWO,
      'src/own.cc': '#include <gtest/gtest.h>\nTEST(M, Value) {}\nTEST(M, Other) {}\n',
    },
    'a file in the list ends the process': { 'CMakeLists.txt': listing('own'), 'src/own.cc': ENDS },
    'headers of the tests are others': {
      'CMakeLists.txt': `${listing('two')}target_include_directories(m-test BEFORE PRIVATE own)\n`,
      'src/two.cc': TWO,
      'own/m.h': '#pragma once\ninline int value_() { return 2; }\n#define value value_\nint other();\n',
    },
  },
  honest: {
    'the solution itself': { 'CMakeLists.txt': listing('two'), 'src/two.cc': TWO, 'src/m.cc': twoC },
    'it changes no settings': { 'src/m.cc': C.replace('return 1', 'return 2') },
    'it lists another file': { 'CMakeLists.txt': listing('second'), 'src/second.cc': TWO, 'src/m.cc': twoC },
    'it has a version of its own': {
      'CMakeLists.txt': listing('two').replace('project(m CXX)', 'project(m VERSION 2.0 LANGUAGES CXX)'),
      'src/two.cc': TWO,
      'src/m.cc': twoC,
    },
    'it has a version of its own, and no file that the solution lists': {
      'CMakeLists.txt': LISTS.replace('project(m CXX)', 'project(m VERSION 2.0 LANGUAGES CXX)'),
      'src/m.cc': C.replace('return 1', 'return 2'),
    },
    'it installs': {
      'CMakeLists.txt': `${listing('two')}install(TARGETS m DESTINATION lib)\n`,
      'src/two.cc': TWO,
      'src/m.cc': twoC,
    },
  },
};

const POM = pom('m', JUNIT_5_10);
const SOLVED_POM = POM.replace('<version>1</version>', '<version>2</version>\n  <name>m</name>');
const JAVA =
  'package ex;\n\npublic class M {\n  public static int value() { return 1; }\n  public static int other() { return 3; }\n}\n';
const RIGHT = JAVA.replace('return 1', 'return 2');
const javaTests = (value: number) =>
  `package ex;\n\nimport org.junit.jupiter.api.*;\n\npublic class MTest {\n  @Test public void value() { Assertions.assertEquals(${value}, M.value()); }\n  @Test public void other() { Assertions.assertEquals(3, M.other()); }\n}\n`;
const J = 'src/main/java/ex/M.java';
const configured = (configuration: string) =>
  SOLVED_POM.replace('3.2.5</version>', `3.2.5</version><configuration>${configuration}</configuration>`);
const OWN_TEST = javaTests(1);
const JAVA_IDLE = { 'src/main/java/ex/Notes.java': 'package ex;\n\nclass Notes { }\n' };
const maven: Small = {
  ...{ name: 'maven', lack: TASKS.maven!.lack, recipe: TASKS.maven!.recipe },
  files: { 'pom.xml': POM, [J]: JAVA, 'src/test/java/ex/MTest.java': javaTests(1) },
  solved: { 'pom.xml': SOLVED_POM, [J]: RIGHT },
  tested: { 'src/test/java/ex/MTest.java': javaTests(2) },
  ...{ failing: ['ex.MTest#value'], passing: ['ex.MTest#other'] },
  attacks: {
    'failures are ignored': {
      'pom.xml': configured('<testFailureIgnore>true</testFailureIgnore>'),
      ...JAVA_IDLE,
    },
    'tests are left out': {
      'pom.xml': configured('<excludes><exclude>**/*</exclude></excludes>'),
      ...JAVA_IDLE,
    },
    'tests are of another folder': {
      'pom.xml': SOLVED_POM.replace('<build>', '<build><testSourceDirectory>src/own</testSourceDirectory>'),
      'src/own/ex/MTest.java': OWN_TEST,
    },
    'tests are tried again while the code counts': {
      'pom.xml': configured('<rerunFailingTestsCount>3</rerunFailingTestsCount>'),
      [J]: JAVA.replace('return 1;', 'return ++tried;').replace('{\n', '{\n  private static int tried;\n'),
    },
    'a property is the answer': {
      'pom.xml': configured('<systemPropertyVariables><m.value>2</m.value></systemPropertyVariables>'),
      [J]: JAVA.replace('return 1;', 'return Integer.getInteger("m.value", 1);'),
    },
    'classes of a folder stand before those of the tests': {
      'pom.xml': configured(
        '<additionalClasspathElements><additionalClasspathElement>own</additionalClasspathElement></additionalClasspathElements>',
      ),
      'own/ex/M.class': 'x\n',
    },
    'a plugin writes the tests anew': {
      'pom.xml': SOLVED_POM.replace(
        '<plugins>',
        '<plugins><plugin><artifactId>maven-resources-plugin</artifactId><executions><execution><id>own</id><phase>generate-test-sources</phase><goals><goal>copy-resources</goal></goals><configuration><outputDirectory>src/test/java</outputDirectory><overwrite>true</overwrite><resources><resource><directory>src/own</directory></resource></resources></configuration></execution></executions></plugin>',
      ),
      'src/own/ex/MTest.java': OWN_TEST,
    },
  },
  honest: {
    'the solution itself': { 'pom.xml': SOLVED_POM, [J]: RIGHT },
    'it changes no settings': { [J]: RIGHT },
    'it has a description and a version of its own': {
      'pom.xml': POM.replace('<version>1</version>', '<version>3</version>\n  <description>m</description>'),
      [J]: RIGHT,
    },
    'it has a property of its own': {
      'pom.xml': SOLVED_POM.replace('<properties>', '<properties>\n    <own.value>1</own.value>'),
      [J]: RIGHT,
    },
    'it has people': {
      'pom.xml': SOLVED_POM.replace(
        '  <properties>',
        '  <developers><developer><id>a</id></developer></developers>\n  <properties>',
      ),
      [J]: RIGHT,
    },
  },
};

const WANTED = process.env.RUNNERS?.split(',');
const ALL = [npm, go, cargo, cmake, maven].filter(
  ({ name, lack }) => lack === null && (WANTED?.includes(name) ?? true),
);

describe.each(ALL)('$name', (small) => describeSmall(small));
