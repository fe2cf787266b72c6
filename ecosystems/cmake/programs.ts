/** Sources of programs that are only compiled to be run as tests, as lists of CMake, Automake and Meson tell them. */
import { folderOf, repositoryPath } from '../../basics/repository-path.ts';
import { callsIn, type FilesNamed } from '../named.ts';

const SOURCE = /\.(?:c|cc|cpp|cxx|C|h|hh|hpp|hxx)$/;
/** Calls of CMake that set variables, list the sources of a target, or say that a target is a test or is installed. */
const CALLS =
  /\b(set|list|file|add_executable|add_library|target_sources|add_test|install|(?:gtest|catch|doctest|boost|cpputest)_(?:discover|add)_tests)\s{0,99}\(/gi;
/** Names of test programs. `ASSERTS` finds calls by which a source compares values. */
const CALLED =
  /(?:^|[/._-])(?:(?:unit)?tests?|checks?|specs?|verify|regress\w*|asserts?)(?=[/._-]|\d|$)|(?:Test|Check|Spec)s?(?=[/._A-Z]|$)/;
const ASSERTS =
  /\bassert\s{0,9}\(|\bg_test_|\bCU_ASSERT|\bck_assert|\bCHECK\w*\s{0,9}\(|\bREQUIRE\w*\s{0,9}\(|\bEXPECT_|\bTEST_ASSERT/;
/** Values of one variable, and characters of one call. */
const MAX_VALUES = 2000;
const MAX_CALL = 8000;

interface Target {
  sources: Set<string>;
  isLibrary: boolean;
  isInstalled: boolean;
  isTested: boolean;
}

/** Adds the sources of such programs, and the folders from which all files are taken for them. */
export function programsOfTests(named: FilesNamed): void {
  const targets = new Targets(named);
  cmakeTargets(named, targets);
  mesonTargets(named, targets);
  targets.add();
  automakePrograms(named);
}

class Targets {
  private readonly all = new Map<string, Target>();
  private readonly folders = new Map<string, Set<string>>();
  private readonly named: FilesNamed;

  constructor(named: FilesNamed) {
    this.named = named;
  }

  of(name: string): Target {
    const found = this.all.get(name) ?? {
      sources: new Set<string>(),
      ...{ isLibrary: false, isInstalled: false, isTested: false },
    };
    this.all.set(name, found);
    return found;
  }

  /** All files of a folder belong to a target. */
  addFolder(name: string, folder: string): void {
    this.folders.set(name, (this.folders.get(name) ?? new Set()).add(folder));
  }

  /** Sources of tested programs that no other target has, and that are called as tests are, or assert. */
  add(): void {
    const uses = new Map<string, number>();
    for (const { sources } of this.all.values())
      for (const path of sources) uses.set(path, (uses.get(path) ?? 0) + 1);
    const worked = new Set(this.named.task.solution.map(folderOf));
    for (const [name, { sources, isTested, isLibrary, isInstalled }] of this.all) {
      if (!isTested || isLibrary || isInstalled) continue;
      const own = [...sources].filter(
        (path) =>
          uses.get(path) === 1 &&
          !worked.has(folderOf(path)) &&
          (CALLED.test(path) || CALLED.test(name) || ASSERTS.test(this.named.read(path))),
      );
      for (const path of own) this.named.add(path, 'test');
      for (const folder of this.folders.get(name) ?? []) {
        const inside = [...sources].filter((path) => folderOf(path) === folder);
        if (inside.length > 0 && inside.every((path) => own.includes(path))) this.named.addFolder(folder);
      }
    }
  }
}

interface Value {
  word: string;
  folder: string;
  isGlob: boolean;
}

function cmakeTargets(named: FilesNamed, targets: Targets): void {
  const calls = named.all(/(?:^|\/)CMakeLists\.txt$|\.cmake(?:\.in)?$/).flatMap((path) =>
    callsIn(named.read(path).replace(/(^|\s)#[^\n]*/g, '$1'), CALLS, MAX_CALL).map(({ head, inside }) => ({
      name: /^\w+/.exec(head)![0].toLowerCase(),
      folder: folderOf(path),
      words: inside.match(/"[^"]*"|[^\s"]+/g)?.map((word) => word.replace(/^"(.*)"$/s, '$1')) ?? [],
    })),
  );
  // A variable may be set in one file and used in another one.
  const variables = new Map<string, Value[]>();
  const expanded = (words: readonly string[], folder: string): Value[] =>
    words.flatMap((word) => {
      const [, variable] = /^\$\{(\w+)\}$/.exec(word) ?? [];
      if (variable !== undefined) return variables.get(variable) ?? [];
      return word.split(';').map((one) => ({ word: one, folder, isGlob: false }));
    });
  for (const { name, folder, words } of calls) {
    const isAppended = name === 'list' && /^(?:APPEND|PREPEND)$/.test(words[0] ?? '');
    const isGlob = name === 'file' && /^GLOB/.test(words[0] ?? '');
    if (name !== 'set' && !isAppended && !isGlob) continue;
    const [variable = '', ...rest] = name === 'set' ? words : words.slice(1);
    const values = expanded(rest, folder).map((one) => ({ ...one, isGlob: one.isGlob || isGlob }));
    variables.set(variable, [...(variables.get(variable) ?? []), ...values].slice(0, MAX_VALUES));
  }
  for (const { name, folder, words } of calls) {
    const [first = '', ...rest] = words;
    if (/^(?:add_executable|add_library|target_sources)$/.test(name)) {
      const target = targets.of(first);
      if (name === 'add_library') target.isLibrary = true;
      for (const value of expanded(rest, folder)) addSource(first, value, named, targets);
    } else if (name === 'install') {
      for (const word of words) targets.of(word).isInstalled = true;
    } else if (name === 'add_test') {
      const at = words.indexOf('COMMAND');
      const program = at < 0 ? (words[1] ?? '') : (words[at + 1] ?? '');
      targets.of(program.replace(/^\$<TARGET_FILE:([^>]+)>$/, '$1')).isTested = true;
    } else if (/tests$/.test(name)) targets.of(first).isTested = true;
  }
}

function addSource(
  target: string,
  { word, folder, isGlob }: Value,
  named: FilesNamed,
  targets: Targets,
): void {
  const plain = word.replace(
    /^\$\{(?:CMAKE_(?:CURRENT_)?SOURCE_DIR|CMAKE_CURRENT_LIST_DIR|PROJECT_SOURCE_DIR|\w+_SOURCE_DIR)\}\//,
    '',
  );
  if (!SOURCE.test(plain)) return;
  const { sources } = targets.of(target);
  if (!isGlob) {
    const path = named.file(folder, plain);
    if (path !== null) sources.add(path);
    return;
  }
  const inside = repositoryPath(folder, folderOf(plain)) ?? '';
  const ending = /\.\w+$/.exec(plain)![0];
  for (const path of named.all(SOURCE))
    if (folderOf(path) === inside && path.endsWith(ending)) sources.add(path);
  if (/\*\.\w+$/.test(plain) && inside !== '') targets.addFolder(target, inside);
}

const MESON_MADE =
  /\b(?:(\w{1,99})\s{0,9}=\s{0,9})?(executable|library|shared_library|static_library|both_libraries)\s{0,9}\(/g;

function mesonTargets(named: FilesNamed, targets: Targets): void {
  for (const path of named.all(/(?:^|\/)meson\.build$/)) {
    const text = named.read(path).replace(/(^|\s)#[^\n]*/g, '$1');
    for (const { head, inside } of callsIn(text, MESON_MADE)) {
      const [, variable, kind] = new RegExp(MESON_MADE.source).exec(head)!;
      const name = `${path} ${variable ?? inside}`;
      const target = targets.of(name);
      target.isLibrary ||= kind !== 'executable';
      target.isInstalled ||= /\binstall\s*:\s*true/.test(inside);
      for (const [, word] of inside.matchAll(/'([^'\n]{1,300})'/g))
        addSource(name, { word: word!, folder: folderOf(path), isGlob: false }, named, targets);
    }
    for (const { inside } of callsIn(text, /\b(?:test|benchmark)\s{0,99}\(/g)) {
      const program = /^[^,]*,\s*(\w+)/.exec(inside)?.[1];
      if (program !== undefined) targets.of(`${path} ${program}`).isTested = true;
    }
  }
}

const SET = /^([\w.-]{1,200})[^\S\n]*\+?=((?:[^\n]*\\\n)*[^\n]*)/gm;

/** Programs of `check_PROGRAMS` are built for the tests and never installed. */
function automakePrograms(named: FilesNamed): void {
  const tests = new Set<string>();
  const product = new Set<string>();
  for (const path of named.all(/(?:^|\/)Makefile\.am$/)) {
    const folder = folderOf(path);
    const beside = named.all(/(?:^|\/)Makefile[\w.]*\.inc$/).filter((one) => folderOf(one) === folder);
    const variables = new Map<string, string>();
    for (const one of [path, ...beside])
      for (const [, name, value] of named.read(one).matchAll(SET))
        variables.set(
          name!,
          `${variables.get(name!) ?? ''} ${value!.replace(/\\\n/g, ' ')}`.slice(0, 50_000),
        );
    const wordsOf = (name: string, depth = 0): string[] =>
      (variables.get(name) ?? '').split(/\s+/).flatMap((word) => {
        const inner = /^\$[({](\w+)[)}]$/.exec(word)?.[1];
        if (inner !== undefined) return depth > 3 ? [] : wordsOf(inner, depth + 1);
        return word === '' ? [] : [word.replace(/^\$[({](?:top_)?srcdir[)}]\//, '')];
      });
    const isOf = (kind: RegExp) => [...variables.keys()].filter((name) => kind.test(name));
    const checked = new Set(
      isOf(/^(?:dist_|nodist_)?check_(?:PROGRAMS|LTLIBRARIES|LIBRARIES)$/).flatMap((name) => wordsOf(name)),
    );
    const programs = isOf(/_(?:PROGRAMS|LTLIBRARIES|LIBRARIES)$/).flatMap((name) => wordsOf(name));
    for (const program of new Set(programs)) {
      const plain = program.replace(/[^\w@]/g, '_');
      const lists = [`${plain}_SOURCES`, `nodist_${plain}_SOURCES`, `dist_${plain}_SOURCES`];
      const listed = lists.flatMap((name) => wordsOf(name));
      const words = lists.some((name) => variables.has(name))
        ? listed
        : ['.c', '.cc', '.cpp'].map((end) => `${program}${end}`);
      for (const word of words) {
        const file = named.file(folder, word);
        if (file !== null) (checked.has(program) ? tests : product).add(file);
      }
    }
  }
  // Examples are only compiled.
  for (const path of tests)
    if (!product.has(path) && !/(?:^|\/)(?:docs?|examples?|demos?|samples?)\//.test(path))
      named.add(path, 'test');
}
