/** The runner of a JavaScript repository's tests, by the script `test` of its manifest, else by its packages. */
import type { Proposal, ProposedFor } from '../kind.ts';
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
  const given = runner.sign.exec(script)?.[1];
  const places = runner.places?.(withoutReporter(given ?? ''), repository) ?? [];
  const { test, parser } = runner.recipe(given);
  // mocha has the option since version 6.
  const isOlder = /^\W*[0-5](?:\.|$)/.test(String(packages[runner.name]));
  const option = isOlder ? '' : (runner.spec ?? '');
  const asked = textAt(manifest, 'engines', 'node');
  const isOld = Number(/^\s*(?:>=|\^|~)?\s*v?(\d+)/.exec(asked)?.[1] ?? 0) <= Number.parseInt(NODE, 10);
  return {
    recipe: {
      toolchain: { node: isOld ? NODE : LATER_NODE, ...(manager !== undefined && { [manager]: version! }) },
      ...{ test: [test, ...places.map((place) => `${option}"${place}"`)].join(' '), parser },
    },
    notes: [
      `The tests are run by ${runner.name}, which ${place} of package.json names.`,
      ...(places.length === 0 ? [] : [`They are where ${runner.name} does not look by itself.`]),
      ...(isOld ? [] : [`package.json asks for Node ${asked}.`]),
      ...(manager === undefined ? [] : [`package.json asks for ${manager} ${version}.`]),
    ],
  };
}

/** A script with those that it runs, each once. */
function scriptOf(manifest: Table, name: string, known = new Set<string>()): string {
  known.add(name);
  return textAt(manifest, 'scripts', name).replace(RUNS, (whole, further: string) => {
    if (known.has(further)) return whole;
    const inner = scriptOf(manifest, further, known);
    return inner === '' ? whole : inner;
  });
}

/** A call of another script. */
const RUNS =
  /\b(?:npm|pnpm|yarn)\s+(?:run(?:-script)?\s+)?(?:-s\s+|--silent\s+)?([\w:.-]+)(?:\s+--(?=\s|$))?/g;

/** Another reporter prints what the parser does not read; each recipe adds what it needs. */
function withoutReporter(given: string): string {
  const kept = given.replace(/\s(?:--single-run\b|(?:--(?:test-)?reporters?|-R)(?:[= ]\s*\S+))/g, '').trim();
  return kept === '' ? '' : ` ${kept}`;
}

type Table = Record<string, unknown>;

function readManifest(text: string): Table | null {
  try {
    const read: unknown = JSON.parse(text);
    return isTable(read) ? read : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tableAt(table: Table, key: string): Table {
  const value = table[key];
  return isTable(value) ? value : {};
}

function textAt(table: Table, key: string, name: string): string {
  const value = tableAt(table, key)[name];
  return typeof value === 'string' ? value : '';
}
