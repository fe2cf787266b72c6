/** Settings that are made to end or to hold up who reads them. A reader that takes much longer ends this file by vitest's time for a test. */
import { expect, test } from 'vitest';
import { pathsIn } from './named.ts';

const MUCH = 20_000;
const nested = (depth: number, open: string, end: string, inner: string) =>
  `${open.repeat(depth)}${inner}${end.repeat(depth)}`;

async function read(ecosystem: string, files: Record<string, string>, command = 'make test') {
  return pathsIn({ ecosystem, files, command, solution: ['lib/m.js'] }, /^(?!run\/)/);
}
const RUN = { 'run/a.js': '' };

test.each([
  ['a package.json', { 'package.json': `{"exports":${nested(9000, '{"a":', '}', '"./x.js"')}}` }],
  [
    'settings in JavaScript',
    { 'jest.config.js': `module.exports = { x: ${nested(3000, '{a:[', ']}', '"x"')} };` },
  ],
  ['members of members', { 'jest.config.js': `a${'.b'.repeat(MUCH)} = './x.js';` }],
  ['arguments', { 'jest.config.js': `f(${"'a',".repeat(MUCH)});` }],
  ['uses', { 'jest.config.js': `const a = [${"'b',".repeat(MUCH)}]; x = {${'k: a,'.repeat(MUCH)}};` }],
  ['imports', { 'jest.config.js': `import${' '.repeat(MUCH * 5)}x` }],
  ['patterns', { '.mocharc.json': `{"spec":${JSON.stringify(Array(MUCH).fill('*a*b*c.js'))}}` }],
  [
    'folders',
    { 'jest.config.js': "module.exports = { testMatch: ['x'] }", [`${'d/'.repeat(2000)}a.js`]: '' },
  ],
])('npm: %s', async (_, files: Record<string, string>) => {
  const settings = { '.nycrc.json': '{"require":["./run/a.js"]}' };
  expect(await read('npm', { ...RUN, ...files, ...settings }, 'npx mocha')).toEqual(['run/a.js']);
});

test('npm: stars on a name that nearly matches', async () => {
  const files = {
    '.mocharc.json': JSON.stringify({ spec: [`${'*a'.repeat(14)}b.js`], require: './run/a.js' }),
    [`${'a'.repeat(200)}.js`]: '',
  };
  expect(await read('npm', { ...RUN, ...files }, 'npx mocha')).toEqual(['run/a.js']);
});

test('npm: settings that cannot be read name by their words', async () => {
  const files = { '.mocharc.yml': 'require: ./run/a.js\n  - [ : ]] {' };
  expect(await read('npm', { ...RUN, ...files }, 'npx mocha')).toEqual(['run/a.js']);
});

test('cargo: modules that the solution changes and that name each other', async () => {
  const files = {
    'Cargo.toml': '[package]\nname = "m"\nbuild = "run/a.js"\n[[bench]]\nname = "t"\npath = "b/t.rs"\n',
    'b/t.rs': `mod t;\nmod u;\n${'\n'.repeat(MUCH)}`,
    'b/u.rs': 'mod t;\n',
  };
  const repository = { ecosystem: 'cargo', files: { ...RUN, ...files }, command: 'cargo test' };
  expect(await pathsIn({ ...repository, solution: ['b/t.rs'] }, /^Cargo/)).toEqual(['b/u.rs', 'run/a.js']);
});

test.each([
  ['targets', `add_custom_target(${'test'.repeat(MUCH)}`],
  ['calls', 'add_test('.repeat(MUCH)],
  ['empty lines', '\n'.repeat(MUCH * 5)],
])('cmake: %s', async (_, text) => {
  const files = { 'CMakeLists.txt': `add_test(NAME a COMMAND run/a.js)\n${text}` };
  expect(await read('cmake', { ...RUN, ...files })).toEqual(['run/a.js']);
});

test.each([
  ['blanks', `<argLine>${' '.repeat(MUCH)}`],
  ['folders', `<testSourceDirectory>${' '.repeat(MUCH)}`],
  ['comments', '<!--'.repeat(MUCH * 5)],
  ['resources', '<testResource><directory>a/b</directory></testResource>'.repeat(MUCH)],
  ['listeners', '<name>listener</name><value>a</value>'.repeat(MUCH)],
])('Maven: %s', async (_, text) => {
  const files = { 'pom.xml': `<suiteXmlFile> run/a.js </suiteXmlFile>${text}` };
  expect(await read('maven', { ...RUN, ...files })).toEqual(['run/a.js']);
});

test.each([
  ['blocks', 'test{'.repeat(MUCH)],
  ['names', 'test'.repeat(MUCH)],
  ['blanks', `test { srcDir ${' '.repeat(MUCH)}`],
])('Gradle: %s', async (_, text) => {
  const files = { 'build.gradle': `suites 'run/a.js'\nsourceSets {\n${text}` };
  expect(await read('gradle', { ...RUN, ...files })).toEqual(['run/a.js']);
});

test('Go: lists of imports and comments without an end', async () => {
  for (const text of ['import (\n'.repeat(MUCH), '/*'.repeat(MUCH), '"'.repeat(MUCH), '`'.repeat(MUCH)]) {
    const files = { 'go.mod': 'module m\n', 'testutil/a.go': 'package a\n', 'a.go': text };
    expect(await read('go', { ...RUN, ...files }, 'go test -exec run/a.js ./...')).toEqual(['run/a.js']);
  }
});
