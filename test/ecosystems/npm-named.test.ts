/** Files that settings of runners in JavaScript name: those of the runner are protected, and code under test is not. */
import { describe, expect, test } from 'vitest';
import { pathsIn, protectedIn } from './named.ts';

const LIBRARY = {
  'lib/m.js': "const { half } = require('./half');\nexports.value = half;\n",
  'lib/half.js': 'exports.half = 1;\n',
  'test/m.js': "const m = require('../lib/m');\nit('is right', () => m.value());\n",
};
/** What is protected by its name alone. */
const BY_NAME =
  /^(?:test\/|.*package\.json$|.*(?:jest|vitest|vite|karma|babel|webpack|ava)\.(?:conf(?:ig)?|workspace)\.|.*\.mocharc|.*mocha\.opts$|.*tsconfig|.*\.babelrc)/;

function named(files: Record<string, string>, command = 'npx jest --verbose', solution = ['lib/m.js']) {
  return pathsIn({ ecosystem: 'npm', files: { ...LIBRARY, ...files }, command, solution }, BY_NAME);
}
const packageJson = (settings: object) => ({
  'package.json': JSON.stringify({ name: 'm', main: 'lib/m.js', ...settings }),
});
/** Files without anything. */
const empty = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, '']));

describe('jest', () => {
  const KEYS = {
    setupFiles: ['<rootDir>/jest/before.js'],
    setupFilesAfterEnv: ['./jest/after'],
    setupTestFrameworkScriptFile: 'jest/framework.js',
    globalSetup: './jest/up.ts',
    globalTeardown: './jest/down.js',
    testEnvironment: './jest/env.js',
    reporters: ['default', ['./jest/report.js', { to: 'x' }]],
    transform: { '\\.js$': ['./jest/change', { a: 1 }] },
    snapshotSerializers: ['<rootDir>/jest/writes.js'],
    moduleNameMapper: { '\\.css$': '<rootDir>/jest/style.js', '^m/(.*)$': '<rootDir>/lib/half.js' },
    runner: './jest/run',
    testRunner: './jest/own-run/index.js',
    preset: './jest/base',
    resolver: './jest/find.js',
    testSequencer: './jest/order.js',
    snapshotResolver: './jest/where.js',
  };
  const FILES = empty(
    ...['jest/before.js', 'jest/after.js', 'jest/framework.js', 'jest/up.ts', 'jest/down.js', 'jest/env.js'],
    ...['jest/report.js', 'jest/change.js', 'jest/writes.js', 'jest/style.js', 'jest/run.js'],
    ...[
      'jest/own-run/index.js',
      'jest/base/jest-preset.js',
      'jest/find.js',
      'jest/order.js',
      'jest/where.js',
    ],
  );
  const ALL = Object.keys(FILES).sort();

  test('by package.json', async () => {
    expect(await named({ ...FILES, ...packageJson({ jest: KEYS }) })).toEqual(ALL);
    expect(await named({ ...FILES, ...packageJson({ jest: {} }) })).toEqual(['jest/base/jest-preset.js']);
  });

  test.each([
    ['jest.config.json', JSON.stringify(KEYS)],
    ['jest.config.js', `// what is loaded\nmodule.exports = ${JSON.stringify(KEYS)};\n`],
    [
      'jest.config.ts',
      `import type { Config } from 'jest';\nconst config: Config = ${JSON.stringify(KEYS)};\nexport default config;\n`,
    ],
    ['jest.config.mjs', `export default async () => ({ ...base, projects: [${JSON.stringify(KEYS)}] });\n`],
  ])('by %s', async (path, text) => {
    expect(await named({ ...FILES, ...packageJson({}), [path]: text })).toEqual(ALL);
  });

  test('code under test that settings only name may change', async () => {
    const settings = {
      collectCoverageFrom: ['lib/half.js', 'lib/**'],
      roots: ['<rootDir>/lib'],
      moduleNameMapper: { '^half$': '<rootDir>/lib/half.js', '^other$': '<rootDir>/other/index.js' },
      coverageThreshold: { './lib/half.js': { lines: 1 } },
      setupFiles: ['./lib/m.js', './lib/half.js'],
    };
    const others = empty('other/index.js');
    expect(await named({ ...others, ...packageJson({ jest: settings }) })).toEqual([]);
    const text = `const config = ${JSON.stringify(settings)};\nmodule.exports = config;\n`;
    expect(await named({ ...others, ...packageJson({}), 'jest.config.js': text })).toEqual([]);
  });

  test('a file that the solution changes may change', async () => {
    const files = {
      ...empty('jest/before.js'),
      ...packageJson({ jest: { setupFiles: ['./jest/before.js'] } }),
    };
    expect(await named(files)).toEqual(['jest/before.js']);
    expect(await named(files, 'npx jest', ['jest/before.js'])).toEqual([]);
  });

  test('a file that the package gives away, or that its code imports, may change', async () => {
    const files = {
      'src/environment.js': "import './more.js';\n",
      'src/more.js': '',
      'src/index.js': "import './polyfill.js';\n",
      'src/polyfill.js': '',
      'package.json': JSON.stringify({
        exports: { '.': './dist/environment.js' },
        jest: {
          testEnvironment: './src/environment.js',
          setupFiles: ['./src/polyfill.js', './src/index.js'],
        },
      }),
    };
    expect(await named(files, 'npx jest', ['src/other.js'])).toEqual([]);
  });

  test('what the runner’s own files import is the runner’s, as far as nothing else needs it', async () => {
    const files = {
      ...packageJson({ jest: { setupFiles: ['./jest/before.js'] } }),
      'jest/before.js':
        "require('../shared/matchers');\nrequire('../lib/m');\nrequire('../lib/half');\nrequire('../lib/own');\n",
      'shared/matchers.js': "require('./more');\nrequire('./used');\n",
      'shared/more.js': '',
      'shared/used.js': '',
      'other/a.js': "require('../shared/used');\n",
      'lib/own.js': '',
    };
    expect(await named(files)).toEqual(['jest/before.js', 'shared/matchers.js', 'shared/more.js']);
  });

  test('settings that others import, spread or name are settings', async () => {
    const files = {
      ...packageJson({}),
      'jest.config.js':
        "const shared = require('./config/shared');\nmodule.exports = { ...shared, projects: ['./config/one.js'] };\n",
      'config/shared.js':
        "const { join } = require('path');\nmodule.exports = { setupFiles: [join(__dirname, '..', 'jest', 'a.js')] };\n",
      'config/one.js':
        "const b = `${__dirname}/../jest/b.js`;\nmodule.exports = { globalSetup: b };\nmodule.exports.setupFiles.push('../jest/c');\n",
      ...empty('jest/a.js', 'jest/b.js', 'jest/c.js'),
    };
    expect(await named(files)).toEqual([
      'config/one.js',
      'config/shared.js',
      'jest/a.js',
      'jest/b.js',
      'jest/c.js',
    ]);
  });

  test('variables stand for what they hold', async () => {
    const files = {
      ...packageJson({}),
      'jest.config.js':
        "const setupFiles = ['./jest/a.js'];\nconst env = require.resolve('./jest/b');\nconst source = './lib/half.js';\nmodule.exports = { setupFiles, testEnvironment: env, globals: { source } };\n",
      ...empty('jest/a.js', 'jest/b.js'),
    };
    expect(await named(files)).toEqual(['jest/a.js', 'jest/b.js']);
  });

  test('settings that the command names', async () => {
    const files = {
      ...packageJson({}),
      'config/unit.json': JSON.stringify({ rootDir: '..', setupFiles: ['<rootDir>/jest/a.js'] }),
      ...empty('jest/a.js', 'jest/b.js', 'jest/c.js'),
    };
    const command = 'npx jest --config=config/unit.json --setupFilesAfterEnv ./jest/b --env=./jest/c.js';
    expect(await named(files, command)).toEqual(['config/unit.json', 'jest/a.js', 'jest/b.js', 'jest/c.js']);
  });

  test('tests by a pattern, also those that a patch adds', async () => {
    const files = {
      ...packageJson({ jest: { testMatch: ['<rootDir>/checks/**/*.js', '**/*.check.[jt]s', '!**/a.js'] } }),
      'checks/a.js': "test('a', () => 1);\n",
      'lib/m.check.js': "describe('m', () => 1);\n",
    };
    const found = await protectedIn({
      ...{ ecosystem: 'npm', files: { ...LIBRARY, ...files }, command: 'npx jest', solution: ['lib/m.js'] },
      added: ['checks/deep/b.js', 'lib/new.check.js', 'lib/new.js'],
    });
    expect(found).toMatchObject({
      'checks/a.js': 'test',
      'checks/deep/b.js': 'test',
      'lib/new.check.js': 'test',
    });
    expect(found).not.toHaveProperty('lib/new.js');
    expect(found).not.toHaveProperty('lib/m.js');
  });

  test('a pattern that the solution’s code matches protects nothing', async () => {
    const files = packageJson({ jest: { testMatch: ['<rootDir>/lib/**/*.js'] } });
    expect(await named(files)).toEqual([]);
    expect(await named(files, 'npx jest', [])).toEqual([]);
  });
});

