/**
 * Files that only tests need, though they lie outside of the folders of tests: helpers that nothing else imports, packages of the repository
 * for tests, what stands for a name that only tests import, and files that tests read. By the repository as it is without a patch.
 */
import { folderOf, repositoryPath } from '../../basics/repository-path.ts';
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
  isForTests(path: string): boolean;
  solution: readonly string[];
  /** Packages of the repository, without that at its root; one that is not private is for others. */
  packages: readonly { folder: string; name: string; isPrivate: boolean }[];
  /** Names of those that settings of runners load. */
  loaded: ReadonlySet<string>;
  /** What settings put in the place of names: file -> names. */
  aliases: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A repository may be made to take time. */
const MAX_HELPERS = 2000;
const MAX_ROUNDS = 20;
const MAX_DATA = 2000;

/** Helpers, and files of packages for tests. */
export function helpersIn(repository: Repository): ReadonlySet<string> {
  const { sources, kindOf, isGiven, isForTests, solution, packages, loaded } = repository;
  const found = new Set<string>();
  const isOfTests = (path: string) => kindOf(path) !== null || found.has(path);
  const workedIn = new Set(solution.map(folderOf));
  const files = sources
    .all()
    .filter((path) => kindOf(path) === null && isForTests(inPackage(path, sources)) && !isGiven(path))
    .filter((path) => !workedIn.has(folderOf(path)))
    .slice(0, MAX_HELPERS);
  const users = new Map(files.map((path) => [path, usersOf(path, repository)]));
  const parts = packages
    .filter(({ folder }) => !solution.some((path) => path.startsWith(`${folder}/`)))
    .filter(({ name, folder, isPrivate }) => isPrivate && (loaded.has(name) || isForTests(`${folder}/`)))
    .slice(0, MAX_HELPERS);
  for (let before = -1, round = 0; before < found.size && round < MAX_ROUNDS; round += 1) {
    before = found.size;
    for (const [path, all] of users) if (all.length > 0 && all.every(isOfTests)) found.add(path);
    for (const { folder, name } of parts) {
      const isOutside = (path: string) => !path.startsWith(`${folder}/`);
      const own = sources.all().filter((path) => !isOutside(path));
      const others = [...sources.usersOf(name), ...own.flatMap((path) => [...sources.importersOf(path)])];
      const outside = others.filter(isOutside);
      if ((outside.length === 0 && !loaded.has(name)) || !outside.every(isOfTests)) continue;
      for (const path of own) if (kindOf(path) === null) found.add(path);
    }
  }
  for (const [file, names] of repository.aliases) {
    const all = [...names].flatMap((name) => sources.namersOf(name));
    if (all.length > 0 && [...all, ...sources.importersOf(file)].every(isOfTests)) found.add(file);
  }
  return found;
}

function inPackage(path: string, sources: Sources): string {
  const folder = sources.packageOf(path);
  return folder === '' ? path : path.slice(folder.length + 1);
}

/** Files that import one; one with a test of its own has itself, since it is code under test. */
function usersOf(path: string, { sources }: Repository): string[] {
  const parts = path
    .replace(/\.\w+$/, '')
    .replace(/\/index$/, '')
    .split('/');
  const name = parts.slice(-2).join('/');
  const all = [...sources.importersOf(path), ...sources.namersOf(name), ...sources.namersOf(parts.at(-1)!)];
  const stem = stemOf(path);
  return all.some((one) => stemOf(one) === stem && folderOf(one) !== folderOf(path)) ? [...all, path] : all;
}

function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.replace(/(?:[._-](?:tests?|specs?))?(?:\.\w+)+$/, '');
}

const WORDS = /(["'`])([\w@.~/-]{1,200})\1/g;
/** Words at a slash or a quote, which may be parts of a path that code composes. */
const PARTS = /(?<=[/"'`])[\w.-]{1,200}|[\w.-]{1,200}(?=[/"'`])/g;

/** Files without code that tests name, and the folders of such; not those that code could mean. */
export function dataOfTests({ sources, kindOf, isTest, isGiven, solution }: Repository): {
  files: ReadonlySet<string>;
  folders: ReadonlySet<string>;
} {
  const files = new Set<string>();
  const folders = new Set<string>();
  const tried = new Set<string>();
  const tests: string[] = [];
  const ofCode = new Set<string>();
  for (const path of sources.all())
    if (isTest(path)) tests.push(path);
    else if (kindOf(path) === null)
      for (const [part] of sources.textOf(path).matchAll(PARTS)) ofCode.add(part);
  const isData = (path: string) => !isSource(path) && kindOf(path) === null && !isGiven(path);
  const isOfCode = (path: string) =>
    path
      .split('/')
      .slice(-2)
      .some((part) => ofCode.has(part));
  for (const test of tests)
    for (const [, , word] of sources.textOf(test).matchAll(WORDS)) {
      if (!word!.includes('/') || files.size + folders.size > MAX_DATA) continue;
      for (const at of word!.startsWith('.') ? [folderOf(test)] : [folderOf(test), '']) {
        const path = repositoryPath(at, word!);
        if (path === null || path === '' || tried.has(path)) continue;
        tried.add(path);
        if (sources.paths.has(path)) {
          if (isData(path) && !isOfCode(path)) files.add(path);
        } else if (sources.hasFolder(path) && !ofCode.has(path.slice(path.lastIndexOf('/') + 1))) {
          const inside = [...sources.paths].filter((one) => one.startsWith(`${path}/`));
          const isPlain = inside.every(isData) && !solution.some((one) => one.startsWith(`${path}/`));
          if (isPlain) folders.add(path);
        }
      }
    }
  return { files, folders };
}
