/** Files that only tests need, though they lie elsewhere: they are protected, and what code needs as well is not. */
import { describe, expect, test } from 'vitest';
import { protectedIn } from './named.ts';

const json = (value: object) => JSON.stringify(value);
const NPM = {
  'package.json': json({ name: 'm', main: 'src/m.js' }),
  'src/m.js': "const { half } = require('./half');\nexports.value = half;\n",
  'src/half.js': 'exports.half = 1;\n',
};
/** Those of `paths` that a patch may not change. */
async function closed(
  files: Record<string, string>,
  paths: string[],
  { solution = ['src/m.js'], added = [] as string[] } = {},
) {
  const all = { ...NPM, ...files };
  const found = await protectedIn({ ecosystem: 'npm', files: all, command: 'npx jest', solution, added });
  return paths.filter((path) => path in found);
}
const calls = (...names: string[]) =>
  `${names.map((name) => `require('${name}');\n`).join('')}test('a', () => 1);\n`;

describe('helpers of tests in JavaScript', () => {
  const HELPER = 'src/test-utils/check.js';

  test('a file that only tests import', async () => {
    expect(await closed({ 'test/a.js': calls('../src/test-utils/check'), [HELPER]: '' }, [HELPER])).toEqual([
      HELPER,
    ]);
  });

  test('and what it imports, if that is called so too', async () => {
    const deep = { 'src/test-utils/deep.js': '', 'src/one.js': '' };
    const files = {
      'test/a.js': calls('../src/test-utils/check'),
      [HELPER]: calls('./deep', '../one'),
      ...deep,
    };
    expect(await closed(files, [HELPER, ...Object.keys(deep)])).toEqual([HELPER, 'src/test-utils/deep.js']);
  });

  test('by the end of a name that settings complete', async () => {
    expect(await closed({ 'test/a.js': calls('@/test-utils/check'), [HELPER]: '' }, [HELPER])).toEqual([
      HELPER,
    ]);
    const byCode = { 'src/other.js': calls('~/test-utils/check').replace(/^test.*$/m, '') };
    expect(
      await closed({ 'test/a.js': calls('@/test-utils/check'), [HELPER]: '', ...byCode }, [HELPER]),
    ).toEqual([]);
  });

  test.each([
    ['code imports it', { 'src/other.js': "require('./test-utils/check');\n" }, {}],
    ['it is one of several names', { 'test/check.test.js': calls('../src/test-utils/check') }, {}],
    ['the solution works there', {}, { solution: ['src/test-utils/more.js'] }],
    ['the package gives it away', { 'package.json': json({ exports: { './check': `./${HELPER}` } }) }, {}],
  ])('not if %s', async (_, files, more) => {
    const all = { 'test/a.js': calls('../src/test-utils/check'), [HELPER]: '', ...files };
    expect(await closed(all, [HELPER], more)).toEqual([]);
  });
});

describe('code that is called as helpers are', () => {
  const closedIn = (path: string, more: Record<string, string>) =>
    closed({ [path]: '', ...more }, [path], { solution: ['src/deep/m.js'] });

  test('a test that imports a package of its name says nothing', async () => {
    expect(await closedIn('mocha.js', { 'test/a.js': calls('mocha') })).toEqual([]);
    expect(await closedIn('mocha.js', { 'test/a.js': calls('../mocha') })).toEqual(['mocha.js']);
  });

  test('its own test lies beside it', async () => {
    expect(await closedIn('src/setup.js', { 'src/setup.test.js': calls('./setup') })).toEqual([]);
    const kit = 'src/testing/same.js';
    expect(await closedIn(kit, { 'src/testing/same.test.js': calls('./same') })).toEqual([kit]);
  });

  test('code starts it by its name', async () => {
    const starts = (text: string) => ({ 'src/other.js': text, 'test/a.js': calls('../src/setup') });
    const isClosed = (text: string) => closedIn('src/setup.js', starts(text));
    expect(await isClosed("new Worker(new URL('./setup.js', import.meta.url));\n")).toEqual([]);
    expect(await isClosed("import './elsewhere/setup.js';\n")).toEqual(['src/setup.js']);
    const page = { 'src/a.vue': "<script>import './setup';</script>\n" };
    expect(await closedIn('src/setup.js', { ...starts(''), ...page })).toEqual([]);
  });
});

