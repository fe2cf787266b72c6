/** Scripts that tests of CMake, Meson, Automake and make run, and those that these scripts run or import, wherever they lie. */

import { folderOf } from '../../basics/repository-path.ts';
import type { EcosystemTests, NamedFiles, StartedTask } from '../kind.ts';
import { callsIn, dataOfTests, FilesNamed } from '../named.ts';
import { includedByTests } from './includes.ts';
import { programsOfTests } from './programs.ts';

const SCRIPT = /\.(?:py|sh|bash|pl|rb|awk|lua|tcl|js|cmake|bats|exp)(?:\.in)?$/;
const CALLS = /\b(?:add_test|set_tests_properties|add_custom_target)\s{0,99}\(/gi;
const SET = /\b(?:set|list)\s{0,99}\(\s{0,99}(?:APPEND\s{1,99})?(\w{1,99})\s{1,99}([^()]{1,500})\)/gi;
/** Texts that CMake reads, which may have options of the compiler or names of tests. */
const READ = /\bfile\s{0,99}\(\s{0,99}(?:STRINGS|READ)\s{1,99}"?([^\s"()]{1,300})/gi;
/** Variables of Automake with tests and with what runs them. */
const VARIABLES =
  /^(?:\w*TESTS|\w*LOG_(?:COMPILER|DRIVER)|\w*TESTS_ENVIRONMENT|(?:dist_)?check_(?:SCRIPTS|DATA))[^\S\n]*\+?=((?:[^\n]*\\\n)*[^\n]*)/gm;
/** What Meson runs as tests, and names of programs and files. */
const MESON_TESTS = /\b(?:test|benchmark)\s{0,99}\(/g;
const MESON_FILE = /\b(?:find_program|files)\s{0,99}\(\s{0,99}'([^'\n]+)'/g;
const MESON_VARIABLE =
  /^[^\S\n]*(\w{1,99})[^\S\n]*=[^\S\n]*(?:find_program|files)\s{0,99}\(\s{0,99}'([^'\n]+)'/gm;
/** Lines of a script that run or import what they name; others read it as a text. */
const RUNS =
  /\b(?:subprocess|system|[pP]open|exec\w*|spawn\w*|check_call|check_output|run|call|require|load|import|source|include|COMMAND|(?:ba|da|z)?sh|python\d*|perl|ruby|node|lua|tclsh|awk)\b|^\s{0,99}\.\s|^\s{0,99}["'$({\w}./-]{0,99}\.(?:py|sh|bash|pl|rb|awk|lua|tcl|js|bats|exp)\b/;
const CMAKE = /(?:^|\/)CMakeLists\.txt$|\.cmake(?:\.in)?$/;
/** Values of one variable that are looked at. */
const MAX_VALUES = 20;
/** Folders with a copy of a runner. */
const RUNNERS = /^((?:.*\/)?)(?:googletest|gtest|googlemock|gmock|doctest|catch2)\//;
/** Scripts that are read for the names of others. */
const MAX_SCRIPTS = 200;

export function cmakeNamed(task: StartedTask, protects: EcosystemTests['protects']): NamedFiles {
  const named = new FilesNamed(task);
  const open: string[] = [];
  let scripts = 0;
  const add = (folder: string, word: string) => {
    const path = scriptOf(folder, word, named);
    if (path === null || named.files.has(path) || scripts >= MAX_SCRIPTS) return;
    // A script that its name protects is read, too.
    if (protects(path) === null) scripts += 1;
    named.add(path, 'runner');
    open.push(path);
  };
  const textOf = (path: string) => named.read(path).replace(/^[^\S\n]*#.*$/gm, '');
  // A variable may be set in another file, with words from its folder.
  const variables = new Map<string, { folder: string; value: string }[]>();
  for (const path of named.all(CMAKE))
    for (const [, name, value] of textOf(path).matchAll(SET)) {
      const known = variables.get(name!) ?? [];
      if (known.length < MAX_VALUES)
        variables.set(name!, [...known, { folder: folderOf(path), value: value! }]);
    }
  named.each(CMAKE, (path) => {
    const text = textOf(path);
    for (const [, word] of text.matchAll(READ)) named.add(readFile(folderOf(path), word!, named), 'runner');
    for (const { head, inside } of callsIn(text, CALLS)) {
      if (/^add_custom/i.test(head) && !/test|check/i.test(/^\s*(\S*)/.exec(inside)![1]!)) continue;
      for (const word of wordsIn(inside)) add(folderOf(path), word);
      for (const name of new Set([...inside.matchAll(/\$\{(\w+)\}/g)].map(([, one]) => one!)))
        for (const { folder, value } of variables.get(name) ?? [])
          for (const word of wordsIn(value))
            for (const at of new Set([folderOf(path), folder])) add(at, word);
    }
  });
  named.each(/(?:^|\/)(?:GNUm|[Mm])akefile(?:\.\w+)*$/, (path, text) => {
    for (const [, words] of text.matchAll(VARIABLES))
      for (const word of wordsIn(words!)) add(folderOf(path), word);
  });
  named.each(/(?:^|\/)meson\.build$/, (path, text) => {
    const variables = new Map([...text.matchAll(MESON_VARIABLE)].map(([, name, file]) => [name!, file!]));
    for (const { inside } of callsIn(text, MESON_TESTS)) {
      for (const [, word] of inside.matchAll(MESON_FILE)) add(folderOf(path), word!);
      for (const word of new Set(inside.split(/\W+/))) add(folderOf(path), variables.get(word) ?? '');
    }
  });
  // A script may take a part of itself from a file beside it.
  for (let path = open.pop(); path !== undefined; path = open.pop())
    for (const line of named.read(path).split('\n'))
      if (line.length <= 2000 && RUNS.test(line))
        for (const word of wordsIn(line)) if (SCRIPT.test(word)) add(folderOf(path), word);
  programsOfTests(named);
  includedByTests(named, protects);
  dataOfTests(named, {
    isTest: (path) => protects(path, () => named.read(path)) === 'test' || named.files.get(path) === 'test',
    sources: /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inc|inl|ipp)$/,
    others: /(?:^|\/)(?:CMakeLists\.txt|(?:GNUm|[Mm])akefile(?:\.\w+)*|meson\.build|configure\.ac)$|\.cmake$/,
    isProduct: (path) => /(?:^|\/)(?:src|sources?|include|libs?)\//.test(path),
  });
  named.setCode(codeOfRunner(named, protects));
  return named;
}

/** Where the solution works in the folder of a runner, the repository is this runner's, and the folder no copy. */
function codeOfRunner(named: FilesNamed, protects: EcosystemTests['protects']): (path: string) => boolean {
  const isOwn = (path: string) => {
    const inside = path.replace(RUNNERS, '');
    // A text with the runner's header says nothing here.
    return inside !== path && protects(inside) === null;
  };
  const places = new Set(named.task.solution.filter(isOwn).map((path) => RUNNERS.exec(path)![1]!));
  return (path) => isOwn(path) && places.has(RUNNERS.exec(path)![1]!);
}

/** A file of settings that CMake reads: code may have a number in a source, from which a version is read. */
function readFile(folder: string, word: string, named: FilesNamed): string | null {
  const [plain = ''] = wordsIn(word);
  const path = named.file(folder, plain);
  return path === null || /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inc|md|json)$/i.test(path) ? null : path;
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
