/**
 * Finds the files that a test command opens: scripts and what they call, makefiles and what they include, sourced
 * files, and files that a tool looks for by name. It reads the task's own files and never patched ones. Only words
 * that resolve to files of the repository count. A file too many is harmless: a patch cannot change that file.
 */
import { globToRegExp, isLiteral } from '../../basics/glob.ts';
import { jsonObject } from '../../basics/json.ts';
import { baseName, folderOf, repositoryPath } from '../../basics/repository-path.ts';
import { simpleCommands } from '../../basics/shell.ts';
import { OF_TESTS } from '../../ecosystems/named.ts';
import { makefileCommands, makefileIncludes } from './makefile.ts';
import { RunnerImports } from './runner-imports.ts';
import type { TaskFiles } from './task-files.ts';
import { isTestModule } from './test-folders.ts';
import { filesOfTool, MAKEFILES } from './tool-files.ts';

const SHELLS = /^(?:ba|z|da|k|a)?sh$/;
const PYTHON = /^(?:python|pypy)[\d.]*$/;
/** Commands of a setup.py that run tests; the others build. */
const TESTING_SETUP = /^(?:test|nosetests|pytest|ptr|trial|unittest)$/;
/** Options and variables whose value is a module that the runner loads. */
const MODULE_OF = /^(?:-p|--ds|--settings|--testrunner|DJANGO_SETTINGS_MODULE|PYTEST_PLUGINS)$/;
/** Names of files in a script that start tests, and are not tested themselves. */
const STARTS = /\.(?:sh|bash|zsh|mk|mak|cfg|ini|toml|env|conf|rc|nox|just|yml|yaml)$/;
const WORDS = /[\w@%+.][\w@%+./-]*/g;
/** Programs that compile the sources which they are given. */
const COMPILER =
  /^(?:[\w.]+-)*(?:cc|gcc|g\+\+|c\+\+|clang|clang\+\+|c89|c99|tcc|rustc|javac|kotlinc)(?:-[\d.]+)?$/;
