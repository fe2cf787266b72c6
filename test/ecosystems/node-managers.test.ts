/** pnpm and Yarn as kinds: their steps, run with programs that stand in for them, and what their tests find. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EcosystemKind } from '../../ecosystems/kind.ts';
import { npmTests } from '../../ecosystems/npm/tests.ts';
import { pnpmEcosystem } from '../../ecosystems/pnpm/kind.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { yarnEcosystem } from '../../ecosystems/yarn/kind.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { temporaryFolder } from '../rig/folder.ts';

function stepsOf({ build }: EcosystemKind, toolchain: Record<string, string>) {
  const recipe = { packages: ['package.json'], pre_install: ['a'], install: ['b'], toolchain };
  return build!.steps(recipe as unknown as BuildRecipe);
}

/** Runs the step of packages in a folder with files; `program` is a script of bash that is found by `name`. Gives the folder. */
function install(
  kind: EcosystemKind,
  toolchain: Record<string, string>,
  files: Record<string, string>,
  name: string,
  program: string,
): string {
  const folder = temporaryFolder();
  const all = { ...files, [`bin/${name}`]: `#!/bin/bash\n${program}\n` };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  chmodSync(join(folder, 'bin', name), 0o755);
  const step = stepsOf(kind, toolchain).find(({ phase }) => phase === 'dependencies')!;
  execFileSync('bash', ['-c', step.command.replaceAll('/tmp/', `${folder}/tmp-`)], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      npm_config_registry: 'http://index.test/npm/now/',
      http_proxy: 'http://127.0.0.1:1',
    },
  });
  return folder;
}

const textIn = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

test.each([
  ['pnpm', 'pnpm-lock.yaml'],
  ['yarn', 'yarn.lock'],
  ['npm', 'package.json'],
])('%s is told by %s', (name, file) => {
  expect(ecosystemNamed(name).manifests).toContain(file);
});

test('what a recipe installs itself by a later Yarn comes from the index as well', () => {
  const commands = (yarn: string) =>
    stepsOf(yarnEcosystem, { node: '20.19.0', yarn })
      .filter(({ phase }) => phase === 'installation')
      .map(({ command }) => command);
  expect(commands('1.22.22').join('\n')).not.toContain('YARN_NPM_REGISTRY_SERVER');
  const [command = ''] = commands('3.5.0');
  const script = command.replace(/a$/, 'echo $YARN_NPM_REGISTRY_SERVER $YARN_HTTP_PROXY $YARN_HTTPS_PROXY');
  const env = { npm_config_registry: 'http://index.test/npm/now/', http_proxy: 'http://127.0.0.1:1' };
  const run = (variables: Record<string, string>) =>
    execFileSync('bash', ['-c', script], { env: { PATH: process.env.PATH, ...variables } }).toString();
  expect(run(env)).toBe('http://index.test/npm/now http://127.0.0.1:1 http://127.0.0.1:1\n');
  expect(run({})).toBe('\n');
});

describe('pnpm', () => {
  test.each([
    ['20.19.0', '9.15.9'],
    ['16.20.2', '8.15.9'],
    ['14.21.3', '6.35.1'],
  ])('Node %s has pnpm %s, unless the recipe names another', (node, version) => {
    const { usual } = pnpmEcosystem.toolchains.pnpm!;
    expect(usual!({ node })).toBe(version);
    expect(usual!({ node, pnpm: '10.34.9' })).toBe('10.34.9');
    expect(stepsOf(pnpmEcosystem, { node })[0]!.command).toContain(
      `/opt/toolchains/pnpm/${version}/bin/pnpm.cjs`,
    );
  });

  test('packages are those of the lock file, and no note of when and where they were installed is left', () => {
    const folder = install(
      pnpmEcosystem,
      { node: '20.19.0' },
      {
        'pnpm-lock.yaml': '',
        'packages/a/node_modules/.modules.yaml':
          'layoutVersion: 5\nprunedAt: Thu\nstoreDir: /x\n"prunedAt": "b"\n',
        'node_modules/.pnpm-workspace-state.json': '{}',
      },
      'pnpm',
      'echo "$@" > asked',
    );
    expect(textIn(folder, 'asked')).toMatch(/^install --frozen-lockfile --ignore-scripts /);
    expect(textIn(folder, 'packages/a/node_modules/.modules.yaml')).toBe('layoutVersion: 5\n');
    expect(existsSync(join(folder, 'node_modules/.pnpm-workspace-state.json'))).toBe(false);
  });

  test('without a lock file none is made', () => {
    const folder = install(pnpmEcosystem, { node: '20.19.0' }, {}, 'pnpm', 'echo "$@" > asked');
    expect(textIn(folder, 'asked')).toMatch(/^install --no-lockfile /);
  });

  test('tests are offline, and pnpm is the version of the recipe', () => {
    expect(pnpmEcosystem.build!.variables({ node: '20.19.0' })).toMatchObject({
      npm_config_offline: 'true',
      pnpm_config_offline: 'true',
      npm_config_manage_package_manager_versions: 'false',
    });
  });
});

