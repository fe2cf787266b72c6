/** Files of a repository in JavaScript: which one a word names, and what imports what. */

import { folderOf, repositoryPath } from '../../basics/repository-path.ts';
import type { RepositoryFiles } from '../kind.ts';
import { SOURCES } from './node.ts';

const ENDINGS = [...SOURCES, '.json'];
const IMPORT =
  /(?:\bfrom|\bimport\s{0,50}\(?|\brequire(?:\.resolve)?\s{0,50}\(|\bimportScripts\s{0,50}\()\s{0,50}["'`](\.[^"'`\n]{0,300})["'`]/g;
/** Files that are looked through. */
const MAX_FILES = 20_000;

export class Sources {
  readonly paths: ReadonlySet<string>;
  private readonly read: (path: string) => string;
  private readonly linked: (path: string) => string | null;
  private readonly imports = new Map<string, readonly string[]>();
  private importers: Map<string, Set<string>> | null = null;
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

  private index(): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    const all = [...this.paths].filter(
      (path) => isSource(path) && !/(?:^|\/)node_modules\/|\.min\.js$/.test(path),
    );
    for (const path of all.slice(0, MAX_FILES))
      for (const one of this.importsOf(path)) found.set(one, (found.get(one) ?? new Set()).add(path));
    return found;
  }
}

export function isSource(path: string): boolean {
  return SOURCES.some((ending) => path.endsWith(ending));
}
