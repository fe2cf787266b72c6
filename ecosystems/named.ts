/** Collects the files that settings of a task make part of its tests. */

import { folderOf, repositoryPath } from '../basics/repository-path.ts';
import type { EcosystemFile, NamedFiles, StartedTask } from './kind.ts';

/** Words that are looked up as paths, and folders above a file in which they are. A repository may be made to take time. */
const MAX_WORDS = 50_000;
const MAX_ABOVE = 8;
/** Paths that are looked at. */
const MAX_PATH = 500;
const MAX_TEXTS = 5000;

export class FilesNamed implements NamedFiles {
  readonly files = new Map<string, EcosystemFile>();
  readonly task: StartedTask;
  private readonly folders = new Set<string>();
  private readonly paths: ReadonlySet<string>;
  private readonly solved: ReadonlySet<string>;
  private words = 0;
  private code: (path: string) => boolean = () => false;
  private further: (path: string) => boolean = () => false;

  constructor(task: StartedTask) {
    this.task = task;
    this.paths = new Set(task.files.paths);
    this.solved = new Set(task.solution);
  }

  isTest(path: string): boolean {
    if (this.further(path)) return true;
    if (this.folders.size === 0) return false;
    for (let at = folderOf(path); at !== ''; at = folderOf(at)) if (this.folders.has(at)) return true;
    return false;
  }

  /** Says which files are tests beside those of the folders. */
  setTest(isTest: (path: string) => boolean): void {
    this.further = isTest;
  }

  isCode(path: string): boolean {
    return this.code(path);
  }

  /** Says which files are code under test though they are called as tests are. */
  setCode(code: (path: string) => boolean): void {
    this.code = code;
  }

  read(path: string): string {
    return this.task.files.read(path);
  }

  has(path: string): boolean {
    return this.paths.has(path);
  }

  /** Files of the repository whose paths match. */
  all(pattern: RegExp): string[] {
    return this.task.files.paths.filter((path) => path.length <= MAX_PATH && pattern.test(path));
  }

  /** Reads files one by one. Where a reader fails, each word of the file that is a path names a file of the runner. */
  each(pattern: RegExp, reader: (path: string, text: string) => void): void {
    for (const path of this.all(pattern)) {
      const text = this.read(path);
      try {
        reader(path, text);
      } catch {
        for (const word of pathWords(text)) this.add(this.file(folderOf(path), word), 'runner');
      }
    }
  }

  /** The file that a word names, from a folder or from one above it; null: none. */
  file(folder: string, word: string): string | null {
    if (word === '' || word.length > 300) return null;
    this.words += 1;
    if (this.words > MAX_WORDS) return null;
    for (let at = folder, above = 0; ; at = above < MAX_ABOVE ? folderOf(at) : '', above += 1) {
      const path = repositoryPath(at, word);
      if (path !== null && this.paths.has(path)) return path;
      if (at === '') return null;
    }
  }

  add(path: string | null, as: EcosystemFile): void {
    if (path !== null && !this.solved.has(path) && !this.files.has(path)) this.files.set(path, as);
  }

  /** A folder of tests, with what a patch adds there; not one in which the solution works. */
  addFolder(folder: string | null): void {
    if (folder === null || folder === '') return;
    const inside = `${folder}/`;
    if (![...this.solved].some((path) => path.startsWith(inside))) this.folders.add(folder);
  }
}

/** Words of what only tests need, in a path. */
export const OF_TESTS =
  /(?:^|[/._-])(?:(?:unit|api|http|it)?(?:tests?|specs?)|testing|test[-_]?(?:utils?|helpers?|kit|support|data|tools?|lib|common|suites?|env|servers?|harness)|mocks?|stubs?|fakes?|fixtures?|harness)(?=[/._-]|$)/i;

/** Words of a text that can be paths, for settings that cannot be read. */
export function pathWords(text: string): string[] {
  const words = text.split(/[^\w./@+-]+/).filter((word) => /[./]\w/.test(word) && word.length <= 300);
  return [...new Set(words)].slice(0, MAX_TEXTS);
}

/** All texts of a value, however deep. */
export function textsIn(value: unknown): string[] {
  const found: string[] = [];
  const open = [value];
  for (let one = open.pop(); open.length > 0 || one !== undefined; one = open.pop()) {
    if (typeof one === 'string') found.push(one);
    else if (typeof one === 'object' && one !== null)
      for (const inner of Object.values(one).reverse()) open.push(inner);
    if (found.length >= MAX_TEXTS) break;
  }
  return found;
}

interface DataOfTests {
  isTest(path: string): boolean;
  /** Files of the language, and others that may name what the program needs. */
  sources: RegExp;
  others: RegExp;
  /** Finds lists of files that code takes in; absent: all are texts. */
  embeds?: RegExp;
  /** Whether a file is the program's, by where it lies. */
  isProduct(path: string): boolean;
}

