/** The runner of a JavaScript repository's tests, by the script `test` of its manifest, else by its packages. */

import { matchesGlob } from '../../basics/glob.ts';
import { isFields } from '../../basics/json.ts';
import type { Amendment, Proposal, ProposedFor } from '../kind.ts';
import { mochaPlaces, qunitPlaces } from './test-places.ts';

const NODE = '20.19.0';
/** For packages that ask for more than {@link NODE}. */
const LATER_NODE = '22.14.0';

interface Runner {
  name: string;
  /** In a script: the first group is what it is started with. */
  sign: RegExp;
  recipe(given?: string): { test: string; parser: string };
  /** Patterns of tests that it would not find itself; absent: it finds all. */
  places?: typeof mochaPlaces;
  /** How it is told of these. */
  spec?: string;
}

const RUNNERS: readonly Runner[] = [
  {
    name: 'vitest',
    sign: /\bvitest\b/,
    recipe: () => ({ test: 'npx vitest run --reporter=verbose', parser: 'vitest' }),
  },
  {
    name: 'jest',
    sign: /^(?:.*(--experimental-vm-modules)\b)?.*\bjest\b/,
    recipe: (given) => ({
      test: `${given === undefined ? '' : `NODE_OPTIONS=${given} `}npx jest --verbose`,
      parser: 'jest',
    }),
  },
  {
    name: 'karma',
    sign: /\bkarma\s+start\b([^&|;]*)/,
    recipe: (given = '') => ({
      test: `CHROME_BIN=/usr/lib/chromium/chromium npx karma start${withoutReporter(given)} --single-run --reporters mocha`,
      parser: 'mocha',
    }),
  },
  {
    name: 'qunit',
    sign: /\bqunit\b([^&|;]*)/,
    recipe: (given = '') => ({ test: `npx qunit${withoutReporter(given)}`, parser: 'parse_log_tap' }),
    places: qunitPlaces,
  },
  {
    name: 'mocha',
    // A file of tests may be called so, too.
    sign: /(?:^|[\s/])_?mocha(?:\.[cm]?js)?(?=\s|$|[&|;])([^&|;]*)/,
    // Of its reporters, this one names the files of tests.
    recipe: (given = '') => ({ test: `npx mocha${withoutReporter(given)} --reporter json`, parser: 'mocha' }),
    places: mochaPlaces,
    spec: '--spec ',
  },
  {
    name: 'node --test',
    sign: /\bnode\s+(?:--\S+\s+)*?--test\b([^&|;]*)/,
    recipe: (given = '') => ({
      test: `node --test --test-reporter=tap${withoutReporter(given)}`,
      parser: 'node-test',
    }),
  },
];

/** For npm, pnpm and Yarn. If `packageManager` of package.json names a version of pnpm or Yarn, the recipe has that version. */
export function proposeNode(repository: ProposedFor): Proposal | string {
  const { read } = repository;
  const manifest = readManifest(read('package.json'));
  if (manifest === null) return 'package.json is no object of JSON';
  const script = scriptOf(manifest, 'test');
  const packages = { ...tableAt(manifest, 'dependencies'), ...tableAt(manifest, 'devDependencies') };
  const inScript = RUNNERS.find(({ sign }) => sign.test(script));
  const runner = inScript ?? RUNNERS.find(({ name }) => Object.hasOwn(packages, name));
  if (runner === undefined) {
    const names = RUNNERS.map(({ name }) => name).join(', ');
    return `package.json names no runner of tests that is known here: ${names}`;
  }
  const place = inScript === undefined ? 'devDependencies' : 'the script "test"';
  const named: unknown = manifest.packageManager;
  const [, manager, version] = /^(pnpm|yarn)@(\d[\w.-]*)/.exec(typeof named === 'string' ? named : '') ?? [];
  const given = givenTo(runner, script);
  const places = runner.places?.(withoutReporter(given ?? ''), repository) ?? [];
  const { test, parser } = runner.recipe(given);
  // mocha has the option since version 6.
  const isOlder = /^\W*[0-5](?:\.|$)/.test(String(packages[runner.name]));
  const option = isOlder ? '' : (runner.spec ?? '');
  const asked = textAt(manifest, 'engines', 'node');
  const builds = buildsIn(manifest, runner.sign);
  const isOld = Number(/^\s*(?:>=|\^|~)?\s*v?(\d+)/.exec(asked)?.[1] ?? 0) <= Number.parseInt(NODE, 10);
  return {
    recipe: {
      toolchain: { node: isOld ? NODE : LATER_NODE, ...(manager !== undefined && { [manager]: version! }) },
      ...(builds.length > 0 && { build: builds }),
      ...{ test: [test, ...places.map((place) => `${option}"${place}"`)].join(' '), parser },
    },
    amendments: amendmentsFor(manifest, builds),
    notes: [
      `The tests are run by ${runner.name}, which ${place} of package.json names.`,
      ...(places.length === 0 ? [] : [`They are where ${runner.name} does not look by itself.`]),
      ...(builds.length === 0 ? [] : ['Scripts of package.json build it before its tests.']),
      ...(isOld ? [] : [`package.json asks for Node ${asked}.`]),
      ...(manager === undefined ? [] : [`package.json asks for ${manager} ${version}.`]),
    ],
  };
}

