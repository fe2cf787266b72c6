/** How tests of JavaScript are run, and which files decide what they come to. */
import { byCodeUnit } from '../../basics/canonical.ts';
import { jsonObject } from '../../basics/json.ts';
import { shellWord } from '../../basics/shell.ts';
import type { TestLists } from '../../schemas/instance.ts';
import { complaintIn } from '../complaint.ts';
import type { EcosystemFile, EcosystemTests, RepositoryFiles } from '../kind.ts';
import { npmDoubts } from './doubts.ts';
import { SOURCES } from './node.ts';
import { isOfTitles, titlesIn } from './titles.ts';
import { npmWitness } from './witness.ts';

export const npmTests: EcosystemTests = {
  command: ofFiles,
  buildCommand: () => null,
  complaint(output) {
    const lines = output.split('\n').map((line) => line.trim());
    const matching = (sign: RegExp) => lines.filter((line) => sign.test(line));
    return complaintIn(output, matching(COMPILER), matching(THROWN), matching(MANAGER));
  },
  protects,
  named: async (task) => (await import('./settings.ts')).npmNamed(task, protects),
  deciding,
  hides,
  doubts: npmDoubts,
  fileOf,
  // Parsers of TAP that know no directives call them passed.
  unseen: /(?:^| )# (?:SKIP|TODO)\b/i,
  witness: npmWitness,
};

/** `file > suites > title`. */
function fileOf(id: string): string | null {
  const [file = '', ...titles] = id.split(' > ');
  return titles.length > 0 && /^[^/\s][^\n]*\.[cm]?[jt]sx?$/.test(file) ? file : null;
}

