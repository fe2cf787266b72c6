/** JavaScript with pnpm, whose `node_modules` holds all packages below `node_modules/.pnpm`: files of a layer, and none of a store. */
import { type EcosystemBuild, type EcosystemKind, toolchainPlace } from '../kind.ts';
import {
  isManifest,
  NODE_TOOLCHAINS,
  nodeSteps,
  nodeVariables,
  SOURCES,
  STEP_VARIABLES,
  type Usual,
  usualFor,
  withPatched,
} from '../npm/node.ts';
import { proposeNode } from '../npm/propose.ts';
import { npmTests } from '../npm/tests.ts';

/** Lock files of format 9, of format 6, and older ones. */
const PNPM_OF_NODE: readonly Usual[] = [
  [18, '9.15.9'],
  [16, '8.15.9'],
  [0, '6.35.1'],
];

function pnpmVersion(toolchain: Readonly<Record<string, string>>): string {
  return toolchain.pnpm ?? usualFor(PNPM_OF_NODE, toolchain);
}

/** As npm's: no scripts of packages. When something was installed is written down, and differs between equal builds. */
const INSTALL = [
  'set -e',
  'if [ -e pnpm-lock.yaml ]; then lock=--frozen-lockfile; else lock=--no-lockfile; fi',
  'pnpm install $lock --ignore-scripts --store-dir /tmp/pnpm --package-import-method copy',
  "find . -path '*/node_modules/.modules.yaml' -exec sed -i -E '/^ *\"?(prunedAt|storeDir|virtualStoreDir)\"?:/d' {} +",
  "find . \\( -path '*/node_modules/.pnpm-workspace-state*' -o -path '*/node_modules/.cache' \\) -prune -exec rm -rf {} +",
].join('\n');

/** Of npm's kind of settings, and of the kind that pnpm reads from version 11 on. */
function settings(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [`npm_config_${name}`, value],
      [`pnpm_config_${name}`, value],
    ]),
  );
}

const build: EcosystemBuild = {
  steps(recipe) {
    const pnpm = toolchainPlace('pnpm', pnpmVersion(recipe.toolchain ?? {}));
    return nodeSteps(recipe, INSTALL, { pnpm: `${pnpm}/bin/pnpm.cjs`, pnpx: `${pnpm}/bin/pnpx.cjs` });
  },
  afterPatch: () => withPatched(INSTALL, INSTALL.replace('--frozen-lockfile', '--no-frozen-lockfile')),
  variables: (toolchain) => ({
    ...nodeVariables(toolchain),
    // It is the version that the recipe names, whatever package.json asks for, and installs nothing by itself.
    ...settings({
      manage_package_manager_versions: 'false',
      package_manager_strict: 'false',
      verify_deps_before_run: 'false',
      engine_strict: 'false',
      offline: 'true',
    }),
  }),
  dialect: 'npm',
  reads: (path) => isManifest(path) || /(?:^|\/)patches\//.test(path),
  stepVariables: { ...STEP_VARIABLES, ...settings({ offline: 'false' }), CI: 'true' },
  start: [],
  listCommand: 'ls node_modules/.pnpm 2> /dev/null || true',
};

export const pnpmEcosystem: EcosystemKind = {
  name: 'pnpm',
  summary: 'JavaScript and TypeScript with pnpm, tested by mocha, jest, vitest, QUnit, karma or Node itself',
  sources: SOURCES,
  manifests: ['pnpm-lock.yaml'],
  toolchains: { ...NODE_TOOLCHAINS, pnpm: { from: 'npm', package: 'pnpm', usual: pnpmVersion } },
  recipe: {
    pip: [],
    packages: ['package.json', 'pnpm-lock.yaml?', 'pnpm-workspace.yaml?', '.npmrc?', '.pnpmfile.cjs?'],
    install: [],
    test: 'npx vitest run --reporter=verbose',
    parser: 'vitest',
  },
  propose: proposeNode,
  build,
  tests: npmTests,
};
