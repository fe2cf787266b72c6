/**
 * Decides which file of the repository each section of a diff is about. Diffs have many prefixes (`a/`, `i/`, `old/`,
 * none). Of the possible readings of a name, the one that exists in the tree is taken.
 */

import { plain, stripped, unsafeName } from './names.ts';
import type { Content, FileChange, FilePatch, Hunk } from './patch.ts';
import type { Section } from './read.ts';

export type TreeEntry = 'file' | 'folder' | 'link';

/** The facts about the repository's files that placing a patch needs. */
export interface PatchTree {
  /** The entry of that name; null: none. */
  entry(path: string): TreeEntry | null;
  /** Every line of the file ends with a carriage return and a newline. */
  isCrlf(path: string): boolean;
}

export interface Placed {
  files: FilePatch[];
  /** Sections whose names contradict one another. */
  unclear: { line: number; why: string }[];
}

/** The two names of a section in one reading; they differ only if it moves a file. */
interface Names {
  old: string;
  new: string;
  /** The prefixes of the two sides differ, so they are certainly prefixes. */
  isSure?: boolean;
}

/** Words that tools put in front of names. */
const PREFIX = /^(?:[abciow12]|old|new|orig|original|modified|before|after)\//;

/** `tree`: null when it is not known; then the usual reading is taken. */
export function placeSections(sections: readonly Section[], tree: PatchTree | null): Placed {
  const placer = new Placer(tree, sections);
  for (const section of sections) placer.place(section);
  return placer.placed;
}

/** Every name that a patch may turn out to mean, and the folders above them. */
export function possibleNames(sections: readonly Section[]): string[] {
  const names = new Set<string>();
  for (const section of sections) {
    for (const reading of readings(section)) {
      for (const name of [reading.old, reading.new]) {
        for (let end = name.length; end > 0; end = name.lastIndexOf('/', end - 1))
          names.add(name.slice(0, end));
      }
    }
  }
  return [...names].filter((name) => unsafeName(name) === null);
}

class Placer {
  readonly placed: Placed = { files: [], unclear: [] };
  /** Changes of the sections so far. */
  private readonly made = new Map<string, boolean>();
  private readonly tree: PatchTree | null;

  /** Another section has the same whole name on both sides, so names have no prefixes. */
  private readonly isBare: boolean;

  constructor(tree: PatchTree | null, sections: readonly Section[]) {
    this.tree = tree;
    this.isBare = sections.some((section) => {
      const [first] = section.isAdded || section.moved !== null ? [] : readings(section);
      return (
        first !== undefined && this.has(first.old) && pairsOf(section).some(([left, right]) => left === right)
      );
    });
  }

  place(section: Section): void {
    const why = contradiction(section);
    if (why !== null) {
      this.placed.unclear.push({ line: section.line, why });
      return;
    }
    const all = readings(section);
    const names = this.chosen(section, all);
    if (names === undefined) return;
    const file = this.filePatch(section, names);
    // Git prints the header alone where only the times of a file have changed.
    if (isNothing(file)) return;
    const twice = this.isAgain(file);
    if (twice !== null) {
      this.placed.unclear.push({ line: section.line, why: twice });
      return;
    }
    if (file.oldPath !== null && file.change !== 'copied') this.made.set(file.oldPath, false);
    if (file.newPath !== null) this.made.set(file.newPath, true);
    this.placed.files.push(file);
  }

  /** Whether an earlier section already made this change. */
  private isAgain({ change, oldPath, newPath }: FilePatch): string | null {
    if (change === 'added' && this.made.get(newPath!) === true) return 'a file that it makes twice';
    const isUsed = change === 'modified' || change === 'deleted';
    return isUsed && this.made.get(oldPath!) === false ? 'a file that it has removed' : null;
  }

  private has(path: string): boolean {
    return this.made.get(path) ?? ['file', 'link'].includes(this.tree?.entry(path) ?? '');
  }

  private chosen(section: Section, all: readonly Names[]): Names | undefined {
    if (this.tree === null || section.moved !== null) return all[0];
    if (section.isAdded && this.isBare) return all[0];
    if (section.isAdded) return all.find((names) => names.isSure || this.isPlausible(names.new)) ?? all[0];
    return all.find((names) => this.has(names.old)) ?? all[0];
  }

  /** A new file lies in a folder that is there, or at least its name begins with no prefix. */
  private isPlausible(path: string): boolean {
    const top = path.split('/')[0]!;
    if (path.includes('/') && this.tree?.entry(top) === 'folder') return true;
    return !PREFIX.test(path);
  }

  private filePatch(section: Section, names: Names): FilePatch {
    const { oldMode, newMode, ids } = section;
    const change = this.changeOf(section, names);
    const oldPath = change === 'added' ? null : names.old;
    const newPath = change === 'deleted' ? null : names.new;
    const content = this.withLineEnds(section, oldPath);
    const plainMode = '100644';
    return {
      change,
      oldPath,
      newPath,
      oldMode: change === 'added' ? null : change === 'deleted' ? (oldMode ?? plainMode) : oldMode,
      newMode: change === 'deleted' ? null : change === 'added' ? (newMode ?? plainMode) : newMode,
      ids,
      content,
    };
  }

  private changeOf(section: Section, names: Names): FileChange {
    if (section.moved !== null) return section.moved.how;
    if (section.isAdded) return 'added';
    if (section.isDeleted) return 'deleted';
    const hunk = onlyHunk(section.content);
    if (hunk === null) return 'modified';
    const isWhole = (mark: string) =>
      hunk.lines.every((line) => line.startsWith(mark) || line.startsWith('\\'));
    // GNU diff gives a file that is not there the earliest time; other tools give it line 0.
    const isNew = section.minusIsEpoch || (this.tree !== null && !this.has(names.old));
    if (isNew && hunk.oldStart === 0 && isWhole('+')) return 'added';
    return section.plusIsEpoch && hunk.newStart === 0 && isWhole('-') ? 'deleted' : 'modified';
  }

