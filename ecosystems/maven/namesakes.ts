/** Classes that a patch puts into the package of tests, where they stand before those that the tests import by a star or have without an import. */
import { type FilesNamed, without } from '../named.ts';

/** A class among sources, and one of tests: the folders of its package, and its name. */
const SOURCE = /(?:^|\/)src\/main\/(?:java|kotlin|groovy)\/(.*?)([A-Z]\w*)\.(?:java|kt|groovy)$/s;
const TEST = /(?:^|\/)src\/(?!main\/)[\w-]+\/(?:java|kotlin|groovy)\/(.*?)\w+\.(?:java|kt|groovy)$/s;
/** Texts, and comments of a line. */
const ASIDE = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*/g;
/** Names at their beginning: no parts of other names, and none that stand behind a type or a package. */
const WORD = /(?<![\w$.])[A-Z]\w*/g;
const IMPORT = /^[^\S\n]*import\s{1,9}(?:static\s{1,9})?[\w.]{1,500}\.(\w+)\s{0,9};?[^\S\n]*$/gm;
const DECLARED = /\b(?:class|interface|enum|record|object)\s{1,99}(\w+)/g;
const MAX_TESTS = 5000;

/** Whether a new class has a name that tests of its package use for another one. */
export function namesakes(named: FilesNamed): (path: string) => boolean {
  let used: ReadonlyMap<string, ReadonlySet<string>> | null = null;
  return (path) => {
    const [, folder, name] = SOURCE.exec(path) ?? [];
    if (folder === undefined || named.has(path)) return false;
    used ??= namesByFolder(named);
    return used.get(folder)?.has(name!) === true && !isDeclared(folder, name!, named);
  };
}

/** Whether another file of the package has the class, which may get a file of its own. */
function isDeclared(folder: string, name: string, named: FilesNamed): boolean {
  return named
    .all(SOURCE)
    .filter((path) => SOURCE.exec(path)![1] === folder)
    .some((path) => [...named.read(path).matchAll(DECLARED)].some(([, one]) => one === name));
}

function namesByFolder(named: FilesNamed): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const own = new Map<string, Set<string>>();
  const add = (to: Map<string, Set<string>>, folder: string, name: string) =>
    to.set(folder, (to.get(folder) ?? new Set()).add(name));
  for (const path of named.all(/\.(?:java|kt|groovy)$/).slice(0, MAX_TESTS * 4)) {
    const [, folder, name] = SOURCE.exec(path) ?? [];
    if (folder !== undefined) add(own, folder, name!);
  }
  for (const path of named.all(TEST).slice(0, MAX_TESTS)) {
    const folder = TEST.exec(path)![1]!;
    const text = without(named.read(path), '/*', '*/').replace(ASIDE, ' ');
    const imported = new Set([...text.matchAll(IMPORT)].map(([, name]) => name));
    const declared = new Set([...text.matchAll(DECLARED)].map(([, name]) => name));
    for (const [name] of text.matchAll(WORD))
      if (!imported.has(name) && !declared.has(name) && !own.get(folder)?.has(name)) add(found, folder, name);
  }
  return found;
}
