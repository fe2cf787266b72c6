/**
 * Whether a change of a build's file only names further sources in lists of the code under test. Such a change decides nothing but what is
 * compiled with that code, and a patch that adds a source file needs it.
 */
import { folderOf, repositoryPath } from '../../basics/repository-path.ts';
import type { GrowingLists, GrownFile } from '../kind.ts';

/** Files with lists of sources. */
const LISTS =
  /(?:^|\/)(?:CMakeLists\.txt|(?:GNUm|[Mm])akefile(?:\.(?:am|inc|in))?|[\w.-]+\.mk|meson\.build)$/;
const SOURCE = /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx)$/;
const OBJECT = /\.l?o$/;
/** Calls of CMake and Meson that list sources. */
const LISTING =
  /^(?:add_library|add_executable|target_sources|set|list|files|executable|library|static_library|shared_library|both_libraries)$/i;
const OF_TESTS = /test|check|spec/i;
/** A command that compiles. */
const COMPILES = /^\t[@-]?(?:\$[({](?:CC|CXX)[)}]|(?:[\w.]+-)*(?:cc|gcc|g\+\+|c\+\+|clang|clang\+\+))\s/;
const MAX_TOKENS = 200_000;

export const cmakeLists: GrowingLists = { has: (path) => LISTS.test(path), isGrown };

function isGrown({ path, before, after, added, isCode }: GrownFile): boolean {
  const folder = folderOf(path);
  const isMake = !/(?:CMakeLists\.txt|meson\.build)$/.test(path);
  const [old, now] = [tokensIn(before, isMake), tokensIn(after, isMake)];
  if (old.length + now.length > MAX_TOKENS) return false;
  const known = new Set(old.map(({ word }) => word));
  const fileOf = (word: string, has: (path: string) => boolean): string | null => {
    const plain = plainOf(word);
    if (plain === null) return null;
    const names = OBJECT.test(plain)
      ? ['.c', '.cc', '.cpp', '.cxx'].map((end) => plain.replace(OBJECT, end))
      : SOURCE.test(plain)
        ? [plain]
        : [];
    for (const name of names)
      for (const at of new Set([folder, ''])) {
        const found = repositoryPath(at, name);
        if (found !== null && has(found)) return found;
      }
    return null;
  };
  const isNew = ({ word }: Token) => !known.has(word) && fileOf(word, (one) => added.has(one)) !== null;
  const kept = now.filter((token) => !isNew(token));
  if (kept.length === now.length || kept.length !== old.length) return false;
  if (kept.some(({ word }, at) => word !== old[at]!.word)) return false;
  // A new word stands where only code under test is listed.
  const groups = new Set(now.filter(isNew).map(({ group }) => group));
  return [...groups].every((group) => {
    const members = now.filter((token) => token.group === group);
    const head = members[0]!.head;
    if (isMake ? OF_TESTS.test(head) : !LISTING.test(head)) return false;
    if (!isMake && members.slice(0, 2).some(({ word }) => OF_TESTS.test(word) && !SOURCE.test(word)))
      return false;
    const listed = members.flatMap((token) => {
      const file = isNew(token) ? null : fileOf(token.word, (one) => isCode(one) !== null);
      return file === null ? [] : [isCode(file)];
    });
    return listed.length > 0 && listed.every((one) => one === true);
  });
}

interface Token {
  word: string;
  /** The call, or the line of a makefile, in which it stands; its name, or what it sets or makes. */
  group: number;
  head: string;
}

/** A word without quotes and the variable of the file's own folder; null: it is no plain path. */
function plainOf(word: string): string | null {
  const plain = word
    .replace(/^(['"])(.*)\1$/, '$2')
    .replace(/^\$(?:\{(?:CMAKE_CURRENT_SOURCE_DIR|CMAKE_CURRENT_LIST_DIR)\}|[({](?:top_)?srcdir[)}])\//, '');
  return /^[\w.+-][\w./+-]{0,300}$/.test(plain) ? plain : null;
}

function tokensIn(text: string, isMake: boolean): Token[] {
  return isMake ? ofLines(text) : ofCalls(text);
}

/**
 * Words of calls and lists. Blanks do not count, and lines only behind a line with a comment, which ends there. Commas are Meson's, between
 * what it lists, or parts of words.
 */
function ofCalls(text: string): Token[] {
  const found: Token[] = [];
  const open: { group: number; head: string }[] = [{ group: 0, head: '' }];
  let groups = 0;
  let last = '';
  for (const line of text.split('\n')) {
    for (const [word] of line.matchAll(/[()[\]]|[^\s()[\]]+/g)) {
      const plain = word.replace(/^,|,$/g, '');
      if (/[)\]]/.test(word) && open.length > 1) open.pop();
      if (plain !== '') found.push({ word: plain, ...open.at(-1)! });
      if (/[([]/.test(word)) {
        groups += 1;
        open.push({ group: groups, head: word === '(' ? last : open.at(-1)!.head || 'files' });
      }
      last = plain;
    }
    if (line.includes('#')) found.push({ word: '\n', group: -1, head: '' });
    if (found.length > MAX_TOKENS) break;
  }
  return found;
}

/** Words of lines, with those that go on behind a backslash. A line of a command is marked. */
function ofLines(text: string): Token[] {
  const found: Token[] = [];
  let target = '';
  let group = 0;
  for (const line of text.replace(/\\\r?\n/g, ' ').split('\n')) {
    const words = line.match(/\S+/g) ?? [];
    if (words.length === 0) continue;
    group += 1;
    const isCommand = line.startsWith('\t');
    if (!isCommand) target = /^\s*([^\s:=+?]{1,200})\s*(?:[:+?]*=|:)/.exec(line)?.[1] ?? '';
    const head = isCommand && !COMPILES.test(line) ? 'check' : target;
    for (const word of [isCommand ? '\t' : '\n', ...words]) found.push({ word, group, head });
    if (found.length > MAX_TOKENS) break;
  }
  return found;
}