describe('mocha', () => {
  const ALL = [
    'checks/a.js',
    'hooks/before.js',
    'hooks/first.js',
    'hooks/report.js',
    'hooks/ui.js',
    'init.js',
  ];
  const FILES = { ...empty(...ALL), 'checks/a.js': "it('a', () => 1);\n", ...packageJson({}) };
  const SETTINGS = {
    require: ['./hooks/before', 'init', 'should'],
    file: './hooks/first.js',
    ui: './hooks/ui.js',
    reporter: './hooks/report',
    spec: ['checks/*.js'],
    extension: ['js'],
  };
  test.each([
    ['.mocharc.json', `{ // with comments\n${JSON.stringify(SETTINGS).slice(1)}`],
    ['.mocharc.jsonc', JSON.stringify(SETTINGS)],
    ['.mocharc', JSON.stringify(SETTINGS)],
    ['.mocharc.cjs', `module.exports = ${JSON.stringify(SETTINGS)};`],
    [
      '.mocharc.yml',
      'require: [./hooks/before, init]\nfile: ./hooks/first.js\nui: ./hooks/ui.js\nreporter: ./hooks/report\nspec:\n  - checks/*.js\n',
    ],
    [
      'test/mocha.opts',
      '--require ./hooks/before\n-r init\n--file ./hooks/first.js\n-u ./hooks/ui.js\n--reporter ./hooks/report\nchecks/*.js\n--spec checks/*.js',
    ],
    ['package.json', JSON.stringify({ mocha: SETTINGS })],
  ])('by %s', async (path, text) => {
    expect(await named({ ...FILES, [path]: text }, 'npx mocha -R tap')).toEqual(ALL);
  });

  test('broken settings name nothing', async () => {
    for (const path of ['.mocharc.json', '.mocharc.yml', '.mocharc.js', 'jest.config.ts'])
      expect(await named({ ...FILES, [path]: '{ [ : ]] ' }, 'npx mocha')).toEqual([]);
  });

  test.each([
    'npx mocha -R tap -r ./hooks/before --require=init --file hooks/first.js checks/*.js',
    "NODE_OPTIONS='--require ./hooks/before --import=./init.js' npx nyc mocha --file=./hooks/first 'checks/**/*.js'",
    'node -r ./hooks/before -r ./init --file ./hooks/first node_modules/.bin/_mocha checks',
    'npm test',
  ])('by the command %s', async (command) => {
    const files = {
      ...FILES,
      'package.json': JSON.stringify({
        scripts: { test: 'mocha -r ./hooks/before,init --file hooks/first checks/' },
      }),
    };
    expect(await named(files, command)).toEqual([
      'checks/a.js',
      'hooks/before.js',
      'hooks/first.js',
      'init.js',
    ]);
  });
});

