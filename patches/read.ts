/**
 * Reads a unified diff as git, GNU diff and models write it: a section for each file, with names as they are written.
 * Text around sections is ignored. Text that looks like a diff and cannot be read (indented, another format, a hunk
 * without a file) is listed, since another tool might apply it.
 */

import { binaryHunks } from './binary.ts';
import { readHunk } from './hunk.ts';
import { gitNames, headerName, unquoted } from './names.ts';
import type { Content, Hunk } from './patch.ts';

export interface Section {
  /** Number of its first line, from 1. */
  line: number;
  /** Cuts of its `diff --git` line into two names; empty without one. */
  cuts: [string, string][];
  /** Names of its `---` and `+++` lines, null for /dev/null; undefined without these lines. */
  minus: string | null | undefined;
  plus: string | null | undefined;
  /** The line has the time by which GNU diff marks a missing file. */
  minusIsEpoch: boolean;
  plusIsEpoch: boolean;
  /** Names of `rename from` and the like, which have no prefix. */
  moved: { how: 'renamed' | 'copied'; from: string; to: string } | null;
  isAdded: boolean;
  isDeleted: boolean;
  oldMode: string | null;
  newMode: string | null;
  ids: [string, string] | null;
  content: Content;
  /** Every line of its header ends with a carriage return. */
  carriage: boolean;
}

/** A line that cannot be read, and why. */
export interface Strange {
  line: number;
  why: string;
}

export interface Reading {
  sections: Section[];
  strange: Strange[];
}

/** Nothing throws; a text without a diff has no sections. */
export function readPatch(text: string): Reading {
  const lines = (COLOURED.test(text) ? text.replace(COLOURS, '') : text).split('\n');
  // A newline at the end does not begin another line.
  if (lines.at(-1) === '') lines.pop();
  return new Reader(lines).read();
}

