/**
 * Files that only tests need, though they lie outside of the folders of tests: helpers that nothing else imports, packages of the repository
 * for tests, what stands for a name that only tests import, and files that tests read. By the repository as it is without a patch.
 */
import { baseName, folderOf, repositoryPath } from '../../basics/repository-path.ts';
import type { EcosystemFile } from '../kind.ts';
import { isSource, type Sources } from './sources.ts';

export interface Repository {
  sources: Sources;
  /** What a file is so far; null: code. */
  kindOf(path: string): EcosystemFile | null;
  /** A file of tests, though the runner may load it as well. */
  isTest(path: string): boolean;
  /** A file that a package gives away, or that the solution changes. */
  isGiven(path: string): boolean;
  /** A file that is published with its package. */
  isPublished(path: string): boolean;
  /** A file below the sources of its package, and not called as what only tests need. */
  isLibrary(path: string): boolean;
  isForTests(path: string): boolean;
  solution: readonly string[];
  /** Packages of the repository; one that is not private is for others. */
  packages: readonly { folder: string; name: string; isPrivate: boolean }[];
  /** What hidden tests have more. */
  added: readonly { path: string; text: string }[];
  /** Names of those that settings of runners load. */
  loaded: ReadonlySet<string>;
  /** What settings put in the place of names: file -> names. */
  aliases: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A repository may be made to take time. */
const MAX_HELPERS = 2000;
const MAX_ROUNDS = 20;
const MAX_DATA = 2000;
/** Characters of a file that may be values alone. */
const MAX_VALUES = 100_000;

/** Code that asserts by a library for tests, or by Node's own alone. */
const ASSERTS =
  /(?:\brequire\(|\bfrom|\bimport\(?)\s{0,9}["'`](?:node:test|chai|expect|vitest|@vitest\/expect|@jest\/globals|should|power-assert|node:assert|assert)(?:\/[\w-]+)?["'`]|(?<![\w.$])expect\(\w+\)\s*\.\s*(?:to|not)/;
/** Values alone: no function, no class, and nothing that is imported. */
const ACTS = /=>|\bfunction\b|\bclass\b|\bimport\b|\brequire\b|\bexport\b[^;\n]{0,200}\bfrom\b|\w\(/;

/** Helpers, files of packages for tests, and what stands for names of tests. */
export function helpersIn(repository: Repository): ReadonlySet<string> {
  const { sources, kindOf, isGiven, isForTests, isPublished, isLibrary, solution } = repository;
  const found = new Set<string>();
  const isOfTests = (path: string) => kindOf(path) !== null || found.has(path);
  const workedIn = new Set(solution.map(folderOf));
  /** By its name, or by what it has, which only tests need. */
  const mayBeHelper = (path: string) => {
    if (ASSERTS.test(sources.textOf(path))) return true;
    if (workedIn.has(folderOf(path))) return false;
    if (isForTests(sources.inPackage(path))) return true;
    return !isPublished(path) && !isLibrary(path) && !ACTS.test(withoutRemarks(sources.textOf(path)));
  };
  const files = sources
    .all()
    .filter((path) => kindOf(path) === null && !isGiven(path) && mayBeHelper(path))
    .slice(0, MAX_HELPERS);
  const users = new Map(files.map((path) => [path, usersOf(path, repository)]));
  const parts = partsForTests(repository);
  for (let before = -1, round = 0; before < found.size && round < MAX_ROUNDS; round += 1) {
    before = found.size;
    for (const [path, all] of users) if (all.length > 0 && all.every(isOfTests)) found.add(path);
    for (const { own, outside } of parts)
      if (outside.every(isOfTests)) for (const path of own) if (kindOf(path) === null) found.add(path);
  }
  for (const [file, names] of repository.aliases) {
    const all = [...names].flatMap((name) => sources.namersOf(name));
    const isCode =
      !ASSERTS.test(sources.textOf(file)) &&
      (workedIn.has(folderOf(file)) || isEntry(file, names, repository));
    if (!isCode && all.length > 0 && [...all, ...sources.importersOf(file)].every(isOfTests)) found.add(file);
  }
  return found;
}

function withoutRemarks(text: string): string {
  return text.slice(0, MAX_VALUES).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** The files of private packages that may be for tests alone, and those outside that need them. */
function partsForTests({ sources, isForTests, solution, packages, loaded }: Repository) {
  return packages
    .filter(({ folder }) => folder !== '' && !solution.some((path) => path.startsWith(`${folder}/`)))
    .filter(({ name, folder, isPrivate }) => isPrivate && (loaded.has(name) || isForTests(`${folder}/`)))
    .slice(0, MAX_HELPERS)
    .map(({ folder, name }) => {
      const own = sources.all().filter((path) => path.startsWith(`${folder}/`));
      const others = [...sources.usersOf(name), ...own.flatMap((path) => [...sources.importersOf(path)])];
      return { name, own, outside: others.filter((path) => !path.startsWith(`${folder}/`)) };
    })
    .filter(({ name, outside }) => outside.length > 0 || loaded.has(name));
}

/** The code itself, for which a name stands so that tests import what is not built: `m` -> `src/m.js`. */
function isEntry(file: string, names: ReadonlySet<string>, repository: Repository): boolean {
  const { sources, kindOf, isForTests, isLibrary, packages } = repository;
  if (packages.some(({ name }) => names.has(name)) || isLibrary(file)) return true;
  return !isForTests(file) && sources.importsOf(file).some((path) => kindOf(path) === null);
}

/** Files that need one; where it has a test of its own it is one of them, since it is code under test. None: nothing is known to import it. */
function usersOf(path: string, { sources, isForTests }: Repository): string[] {
  const parts = path
    .replace(/\.\w+$/, '')
    .replace(/\/index$/, '')
    .split('/');
  const last = parts.at(-1)!;
  const all = [...sources.importersOf(path)];
  if (parts.length > 1) all.push(...sources.namersOf(parts.slice(-2).join('/')));
  for (const [name, user] of sources.naming(last)) if (name !== last) all.push(user);
  if (all.length === 0) return all;
  // A name without a folder is mostly a package's, and a text may be anything: tests with them do not tell what a file is for.
  const more = [...sources.namersOf(last), ...sources.tellersOf(baseName(path))];
  const stem = stemOf(path);
  const isApart = (one: string) =>
    folderOf(one) !== folderOf(path) || !isForTests(`${folderOf(sources.inPackage(path))}/`);
  return all.some((one) => stemOf(one) === stem && isApart(one)) ? [...all, path] : [...all, ...more];
}

function stemOf(path: string): string {
  const name = baseName(path);
  return name.replace(/(?:[._-](?:tests?|specs?))?(?:\.\w+)+$/, '');
}

const WORDS = /(["'`])([\w@.~/-]{1,200})\1/g;
/** A path that is put together: from the file's own folder, or from the one in which the process works. */
const JOINED =
  /\b(?:join|resolve)\(\s{0,9}(__dirname|import\.meta\.dirname|process\.cwd\(\))((?:\s{0,9},\s{0,9}["'`][\w@.~/-]{1,200}["'`]){1,9})/g;
/** Words at a slash or a quote, which may be parts of a path that code composes. */
const PARTS = /(?<=[/"'`])[\w.-]{1,200}|[\w.-]{1,200}(?=[/"'`])/g;

/** Endings of code in other languages, which JavaScript imports or compiles. */
const CODE =
  /\.(?:vue|svelte|astro|marko|riot|coffee|litcoffee|ls|elm|res|ml|mdx|css|s[ac]ss|less|styl|pcss|pug|hbs|ejs|njk|liquid|mustache|graphql|gql|proto|wasm|wat|py|rb|php|pl|go|rs|java|kt|swift|mm?|cs|cc?|cpp|hh?|hpp|sh|bash|bat|ps1)$/i;

/** Whether files have no code, and only tests can mean them. */
function dataIn(repository: Repository): {
  isData(path: string): boolean;
  isOfCode(path: string): boolean;
  isFolderOfCode(path: string): boolean;
} {
  const { sources, kindOf, isTest, isGiven, isPublished, isLibrary } = repository;
  const ofCode = new Set<string>();
  for (const path of sources.users())
    if (!isTest(path) && kindOf(path) === null)
      for (const [part] of sources.textOf(path).matchAll(PARTS)) ofCode.add(part);
  const isProduct = (path: string) => isGiven(path) || isPublished(path) || isLibrary(path);
  return {
    isData: (path) => !isSource(path) && !CODE.test(path) && kindOf(path) === null && !isProduct(path),
    isOfCode: (path) =>
      path
        .split('/')
        .slice(-2)
        .some((part) => ofCode.has(part)) ||
      [...sources.importersOf(path)].some((one) => kindOf(one) === null),
    isFolderOfCode: (path) => ofCode.has(baseName(path)),
  };
}

function* wordsIn(text: string): Generator<string> {
  for (const [, , word] of text.matchAll(WORDS)) yield word!;
  for (const [, from, rest] of text.matchAll(JOINED)) {
    const parts = [...rest!.matchAll(WORDS)].map(([, , part]) => part!);
    yield `${from === 'process.cwd()' ? '' : './'}${parts.join('/')}`;
  }
}

/** Files without code that tests name, and the folders of such; not those that code could mean. */
export function dataOfTests(repository: Repository): {
  files: ReadonlySet<string>;
  folders: ReadonlySet<string>;
} {
  const { sources, isTest, solution, added } = repository;
  const { isData, isOfCode, isFolderOfCode } = dataIn(repository);
  const files = new Set<string>();
  const folders = new Set<string>();
  const tried = new Set<string>();
  const tests = sources.all().filter(isTest);
  const texts = [...tests.map((path) => ({ path, text: sources.textOf(path) })), ...added];
  for (const { path: test, text } of texts)
    for (const word of wordsIn(text)) {
      if (!word.includes('/') || files.size + folders.size > MAX_DATA) continue;
      for (const at of word.startsWith('.') ? [folderOf(test)] : [folderOf(test), '']) {
        const path = repositoryPath(at, word);
        if (path === null || path === '' || tried.has(path)) continue;
        tried.add(path);
        const file = sources.paths.has(path)
          ? path
          : sources.paths.has(`${path}.json`)
            ? `${path}.json`
            : null;
        if (file !== null) {
          if (isData(file) && !isOfCode(file)) files.add(file);
        } else if (sources.hasFolder(path) && !isFolderOfCode(path)) {
          const inside = [...sources.paths].filter((one) => one.startsWith(`${path}/`));
          const isPlain = inside.every(isData) && !solution.some((one) => one.startsWith(`${path}/`));
          if (isPlain) folders.add(path);
        }
      }
    }
  return { files, folders };
}
