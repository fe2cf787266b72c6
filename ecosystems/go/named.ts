/** Files of Go that only tests use, and those that options of the command name. */
import type { NamedFiles, StartedTask } from '../kind.ts';
import { FilesNamed, OF_TESTS } from '../named.ts';
import { folderOf } from '../paths.ts';

const IMPORTS = /^import\s+(?:\w+\s+|[._]\s+)?"([^"\n]+)"|^import\s*\(([^)]*)\)/gm;
/** Options that name files which decide what is compiled or started. */
const OPTION = /^-{1,2}(?:overlay|modfile|exec|toolexec)(?:=(.+))?$/;

export function goNamed(task: StartedTask): NamedFiles {
  const named = new FilesNamed(task);
  for (const text of task.commands) {
    const words = text.split(/[\s'"=]+/);
    words.forEach((word, at) => {
      if (OPTION.test(word)) named.add(named.file('', words[at + 1] ?? ''), 'runner');
    });
  }
  for (const folder of helperPackages(named)) {
    const files = named.all(/\.go$/).filter((path) => folderOf(path) === folder);
    for (const path of files) named.add(path, 'support');
  }
  return named;
}

/** Packages that are called as what only tests need, that tests of other packages import, and no code but of such packages does. */
function helperPackages(named: FilesNamed): string[] {
  const files = named.all(/\.go$/).filter((path) => !/(?:^|\/)(?:vendor|testdata)\//.test(path));
  const modules = named.all(/(?:^|\/)go\.mod$/).flatMap((path) => {
    const name = /^module\s+"?([^\s"]+)/m.exec(named.read(path))?.[1];
    return name === undefined ? [] : [{ name, folder: folderOf(path) }];
  });
  if (modules.length === 0 || !files.some((path) => OF_TESTS.test(folderOf(path)))) return [];
  const folderOfImport = (name: string): string | null => {
    const above = modules.filter((one) => name === one.name || name.startsWith(`${one.name}/`));
    const nearest = above.sort((a, b) => b.name.length - a.name.length)[0];
    if (nearest === undefined) return null;
    return [nearest.folder, name.slice(nearest.name.length + 1)].filter((part) => part !== '').join('/');
  };
  const byTests = new Set<string>();
  const byCode = new Map<string, Set<string>>();
  for (const path of files)
    for (const name of importsIn(named.read(path))) {
      const folder = folderOfImport(name);
      if (folder === null || folder === folderOf(path)) continue;
      if (path.endsWith('_test.go')) byTests.add(folder);
      else byCode.set(folder, (byCode.get(folder) ?? new Set()).add(folderOf(path)));
    }
  const worked = new Set(named.task.solution.map(folderOf));
  const called = [...byTests].filter((folder) => OF_TESTS.test(folder) && !worked.has(folder));
  const helpers = new Set(called);
  for (let before = -1; before !== helpers.size; ) {
    before = helpers.size;
    for (const folder of helpers)
      if ([...(byCode.get(folder) ?? [])].some((user) => !helpers.has(user))) helpers.delete(folder);
  }
  return [...helpers];
}

function importsIn(text: string): string[] {
  return [...text.matchAll(IMPORTS)].flatMap(([, one, several]) =>
    one !== undefined ? [one] : [...(several ?? '').matchAll(/"([^"\n]+)"/g)].map(([, name]) => name!),
  );
}
