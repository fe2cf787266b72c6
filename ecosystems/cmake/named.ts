/** Scripts that CMake, Meson, Automake and make run as tests, wherever they lie. */
import type { NamedFiles, StartedTask } from '../kind.ts';
import { FilesNamed } from '../named.ts';
import { folderOf } from '../paths.ts';

const SCRIPT = /\.(?:py|sh|bash|pl|rb|awk|lua|tcl|js|cmake|bats|exp)(?:\.in)?$/;
const CALLS =
  /\b(?:add_test|set_tests_properties)\s*\(([^()]*(?:\([^()]*\)[^()]*){0,20})\)|\badd_custom_target\s*\(\s*\w*(?:test|check)\w*([^()]*(?:\([^()]*\)[^()]*){0,20})\)/gi;
/** Variables of Automake with tests and with what runs them. */
const VARIABLES =
  /^(?:\w*TESTS|\w*LOG_(?:COMPILER|DRIVER)|\w*TESTS_ENVIRONMENT|(?:dist_)?check_(?:SCRIPTS|DATA))[^\S\n]*\+?=((?:[^\n]*\\\n)*[^\n]*)/gm;
const MESON = /\bfind_program\s*\(\s*'([^'\n]+)'/g;
/** Scripts that are read for the names of others. */
const MAX_SCRIPTS = 200;

export function cmakeNamed(task: StartedTask): NamedFiles {
  const named = new FilesNamed(task);
  const open: string[] = [];
  const add = (folder: string, word: string) => {
    const path = scriptOf(folder, word, named);
    if (path === null || named.files.has(path) || named.files.size >= MAX_SCRIPTS) return;
    named.add(path, 'runner');
    open.push(path);
  };
  for (const path of named.all(/(?:^|\/)CMakeLists\.txt$|\.cmake(?:\.in)?$/)) {
    const text = named.read(path).replace(/^\s*#.*$/gm, '');
    for (const [, test, target] of text.matchAll(CALLS))
      for (const word of wordsIn(test ?? target ?? '')) add(folderOf(path), word);
  }
  for (const path of named.all(/(?:^|\/)(?:GNUm|[Mm])akefile(?:\.\w+)*$/))
    for (const [, words] of named.read(path).matchAll(VARIABLES))
      for (const word of wordsIn(words!)) add(folderOf(path), word);
  for (const path of named.all(/(?:^|\/)meson\.build$/))
    for (const [, word] of named.read(path).matchAll(MESON)) add(folderOf(path), word!);
  // A script may take a part of itself from a file beside it.
  for (let path = open.pop(); path !== undefined; path = open.pop())
    for (const word of wordsIn(named.read(path))) if (SCRIPT.test(word)) add(folderOf(path), word);
  return named;
}

/** Without quotes and without the variables of folders. */
function wordsIn(text: string): string[] {
  return (
    text
      .replace(/\$(?:\{[\w:]+\}|\([\w:]+\)|\w+)\/?/g, ' ')
      .split(/[\s"';()=,]+/)
      // A folder that another program names stands before it, as in `$(dirname "$0")/common.sh`.
      .map((word) => word.replace(/^\/+/, ''))
      .filter((word) => /^[\w.+-][\w./+-]*$/.test(word))
  );
}

function scriptOf(folder: string, word: string, named: FilesNamed): string | null {
  for (const name of [word, `${word}.in`]) {
    const path = named.file(folder, name);
    if (path === null || !(SCRIPT.test(path) || /^#!/.test(named.read(path)))) continue;
    // A program that is the product lies beside what the solution changes of it.
    const isProduct = (one: string) => SCRIPT.test(one) && folderOf(one) === folderOf(path);
    if (!named.task.solution.some(isProduct)) return path;
  }
  return null;
}
