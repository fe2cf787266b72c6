/** How tests of JavaScript are run, and which files decide what they come to. */
import type { EcosystemFile, EcosystemTests } from '../kind.ts';
import { npmWitness } from './witness.ts';

export const npmTests: EcosystemTests = {
  command: (test) => test,
  buildCommand: () => null,
  complaint: (output) => output.trim().split('\n').slice(-5).join('\n'),
  protects,
  witness: npmWitness,
};

const TESTS =
  /(?:^|\/)(?:__tests__|__mocks__|__snapshots__|tests?|specs?)\/|\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)test(?:-[^/]+)?\.[cm]?[jt]s$|[_-]test\.[cm]?[jt]s$/;
/** Files with settings of runners and compilers, and what installs other ones. */
const SETTINGS =
  /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|\.npmrc|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.pnpmfile\.[cm]?js|yarn\.lock|\.yarnrc(?:\.yml)?|\.pnp\.[cm]?js|\.node-version|\.nvmrc|\.mocharc\.\w+|mocha\.opts|\.babelrc(?:\.\w+)?|\.swcrc|[tj]sconfig(?:\.[\w-]+)?\.json|(?:babel|jest|vitest|vite|karma|rollup|esbuild)(?:\.[\w-]+)*\.(?:conf(?:ig)?|workspace|projects|preset)(?:\.[\w-]+)*\.\w+)$/;
/** Files that settings of runners usually name: what is loaded before each file of tests. */
const SETUP =
  /^(?:setup[-_.]?(?:tests?|files?|env|jest|vitest|mocha)|(?:tests?|jest|vitest|mocha)[-_.]?(?:setup|environment|globals?|preset|transform(?:er)?|resolver|reporter|polyfills?))(?:[-_.]\w+)*\.(?:[cm]?[jt]sx?|json)$/i;

function protects(path: string): EcosystemFile | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/(?:^|\/)(?:node_modules|\.yarn)\//.test(path) || SETTINGS.test(name) || SETUP.test(name))
    return 'runner';
  return TESTS.test(path) ? 'test' : null;
}