describe('vitest and vite', () => {
  test.each(['vitest.config.mts', 'vite.config.js', 'vitest.workspace.ts'])('by %s', async (path) => {
    const text = `
      import { fileURLToPath } from 'node:url';
      import { defineConfig } from 'vitest/config';
      import own from './build/own-plugin';
      export default defineConfig({
        plugins: [own(), other({ entry: './lib/alone.js' })],
        build: { lib: { entry: './lib/half.js' }, rollupOptions: { input: 'lib/alone.js' } },
        resolve: { alias: { '@': fileURLToPath(new URL('./lib/half.js', import.meta.url)), fs: './mocks/fs.ts', x: './other/x.js' } },
        test: {
          include: ['units/**/*.?(c|m)[jt]s?(x)'],
          setupFiles: './setups/a.ts',
          globalSetup: [fileURLToPath(new URL('./setups/b.ts', import.meta.url))],
          environment: './setups/c.ts',
          reporters: ['default', './setups/d'],
          snapshotSerializers: ['./setups/e.ts'],
          coverage: { include: ['lib/**'], provider: 'custom', customProviderModule: './setups/f.ts' },
          alias: [{ find: 'net', replacement: './mocks/net.ts' }],
        },
      });`;
    const files = {
      ...packageJson({}),
      ...empty('setups/a.ts', 'setups/b.ts', 'setups/c.ts', 'setups/d.ts', 'setups/e.ts', 'setups/f.ts'),
      ...empty('mocks/fs.ts', 'mocks/net.ts', 'other/x.js', 'lib/alone.js', 'build/own-plugin.ts'),
      'units/a.ts': "import { test } from 'vitest';\ntest('a', () => {});\n",
      [path]: text,
    };
    expect(await named(files, 'npx vitest run')).toEqual([
      ...['build/own-plugin.ts', 'mocks/fs.ts', 'mocks/net.ts'],
      ...['setups/a.ts', 'setups/b.ts', 'setups/c.ts', 'setups/d.ts', 'setups/e.ts', 'setups/f.ts'],
      'units/a.ts',
    ]);
  });

  test('settings that import the library itself do not protect it', async () => {
    const files = {
      'package.json': JSON.stringify({ exports: { '.': { import: './dist/plugin.mjs' } } }),
      'vite.config.ts':
        "import plugin from './src/plugin';\nimport { more } from './src/more';\nexport default { plugins: [plugin(), more()] };\n",
      'src/plugin.ts': "import { more } from './more';\n",
      'src/more.ts': '',
    };
    expect(await named(files, 'npx vitest run', ['src/other.ts'])).toEqual([]);
  });
});

