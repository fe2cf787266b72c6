/** How tests of JavaScript are run, and which files decide what they come to. */
import type { EcosystemFile, EcosystemTests } from '../kind.ts';
import { mochaWitness } from './witness.ts';

export const npmTests: EcosystemTests = {
  command: (test) => test,
  buildCommand: () => null,
  complaint: (output) => output.trim().split('\n').slice(-5).join('\n'),
  protects,
  witness: mochaWitness,
};

const TESTS = /(?:^|\/)(?:__tests__|__mocks__|__snapshots__|tests?|specs?)\/|\.(?:test|spec)\.[cm]?[jt]sx?$/;
/** Files with settings of runners and compilers, and what installs other ones. */
const SETTINGS =
  /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|\.npmrc|\.node-version|\.nvmrc|\.mocharc\.\w+|mocha\.opts|\.babelrc(?:\.\w+)?|\.swcrc|tsconfig(?:\.\w+)?\.json|(?:babel|jest|vitest|vite|karma|rollup|esbuild)\.conf(?:ig)?\.\w+)$/;

function protects(path: string): EcosystemFile | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/(?:^|\/)node_modules\//.test(path) || SETTINGS.test(name)) return 'runner';
  return TESTS.test(path) ? 'test' : null;
}