  /**
   * The content with the file's own line ends. A tool may have changed all line ends of a diff, or removed carriage
   * returns.
   */
  private withLineEnds({ content, carriage }: Section, oldPath: string | null): Content {
    if (content.kind !== 'text') return content;
    const isCrlf = oldPath !== null && (this.tree?.isCrlf(oldPath) ?? false);
    const ends = content.hunks.flatMap(({ lines }) => lines.map((line) => line.endsWith('\r')));
    if (carriage && !isCrlf) return mapLines(content.hunks, (line) => line.replace(/\r$/, ''));
    if (isCrlf && !ends.includes(true)) return mapLines(content.hunks, (line) => `${line}\r`);
    return content;
  }
}

function mapLines(hunks: readonly Hunk[], change: (line: string) => string): Content {
  const changed = hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => (line.startsWith('\\') ? line : change(line))),
  }));
  return { kind: 'text', hunks: changed };
}

function onlyHunk(content: Content): Hunk | null {
  return content.kind === 'text' && content.hunks.length === 1 ? content.hunks[0]! : null;
}

function isNothing({ change, oldMode, newMode, content }: FilePatch): boolean {
  return change === 'modified' && oldMode === newMode && content.kind === 'none';
}

/** What a section's names can mean, the likeliest first. */
function readings(section: Section): Names[] {
  const { moved } = section;
  if (moved !== null) return [{ old: plain(moved.from), new: plain(moved.to) }];
  const found = pairsOf(section).flatMap(readingsOf);
  const known = new Set<string>();
  return found.filter((names) => {
    const key = `${names.old}\0${names.new}`;
    return !known.has(key) && known.add(key);
  });
}

/** The names as they are spelled; one that is missing is as the other. */
function pairsOf({ minus, plus, cuts }: Section): [string, string][] {
  const [one, other] = [minus ?? plus, plus ?? minus];
  if (typeof one === 'string' && typeof other === 'string') {
    // With a `diff --git` line both names are known also where one side is /dev/null.
    const isHalf = minus === null || plus === null;
    const full = isHalf ? cuts.filter((cut) => cut.includes(one) && !cut.includes('/dev/null')) : [];
    if (full.length > 0) return full;
    return [[isHalf && /^[ab]\//.test(one) ? `${plus === null ? 'b' : 'a'}${one.slice(1)}` : one, other]];
  }
  const same = cuts.filter(([left, right]) => left === right || sameTail(left, right));
  return same.length > 0 ? same : cuts.slice(0, 1);
}

function tail(name: string): string | null {
  return stripped(name, 1);
}

function sameTail(one: string, other: string): boolean {
  return tail(one) !== null && tail(one) === tail(other);
}

function readingsOf([left, right]: [string, string]): Names[] {
  const bare = { old: plain(left), new: plain(right) };
  const short = [tail(left), tail(right)];
  const cut = short[0] != null && short[1] != null ? { old: plain(short[0]), new: plain(short[1]) } : null;
  const single = ({ old, new: name }: Names) => [
    { old: name, new: name },
    { old, new: old },
  ];
  if (left === right) {
    const isPrefixed = PREFIX.test(left);
    // The same prefix on both sides is written by hand; without one it is what --no-prefix writes.
    return cut === null ? [bare] : [bare, ...(isPrefixed || left.startsWith('/') ? [cut] : [])];
  }
  const common = commonEnd(bare.old, bare.new);
  const known = common === null ? [] : [{ old: common, new: common, isSure: true }];
  return [...known, ...(cut === null ? [] : single(cut)), ...single(bare)];
}

/** The folders and the name in which two names end alike. */
function commonEnd(one: string, other: string): string | null {
  const [left, right] = [one.split('/'), other.split('/')];
  let count = 0;
  while (count < left.length && count < right.length && left.at(-1 - count) === right.at(-1 - count)) count++;
  return count === 0 ? null : left.slice(-count).join('/');
}

const MODES = /^(?:100[0-7]{3}|120000|160000)$/;

/** Why the names contradict each other, so that tools would choose different ones. */
function contradiction({
  cuts,
  minus,
  plus,
  moved,
  isAdded,
  isDeleted,
  oldMode,
  newMode,
}: Section): string | null {
  if (isAdded && isDeleted) return 'a file that is both new and deleted';
  if (moved !== null && (isAdded || isDeleted)) return 'a file that is both moved and new or deleted';
  if ([oldMode, newMode].some((mode) => mode !== null && !MODES.test(mode))) return 'a mode that no file has';
  if (cuts.length === 0) return null;
  const agrees = (one: string, other: string) => {
    const [left, right] = [`/${plain(one)}`, `/${plain(other)}`];
    return left.endsWith(right) || right.endsWith(left) || sameTail(left.slice(1), right.slice(1));
  };
  const fits = (old: string | null | undefined, name: string | null | undefined) =>
    cuts.some(([left, right]) => (old == null || agrees(left, old)) && (name == null || agrees(right, name)));
  if (!fits(minus, plus)) return 'its names are not those of its header';
  if (moved === null) return null;
  if (moved.from === '' || moved.to === '') return 'half of a rename';
  return fits(moved.from, moved.to) ? null : 'its names are not those of its header';
}
