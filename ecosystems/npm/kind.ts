/** JavaScript with npm: Node and npm as toolchains from npm's registry, and `node_modules` as a read-only layer. */
import type { EcosystemBuild, EcosystemKind } from '../kind.ts';
import { NODE_HINTS } from './hints.ts';
import {
  isManifest,
  NODE_TOOLCHAINS,
  nodeSteps,
  nodeVariables,
  SOURCES,
  STEP_VARIABLES,
  withPatched,
} from './node.ts';
import { proposeNode } from './propose.ts';
import { npmTests } from './tests.ts';

/** Scripts of packages may fetch programs or run anything; a recipe whose packages need them says so in `install`. */
const INSTALL = [
  'if [ -e package-lock.json ] || [ -e npm-shrinkwrap.json ]',
  'then npm ci --ignore-scripts || npm install --ignore-scripts',
  'else npm install --ignore-scripts --no-package-lock; fi',
].join('\n');

const build: EcosystemBuild = {
  steps: (recipe) => nodeSteps(recipe, INSTALL),
  afterPatch: () => withPatched(INSTALL, INSTALL),
  variables: nodeVariables,
  dialect: 'npm',
  reads: isManifest,
  stepVariables: STEP_VARIABLES,
  start: [],
  listCommand: 'cat node_modules/.package-lock.json 2> /dev/null || true',
};

export const npmEcosystem: EcosystemKind = {
  name: 'npm',
  summary: 'JavaScript and TypeScript with npm, tested by mocha, jest, vitest, QUnit, karma or Node itself',
  sources: SOURCES,
  manifests: ['package.json'],
  toolchains: NODE_TOOLCHAINS,
  recipe: {
    pip: [],
    packages: ['package.json', 'package-lock.json?', 'npm-shrinkwrap.json?', '.npmrc?'],
    install: [],
    test: 'npx mocha --reporter tap',
    parser: 'parse_log_tap',
  },
  propose: proposeNode,
  hints: NODE_HINTS,
  build,
  tests: npmTests,
};