/** A diff as a terminal shows it: its own lines begin with a colour, which is no part of it. */
const COLOURED = /^\x1b\[[\d;]*m(?:diff --git |--- |@@ )/m;
const COLOURS = /\x1b\[[\d;]*[mK]/g;

/** Text that other tools take for a diff. */
const FOREIGN: readonly [RegExp, string][] = [
  [/^(?:[ \tX]|- )+(?:diff --git \S|\+\+\+ \S|@@ -\d+(?:,\d+)? \+\d)/, 'an indented diff'],
  [/^diff --(?:cc|combined) /, 'a diff of a merge'],
  [/^@@+ /, 'a hunk without a file'],
  [/^(?:\*{15}|\*\*\* \d+(?:,\d+)? \*{4}|--- \d+(?:,\d+)? -{4})/, 'a context diff'],
  [/^\d+(?:,\d+)?[acd]\d+(?:,\d+)?$/, 'a diff without context'],
  [/^\d+(?:,\d+)?[acdi]$/, 'a script for ed'],
  [/^(?:rename|copy) (?:from|to) \S/, 'a header without a file'],
  [/^(?:old|new|deleted file|new file) mode \d{6}$/, 'a header without a file'],
  [/^GIT binary patch$/, 'binary data without a file'],
];

class Reader {
  private readonly sections: Section[] = [];
  private readonly strange: Strange[] = [];
  private at = 0;
  private readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  read(): Reading {
    while (this.at < this.lines.length) {
      const line = this.bare();
      if (line.startsWith('diff --git ')) this.gitSection(line.slice('diff --git '.length));
      else if (this.isNamePair()) this.plainSection();
      else {
        const why = FOREIGN.find(([form]) => form.test(line))?.[1];
        if (why !== undefined) this.note(why);
        this.at++;
      }
    }
    return { sections: this.sections, strange: this.strange };
  }

  /** The line without a carriage return at its end. */
  private bare(offset = 0): string {
    const line = this.lines[this.at + offset] ?? '';
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  private note(why: string, at = this.at): void {
    this.strange.push({ line: at + 1, why });
  }

  private isNamePair(): boolean {
    return this.bare().startsWith('--- ') && this.bare(1).startsWith('+++ ');
  }

  private gitSection(names: string): void {
    const section = newSection(this.at + 1);
    const first = this.at;
    section.cuts = gitNames(names);
    if (section.cuts.length === 0) this.note('names that cannot be told apart');
    this.at++;
    while (this.at < this.lines.length && this.extendedHeader(section, this.bare())) this.at++;
    if (this.isNamePair()) this.names(section);
    section.carriage = this.lines.slice(first, this.at).every((line) => line.endsWith('\r'));
    this.content(section);
    if (section.content.kind !== 'binary') section.ids = null;
    this.sections.push(section);
  }

  private plainSection(): void {
    const section = newSection(this.at + 1);
    this.names(section);
    section.carriage = this.lines.slice(this.at - 2, this.at).every((line) => line.endsWith('\r'));
    const isRead = this.content(section);
    if (section.minus === null && section.plus === null) this.note('names of no file', section.line - 1);
    else if (isRead) this.sections.push(section);
    else this.note('names of a file and no hunk', section.line - 1);
  }

  private names(section: Section): void {
    const [minus, plus] = [headerName(this.bare().slice(4)), headerName(this.bare(1).slice(4))];
    section.minus = minus.name;
    section.plus = plus.name;
    section.minusIsEpoch = EPOCH.test(minus.time);
    section.plusIsEpoch = EPOCH.test(plus.time);
    if (minus.name === null) section.isAdded = true;
    if (plus.name === null) section.isDeleted = true;
    this.at += 2;
  }

  /** False when the line is not part of a header. */
  private extendedHeader(section: Section, line: string): boolean {
    const mode = /^(old|new|deleted file|new file) mode (\d{6})$/.exec(line);
    if (mode !== null) {
      if (mode[1] === 'new file') section.isAdded = true;
      if (mode[1] === 'deleted file') section.isDeleted = true;
      if (mode[1]!.startsWith('new')) section.newMode = mode[2]!;
      else section.oldMode = mode[2]!;
      return true;
    }
    const index = /^index ([0-9a-f]{1,64})\.\.([0-9a-f]{1,64})(?: (\d{6}))?$/.exec(line);
    if (index !== null) {
      section.ids = [index[1]!, index[2]!];
      if (index[3] !== undefined) section.oldMode = section.newMode = index[3];
      return true;
    }
    const move = /^(rename|copy) (from|to) (.+)$/.exec(line);
    // Models make up ids that are none.
    if (move === null) return /^(?:(?:dis)?similarity index \d+%$|index )/.test(line);
    const moved = section.moved ?? { how: 'renamed', from: '', to: '' };
    section.moved = { ...moved, how: move[1] === 'rename' ? 'renamed' : 'copied' };
    section.moved[move[2] as 'from' | 'to'] = unquoted(move[3]!);
    return true;
  }

  /** Hunks, or binary data; false when there is neither. */
  private content(section: Section): boolean {
    const line = this.bare();
    if (line.startsWith('@@')) {
      const hunks = this.hunks();
      if (hunks.length > 0) section.content = { kind: 'text', hunks };
      return hunks.length > 0;
    }
    if (line === 'GIT binary patch') {
      const read = binaryHunks(this.lines, this.at + 1);
      if (read === null) this.note('binary data that cannot be read');
      else section.content = read.content;
      this.at = read?.end ?? this.at + 1;
    } else if (/^Binary files .* differ$/.test(line)) {
      section.content = { kind: 'omitted' };
      this.at++;
    } else return false;
    return true;
  }

  private hunks(): Hunk[] {
    const hunks: Hunk[] = [];
    for (;;) {
      this.at += this.blanksBeforeHunk();
      if (!this.bare().startsWith('@@')) return hunks;
      const read = readHunk(this.lines, this.at);
      if (typeof read === 'string') {
        this.note(read);
        this.at++;
      } else {
        hunks.push(read.hunk);
        this.at = read.end;
      }
    }
  }

  /** Blank lines with which models part hunks. */
  private blanksBeforeHunk(): number {
    let blanks = 0;
    while (this.at + blanks < this.lines.length && this.bare(blanks) === '') blanks++;
    return this.bare(blanks).startsWith('@@ -') ? blanks : 0;
  }
}

/** Midnight of that day anywhere on earth. */
const EPOCH = /^(?:1970-01-0[12]|1969-12-31) /;

function newSection(line: number): Section {
  return {
    line,
    cuts: [],
    minus: undefined,
    plus: undefined,
    minusIsEpoch: false,
    plusIsEpoch: false,
    moved: null,
    isAdded: false,
    isDeleted: false,
    oldMode: null,
    newMode: null,
    ids: null,
    content: { kind: 'none' },
    carriage: false,
  };
}