test('karma: plugins, helpers and tests; sources that a browser is given may change', async () => {
  const text = `module.exports = (config) => {
    config.set({
      files: ['lib/half.js', 'lib/alone.js', 'browser/setup.js', { pattern: 'browser/specs/*.js', watched: false }],
      plugins: ['karma-mocha', require('./karma/plugin')],
      preprocessors: { 'lib/*.js': ['x'] },
      customContextFile: 'karma/context.html',
    });
    config.files.push('./browser/mock-time.js');
  };`;
  const files = {
    ...packageJson({}),
    ...{ 'karma.conf.js': text, 'browser/specs/a.js': "describe('a', () => 1);\n" },
    ...empty(
      'lib/alone.js',
      'browser/setup.js',
      'browser/mock-time.js',
      'karma/plugin.js',
      'karma/context.html',
    ),
  };
  expect(await named(files, 'npx karma start --single-run')).toEqual([
    ...[
      'browser/mock-time.js',
      'browser/setup.js',
      'browser/specs/a.js',
      'karma/context.html',
      'karma/plugin.js',
    ],
  ]);
});

test('compilers of tests: plugins of Babel, and settings that tsconfig.json extends', async () => {
  const files = {
    ...packageJson({ babel: { plugins: ['./babel/a'] } }),
    '.babelrc': JSON.stringify({
      presets: ['./babel/b.js'],
      plugins: [['./babel/c', { from: './lib/half.js' }]],
    }),
    'tsconfig.json':
      '{ // comment\n "extends": "./config/base.json", "compilerOptions": { "paths": { "m": ["lib/half.js"] } } }',
    'config/base.json': '{}',
    ...empty('babel/a.js', 'babel/b.js', 'babel/c.js'),
  };
  expect(await named(files)).toEqual(['babel/a.js', 'babel/b.js', 'babel/c.js', 'config/base.json']);
});

test('a script that starts tests, and what it imports elsewhere', async () => {
  const files = {
    ...packageJson({ scripts: { test: 'node scripts/test.js' } }),
    'scripts/test.js': "require('../build/helpers');\nrequire('../lib/m');\nrequire('../lib/half');\n",
    ...empty('build/helpers.js'),
  };
  expect(await named(files, 'npm test')).toEqual(['build/helpers.js', 'scripts/test.js']);
});

test('variables of the mode of tests', async () => {
  expect(await named(empty('.env.test', '.env'))).toEqual(['.env.test']);
});

