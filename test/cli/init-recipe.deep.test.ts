/** The recipe that `swemake init` proposes by the files of a repository, and what it changes after a log. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectText } from '../../app/init/project-text.ts';
import { amended, proposeRecipe, requirementIn } from '../../app/init/propose-recipe.ts';
import { initCommand } from '../../cli/init.ts';
import { mineCommand } from '../../cli/mine.ts';
import { mutationFormat } from '../../formats/mutation/kind.ts';
import { projectFolder, run } from '../compiler/project-folder.ts';
import { makeRepository } from '../tasks/source/helpers.ts';

describe('the recipe that a repository’s files propose', () => {
  const propose = (files: Record<string, string>, env = machine({ rust: [], jdk: [] })) => {
    const folder = projectFolder({ ...files, 'tests/test_a.py': '' });
    return proposeRecipe(folder, { env });
  };
  const project = (...lines: string[]) => ({
    'pyproject.toml': ['[project]', 'name = "a"', ...lines, ''].join('\n'),
  });
  const poetry = (...lines: string[]) => ({
    'pyproject.toml': ['[tool.poetry]', 'name = "a"', ...lines, ''].join('\n'),
  });

  test.each<[string, Record<string, string>, object]>([
    ['a bare package', { 'setup.py': 'setup()' }, { pip: ['pytest'] }],
    [
      'an extra',
      project('[project.optional-dependencies]', 'docs = ["sphinx"]', 'test = ["x"]'),
      { install: ['python -m pip install -e .[test]'] },
    ],
    [
      'an extra that is written in another way',
      project('[ project . optional-dependencies ]', "'Tests' = ['x'] # a note"),
      { install: ['python -m pip install -e .[Tests]'] },
    ],
    [
      'an extra as an inline table',
      project('optional-dependencies = { dev = ["x"], test_all = ["y"] }'),
      { install: ['python -m pip install -e .[test_all]'] },
    ],
    [
      'an extra of setup.cfg',
      { 'setup.cfg': '[metadata]\n[options.extras_require]\ndocs =\n  sphinx\ntesting =\n  x\n' },
      { install: ['python -m pip install -e .[testing]'] },
    ],
    [
      'an extra of setup.py',
      { 'setup.py': 'E = {"tests": ["x"]}\nV = open("v").read()\nsetup(version=V, extras_require=E)\n' },
      { install: ['python -m pip install -e .[tests]'] },
    ],
    [
      'tests_require',
      { 'setup.py': 'T = ["mock", "pytest>=3"]\nsetuptools.setup(name=N, tests_require=T)\n' },
      { pip: ['mock', 'pytest>=3'] },
    ],
    [
      'a file of requirements',
      { 'setup.py': 's', 'requirements-dev.txt': 'x' },
      { packages: ['requirements-dev.txt'] },
    ],
    [
      'a file for tests before an extra for developers',
      { ...project('[project.optional-dependencies]', 'dev = ["x"]'), 'requirements/tests.txt': 'x' },
      { packages: ['requirements/tests.txt'] },
    ],
    [
      'a group of dependencies',
      project('[dependency-groups]', 'test = [', '  "pytest-cov>=4",', '  "x[y]",', ']'),
      { pip: ['pytest', 'pytest-cov>=4', 'x[y]'] },
    ],
    [
      'requirements with quotes and markers',
      project(
        '[dependency-groups]',
        `dev = ["pytest>=7,<8; python_version < '3.8'", 'pytest>=8; python_version >= "3.8"']`,
      ),
      { pip: ['pytest', "pytest>=7,<8; python_version < '3.8'", 'pytest>=8; python_version >= "3.8"'] },
    ],
    [
      'a group that includes others, and itself',
      project(
        '[dependency-groups]',
        'a = ["x", {include-group = "test"}]',
        'test = [{include-group = "a"}, "y"]',
      ),
      { pip: ['pytest', 'x', 'y'] },
    ],
    [
      'a group of Poetry',
      poetry(
        '[tool.poetry.group.dev.dependencies]',
        ...[
          'pytest = "~7.1"',
          'a = "^3"',
          'b = "^0.2.3"',
          'c = "*"',
          'd = { version = ">=1, <2", extras = ["e"] }',
        ],
        ...['f = { git = "https://example.org/f" }', 'g = "1.2.*"', 'h = "^1 || ^2"', 'python = "^3.8"'],
      ),
      { pip: ['pytest>=7.1,<7.2', 'a>=3,<4', 'b>=0.2.3,<0.3', 'c', 'd[e]>=1,<2', 'g==1.2.*', 'h'] },
    ],
    [
      'development packages of Poetry',
      poetry('[tool.poetry.dev-dependencies]', 'mock = "2.0"'),
      { pip: ['pytest', 'mock==2.0'] },
    ],
    ['packages of PDM', project('[tool.pdm.dev-dependencies]', 'test = ["x"]'), { pip: ['pytest', 'x'] }],
    ['packages of uv', project('[tool.uv]', 'dev-dependencies = ["x"]'), { pip: ['pytest', 'x'] }],
    [
      'an environment of Hatch',
      project('[tool.hatch.envs.test]', 'dependencies = ["x"]'),
      { pip: ['pytest', 'x'] },
    ],
    [
      'packages of tox',
      {
        'setup.py': 's',
        'tox.ini': '[testenv]\ndeps =\n  pytest<8 # a note\n  -rother.txt\n  py27: mock\n  x\n',
      },
      { pip: ['pytest<8', 'x'] },
    ],
    [
      'plugins that addopts names, which a group has in part',
      project(
        '[dependency-groups]',
        'test = ["pytest", "pytest_cov>=4"]',
        '[tool.pytest.ini_options]',
        'addopts = ["--cov=a", "-nauto", "--doctest-modules", "-p", "no:logging"]',
      ),
      { pip: ['pytest', 'pytest_cov>=4', 'pytest-xdist'], test: expect.stringMatching(/ --no-cov$/) },
    ],
    [
      'plugins of pytest.ini and of no other file, beside an extra',
      {
        ...project('[project.optional-dependencies]', 'test = ["x"]'),
        '.pytest.ini': '[pytest]\nrequired_plugins = pytest-mock>=3\naddopts =\n  --cov=a\n  --timeout 5\n',
        'tox.ini': '[pytest]\naddopts = --benchmark-skip\n',
      },
      {
        pip: ['pytest', 'pytest-mock>=3', 'pytest-cov', 'pytest-timeout'],
        install: ['python -m pip install -e .[test]'],
      },
    ],
    [
      'plugins of setup.cfg',
      { 'setup.cfg': '[metadata]\n[tool:pytest]\naddopts = --ds=a.settings --cov\n' },
      { pip: ['pytest', 'pytest-django', 'pytest-cov'], test: expect.stringMatching(/ --no-cov$/) },
    ],
    [
      'no package',
      { 'a.py': '', 'requirements.txt': 'x' },
      { install: [], packages: ['requirements.txt'], env: { PYTHONPATH: '.' } },
    ],
    ['a version of Python', { 'setup.py': 's', '.python-version': '3.11.4\n' }, { python: '3.11' }],
    ['a Python that it takes', project('requires-python = ">=3.6,<3.8"'), { python: '3.7' }],
    ['a Python that it does not exclude', project('requires-python = "~=3.99"'), { pip: ['pytest'] }],
    ['the Python of Poetry', poetry('[tool.poetry.dependencies]', 'python = "~3.8"'), { python: '3.8' }],
    [
      'a setup.py that is nested too deeply',
      { 'setup.py': `x = ${'-'.repeat(5000)}1\nsetup(tests_require=["mock"])\n` },
      { pip: ['pytest'] },
    ],
    [
      'a setup.py with a value that is nested too deeply',
      { 'setup.py': `x = ${Array(900).fill('1').join('+')}\nsetup(tests_require=["mock"])\n` },
      { pip: ['pytest', 'mock'] },
    ],
    ['broken files', { 'setup.py': 'def(', 'setup.cfg': 'a\n[b', 'tox.ini': '\0' }, { pip: ['pytest'] }],
  ])('%s', async (_, files, wanted) => {
    const proposed = await propose(files);
    expect(proposed).toMatchObject({ ok: true, value: { recipe: wanted } });
  });

  test('a note is one line, however its file is written', async () => {
    const proposed = await propose({
      'setup.cfg': '[metadata]\nname = a\n[options]\npython_requires =\n  >=3.6,\n  <3.8\n',
    });
    expect(proposed).toMatchObject({
      ok: true,
      value: { recipe: { python: '3.7' }, notes: ['python_requires in setup.cfg is >=3.6, <3.8.'] },
    });
  });

  test('a project has no line of a note outside of its comments', () => {
    const rows = { source: './repo', format: mutationFormat, rows: 1, isAll: true, bad: 0, repos: [] };
    const recipes = [{ repo: 'a/b', recipe: { pip: ['pytest'] }, notes: ['one\n- two: [\r\nthree\r{'] }];
    const names = { name: 'p', file: 'p.yaml', schema: 's.json', rows, recipes };
    const text = projectText({ ...names, endpoint: null, isBenchmark: false, allowHosts: [] });
    expect(text).toContain('    # one\n    # - two: [\n    # three\n    # {\n    - match: { repo: a/b }\n');
  });

  test('any Python 3 is no version', async () => {
    const proposed = await propose(project('requires-python = ">=3.6"'));
    expect(proposed).toMatchObject({
      ok: true,
      value: { recipe: expect.not.objectContaining({ python: expect.anything() }) },
    });
  });

  test('folders whose names are no UTF-8 are not looked at', async () => {
    const folder = projectFolder({ 'package.json': '{"scripts":{"test":"jest"}}' });
    mkdirSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from('\xff', 'latin1')]));
    const proposed = await proposeRecipe(folder, { env: machine({ rust: [], jdk: [] }) });
    expect(proposed).toMatchObject({ ok: true, value: { recipe: { ecosystem: 'npm' } } });
  });

  test('only regular files inside of the repository are read', async () => {
    const outside = projectFolder({ 'secret.txt': 'secret==1\n' });
    const folder = projectFolder({
      'setup.py': 's',
      'requirements/base.txt': 'inner==1\n',
      'requirements/test.txt': [
        ...['-r .', `-r ../../${basename(outside)}/secret.txt`, '-r link.txt', '-r own.txt', '-r loop.txt'],
        ...['direct==1', ''],
      ].join('\n'),
    });
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'requirements/link.txt'));
    symlinkSync('base.txt', join(folder, 'requirements/own.txt'));
    symlinkSync('loop.txt', join(folder, 'requirements/loop.txt'));
    // A folder of that name is no file.
    mkdirSync(join(folder, 'tox.ini'));
    symlinkSync(join(outside, 'secret.txt'), join(folder, '.python-version'));
    writeFileSync(join(folder, 'test_a.py'), 'import secret, inner, direct\n');
    const proposed = await proposeRecipe(folder, { env: machine({ rust: [], jdk: [] }) });
    if (!proposed.ok) throw new Error(JSON.stringify(proposed.fault));
    expect(proposed.value.recipe.packages).toEqual(['requirements/test.txt']);
    expect(proposed.value.files['tox.ini']).toBe('');
    expect(JSON.stringify(proposed.value)).not.toContain('secret==1');
  });

  test('nothing is read through links and paths that lead out of the repository', async () => {
    const outside = projectFolder({
      'tox.ini': '[testenv]\ndeps = leaked-deps\n',
      'setup.py': 'setup(tests_require=["leaked-setup"])\n',
      'test_b.py': 'import leaked_import\n',
    });
    const folder = projectFolder({
      ...project('[project.optional-dependencies]', 'far = ["leaked_import"]'),
      'pytest.ini': `[pytest]\ntestpaths = ../${basename(outside)} tests .\n`,
      'tests/test_a.py': 'from ..............conftest import x\n',
    });
    for (const name of ['tox.ini', 'setup.py']) symlinkSync(join(outside, name), join(folder, name));
    symlinkSync(join(outside, 'test_b.py'), join(folder, 'tests/test_b.py'));
    symlinkSync('/dev/zero', join(folder, 'setup.cfg'));
    const proposed = await proposeRecipe(folder, { env: machine({ rust: [], jdk: [] }) });
    expect(proposed).toMatchObject({ ok: true, value: { recipe: { pip: ['pytest'] } } });
    expect(proposed.ok && JSON.stringify(proposed.value.recipe)).not.toMatch(/leaked|far/);
  });

  test.each(['folder', 'link'])('a pyproject.toml that is a %s is not read', async (kind) => {
    const outside = projectFolder({ 'other.toml': '[project]\nrequires-python = "<3.8,>=3.6"\n' });
    const folder = projectFolder({ 'setup.py': 's' });
    const path = join(folder, 'pyproject.toml');
    if (kind === 'folder') mkdirSync(path);
    else symlinkSync(join(outside, 'other.toml'), path);
    const proposed = await proposeRecipe(folder, { env: machine({ rust: [], jdk: [] }) });
    expect(proposed).toMatchObject({ ok: true, value: { recipe: { pip: ['pytest'] } } });
    expect(proposed.ok && proposed.value.recipe.python).toBeUndefined();
  });

  test('a mistake in pyproject.toml is named with its place', async () => {
    const proposed = await propose({ 'pyproject.toml': '[project]\nname = "a\n' });
    expect(proposed).toMatchObject({
      ok: false,
      fault: { message: expect.stringMatching(/^pyproject\.toml:2:\d+: \w/) },
    });
  });

  const node = (manifest: object) => ({ 'package.json': JSON.stringify(manifest) });

  test.each<[string, Record<string, string>, object]>([
    [
      'a module of Go',
      { 'go.mod': 'module m\n\ngo 1.12\n' },
      { ecosystem: 'go', toolchain: { go: '1.23.8' } },
    ],
    ['a later Go', { 'go.mod': 'go 1.24\n' }, { toolchain: { go: '1.24.0' } }],
    ['a patch release of Go', { 'go.mod': 'go 1.23.9\n' }, { toolchain: { go: '1.23.9' } }],
    [
      'the toolchain of Go',
      { 'go.work': 'go 1.22\n\ntoolchain go1.25.1\n' },
      { toolchain: { go: '1.25.1' } },
    ],
    [
      'mocha with arguments',
      node({ scripts: { test: 'nyc mocha -R spec "lib/*.spec.js" && eslint .' } }),
      {
        ...{ ecosystem: 'npm', toolchain: { node: '20.19.0' } },
        ...{ test: 'npx mocha "lib/*.spec.js" --reporter json', parser: 'mocha' },
      },
    ],
    [
      'mocha that a script starts by its API, with tests beside the code',
      {
        ...node({
          scripts: { test: 'npm run lint && npm run unit', lint: 'standard', unit: 'nyc node test.js' },
          devDependencies: { mocha: '10' },
        }),
        ...{ 'test.js': '', 'test/readme.md': '', 'lib/index.js': '' },
        ...{ 'lib/copy/__tests__/copy.test.js': '', 'lib/copy/__tests__/fixtures/a.test.js': '' },
      },
      { test: 'npx mocha --reporter json --spec "lib/**/*.test.js"', parser: 'mocha' },
    ],
    [
      'mocha whose script is another one',
      {
        ...node({ scripts: { test: 'npm run unit -- --exit', unit: 'mocha --recursive --exit' } }),
        'test/deep/a.js': '',
      },
      { test: 'npx mocha --recursive --exit --exit --reporter json' },
    ],
    [
      'mocha with tests in folders alone',
      { ...node({ scripts: { test: 'mocha' } }), 'tests/unit/a.js': '', 'packages/b/test/c.js': '' },
      { test: 'npx mocha --reporter json --spec "packages/**/test/**/*.js"' },
    ],
    [
      'mocha before it had an option for patterns',
      { ...node({ devDependencies: { mocha: '^5.2.0' } }), 'lib/a.spec.js': '', 'lib/b.test.mjs': '' },
      { test: 'npx mocha --reporter json "lib/**/*.spec.js" "lib/**/*.test.mjs"' },
    ],
    [
      'mocha where it looks',
      { ...node({ scripts: { test: 'mocha' } }), 'test/a.js': '', 'lib/b.test.js': '' },
      { test: 'npx mocha --reporter json' },
    ],
    [
      'mocha whose settings name the tests',
      {
        ...node({ scripts: { test: 'mocha' } }),
        '.mocharc.yml': 'spec:\n  - lib/*.js\n',
        'lib/b.test.js': '',
      },
      { test: 'npx mocha --reporter json' },
    ],
    [
      'mocha whose script names a file that is loaded first',
      { ...node({ scripts: { test: 'mocha -r ./lib/setup.js' } }), 'lib/setup.js': '', 'lib/b.test.js': '' },
      { test: 'npx mocha -r ./lib/setup.js --reporter json --spec "lib/**/*.test.js"' },
    ],
    [
      'mocha whose script names a folder',
      { ...node({ scripts: { test: 'mocha -t 5000 ./unit/' } }), 'unit/b.js': '', 'lib/b.test.js': '' },
      { test: 'npx mocha -t 5000 ./unit/ --reporter json' },
    ],
    [
      'QUnit with tests beside the code',
      { ...node({ scripts: { test: 'qunit' } }), 'lib/a-test.js': '' },
      { test: 'npx qunit "lib/**/*-test.js"', parser: 'parse_log_tap' },
    ],
    [
      'karma, which has packages of mocha',
      node({
        scripts: { test: 'karma start karma.conf.js --single-run --reporters dots' },
        devDependencies: { mocha: '10' },
      }),
      {
        test: 'CHROME_BIN=/usr/lib/chromium/chromium npx karma start karma.conf.js --single-run --reporters mocha',
        parser: 'mocha',
      },
    ],
    [
      'QUnit',
      node({ scripts: { test: 'qunit --reporter console test/*.js' } }),
      { test: 'npx qunit test/*.js', parser: 'parse_log_tap' },
    ],
    [
      'jest for modules',
      node({ scripts: { test: 'node --experimental-vm-modules node_modules/.bin/jest' } }),
      { test: 'NODE_OPTIONS=--experimental-vm-modules npx jest --verbose', parser: 'jest' },
    ],
    ['jest', node({ scripts: { test: 'jest --coverage' } }), { test: 'npx jest --verbose', parser: 'jest' }],
    [
      'vitest by its package, and a later Node',
      node({
        scripts: { test: 'npm run unit' },
        devDependencies: { vitest: '1' },
        engines: { node: '>=22' },
      }),
      {
        toolchain: { node: '22.14.0' },
        ...{ test: 'npx vitest run --reporter=verbose', parser: 'vitest' },
      },
    ],
    [
      'what is built before the tests',
      node({
        scripts: {
          pretest: 'npm run lint && npm run build && npm run build:docs',
          test: 'nyc mocha',
          build: 'run-p build:*',
          lint: 'eslint .',
        },
      }),
      { build: ['npm run build'], test: 'npx mocha --reporter json' },
    ],
    [
      'builds of a script within a script, and none behind its tests',
      node({
        scripts: {
          test: 'run-s lint:* compile unit && npm run bundle',
          unit: 'cross-env NODE_ENV=test tsc -p test && tsc --noEmit && jest',
          preunit: 'yarn build-lib --fast; webpack',
          'build-lib': 'x',
          ...{ compile: 'x', bundle: 'x', 'lint:dist': 'x' },
        },
      }),
      {
        build: [
          'npm run compile',
          'npm run build-lib',
          'npx webpack',
          'cross-env NODE_ENV=test npx tsc -p test',
        ],
      },
    ],
    [
      'Node itself',
      node({ scripts: { test: 'node --no-warnings --test --test-reporter=spec test/' } }),
      { test: 'node --test --test-reporter=tap test/', parser: 'node-test' },
    ],
    [
      'Node itself, started more than once',
      node({
        scripts: {
          test: 'npm run build:reset && npm run build:docs && npm run specs && npm run unit && npm run specs',
          ...{
            specs: 'node --test --test-reporter=spec a.js',
            unit: 'node --test --test-reporter=spec b/*.js',
          },
          ...{ build: 'tsc', 'build:reset': 'rimraf lib', 'build:docs': 'npm run build && node docs.js' },
        },
      }),
      { build: ['npm run build'], test: 'node --test --test-reporter=tap a.js b/*.js' },
    ],
  ])('of another language: %s', async (_, files, wanted) => {
    expect(await propose(files)).toMatchObject({ ok: true, value: { recipe: wanted } });
    // Beside a package of Python it is a part of that.
    expect(await propose({ ...files, 'setup.py': '' })).toMatchObject({
      value: { recipe: { pip: ['pytest'] } },
    });
  });

  test.each([
    ['npm error ERESOLVE could not resolve', { env: { npm_config_legacy_peer_deps: 'true' } }],
    ["Error: Cannot find module '../dist/index.js'", { build: ['npm run compile'] }],
    ["Cannot find module '/testbed/index.mjs' imported from /testbed/t.js", { build: ['npm run compile'] }],
    ["Error: Cannot find module '/testbed/node_modules/a/b.js'", null],
    ["Error: Cannot find module 'dist'", null],
  ])('a recipe whose log says "%s" is amended once by %j', async (log, wanted) => {
    const proposed = await propose(node({ scripts: { test: 'mocha', compile: 'tsc', prepare: 'x' } }));
    if (!proposed.ok) throw new Error(JSON.stringify(proposed.fault));
    const better = amended(proposed.value, log);
    if (wanted === null) return expect(better).toBeNull();
    expect(better).toMatchObject({ recipe: { test: proposed.value.recipe.test, ...wanted } });
    expect(better!.notes.length).toBe(proposed.value.notes.length + 1);
    expect(amended(better!, log)).toBeNull();
  });

  /** A machine that has these toolchains and no other. */
  const machine = (versions: Record<'rust' | 'jdk', string[]>) => {
    const [rustup, java] = [projectFolder({}), projectFolder({})];
    const place = (folder: string, program: string, version: string) => {
      mkdirSync(join(folder, 'bin'), { recursive: true });
      writeFileSync(join(folder, 'bin', program), `#!/bin/sh\necho "${program} ${version}"\n`, {
        mode: 0o755,
      });
    };
    for (const one of versions.rust) place(join(rustup, 'toolchains', one), 'rustc', one);
    for (const one of versions.jdk) place(join(java, one), 'javac', one);
    return { ...process.env, RUSTUP_HOME: rustup, JAVA_HOME: join(java, versions.jdk[0] ?? '') };
  };

  test.each([
    [{ 'Cargo.toml': '' }, 'cargo', { rust: '1.95.0' }, 'Rust is the newest of this machine.'],
    [
      { 'Cargo.toml': '', 'rust-toolchain.toml': '[toolchain]\nchannel = "1.75"\n' },
      ...(['cargo', { rust: '1.75.1' }, 'rust-toolchain.toml asks for Rust 1.75.'] as const),
    ],
    [
      { 'Cargo.toml': '', 'rust-toolchain': '1.60.0\n' },
      ...(['cargo', { rust: '1.95.0' }, 'Rust is the newest of this machine.'] as const),
    ],
    [
      { 'Cargo.toml': '', 'rust-toolchain': 'stable\n' },
      ...(['cargo', { rust: '1.95.0' }, 'Rust is the newest of this machine.'] as const),
    ],
    [
      { 'pom.xml': '<maven.compiler.release>98</maven.compiler.release>' },
      ...([
        'maven',
        { jdk: '98.0.2' },
        'The JDK is the oldest of this machine that compiles for Java 98.',
      ] as const),
    ],
    [{ 'CMakeLists.txt': '' }, 'cmake', undefined, 'CTest finds the tests'],
    [
      {
        'pnpm-lock.yaml': '',
        'package.json': '{"packageManager":"pnpm@9.1.0+sha512.a","scripts":{"test":"vitest"}}',
      },
      ...(['pnpm', { node: '20.19.0', pnpm: '9.1.0' }, 'package.json asks for pnpm 9.1.0.'] as const),
    ],
    [
      { 'yarn.lock': '', 'package.json': '{"scripts":{"test":"jest"}}' },
      ...(['yarn', { node: '20.19.0' }, 'The tests are run by jest'] as const),
    ],
  ])('%j are of %s with toolchain %j', async (files, ecosystem, toolchain, note) => {
    const env = machine({ rust: ['1.9.0', '1.95.0', '1.75.1', '1.97.0-nightly'], jdk: ['99.0.1', '98.0.2'] });
    const proposed = await propose(files as Record<string, string>, env);
    if (!proposed.ok) throw new Error(JSON.stringify(proposed.fault));
    expect(proposed.value.recipe.ecosystem).toBe(ecosystem);
    expect(proposed.value.recipe.toolchain).toEqual(toolchain);
    expect(proposed.value.notes.join(' ')).toContain(note);
  });

  test.each([
    ['package.json', '{', 'package.json is no object of JSON', 'ecosystem: npm'],
    [
      'package.json',
      '{}',
      'no runner of tests that is known here: vitest, jest, karma, qunit, mocha',
      'ecosystem: npm',
    ],
    ['pnpm-lock.yaml', '', 'package.json is no object of JSON', 'ecosystem: pnpm'],
    ['Cargo.toml', '', 'this machine has no toolchain of Rust', 'ecosystem: cargo'],
    ['build.gradle', '', 'no recipe is proposed for Gradle: only its user', 'ecosystem: gradle'],
    ['composer.json', '', 'has composer.json and no pyproject.toml', 'docs/languages.md names'],
  ])('nothing is proposed for %s with "%s"', async (file, text, message, remedy) => {
    expect(await propose({ [file]: text })).toMatchObject({
      ok: false,
      fault: { message: expect.stringContaining(message), remedy: expect.stringContaining(remedy) },
    });
    expect(await propose({ [file]: text, 'setup.py': '' })).toMatchObject({ ok: true });
  });

  test('such a repository is refused before anything is made', async () => {
    const folder = projectFolder({});
    makeRepository(folder, 'repo', { 'build.gradle': '', 'src/main/java/A.java': '' });
    const made = await run(initCommand, ['mine.yaml', '--from', './repo'], folder);
    expect(made).toMatchObject({ code: 1, stdout: '' });
    expect(made.stderr).toMatch(
      /^E004 {2}no recipe .* Gradle .*\n +write a project .* gradle, .*--project of swemake mutate or mine\n/,
    );
    expect(readdirSync(folder)).toEqual(['repo']);
    const mined = await run(mineCommand, ['./repo', '-o', 'rows.jsonl'], folder);
    expect(mined).toMatchObject({ code: 1, stdout: '', stderr: made.stderr });
  });

  describe('what its tests import is in the recipe where some list of packages has it', () => {
    const EXTRAS = [
      'dependencies = ["needed-one"]',
      '[project.optional-dependencies]',
      'test = ["pytest", "in_test"]',
      'docs = ["sphinx"]',
      'all = ["PyYAML", "numpy", "other", "more"]',
      'fast = ["numpy~=2.0", "pydantic[email]>=2"]',
      '[dependency-groups]',
      'web = ["python-dateutil==2.9", "requests"]',
    ];
    const withTests = (files: Record<string, string>, lines = EXTRAS) =>
      propose({ ...project(...lines), ...files });

    test.each<[string, Record<string, string>, object]>([
      [
        'whole extras, the shortest that has the most of it',
        {
          'tests/test_b.py':
            'import os, numpy.linalg\nfrom pydantic import BaseModel\nimport in_test, needed_one\n',
        },
        { install: ['python -m pip install -e .[test,fast]'], pip: ['pytest'] },
      ],
      [
        'two of them',
        { 'tests/test_b.py': 'import yaml, pydantic\n' },
        { install: ['python -m pip install -e .[test,fast,all]'] },
      ],
      [
        'single requirements of a group',
        { 'tests/test_b.py': 'from dateutil import parser\n' },
        { install: ['python -m pip install -e .[test]'], pip: ['pytest', 'python-dateutil==2.9'] },
      ],
      [
        'what a helper, a package and code of the repository import for them',
        {
          'tests/test_b.py': 'from a.web import serve\nfrom .help import x\n',
          'tests/help.py': 'import yaml\n',
          'a/__init__.py': '',
          'a/web/__init__.py': 'from ..own import y\n',
          'a/own.py': 'import dateutil\n',
        },
        { install: ['python -m pip install -e .[test,all]'], pip: ['pytest', 'python-dateutil==2.9'] },
      ],
      [
        'not what may be lacking, what is of the repository itself, and what files that are no tests import',
        {
          'tests/test_b.py':
            'import sys\ntry:\n    import numpy\nexcept ImportError:\n    numpy = None\nif sys.argv:\n    import yaml\ndef test():\n    import pydantic\n',
          'tests/test_c.py': 'import pytest\npytest.importorskip("numpy")\nimport numpy\n',
          'tests/test_d.py': 'import requests, (\n',
          'requests.py': '',
          'docs/conf.py': 'import sphinx\n',
        },
        { install: ['python -m pip install -e .[test]'], pip: ['pytest'] },
      ],
      [
        'only of the folders that the configuration names',
        {
          'pytest.ini': '[pytest]\ntestpaths = unit\n',
          'tests/test_b.py': 'import yaml\n',
          'unit/checks.py': 'import numpy\n',
        },
        { install: ['python -m pip install -e .[test,fast]'] },
      ],
    ])('%s', async (_, files, recipe) => {
      expect(await withTests(files)).toMatchObject({ ok: true, value: { recipe } });
    });

    test('its place is said', async () => {
      const proposed = await withTests({ 'tests/test_b.py': 'import numpy, pydantic, dateutil\n' });
      expect(proposed).toMatchObject({
        value: {
          notes: [
            'The package has an extra "test".',
            'Its tests import numpy, pydantic: the extra "fast" of pyproject.toml.',
            'Its tests import dateutil: python-dateutil==2.9 of dependency-groups.web in pyproject.toml.',
          ],
        },
      });
    });

    test('an extra may name others of the package, and there may be none for tests', async () => {
      const lines = ['[project.optional-dependencies]', 'yaml = ["pyyaml"]', 'both = ["A[yaml]", "numpy"]'];
      expect(await withTests({ 'test_b.py': 'import yaml, numpy\n' }, lines)).toMatchObject({
        value: { recipe: { install: ['python -m pip install -e .[both]'] } },
      });
    });
  });

  test('the requirement that pip complains of is named with its place', async () => {
    const proposed = await propose({
      ...project(
        '[dependency-groups]',
        'dev = [',
        '  "other",',
        '  "Not-There>=99; python_version > \'3\'",',
        ']',
      ),
      'requirements-dev.txt': '# not-there\nnot-there-either==1 # why\n',
    });
    if (!proposed.ok) throw new Error(JSON.stringify(proposed.fault));
    const of = (name: string) =>
      requirementIn(`pip[0]: ERROR: No matching distribution found for ${name}==2`, proposed.value);
    expect(of('not-there')).toBe("pyproject.toml:6 asks for Not-There>=99; python_version > '3'");
    expect(of('not-there-either')).toBeNull();
    expect(of('nothing')).toBeNull();
  });
});