/** A script, in which scripts that npm-run-all calls are called by npm. */
function ownScript(manifest: Table, name: string): string {
  return textAt(manifest, 'scripts', name).replace(
    /(?<=^|&&|;)(\s*)(?:run-[sp]|npm-run-all2?)\s+([^&;]*)/g,
    (_, space: string, words: string) => {
      const patterns = words.split(/\s+/).filter((word) => /^\w[\w:.*-]*$/.test(word));
      const all = Object.keys(tableAt(manifest, 'scripts'));
      const scripts = patterns.flatMap((one) =>
        one.includes('*') ? all.filter((script) => matchesGlob(one, script)) : [one],
      );
      return `${space}${scripts.map((script) => `npm run ${script}`).join(' && ')}`;
    },
  );
}

/** A script with those that it runs, each once. */
function scriptOf(manifest: Table, name: string, known = new Set<string>()): string {
  known.add(name);
  return ownScript(manifest, name).replace(RUNS, (whole, further: string) => {
    if (known.has(further)) return whole;
    const inner = scriptOf(manifest, further, known);
    return inner === '' ? whole : inner;
  });
}

/** Scripts that build what tests need although `pretest` and `test` call none of them: npm runs the last two where it installs. */
const LATER_BUILDS = ['build', 'compile', 'prepare', 'prepublish'];

function amendmentsFor(manifest: Table, builds: readonly string[]): Amendment[] {
  const script = LATER_BUILDS.find((name) => textAt(manifest, 'scripts', name) !== '');
  const build: Amendment = {
    sign: /Cannot find (?:module|package) '(?:\/testbed\/(?!node_modules\/)|\.{1,2}\/)/,
    recipe: { build: [`npm run ${script}`] },
    note: `Its tests need what the script "${script}" of package.json makes.`,
  };
  return [
    {
      sign: /\bERESOLVE\b/,
      recipe: { env: { npm_config_legacy_peer_deps: 'true' } },
      note: 'Its packages ask for versions of each other that do not agree.',
    },
    ...(script === undefined || builds.length > 0 ? [] : [build]),
  ];
}

/** Commands that build the code, which the scripts `pretest` and `test` run before the runner of tests. */
function buildsIn(manifest: Table, runner: RegExp): string[] {
  const builds: string[] = [];
  const known = new Set<string>();
  /** False from the runner on. */
  const goThrough = (script: string): boolean => {
    if (known.has(script)) return true;
    known.add(script);
    const parts = ownScript(manifest, script).split(/&&|;/);
    return (
      (script.startsWith('pre') || goThrough(`pre${script}`)) && parts.every((part) => goOn(part.trim()))
    );
  };
  const goOn = (command: string): boolean => {
    if (runner.test(command)) return false;
    const called = new RegExp(`^${RUNS.source}`).exec(command)?.[1];
    if (called !== undefined && textAt(manifest, 'scripts', called) === '') return true;
    if (called === undefined || BUILDS.test(called)) {
      if (called !== undefined) builds.push(`npm run ${called}`);
      else if (COMPILES.test(command)) builds.push(command.replace(COMPILES, '$1npx '));
      return true;
    }
    return goThrough(called);
  };
  goThrough('test');
  return [...new Set(builds)];
}

/** A script that builds, by its name. */
const BUILDS =
  /^(?!.*(?:lint|check|clean|reset|watch|size|docs?|site)\b).*\b(?:build|compile|bundle|transpile|dist|tsc|rollup|webpack|babel)(?:$|\W)/;
/** A program that compiles; `tsc --noEmit` checks types alone. */
const COMPILES =
  /^((?:(?:cross-env\s+)?[A-Z_]+=\S+\s+)*)(?:npx\s+)?(?=(?:tsc(?!.*--noEmit\b)|babel|rollup|webpack|esbuild|swc|tsup|microbundle|unbuild|vite\s+build)(?:\s|$))/;

/** A call of another script. */
const RUNS =
  /\b(?:npm|pnpm|yarn)\s+(?:run(?:-script)?\s+)?(?:-s\s+|--silent\s+)?([\w:.-]+)(?:\s+--(?=\s|$))?/g;

/** What a script starts the runner with; further files of tests that it names for a second start are added. */
function givenTo({ sign }: Runner, script: string): string | undefined {
  const [first, ...others] = [...script.matchAll(new RegExp(sign, 'g'))].map(([, given]) => given);
  const files = others.map((given = '') => withoutReporter(given)).filter((given) => !/\s-/.test(given));
  const further = [...new Set(files)].filter((given) => !first?.includes(given));
  return first === undefined ? first : [first.trimEnd(), ...further].join('');
}

/** Another reporter prints what the parser does not read; each recipe adds what it needs. */
function withoutReporter(given: string): string {
  const kept = given.replace(/\s(?:--single-run\b|(?:--(?:test-)?reporters?|-R)(?:[= ]\s*\S+))/g, '').trim();
  return kept === '' ? '' : ` ${kept}`;
}

type Table = Record<string, unknown>;

function readManifest(text: string): Table | null {
  try {
    const read: unknown = JSON.parse(text);
    return isFields(read) ? read : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

function tableAt(table: Table, key: string): Table {
  const value = table[key];
  return isFields(value) ? value : {};
}

function textAt(table: Table, key: string, name: string): string {
  const value = tableAt(table, key)[name];
  return typeof value === 'string' ? value : '';
}