/** An option of mocha by which a command names tests, in words that a shell reads as they are. */
const SPEC = /\s--spec(?:=|[^\S\n]+)(?:"([^"$`\\\n]*)"|'([^'\n]*)'|([\w@%+:,./*-]+))(?=\s|$)/g;
/** Plain words that start mocha, in the folder of the repository. */
const STARTS_MOCHA =
  /^(?:[A-Z]\w*=[\w./:,-]* +)*(?:(?:npx|yarn|pnpm|exec|run|node|nyc|c8|cross-env|--no-install) +)*(?:[\w./-]*\/)?_?mocha(?:\.[cm]?js)?(?: [\w@%+:,./= -]*)?$/;
/** Files of one command. */
const MOST_FILES = 100;

/**
 * A command of mocha in which `--spec` alone names tests, for the files of the listed ones. It is as it was where an id names no file, and where
 * a shell does more than to start mocha.
 */
function ofFiles(test: string, { FAIL_TO_PASS, PASS_TO_PASS }: TestLists): string {
  const rest = test.replace(SPEC, '');
  const files = new Set([...FAIL_TO_PASS, ...PASS_TO_PASS].map(fileOf));
  if (rest === test || !STARTS_MOCHA.test(rest) || files.size === 0 || files.size > MOST_FILES) return test;
  const named = [...files].filter((file) => file !== null && !/[*?{}[\]()!]/.test(file)).sort() as string[];
  return named.length < files.size
    ? test
    : `${rest}${named.map((file) => ` --spec ${shellWord(file)}`).join('')}`;
}

/** Errors of TypeScript, Babel, esbuild and others, which name a place in the code or stand behind a mark. */
const COMPILER =
  /\berror TS\d+:|\.[cm]?[jt]sx?(?::\d+:\d+|[( ]+\d+[:,]\d+\)?).*\berror\b|^(?:\S+: )?SyntaxError: |^✘ \[ERROR\] |^\[!\] /i;
/** Words of a script that failed. */
const THROWN = /^(?:Uncaught )?(?:\w*Error|error)(?: \[\w+\])?: |^ERROR in /;
/** Words of the package manager, but for where its own log is. */
const MANAGER =
  /^npm (?:ERR!|error) (?!A complete log|code |errno |.*_logs\/)\S|^(?:error|ERR_\w+)\b|^ERR_PNPM_|^➤ YN\d+: .*(?:Error|can't|couldn't)/;

const TESTS =
  /(?:^|\/)(?:__tests__|__mocks__|__snapshots__|tests?|specs?)\/|\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)test(?:-[^/]+)?\.[cm]?[jt]s$|[_-]test\.[cm]?[jt]s$|\.snap$/;
/** Files with settings of runners and compilers, and what installs other ones. */
const SETTINGS =
  /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|\.npmrc|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.pnpmfile\.[cm]?js|yarn\.lock|\.yarnrc(?:\.yml)?|\.pnp\.[cm]?js|\.node-version|\.nvmrc|\.mocharc\.\w+|mocha\.opts|\.babelrc(?:\.\w+)?|\.swcrc|\.postcssrc(?:\.\w+)?|postcssrc(?:\.\w+)?|\.taprc|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|nyc\.config\.\w+|\.env\.test(?:\.local)?|[tj]sconfig(?:\.[\w-]+)*\.json|(?:babel|jest|vitest|vite|karma|ava|webpack|web-test-runner|rollup|esbuild|postcss|tailwind|svelte|astro|nuxt|next|vue|craco)(?:\.[\w-]+)*\.(?:conf(?:ig)?|workspace|projects|preset)(?:\.[\w-]+)*\.\w+)$/;
/** Files that settings of runners usually name: what is loaded before each file of tests. */
const SETUP =
  /^(?:setup[-_.]?(?:tests?|files?|env|jest|vitest|mocha)|(?:tests?|jest|vitest|mocha)[-_.]?(?:setup|environment|globals?|preset|transform(?:er)?|resolver|reporter|polyfills?))(?:[-_.]\w+)*\.(?:[cm]?[jt]sx?|json)$/i;

function protects(path: string): EcosystemFile | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/(?:^|\/)(?:node_modules|\.yarn)\//.test(path) || SETTINGS.test(name) || SETUP.test(name))
    return 'runner';
  return TESTS.test(path) ? 'test' : null;
}

/** Keys of a manifest that describe the package, or name what is installed before a patch is there, or what of it others load. */
const DESCRIBING = new Set(
  (
    'version description keywords author contributors maintainers license repository bugs homepage funding files private publishConfig ' +
    'dependencies devDependencies peerDependencies peerDependenciesMeta optionalDependencies engines packageManager ' +
    'main module browser bin types typings typesVersions exports sideEffects'
  ).split(' '),
);
const LOCKS = /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock)$/;

function deciding(path: string, text: string): string | null {
  if (LOCKS.test(path)) return '';
  if (!/(?:^|\/)package\.json$/.test(path)) return null;
  const manifest = jsonObject(text);
  if (manifest === null || isDeep(text)) return null;
  // A table of names puts other files in the place of those that bundled tests import.
  const isTable = (key: string) => key === 'browser' && typeof manifest[key] === 'object';
  const entries = Object.entries(manifest).filter(([key]) => !DESCRIBING.has(key) || isTable(key));
  return JSON.stringify(entries.sort(([a], [b]) => byCodeUnit(a, b)));
}

/** Brackets inside of brackets that no manifest needs, and at which writing JSON may end with an error. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > 100) return true;
  }
  return false;
}

/**
 * The file that an id names, else those whose titles make up the id. Where no file has these titles, which may be made while tests run, it is
 * every file with tests.
 */
function hides(failing: readonly string[], { paths, read }: RepositoryFiles): string[] {
  const tests = paths.filter(
    (path) => SOURCES.some((ending) => path.endsWith(ending)) && protects(path) === 'test',
  );
  const titled = tests.map((path) => ({ path, titles: titlesIn(read(path)) }));
  const hidden = failing.flatMap((id) => {
    const [file = ''] = id.split(' > ', 1);
    const named = tests.filter((path) => path === file || path.endsWith(`/${file}`));
    if (named.length > 0) return named;
    const found = titled.filter(({ titles }) => isOfTitles(id, titles));
    return (found.length > 0 ? found : titled.filter(({ titles }) => titles.size > 0)).map(
      ({ path }) => path,
    );
  });
  return [...new Set(hidden)];
}