/** What these compile. */
const COMPILED = /\.(?:go|rs|java|kt|cc?|cpp|cxx|hh?|hpp)$/;
const CALLED_AS_TEST = /(?:^|[/_-])checks?(?=[/._-])/i;
const MAIN = /\bmain\s*\(|^package\s+main\b/m;
/** More than any real project needs. */
const MAX_FILES = 200;

export interface EntryPoints {
  /** Files that are opened, also if the task does not have them. */
  files: ReadonlySet<string>;
  /** Whether wildcards of the commands match a file. Files that a patch adds may match, too. */
  isMatched(path: string): boolean;
  /** All commands that were read. */
  texts: readonly string[];
}

/**
 * The files that `commands` open when they run in order from the repository's root. `solution`: files that the task's
 * solution changes, which no program owns that starts tests. `codeOf`: for code of other languages than Python.
 */
export function entryPoints(
  commands: readonly string[],
  files: TaskFiles,
  solution: readonly string[] = [],
  codeOf: CodeOf | null = null,
): EntryPoints {
  const walk = new Walk(files, solution, codeOf);
  for (const command of commands) walk.shell(command, ['']);
  return { files: walk.found, texts: walk.texts, isMatched: (path) => walk.isMatched(path) };
}

/**
 * What a file of code is for the tests. A test imports what it tests, so nothing that it names is protected for it. A script that starts
 * tests owns what it names in its own folder. null: the file's text is read as commands.
 */
export type CodeOf = (path: string) => 'test' | 'script' | null;

class Walk {
  readonly found = new Set<string>();
  readonly texts: string[] = [];
  private readonly read = new Set<string>();
  private readonly wildcards = new Map<string, RegExp>();
  private readonly files: TaskFiles;
  private readonly imports: RunnerImports;
  private readonly codeOf: CodeOf;
  private readonly solution: readonly string[];
  /** Of another language than Python. */
  private readonly isOther: boolean;
  private known: Set<string> | null = null;
  /** How many files lead to where it reads. */
  private depth = 0;

  constructor(files: TaskFiles, solution: readonly string[], codeOf: CodeOf | null) {
    this.files = files;
    this.codeOf = codeOf ?? (() => null);
    this.isOther = codeOf !== null;
    this.solution = solution;
    this.imports = new RunnerImports(files, solution, (path) => this.found.has(path));
  }

  /** Commands of a shell; `folders`: where they may be started. */
  shell(text: string, folders: readonly string[]): void {
    this.texts.push(text);
    const places = new Set(folders);
    const known = new Map<string, string>();
    for (const { words } of simpleCommands(text)) {
      const plain = words.map((word) => filledIn(unquoted(word.text), known));
      if (plain[0] === 'cd' || plain[0] === 'pushd') this.enter(plain.slice(1), places);
      for (const word of plain) {
        const set = /^(\w+)=(.*)$/s.exec(word);
        if (set !== null) known.set(set[1]!, set[2]!);
      }
      this.command(plain, [...places]);
    }
    this.named(text, [...places]);
  }

  isMatched(path: string, globs: Iterable<string> = this.wildcards.keys()): boolean {
    const depth = path.split('/').length;
    for (const glob of globs)
      if (glob.split('/').length === depth && this.wildcards.get(glob)!.test(path)) return true;
    return false;
  }

  private enter(words: readonly string[], places: Set<string>): void {
    const folder = words.find((word) => !word.startsWith('-'));
    if (folder !== undefined) for (const path of placesOf(folder, [...places])) places.add(path);
  }

  /** Each word may be a program, since many programs start another one. */
  private command(words: readonly string[], folders: readonly string[]): void {
    for (const [at, word] of words.entries()) {
      const program = baseName(word);
      const rest = words.slice(at + 1);
      for (const name of filesOfTool(program))
        for (const folder of folders) this.add(repositoryPath(folder, name) ?? name);
      if (/^g?make$/.test(program)) this.make(rest, folders);
      else if (/^(?:npm|yarn|pnpm|bun)$/.test(program)) this.packageScripts(rest, folders);
      else if (isSourcing(words, at)) this.script(rest[0], folders);
      else if (SHELLS.test(program) || word === 'eval') this.shellOf(rest, folders);
      else if (PYTHON.test(program)) this.python(rest, folders);
      else if (word === '-m' && at > 0) this.module(rest[0] ?? '', folders);
      this.option(word, rest[0] ?? '', folders);
      if (STARTS.test(word)) this.wildcard(word, folders);
      if (at === 0 && word.includes('/')) this.script(word, folders);
      else if (isFile(word)) this.argument(word, folders, words.slice(0, at));
    }
  }

  /** An argument that names a file of the repository. Python files do not count: they are mostly what is tested. */
  private argument(word: string, folders: readonly string[], before: readonly string[]): void {
    for (const named of placesOf(word.replace(/^@/, ''), folders)) {
      const path = this.sourceOf(named);
      if (!this.files.paths.has(path) || baseName(path) === 'setup.py') continue;
      if (this.isCompiledCode(path) && !this.isStartedCode(path, before)) continue;
      if (!path.endsWith('.py') || (/^#!/.test(this.files.read(path) ?? '') && !this.isInPackage(path)))
        this.add(path);
    }
  }

  /** Of an object that is not there, the source from which it is compiled. */
  private sourceOf(path: string): string {
    if (!this.isOther || !/\.l?o$/.test(path) || this.files.paths.has(path)) return path;
    const sources = ['.c', '.cc', '.cpp', '.cxx'].map((end) => path.replace(/\.l?o$/, end));
    return sources.find((one) => this.files.paths.has(one)) ?? path;
  }

  private isCompiledCode(path: string): boolean {
    return COMPILED.test(path) && this.codeOf(path) === 'script';
  }

  /**
   * Whether a source is compiled to start the tests: it is called as tests are, and has a `main`. Any other source is under test, or is data of
   * the program before it.
   */
  private isStartedCode(path: string, before: readonly string[]): boolean {
    const programs = before.map(baseName);
    if (programs.includes('go') || programs.includes('java')) return !this.isWorkedIn(folderOf(path));
    if (!programs.some((program) => COMPILER.test(program))) return false;
    return (OF_TESTS.test(path) || CALLED_AS_TEST.test(path)) && MAIN.test(this.files.read(path) ?? '');
  }

  private isWorkedIn(folder: string): boolean {
    return this.solution.some((path) => folderOf(path) === folder);
  }

  /** A script that others start, beside what the solution changes: it is a program under test. */
  private isProduct(path: string): boolean {
    const folder = folderOf(path);
    return this.depth > 0 && folder !== '' && !OF_TESTS.test(path) && this.isWorkedIn(folder);
  }

  /** `--opt=value`, `-opt value` and `NAME=value`: values that name files or modules. */
  private option(word: string, next: string, folders: readonly string[]): void {
    const [, name, value] = /^(-{0,2}[\w-]+)=(.*)$/s.exec(word) ?? [null, word, next];
    if (MODULE_OF.test(name!))
      for (const one of value!.split(',')) this.module(one, folders, ['.py', '/__init__.py']);
    if (value !== next || word.includes('=')) this.named(value!, folders);
    if (name === 'PYTEST_ADDOPTS' || name === 'MAKEFLAGS') this.command(value!.split(/\s+/), folders);
  }

  /** Files that a word with wildcards stands for. */
  private wildcard(word: string, folders: readonly string[]): string[] {
    const found = placesOf(word, folders).flatMap((glob) => {
      if (isLiteral(glob)) return [];
      this.wildcards.set(glob, globToRegExp(glob));
      return [...this.files.paths].filter((path) => this.isMatched(path, [glob]));
    });
    for (const path of found) this.add(path);
    return found;
  }

  private shellOf(words: readonly string[], folders: readonly string[]): void {
    const at = words.findIndex((word) => /^-\w*c$/.test(word));
    const texts = at < 0 ? words.filter((word) => /\s/.test(word)) : words.slice(at + 1, at + 2);
    for (const text of texts) this.shell(text, folders);
    if (texts.length > 0) return;
    this.script(
      words.find((word) => !/^[-+]/.test(word)),
      folders,
    );
  }

  private python(words: readonly string[], folders: readonly string[]): void {
    const at = words.findIndex((word) => word === '-m' || word === '-c' || word.endsWith('.py'));
    const [what = '', next = ''] = at < 0 ? [] : words.slice(at);
    if (what === '-m') this.module(next, folders);
    else if (what === '-c') this.pythonText(next, folders);
    else if (what !== '' && !isBuilding(what, words.slice(at + 1))) this.script(what, folders);
  }

  /** The file of a module that is run, or (`ends`) imported, if it is one of the repository. */
  private module(name: string, folders: readonly string[], ends = ['.py', '/__main__.py']): void {
    if (!/^\w+(?:\.\w+)*$/.test(name)) return;
    for (const path of placesOf(name.replaceAll('.', '/'), [...folders, 'src']))
      for (const end of ends) this.addKnown(`${path}${end}`);
  }

  private make(words: readonly string[], folders: readonly string[]): void {
    const folder = optionValue(words, /^(?:-C|--directory)/);
    const file = optionValue(words, /^(?:-f|--(?:make)?file)/);
    const goals = words.filter((word) => /^\w[\w./-]*$/.test(word));
    for (const inside of folder === null ? folders : placesOf(folder, folders))
      for (const path of (file === null ? MAKEFILES : [file]).flatMap((name) => placesOf(name, [inside]))) {
        this.found.add(path);
        this.makefile(path, inside, goals);
      }
  }

  private makefile(path: string, folder: string, goals: readonly string[]): void {
    if (!this.once(`make ${path} ${folder} ${goals.join(' ')}`)) return;
    const text = this.withIncluded(path, folder, new Set());
    for (const command of makefileCommands(text, goals)) this.shell(command, [folder]);
  }

  /** A makefile and all that it includes, as one text. */
  private withIncluded(path: string, folder: string, seen: Set<string>): string {
    const text = seen.has(path) || seen.size > MAX_FILES ? null : this.files.read(path);
    seen.add(path);
    if (text === null) return '';
    const included = makefileIncludes(text).flatMap((name) =>
      placesOf(name, [folder]).flatMap((found) => {
        this.found.add(found);
        return [found, ...this.wildcard(name, [folder])].map((path) => this.withIncluded(path, folder, seen));
      }),
    );
    return [text, ...included].join('\n');
  }

  private packageScripts(words: readonly string[], folders: readonly string[]): void {
    const names = new Set(words.flatMap((word) => [word, `pre${word}`, `post${word}`]));
    for (const folder of folders) {
      const path = repositoryPath(folder, 'package.json');
      const text = path === null ? null : this.files.read(path);
      for (const [name, command] of text === null ? [] : scriptsIn(text))
        if (names.has(name) && this.once(`script ${path} ${name}`)) this.shell(command, [folder]);
    }
  }

  /** A word that is run or read as a script, also where the task has no such file yet. */
  private script(word: string | undefined, folders: readonly string[]): void {
    for (const path of word === undefined ? [] : placesOf(word, folders)) {
      const isKnown = this.files.paths.has(path);
      if (isKnown && !this.isCompiledCode(path)) this.add(path);
      // All below the name of a folder would be protected, and no folder is a script.
      if (!isKnown && isFile(path) && !this.folders().has(path)) this.found.add(path);
    }
  }

  private folders(): ReadonlySet<string> {
    if (this.known === null) {
      this.known = new Set();
      for (const path of this.files.paths)
        for (let at = folderOf(path); at !== '' && !this.known.has(at); at = folderOf(at)) this.known.add(at);
    }
    return this.known;
  }

  /** Adds a path if the task has such a file. */
  private addKnown(path: string): void {
    if (this.files.paths.has(path)) this.add(path);
  }

  /** Adds a file, and the files that it opens itself. */
  private add(path: string): void {
    if (this.isOther && this.isProduct(path)) return;
    this.depth += 1;
    this.opened(path);
    this.depth -= 1;
  }

  private opened(path: string): void {
    this.found.add(path);
    const target = this.files.linked(path);
    if (target !== null) this.found.add(target);
    const text = this.files.read(path);
    if (text === null || !this.once(path)) return;
    const folders = [...new Set(['', folderOf(path)])];
    const name = baseName(path);
    if (/^(?:GNUm|m|M)akefile$|\.mk$|^package\.json$/.test(name)) return;
    const code = this.codeOf(path);
    if (code === 'script') {
      this.beside(text, path);
      this.named(text, folders);
    }
    if (code !== null) return;
    if (name.endsWith('.py') || /^#!.*python/.test(text)) this.pythonText(text, folders, path);
    else this.lines(text, folders);
  }

  /** Reads a text with commands: a script, or a list of commands in a configuration file. */
  private lines(text: string, folders: readonly string[]): void {
    const plain = text
      .replace(/^[ \t]*(?:- |@|(?:cmd|run|commands?|script)\s*[:=]\s*)+/gm, '')
      .replace(/\\\n/g, ' ');
    this.shell(plain, folders);
  }

  /** Reads a Python program that starts the tests: files in its text, and modules beside it. */
  private pythonText(text: string, folders: readonly string[], path: string | null = null): void {
    for (const [, , literal] of text.matchAll(/(['"])([^'"\n]{1,300})\1/g)) {
      this.named(literal!, folders);
      if (/\s/.test(literal!)) this.command(literal!.split(/\s+/), folders);
      else if (filesOfTool(literal!).length > 0) this.command([literal!], folders);
    }
    if (path === null) return;
    for (const file of this.imports.of(path, text)) this.add(file);
    if (folderOf(path) === '' || this.isInPackage(path)) return;
    for (const [, name] of text.matchAll(/^\s*(?:from|import)\s+(\w+)/gm))
      this.addKnown(`${folderOf(path)}/${name}.py`);
  }

  /** Files beside a script that it names, with or without their ending. Beside one in the root lies the code under test. */
  private beside(text: string, path: string): void {
    const folder = folderOf(path);
    if (folder === '') return;
    const ending = /\.\w+$/.exec(path)?.[0] ?? '';
    for (const [word] of text.matchAll(WORDS))
      for (const name of [word, `${word}${ending}`]) {
        const found = repositoryPath(folder, name);
        if (found !== null && folderOf(found) === folder) this.addKnown(found);
      }
  }

  /** Files of the repository that a text names in any way, as `"$(dirname "$0")/common.sh"` does. */
  private named(text: string, folders: readonly string[]): void {
    const plain = text.replace(/(^|\s)#.*$/gm, '$1').replace(/\$\{?\w+\}?\//g, ' ');
    for (const [word] of plain.matchAll(WORDS))
      for (const path of placesOf(word, folders))
        if (this.files.paths.has(path) && this.isStarter(path)) this.add(path);
  }

  private isStarter(path: string): boolean {
    const name = baseName(path);
    if (STARTS.test(name)) return true;
    if (name.endsWith('.py')) return folderOf(path) !== '' && !this.isInPackage(path) && !isTestModule(path);
    return !name.includes('.') && /^#!/.test(this.files.read(path) ?? '');
  }

  private isInPackage(path: string): boolean {
    return this.files.paths.has(`${folderOf(path)}/__init__.py`);
  }

  private once(what: string): boolean {
    if (this.read.has(what) || this.read.size >= MAX_FILES) return false;
    this.read.add(what);
    return true;
  }
}

/** The paths in the repository that a word names in one of the folders. */
function placesOf(word: string, folders: readonly string[]): string[] {
  const name = fromTestbed(word);
  return folders.flatMap((folder) => repositoryPath(folder, name) ?? []);
}

/** `.` and `source` read a file; elsewhere a dot is a folder. */
function isSourcing(words: readonly string[], at: number): boolean {
  if (words[at] === 'source') return true;
  return words[at] === '.' && (at === 0 || /^(?:then|do|else|!|\{|command|builtin)$/.test(words[at - 1]!));
}

/** Whether a command builds, such as `setup.py install`. A patch may change what it builds. */
function isBuilding(script: string, words: readonly string[]): boolean {
  return baseName(script) === 'setup.py' && !words.some((word) => TESTING_SETUP.test(word));
}

/** `-C folder`, `-Cfolder` or `--directory=folder`; null without the option. */
function optionValue(words: readonly string[], option: RegExp): string | null {
  const at = words.findIndex((word) => option.test(word));
  if (at < 0) return null;
  return /^(?:-\w|--[\w-]+=)(.+)$/.exec(words[at]!)?.[1] ?? words[at + 1] ?? null;
}

function unquoted(word: string): string {
  return word.replace(/\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs, (_, escaped, single, double) =>
    escaped !== undefined ? escaped : (single ?? (double as string).replace(/\\(["\\$`])/g, '$1')),
  );
}

/** The word with variables replaced by the values that the same text sets. */
function filledIn(word: string, known: ReadonlyMap<string, string>): string {
  return word.replace(/\$\{?(\w+)\}?/g, (whole, name: string) => known.get(name) ?? whole);
}

/** The path without /testbed, or without an unknown variable at the start. */
function fromTestbed(path: string): string {
  return path
    .replace(/^\/testbed\/?/, '')
    .replace(/^.*[$`)}]\w*\}?\//, '')
    .replace(/^\/+/, '');
}

/** A word that can be the name of a file: it has an ending or a folder. */
function isFile(word: string): boolean {
  return /^[\w@%+./-]*[\w+-]$/.test(word) && !word.startsWith('-');
}

function scriptsIn(text: string): [name: string, command: string][] {
  const { scripts } = jsonObject<{ scripts?: object | null }>(text) ?? {};
  return Object.entries(scripts ?? {}).filter((one): one is [string, string] => typeof one[1] === 'string');
}
