/** Files of a repository in JavaScript: which one a word names, and what imports what. */

import { folderOf, repositoryPath } from '../../basics/repository-path.ts';
import type { RepositoryFiles } from '../kind.ts';
import { SOURCES } from './node.ts';

const ENDINGS = [...SOURCES, '.json'];
const IMPORT =
  /(?:\bfrom|\bimport\s{0,50}\(?|\brequire(?:\.resolve)?\s{0,50}\(|\bimportScripts\s{0,50}\()\s{0,50}["'`](\.[^"'`\n]{0,300})["'`]/g;
/** What is imported by a name: of a package, or one that settings give. */
const NAMED =
  /(?:\bfrom|\bimport\s{0,50}\(?|\brequire(?:\.resolve)?\s{0,50}\()\s{0,50}["'`]([@\w#~$][^"'`\n]{0,300})["'`]/g;
const PAGES = /\.(?:vue|svelte|astro|marko|mdx|html?)$/;
/** The name of a file at the end of a text that is not imported. */
const TOLD =
  /(?<!\b(?:from|import|require)\s?\(?\s?)["'`](?:[^"'`\n]{0,300}\/)?([\w.-]{1,100}\.[cm]?[jt]sx?)["'`]/g;
/** Files that are looked through. */
const MAX_FILES = 20_000;

export class Sources {
  readonly paths: ReadonlySet<string>;
  private readonly read: (path: string) => string;
  private readonly linked: (path: string) => string | null;
  private readonly imports = new Map<string, readonly string[]>();
  private importers: Map<string, Set<string>> | null = null;
  private named: ReadonlyMap<string, [name: string, path: string][]> | null = null;
  private readable: readonly string[] | null = null;
  private told: ReadonlyMap<string, string[]> | null = null;
  private packages: ReadonlySet<string> | null = null;
  private folders: Set<string> | null = null;

  constructor({ paths, read, linked }: RepositoryFiles) {
    this.paths = new Set(paths);
    this.linked = linked ?? (() => null);
    this.read = read;
  }

  textOf(path: string): string {
    return this.read(path);
  }

  /** The file that a word names, seen from a folder: with or without its ending, or an `index`; null: none. */
  file(folder: string, word: string): string | null {
    const path = repositoryPath(folder, word);
    if (path === null || path === '') return null;
    const bare = path.replace(/\.([cm]?)js(x?)$/, '');
    const typed = bare === path ? [] : ['.ts', '.tsx', '.mts', '.cts'].map((end) => `${bare}${end}`);
    const named = [path, ...ENDINGS.map((end) => `${path}${end}`), ...typed];
    const within = [...ENDINGS, '.d.ts'].map((end) => `${path}/index${end}`);
    const preset = ['jest-preset.js', 'jest-preset.json'].map((name) => `${path}/${name}`);
    return [...named, ...within, ...preset].find((one) => this.paths.has(one)) ?? null;
  }

  hasFolder(path: string): boolean {
    if (this.folders === null) {
      this.folders = new Set();
      for (const file of this.paths)
        for (let at = folderOf(file); at !== '' && !this.folders.has(at); at = folderOf(at))
          this.folders.add(at);
    }
    return this.folders.has(path);
  }

  /** Files of the repository that a file imports by their relative paths. */
  importsOf(path: string): readonly string[] {
    const known = this.imports.get(path) ?? this.importsIn(path);
    this.imports.set(path, known);
    return known;
  }

  private importsIn(path: string): string[] {
    // Node takes the imports of a link from where its target lies.
    const folder = folderOf(this.linked(path) ?? path);
    const found = [...this.read(path).matchAll(IMPORT)].map(([, word]) => this.file(folder, word!));
    return [...new Set(found.filter((one) => one !== null && one !== path) as string[])];
  }

  importersOf(path: string): ReadonlySet<string> {
    this.importers ??= this.index();
    return this.importers.get(path) ?? new Set();
  }

  /** The folder of the nearest package.json above a file. */
  packageOf(path: string): string {
    this.packages ??= new Set(
      [...this.paths].filter((one) => /(?:^|\/)package\.json$/.test(one)).map(folderOf),
    );
    let folder = folderOf(path);
    while (folder !== '' && !this.packages.has(folder)) folder = folderOf(folder);
    return folder;
  }

  /** The path of a file inside of its package. */
  inPackage(path: string): string {
    const folder = this.packageOf(path);
    return folder === '' ? path : path.slice(folder.length + 1);
  }

  /** Files that are read, not those of installed packages. */
  all(): string[] {
    return this.users().filter(isSource);
  }

  /** With pages and components, which import code as well. */
  users(): readonly string[] {
    this.readable ??= [...this.paths]
      .filter((path) => isSource(path) || PAGES.test(path))
      .filter((path) => !/(?:^|\/)node_modules\/|\.min\.js$/.test(path))
      .slice(0, MAX_FILES);
    return this.readable;
  }

  /** Files that import a name, `@m/utils` or `#like`, or one that ends in it behind a slash. */
  namersOf(name: string): string[] {
    const found = this.naming(lastPart(name));
    return found.flatMap(([one, path]) => (one === name || one.endsWith(`/${name}`) ? [path] : []));
  }

  /** Names with such a last part that files import, with the files. */
  naming(last: string): readonly [name: string, path: string][] {
    this.named ??= this.indexNames();
    return this.named.get(last) ?? [];
  }

  /** Files that have the name of a file in a text that is no import, as `new URL('./worker.js', import.meta.url)`. */
  tellersOf(name: string): readonly string[] {
    this.told ??= this.indexTexts();
    return this.told.get(name.replace(/ts(x?)$/, 'js$1')) ?? [];
  }

  /** Files that import a package by its name, or a part of it. */
  usersOf(name: string): string[] {
    this.named ??= this.indexNames();
    return (this.named.get(`package ${name}`) ?? []).map(([, path]) => path);
  }

  private indexNames(): Map<string, [string, string][]> {
    const found = new Map<string, [string, string][]>();
    const add = (key: string, name: string, path: string) => {
      const known = found.get(key);
      if (known === undefined) found.set(key, [[name, path]]);
      else known.push([name, path]);
    };
    for (const path of this.users())
      for (const [, name] of this.read(path).matchAll(NAMED)) {
        add(lastPart(name!), name!, path);
        add(`package ${/^(?:@[^/]+\/)?[^/]+/.exec(name!)?.[0] ?? ''}`, name!, path);
      }
    return found;
  }

  private indexTexts(): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const path of this.users())
      for (const [, name] of this.read(path).matchAll(TOLD)) {
        const key = name!.replace(/ts(x?)$/, 'js$1');
        found.set(key, [...(found.get(key) ?? []).slice(-99), path]);
      }
    return found;
  }

  private index(): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    for (const path of this.users())
      for (const one of this.importsOf(path)) found.set(one, (found.get(one) ?? new Set()).add(path));
    return found;
  }
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

export function isSource(path: string): boolean {
  return SOURCES.some((ending) => path.endsWith(ending));
}