describe('Yarn', () => {
  const LOCK =
    'a@1:\n  resolved "https://registry.yarnpkg.com/a/-/a-1.tgz#1"\nb@1:\n  resolved "https://registry.npmjs.org/b/-/b-1.tgz"\n';

  test('the first version and later ones are other packages', () => {
    const source = yarnEcosystem.toolchains.yarn!;
    const name = source.from === 'npm' && typeof source.package === 'function' ? source.package : String;
    expect(name('1.22.22')).toBe('yarn');
    expect(name('4.4.1')).toBe('@yarnpkg/cli-dist');
    expect(source.usual!({ node: '20.19.0' })).toBe('1.22.22');
  });

  test('the first version finds the index in the place of the registries of a lock file, which stays as it is', () => {
    const folder = install(
      yarnEcosystem,
      { node: '20.19.0' },
      { 'yarn.lock': LOCK, 'node_modules/.yarn-integrity': '{}' },
      'yarn',
      'cp yarn.lock seen; echo "$@" > asked',
    );
    expect(textIn(folder, 'seen').match(/http:\/\/index\.test\/npm\/now\/[ab]\/-\//g)).toHaveLength(2);
    expect(textIn(folder, 'yarn.lock')).toBe(LOCK);
    expect(textIn(folder, 'asked')).toMatch(/^install --frozen-lockfile --ignore-scripts /);
    expect(existsSync(join(folder, 'node_modules/.yarn-integrity'))).toBe(false);
  });

  test('later versions read the index and its proxy from variables', () => {
    const folder = install(
      yarnEcosystem,
      { node: '20.19.0', yarn: '4.4.1' },
      { 'yarn.lock': '' },
      'yarn',
      'echo "$@ $YARN_NPM_REGISTRY_SERVER $YARN_HTTP_PROXY" > asked',
    );
    expect(textIn(folder, 'asked')).toBe(
      'install --immutable http://index.test/npm/now http://127.0.0.1:1\n',
    );
  });

  test('tests are offline, and Yarn is the version of the recipe', () => {
    expect(yarnEcosystem.build!.variables({ node: '20.19.0' })).toMatchObject({
      YARN_ENABLE_NETWORK: 'false',
      YARN_IGNORE_PATH: '1',
    });
  });
});

test.each([
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  '.pnpmfile.cjs',
  'yarn.lock',
  '.yarnrc.yml',
  '.pnp.cjs',
  '.yarn/releases/yarn-4.cjs',
])('a patch does not change %s', (path) => expect(npmTests.protects(path)).toBe('runner'));

describe('of a manifest that the solution changes', () => {
  const manifest = { name: 'm', version: '1.0.0', scripts: { test: 'jest' }, jest: { testMatch: ['a'] } };
  const decides = (more: object) =>
    npmTests.deciding!('packages/a/package.json', JSON.stringify({ ...manifest, ...more }));

  test.each([
    [{ version: '2.0.0' }],
    [{ dependencies: { a: '^1.0.0' }, main: 'dist/m.js', exports: { '.': './dist/m.js' } }],
  ])('%j decides nothing', (more) => expect(decides(more)).toBe(decides({})));

  test.each([
    [{ scripts: { test: 'jest', pretest: 'node x.js' } }],
    [{ jest: { testMatch: ['a'], setupFiles: ['./x.js'] } }],
    [{ mocha: {} }],
    [{ imports: { '#m': './x.js' } }],
    [{ browser: { chai: './x.js' } }],
  ])('%j decides', (more) => expect(decides(more)).not.toBe(decides({})));

  test('a text that is no manifest, or one inside of others, decides as a whole', () => {
    for (const text of ['{', '[]', `{"a": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`])
      expect(npmTests.deciding!('package.json', text)).toBeNull();
    expect(npmTests.deciding!('jest.config.js', 'module.exports = {};')).toBeNull();
    expect(npmTests.deciding!('pnpm-lock.yaml', 'a')).toBe('');
  });
});

test.each([
  ['package.json', true],
  ['packages/a/package.json', true],
  ['node_modules/a/package.json', false],
  ['src/index.js', false],
])('steps of packages see manifests of workspaces alone: %s', (path, isSeen) => {
  for (const name of ['npm', 'pnpm', 'yarn']) expect(ecosystemNamed(name).build!.reads!(path)).toBe(isSeen);
});
