/** JavaScript with npm: Node and npm as toolchains from npm's registry, and `node_modules` as a read-only layer. */
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { type EcosystemBuild, type EcosystemKind, type EcosystemStep, toolchainPlace } from '../kind.ts';
import { npmTests } from './tests.ts';

/** The npm that comes with a Node, by Node's major version: later ones do not run on it. */
const NPM_OF_NODE: readonly [major: number, npm: string][] = [
  [22, '10.9.2'],
  [18, '10.8.2'],
  [16, '8.19.4'],
  [0, '6.14.18'],
];

/** Scripts of packages may fetch programs or run anything; a recipe whose packages need them says so in `install`. */
const INSTALL = [
  'if [ -e package-lock.json ] || [ -e npm-shrinkwrap.json ]',
  'then npm ci --ignore-scripts || npm install --ignore-scripts',
  'else npm install --ignore-scripts --no-package-lock; fi',
].join('\n');

const build: EcosystemBuild = {
  steps({ packages, pre_install, install, toolchain = {} }: BuildRecipe): EcosystemStep[] {
    const npm = toolchainPlace('npm', npmVersion(toolchain));
    const links = ['npm', 'npx'].map((name) => `ln -s ${npm}/bin/${name}-cli.js /opt/env/bin/${name}`);
    return [
      ...stepsOf('create', 'create', [['mkdir -p /opt/env/bin', ...links].join('\n')]),
      ...stepsOf('dependencies', 'packages', packages.includes('package.json') ? [INSTALL] : []),
      ...stepsOf('installation', 'pre_install', pre_install),
      ...stepsOf('installation', 'install', install),
    ];
  },
  variables: ({ node = '' }) => ({
    PATH: `/opt/env/bin:${toolchainPlace('node', node)}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }),
  dialect: 'npm',
  stepVariables: { npm_config_offline: 'false', npm_config_cache: '/tmp/npm', PUPPETEER_SKIP_DOWNLOAD: '1' },
  start: [],
  listCommand: 'cat node_modules/.package-lock.json 2> /dev/null || true',
};

function stepsOf(phase: EcosystemStep['phase'], name: string, commands: readonly string[]): EcosystemStep[] {
  return commands.map((command, index) => ({ name: `${name}[${index}]`, phase, command }));
}

function npmVersion({ node = '', npm }: Readonly<Record<string, string>>): string {
  const major = Number(/^\d+/.exec(node)?.[0] ?? 0);
  return npm ?? NPM_OF_NODE.find(([least]) => major >= least)![1];
}

export const npmEcosystem: EcosystemKind = {
  name: 'npm',
  summary: 'JavaScript and TypeScript with npm, tested by mocha, jest or vitest',
  sources: ['.js', '.cjs', '.mjs', '.jsx', '.ts', '.cts', '.mts', '.tsx'],
  manifests: ['package.json'],
  toolchains: {
    node: { from: 'npm', package: 'node-linux-{arch}' },
    npm: { from: 'npm', package: 'npm', usual: npmVersion },
  },
  recipe: {
    pip: [],
    packages: ['package.json', 'package-lock.json?', 'npm-shrinkwrap.json?', '.npmrc?'],
    install: [],
    test: 'npx mocha --reporter tap',
    parser: 'parse_log_tap',
  },
  build,
  tests: npmTests,
};
