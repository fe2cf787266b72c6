/** Files of Go that only tests use, and those that options of the command name. */

import { folderOf } from '../../basics/repository-path.ts';
import type { NamedFiles, StartedTask } from '../kind.ts';
import { dataOfTests, FilesNamed, OF_TESTS } from '../named.ts';
import { COMPARES_FOR_TESTS } from './packages.ts';

const IMPORT = /^import[^\S\n]{0,99}(?:[\w.]{1,200}[^\S\n]{1,99})?["`]([^"`\n]+)["`]/gm;
const SEVERAL = /^import[^\S\n]{0,99}\(/gm;
/** Options that name files which decide what is compiled or started. */
const OPTION = /^-{1,2}(?:overlay|modfile|exec|toolexec)(?:=(.+))?$/;

export function goNamed(task: StartedTask): NamedFiles {
  const named = new FilesNamed(task);
  for (const text of task.commands) {
    const words = text.split(/[\s'"=]+/);
    words.forEach((word, at) => {
      // A program may stand behind the shell that runs it, as in `-exec 'sh tools/run.sh'`.
      if (OPTION.test(word))
        for (const value of words.slice(at + 1, at + 3)) named.add(named.file('', value), 'runner');
    });
  }
  const imports = importsOf(named);
  const helpers = new Set(helperPackages(imports, named));
  for (const path of named.all(/\.go$/)) if (helpers.has(folderOf(path))) named.add(path, 'support');
  // A new file of such a package could change what the others do.
  named.setTest((path) => path.endsWith('.go') && helpers.has(folderOf(path)));
  dataOfTests(named, {
    isTest: (path) => path.endsWith('_test.go'),
    sources: /\.go$/,
    others: /(?:^|\/)(?:Makefile|Dockerfile|go\.mod|\.goreleaser\.ya?ml)$/,
    embeds: /^\/\/go:embed[^\S\n]+([^\n]{1,500})/gm,
    isProduct: () => false,
  });
  named.setCode(codeWithTesting(imports, named));
  return named;
}

interface Imports {
  /** Folders of modules by their names. */
  modules: ReadonlyMap<string, string>;
  /** Packages that tests of other packages import. */
  byTests: ReadonlySet<string>;
  /** Packages that other code imports, with the packages of this code. */
  byCode: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Files that import `testing` for one of their functions, in packages that the program needs. */
function codeWithTesting({ byCode }: Imports, named: FilesNamed): (path: string) => boolean {
  const worked = new Set(named.task.solution.filter((path) => !path.endsWith('_test.go')).map(folderOf));
  const isOfTests = (folder: string) =>
    OF_TESTS.test(folder) || /(?:test|mock|stub|fake)(?:s|ing|er)?$/i.test(folder);
  const isNeeded = (folder: string) => [...(byCode.get(folder) ?? [])].some((user) => !isOfTests(user));
  return (path) => {
    if (!path.endsWith('.go') || path.endsWith('_test.go') || /(?:^|\/)(?:vendor|testdata)\//.test(path))
      return false;
    const folder = folderOf(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (worked.has(folder)) return !/test|stub|fake|helper/i.test(name) && !isOnlyForTests(path, named);
    return !isOfTests(folder) && isNeeded(folder) && !/test|stub|fake|helper|mock/i.test(name);
  };
}

const TOP = /^(?:func|type|var|const)[^\S\n]+(\w{1,100})|^\t(\w{1,100})[^\S\n]*(?:=|[\w.*[\]]+[^\S\n]*=)/gm;

/** A file beside the code under test of which tests alone use something, and which compares for them. */
function isOnlyForTests(path: string, named: FilesNamed): boolean {
  if (named.task.solution.includes(path) || !COMPARES_FOR_TESTS.test(named.read(path))) return false;
  const names = [...named.read(path).matchAll(TOP)].map(([, one, inner]) => one ?? inner!);
  // Users elsewhere may need what has a capital.
  if (names.some((name) => /^[A-Z]/.test(name)) && !/(?:^|\/)internal\//.test(path)) return false;
  const own = new RegExp(`\\b(?:${names.join('|')})\\b`);
  const beside = named.all(/\.go$/).filter((one) => one !== path && folderOf(one) === folderOf(path));
  const users = names.length === 0 ? [] : beside.filter((one) => own.test(named.read(one)));
  return users.length > 0 && users.every((one) => one.endsWith('_test.go'));
}

function importsOf(named: FilesNamed): Imports {
  const files = named.all(/\.go$/).filter((path) => !/(?:^|\/)(?:vendor|testdata)\//.test(path));
  const modules = new Map<string, string>();
  named.each(/(?:^|\/)go\.mod$/, (path, text) => {
    const name = /^module\s+"?([^\s"]+)/m.exec(text)?.[1];
    if (name !== undefined && !modules.has(name)) modules.set(name, folderOf(path));
  });
  const byTests = new Set<string>();
  const byCode = new Map<string, Set<string>>();
  if (modules.size === 0) return { modules, byTests, byCode };
  const folderOfImport = (name: string): string | null => {
    if (name.length > 500) return null;
    for (let at = name; at !== ''; at = folderOf(at)) {
      const folder = modules.get(at);
      if (folder !== undefined)
        return [folder, name.slice(at.length + 1)].filter((part) => part !== '').join('/');
    }
    return null;
  };
  for (const path of files)
    for (const name of importsIn(named.read(path))) {
      const folder = folderOfImport(name);
      if (folder === null || folder === folderOf(path)) continue;
      if (path.endsWith('_test.go')) byTests.add(folder);
      else byCode.set(folder, (byCode.get(folder) ?? new Set()).add(folderOf(path)));
    }
  return { modules, byTests, byCode };
}

/** What packages of Go's library and usual ones are called, whose tests have helpers in a package as `httptest`. */
const USUAL =
  /(?:^|\/)(?:https?|io|fs|db|net|sql|grpc|rpc|log|api|app|cmd|cli|json|os|exec|time|unit|e2e|integration|redis|kafka|mongo|mysql|pg|postgres)test$/;

/** Packages that no other module may import, and those that are called as what compares. */
const OWN =
  /(?:^|\/)(?:internal|asserts?|assertions?|require|expect|golden|goldie|snapshots?)(?:\/|$)|[a-z]testing(?:\/|$)/;

/** `logtest` beside a package `log`, which Go's users call helpers of tests; not `latest`. */
function isNamedForTests(folder: string, packages: ReadonlySet<string>): boolean {
  const [, name = ''] = /([^/]+)test$/.exec(folder) ?? [];
  return USUAL.test(folder) || (name !== '' && packages.has(name));
}

/** Packages that are called as what only tests need or are internal, that tests of other packages import, and no code but of such packages does. */
function helperPackages({ modules, byTests, byCode }: Imports, named: FilesNamed): string[] {
  const worked = new Set(named.task.solution.map(folderOf));
  const packages = new Set(
    [...modules.keys(), ...named.all(/\.go$/).map(folderOf)].map((path) =>
      path.slice(path.lastIndexOf('/') + 1),
    ),
  );
  const called = [...byTests].filter(
    (folder) =>
      (OF_TESTS.test(folder) || OWN.test(folder) || isNamedForTests(folder, packages)) && !worked.has(folder),
  );
  const helpers = new Set(called);
  for (let before = -1; before !== helpers.size; ) {
    before = helpers.size;
    for (const folder of helpers)
      if ([...(byCode.get(folder) ?? [])].some((user) => !helpers.has(user))) helpers.delete(folder);
  }
  return [...helpers];
}

function importsIn(text: string): string[] {
  const code = withoutComments(text);
  const one = [...code.matchAll(IMPORT)].map(([, name]) => name!);
  const several: RegExpExecArray[] = [];
  const head = new RegExp(SEVERAL);
  for (let found = head.exec(code); found !== null; found = head.exec(code)) {
    const end = code.indexOf(')', head.lastIndex);
    if (end < 0) break;
    several.push(...code.slice(head.lastIndex, end).matchAll(/["`]([^"`\n]+)["`]/g));
    head.lastIndex = end;
  }
  return [...one, ...several.map(([, name]) => name!)];
}

/** Marks in texts begin no comment. */
function withoutComments(text: string): string {
  const mark = /\/\/[^\n]*|\/\*|"[^"\n]*"|`[^`]*`/g;
  let kept = '';
  let from = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (!found[0].startsWith('/')) continue;
    kept += text.slice(from, found.index);
    from = mark.lastIndex;
    if (found[0] !== '/*') continue;
    const end = text.indexOf('*/', from);
    if (end < 0) return kept;
    from = end + 2;
    mark.lastIndex = from;
  }
  return kept + text.slice(from);
}