describe('paths in other forms', () => {
  test('from the folder that settings tell as the root', async () => {
    const files = {
      ...packageJson({
        jest: {
          rootDir: 'code',
          setupFiles: ['<rootDir>/boot/env.ts'],
          testMatch: ['<rootDir>/units/**/*.ts'],
        },
      }),
      'code/units/a.ts': "test('a', () => 1);\n",
      ...empty('code/boot/env.ts'),
    };
    expect(await named(files)).toEqual(['code/boot/env.ts', 'code/units/a.ts']);
  });

  test('YAML with aliases and a key that is there twice', async () => {
    const text = 'x: &all [./hooks/a.js]\nrequire: *all\nspec: a\nspec: b\n';
    expect(await named({ '.mocharc.yml': text, ...empty('hooks/a.js') }, 'npx mocha')).toEqual([
      'hooks/a.js',
    ]);
  });

  test('settings of many packages do not crowd out those of the root', async () => {
    const others = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [`packages/${at}/package.json`, '{"jest":{}}']),
    );
    const data = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [`a/test/fixtures/${at}/package.json`, '{"jest":{}}']),
    );
    const plain = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`b/${at}/package.json`, '{}']));
    const files = {
      ...{ ...data, ...plain },
      'z/one/jest.config.js': "module.exports = { setupFiles: ['./hooks/a.js'] };\n",
      ...empty('z/one/hooks/a.js'),
    };
    expect(await named(files)).toEqual(['z/one/hooks/a.js']);
    const root = {
      ...others,
      'vite.config.js': "export default { test: { setupFiles: './hooks/a.js' } };\n",
    };
    expect(await named({ ...root, ...empty('hooks/a.js') })).toEqual(['hooks/a.js']);
  });

  test('links, with what they lead to and what that imports', async () => {
    const files = {
      ...packageJson({ jest: { setupFiles: ['./boot.js'] } }),
      'deep/boot/real.js': "require('./part');\n",
      ...empty('deep/boot/part.js', 'part.js'),
    };
    const repository = { ecosystem: 'npm', files: { ...LIBRARY, ...files }, command: 'npx jest' };
    expect(await pathsIn({ ...repository, links: { 'boot.js': 'deep/boot/real.js' } }, BY_NAME)).toEqual([
      'boot.js',
      'deep/boot/part.js',
      'deep/boot/real.js',
    ]);
  });

  test('settings of coverage, of builders and of workspaces', async () => {
    const files = {
      '.nycrc': '{"require":["./hooks/a.js"]}',
      '.c8rc.json': '{}',
      'nyc.config.js': '',
      'angular.json': JSON.stringify({
        projects: {
          m: {
            architect: {
              build: { options: { main: 'app/main.ts' } },
              test: { options: { main: 'app/first.ts', karmaConfig: 'conf/karma.js' } },
            },
          },
        },
      }),
      'conf/karma.js': "module.exports = (c) => c.set({ plugins: [require('./plugin')] });\n",
      'vitest.workspace.ts': "export default ['./conf/unit.ts', './app/*'];\n",
      'conf/unit.ts': "export default { test: { globalSetup: './up.ts' } };\n",
      ...empty('app/main.ts', 'app/first.ts', 'conf/plugin.js', 'conf/up.ts', 'hooks/a.js'),
    };
    expect(await named(files)).toEqual([
      ...['.c8rc.json', '.nycrc', 'angular.json', 'app/first.ts', 'conf/karma.js', 'conf/plugin.js'],
      ...['conf/unit.ts', 'conf/up.ts', 'hooks/a.js', 'nyc.config.js'],
    ]);
  });

  test('options of Node, and texts with escapes', async () => {
    const files = {
      '.mocharc.json': '{"node-option":["import=./hooks/a.mjs"],"require":"./hooks\\/b.js"}',
      ...empty('hooks/a.mjs', 'hooks/b.js'),
    };
    expect(await named(files, 'npx mocha')).toEqual(['hooks/a.mjs', 'hooks/b.js']);
  });
});

test('a folder with tests beside the code: tests alone, by their names and their calls', async () => {
  const files = {
    ...packageJson({}),
    'packages/a/src/x.js': '',
    'packages/a/src/x.spec.js': "it('x', () => 1);\n",
    'packages/a/src/y.js': "it('y', () => 1);\n",
  };
  const repository = { ecosystem: 'npm', files, command: 'npx mocha packages/a/src' };
  const added = ['packages/a/src/z.js', 'packages/a/src/z_spec.js'];
  expect(await pathsIn({ ...repository, added }, BY_NAME)).toEqual([
    'packages/a/src/x.spec.js',
    'packages/a/src/y.js',
    'packages/a/src/z_spec.js',
  ]);
});

test('the library’s own code in setup files may change: an index of its folder, and what tests require', async () => {
  const files = {
    ...packageJson({ main: 'dist/all.js', jest: { setupFiles: ['./src/all/index.js', './src/fill.js'] } }),
    ...empty('src/all/index.js', 'src/fill.js', 'other/a.js'),
    'test/fill.js': "require('../src/fill');\n",
  };
  expect(await named(files, 'npx jest', ['other/a.js'])).toEqual([]);
});