describe('packages of a repository', () => {
  const part = (name: string, more: object = {}) => ({
    [`packages/${name}/package.json`]: json({ name: `@m/${name}`, main: 'index.js', ...more }),
    [`packages/${name}/index.js`]: "require('./lib/deep');\n",
    [`packages/${name}/lib/deep.js`]: '',
  });
  const FILES = ['packages/test-kit/index.js', 'packages/test-kit/lib/deep.js'];

  test('a private one that only tests import', async () => {
    const files = { ...part('test-kit', { private: true }), 'test/a.js': calls('@m/test-kit') };
    expect(await closed(files, FILES)).toEqual(FILES);
  });

  test('not if others can have it, or code imports it', async () => {
    expect(await closed({ ...part('test-kit'), 'test/a.js': calls('@m/test-kit/x') }, FILES)).toEqual([]);
    const files = { ...part('test-kit', { private: true }), 'test/a.js': calls('@m/test-kit') };
    expect(await closed({ ...files, 'src/b.js': "require('@m/test-kit');\n" }, FILES)).toEqual([]);
  });

  test('a private one that settings load, if no code imports it', async () => {
    const settings = { 'jest.config.js': "module.exports = { setupFiles: ['@m/boot'] };\n" };
    const boot = 'packages/boot/index.js';
    const own = part('boot', { private: true });
    expect(await closed({ ...own, ...settings }, [boot])).toEqual([boot]);
    expect(await closed({ ...part('boot'), ...settings }, [boot])).toEqual([]);
    const code = { 'src/b.js': "import '@m/boot';\n" };
    expect(await closed({ ...own, ...settings, ...code }, [boot])).toEqual([]);
  });
});

test('what a name of settings stands for, if only tests import the name', async () => {
  const settings = {
    'jest.config.js': "module.exports = { moduleNameMapper: { '^#like$': '<rootDir>/support/like.js' } };\n",
    'support/like.js': '',
  };
  const like = ['support/like.js'];
  expect(await closed({ ...settings, 'test/a.js': calls('#like') }, like)).toEqual(like);
  const code = { 'src/b.js': "require('#like');\n" };
  expect(await closed({ ...settings, 'test/a.js': calls('#like'), ...code }, like)).toEqual([]);
});

describe('not code for which a name stands in tests', () => {
  const found = (name: string, file: string, more: Record<string, string> = {}) => {
    const settings = `export default { resolve: { alias: { '${name}': './${file}' } } };\n`;
    const files = { 'vitest.config.js': settings, 'test/a.js': calls(name), [file]: '', ...more };
    return closed(files, [file], { solution: ['src/deep/m.js'] });
  };

  test.each([
    ['the name of its package', 'm', 'core/all.js', {}],
    ['another name, below the sources', 'all', 'src/all.js', {}],
    [
      'it imports the code',
      'all',
      'core/all.js',
      { 'core/all.js': "require('./part');\n", 'core/part.js': '' },
    ],
  ])('%s', async (_, name, file, more) => expect(await found(name, file, more)).toEqual([]));

  test('but helpers there', async () => {
    expect(await found('all', 'src/testing/all.js')).toEqual(['src/testing/all.js']);
    expect(await found('all', 'core/all.js')).toEqual(['core/all.js']);
  });
});

test('the environment that a file of tests names', async () => {
  const files = { 'test/a.js': `/** @jest-environment ./conf/dom.js */\n${calls()}`, 'conf/dom.js': '' };
  expect(await closed(files, ['conf/dom.js'])).toEqual(['conf/dom.js']);
});