const WORDS = /(["`])([\w@.~/-]{1,200})\1/g;
/** Words at a slash or a quote, which may be parts of a path that code composes. */
const PARTS = /(?<=[/"'`\s])[\w.-]{1,200}|[\w.-]{1,200}(?=[/"'`\s])/g;
const TEXTS = /"(?:[^"\\\n]|\\.){1,300}"|`[^`]{1,300}`/g;
/** Code of any language, which is no data. */
const CODE =
  /\.(?:go|s|rs|cc?|cpp|cxx|cu|hh?|hpp|hxx|inc|inl|ipp|java|kt|swift|mm?|cs|py|rb|php|pl|lua|[cm]?[jt]sx?|vue|s?css|proto|graphqls?|sh|bash|bat|ps1|cmake|mk)$/i;
/** Folders of tests and data that are read. */
const MAX_DATA = 2000;

/** Protects files without code that tests name by a path, and folders of such; not those that code could mean. */
export function dataOfTests(
  named: FilesNamed,
  { isTest, sources, others, embeds, isProduct }: DataOfTests,
): void {
  const { solution } = named.task;
  const ofCode = new Set<string>();
  const words: { from: string; word: string }[] = [];
  const listsIn = (text: string) =>
    embeds === undefined ? [] : [...text.matchAll(embeds)].map(([, list]) => list!);
  const readTest = (from: string, text: string) => {
    for (const [, , word] of text.matchAll(WORDS)) words.push({ from, word: word! });
    for (const list of listsIn(text)) for (const word of list.split(/\s+/)) words.push({ from, word });
  };
  for (const path of named.all(sources)) {
    const text = named.read(path);
    if (isTest(path)) {
      readTest(path, text);
      continue;
    }
    const lists = listsIn(text).map((list) => ` ${list} `);
    for (const one of [...(text.match(TEXTS) ?? []), ...lists])
      for (const [part] of one.matchAll(PARTS)) ofCode.add(part);
  }
  // Tests that are hidden so far.
  for (const { path, text } of named.task.added ?? []) if (sources.test(path)) readTest(path, text);
  for (const path of named.all(others))
    for (const [part] of named.read(path).matchAll(PARTS)) ofCode.add(part);
  const isData = (path: string) =>
    !sources.test(path) && !CODE.test(path) && !isTest(path) && !isProduct(path);
  const isOfCode = (path: string) =>
    path
      .split('/')
      .slice(-2)
      .some((part) => ofCode.has(part));
  const all = named.all(/./);
  const folders = new Set<string>();
  for (const path of all)
    for (let at = folderOf(path); at !== '' && !folders.has(at); at = folderOf(at)) folders.add(at);
  const tried = new Set<string>();
  for (const { from, word } of words) {
    const plain = word.replace(/^\/+|\/+$/g, '');
    if (!plain.includes('/') || tried.size > MAX_DATA) continue;
    for (const at of plain.startsWith('.') ? [folderOf(from)] : [folderOf(from), '']) {
      const path = repositoryPath(at, plain);
      if (path === null || path === '' || tried.has(path)) continue;
      tried.add(path);
      if (named.has(path)) {
        if (isData(path) && !isOfCode(path)) named.add(path, 'support');
        continue;
      }
      if (!folders.has(path)) continue;
      const inside = all.filter((one) => one.startsWith(`${path}/`));
      const isPlain = inside.every(isData) && !isOfCode(path);
      if (isPlain && !solution.some((one) => one.startsWith(`${path}/`))) named.addFolder(path);
    }
  }
}

/** A text without what stands from a mark to another one, as a comment does; in a time that grows with its length alone. */
export function without(text: string, start: string, end: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, from)) {
    kept.push(text.slice(from, at));
    const close = text.indexOf(end, at + start.length);
    if (close < 0) return kept.join(' ');
    from = close + end.length;
  }
  kept.push(text.slice(from));
  return kept.join(' ');
}

/** What stands in the parentheses of calls that a head begins, as `/\btest\s*\(/g`; long ones are not read. */
export function callsIn(text: string, head: RegExp, longest = 4000): { head: string; inside: string }[] {
  const found: { head: string; inside: string }[] = [];
  let tried = 0;
  for (const match of text.matchAll(head)) {
    tried += 1;
    if (tried > MAX_TEXTS) break;
    const from = match.index + match[0].length;
    const last = Math.min(text.length, from + longest);
    for (let at = from, depth = 1; at < last; at += 1) {
      depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
      if (depth > 0) continue;
      found.push({ head: match[0], inside: text.slice(from, at) });
      break;
    }
  }
  return found;
}
