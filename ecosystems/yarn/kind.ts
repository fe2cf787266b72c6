/**
 * JavaScript with Yarn: its first version, or a later one with packages in `node_modules`. Lock files of the first one name the registry that
 * they were made with, in whose place is the local index.
 */
import { type EcosystemBuild, type EcosystemKind, toolchainPlace } from '../kind.ts';
import {
  isManifest,
  NODE_TOOLCHAINS,
  nodeSteps,
  nodeVariables,
  SOURCES,
  STEP_VARIABLES,
  withPatched,
} from '../npm/node.ts';
import { proposeNode } from '../npm/propose.ts';
import { npmTests } from '../npm/tests.ts';

const YARN = '1.22.22';

function yarnVersion({ yarn = YARN }: Readonly<Record<string, string>>): string {
  return yarn;
}

function isFirst(version: string): boolean {
  return /^[01]\./.test(version);
}

/** As npm's: no scripts of packages. The note of what was installed names the index. */
const INSTALL_FIRST = [
  'set -e',
  'if [ -e yarn.lock ]; then',
  '  cp -p yarn.lock /tmp/own-yarn.lock',
  '  sed -i -E "s#https?://registry\\.(yarnpkg\\.com|npmjs\\.org)/#${npm_config_registry:-https://registry.npmjs.org/}#" yarn.lock',
  '  lock=--frozen-lockfile',
  'else lock=--no-lockfile; fi',
  'yarn install $lock --ignore-scripts --ignore-engines --non-interactive --no-progress --cache-folder /tmp/yarn',
  '[ ! -e /tmp/own-yarn.lock ] || cp -p /tmp/own-yarn.lock yarn.lock',
  "find . -path '*/node_modules/.yarn-integrity' -delete",
].join('\n');

/** Where it asks for packages: it reads neither npm's variables nor those of the proxy. */
const REGISTRY = [
  '[ -z "${http_proxy:-}" ] || export YARN_HTTP_PROXY="$http_proxy" YARN_HTTPS_PROXY="$http_proxy"',
  '[ -z "${npm_config_registry:-}" ] || export YARN_NPM_REGISTRY_SERVER="${npm_config_registry%/}"',
];

const INSTALL_LATER = [
  'set -e',
  ...REGISTRY,
  'if [ -e yarn.lock ]; then lock=--immutable; else lock=--no-immutable; fi',
  // It writes manifests in its own form.
  'find . -name node_modules -prune -o \\( -name package.json -o -name yarn.lock \\) -print0 | tar --null -T - -cf /tmp/manifests.tar',
  'yarn install $lock',
  'tar -xf /tmp/manifests.tar',
].join('\n');

function installOf(version: string): string {
  return isFirst(version) ? INSTALL_FIRST : INSTALL_LATER;
}

const build: EcosystemBuild = {
  steps(recipe) {
    const version = yarnVersion(recipe.toolchain ?? {});
    const yarn = `${toolchainPlace('yarn', version)}/bin/yarn.js`;
    const steps = nodeSteps(recipe, installOf(version), { yarn, yarnpkg: yarn });
    if (isFirst(version)) return steps;
    // A makefile that installs again, for one.
    return steps.map((step) =>
      step.phase === 'installation' ? { ...step, command: [...REGISTRY, step.command].join('\n') } : step,
    );
  },
  afterPatch({ toolchain = {} }) {
    const install = installOf(yarnVersion(toolchain));
    const loose = install
      .replace('--frozen-lockfile', '--pure-lockfile')
      .replace('lock=--immutable', 'lock=--no-immutable');
    return withPatched(install, loose);
  },
  variables: (toolchain) => ({
    ...nodeVariables(toolchain),
    // It is the version that the recipe names, whatever the repository brings.
    YARN_IGNORE_PATH: '1',
    YARN_ENABLE_NETWORK: 'false',
    YARN_ENABLE_TELEMETRY: 'false',
    YARN_ENABLE_SCRIPTS: 'false',
    YARN_NODE_LINKER: 'node-modules',
  }),
  dialect: 'npm',
  reads: (path) => isManifest(path) || /(?:^|\/)\.yarn\/(?:patches|plugins)\//.test(path),
  stepVariables: {
    ...STEP_VARIABLES,
    YARN_ENABLE_NETWORK: 'true',
    YARN_ENABLE_GLOBAL_CACHE: 'false',
    YARN_CACHE_FOLDER: '/tmp/yarn',
    YARN_UNSAFE_HTTP_WHITELIST: '*',
    YARN_CHECKSUM_BEHAVIOR: 'ignore',
  },
  start: [],
  listCommand: `find . -path '*/node_modules/*/package.json' -prune -exec sed -n -E 's/^ *"(name|version)": *"([^"]*)".*/\\2/p' {} + 2> /dev/null | paste - - -d @ | sort -u || true`,
};

export const yarnEcosystem: EcosystemKind = {
  name: 'yarn',
  summary: 'JavaScript and TypeScript with Yarn, tested by mocha, jest, vitest, QUnit, karma or Node itself',
  sources: SOURCES,
  manifests: ['yarn.lock'],
  toolchains: {
    ...NODE_TOOLCHAINS,
    yarn: {
      from: 'npm',
      package: (version) => (isFirst(version) ? 'yarn' : '@yarnpkg/cli-dist'),
      usual: yarnVersion,
    },
  },
  recipe: {
    pip: [],
    packages: ['package.json', 'yarn.lock?', '.yarnrc?', '.yarnrc.yml?', '.npmrc?'],
    install: [],
    test: 'npx jest --verbose',
    parser: 'jest',
  },
  propose: proposeNode,
  build,
  tests: npmTests,
};