describe('what tests read', () => {
  const CASES = { 'cases/a.json': '', 'golden/b.txt': '', 'test/a.js': calls('../src/m') };
  const READS = {
    ...CASES,
    'test/a.js': `${calls('../src/m')}join(__dirname, '../cases'); same('golden/b.txt');\n`,
  };

  test('files without code that tests name', async () => {
    const paths = ['cases/a.json', 'cases/new.json', 'cases/new.js', 'golden/b.txt'];
    expect(await closed(READS, paths, { added: paths })).toEqual([
      ...['cases/a.json', 'cases/new.json', 'golden/b.txt'],
    ]);
    expect(await closed(CASES, paths, { added: paths })).toEqual([]);
  });

  test('not what code could mean as well', async () => {
    const files = { ...READS, 'src/half.js': "read(`${root}/cases/${name}`, 'b.txt');\n" };
    expect(await closed(files, ['cases/a.json', 'golden/b.txt'])).toEqual([]);
  });

  test.each([
    ['code of another language', 'parts/a.vue', {}],
    ['below the sources', 'src/words/a.json', {}],
    [
      'published',
      'words/a.json',
      { 'package.json': json({ name: 'm', main: 'src/m.js', files: ['words/**'] }) },
    ],
    ['what code imports without its ending', 'words/a.json', { 'src/b.js': "require('../words/a');\n" }],
  ])('not %s', async (_, path, more) => {
    const test = `${calls('../src/m')}read('../${path}');\n`;
    expect(await closed({ [path]: '', 'test/a.js': test, ...more }, [path])).toEqual([]);
  });

  test('not a folder in which the solution works', async () => {
    expect(await closed(READS, ['cases/a.json'], { solution: ['cases/b.json'] })).toEqual([]);
  });
});

describe('Java', () => {
  const M = 'core/src/main/java/ex/M.java';
  const module = (name: string, ...dependencies: string[]) =>
    `<project><parent><artifactId>all</artifactId></parent><artifactId>${name}</artifactId><dependencies>${dependencies.join('')}</dependencies></project>`;
  const needs = (name: string, more = '') =>
    `<dependency><artifactId>${name}</artifactId>${more}</dependency>`;
  const KIT = 'testkit/src/main/java/kit/Check.java';
  const found = async (core: string, more: Record<string, string> = {}, solution = [M]) => {
    const poms = { 'testkit/pom.xml': module('testkit'), 'core/pom.xml': core };
    const files = { ...poms, [KIT]: 'class Check { }', [M]: 'class M { }', ...more };
    return protectedIn({ ecosystem: 'maven', files, command: 'mvn test', solution });
  };
  const SCOPE = '<scope>test</scope>';

  test('a module that others need for their tests', async () => {
    expect(await found(module('core', needs('testkit', SCOPE)))).toHaveProperty([KIT], 'test');
    const managed = `<project><artifactId>all</artifactId><dependencyManagement><dependencies>${needs('testkit')}</dependencies></dependencyManagement></project>`;
    expect(await found(module('core', needs('testkit', SCOPE)), { 'pom.xml': managed })).toHaveProperty([
      KIT,
    ]);
  });

  test('not one that code needs, that nothing needs, or in which the solution works', async () => {
    expect(await found(module('core', needs('testkit')))).not.toHaveProperty([KIT]);
    expect(await found(module('core'))).not.toHaveProperty([KIT]);
    const own = ['testkit/src/main/java/kit/Other.java'];
    expect(await found(module('core', needs('testkit', SCOPE)), {}, own)).not.toHaveProperty([KIT]);
  });

  test('a new class that stands before one that tests import by a star', async () => {
    const test = [
      'package ex;\nimport java.util.*;\nimport java.time.Duration;\n',
      '// Of a Turtle.\nclass MTest { Set<Integer> all = new HashSet<>(); Duration one; String two = "Zebra"; M m;',
      '  static class Inner { } Inner three; void testParser() { Outer.Builder four; Second five; } }\n',
    ];
    const folder = 'core/src/main/java/ex';
    const added = [
      'HashSet',
      'Set',
      'String',
      'Duration',
      'Turtle',
      'Zebra',
      'Inner',
      'Own',
      'M',
      'Parser',
      'Builder',
      'Second',
    ];
    const seen = await protectedIn({
      ecosystem: 'maven',
      files: { 'core/src/test/java/ex/MTest.java': test.join(''), [M]: 'class M { }\nclass Second { }' },
      ...{ command: 'mvn test', added: added.map((name) => `${folder}/${name}.java`) },
    });
    const closedOnes = added.filter((name) => `${folder}/${name}.java` in seen);
    expect(closedOnes).toEqual(['HashSet', 'Set', 'String']);
  });
});
