/**
 * Which folders are of the tests, whatever their name: helpers and data beside listed tests decide them as well. A
 * package of the project that happens to be called `testing`, and one that has its tests beside its code, are not.
 */
import { baseName, folderOf } from '../../basics/repository-path.ts';
import { type TaskFiles, topName } from './task-files.ts';

/** Folders that hold tests and nothing else, wherever they lie. */
const OF_TESTS = /^(?:tests|unittests|testsuite|\w+_tests)$/;
/** Folders that hold tests, or are a package that helps others to test. */
const OR_PACKAGE = /^(?:test|testing)$/;
const MAY_BE_CODE = /(?:^|\/)\w+_tests?(?:\.py)?$/;
const TEST_MODULE = /^(?:(?:test|check|spec)s?(?:_.*)?|.*_(?:test|check|spec)s?|conftest)$/;

/** Folders of which no file may be changed, each ending in a slash. `tests` are files of listed tests. */
export function testFolders(
  tests: readonly string[],
  solution: readonly string[],
  files: TaskFiles,
): string[] {
  const folders = new Set(tests.map(folderOf).filter((folder) => folder !== ''));
  const found = [...folders].flatMap((folder) => folderAround(folder, tests, solution, files) ?? []);
  return [...new Set(found.map((folder) => `${folder}/`))];
}

function folderAround(
  folder: string,
  tests: readonly string[],
  solution: readonly string[],
  files: TaskFiles,
): string | null {
  const parts = folder.split('/');
  const named = parts
    .flatMap((part, at) =>
      OF_TESTS.test(part) || OR_PACKAGE.test(part) ? [parts.slice(0, at + 1).join('/')] : [],
    )
    .filter((one) => !MAY_BE_CODE.test(one) || !isUsedByCode(one, files));
  if (named.length === 0) return unnamedFolder(folder, tests, solution, files);
  const fitting = named.filter((one) => one === named.at(-1) || holdsTestsOnly(one, files));
  return fitting.find((one) => !isWorkedOn(one, solution)) ?? null;
}

/**
 * Whether code that is no test imports a module or package of this name. Then a name such as `ab_test` or `rank_tests`
 * is that of code.
 */
export function isUsedByCode(place: string, { paths, read }: TaskFiles): boolean {
  const name = baseName(place).replace(/\.py$/, '');
  const imports = new RegExp(`^[ \\t]*(?:from|import)\\b[^\\n]*\\b${name}\\b`, 'm');
  return [...paths].some(
    (path) =>
      path.endsWith('.py') &&
      path !== place &&
      !path.startsWith(`${place}/`) &&
      !isTestModule(path) &&
      !folderOf(path)
        .split('/')
        .some((part) => OF_TESTS.test(part) || OR_PACKAGE.test(part)) &&
      imports.test(read(path) ?? ''),
  );
}

/** Whether the folder is what the task is about. */
function isWorkedOn(folder: string, solution: readonly string[]): boolean {
  const inside = solution.filter((file) => file.startsWith(`${folder}/`)).length;
  return OF_TESTS.test(baseName(folder)) ? inside > 0 && inside === solution.length : inside > 0;
}

/** Whether an outer folder is one of tests: else it is a package, and only its inner folder is. */
function holdsTestsOnly(folder: string, { paths }: TaskFiles): boolean {
  const name = baseName(folder);
  if (OF_TESTS.test(name) || folder === 'test') return true;
  return [...paths].some((path) => folderOf(path) === folder && isTestModule(path));
}

/** `spec/`, `t/`, `checks/`: a folder outside of what the solution works in, or one that holds little but tests. */
function unnamedFolder(
  folder: string,
  tests: readonly string[],
  solution: readonly string[],
  files: TaskFiles,
): string | null {
  if (!isOfTests(folder, tests, solution, files)) return null;
  for (let around = folder; ; ) {
    const parent = folderOf(around);
    if (parent === '' || !isOfTests(parent, tests, solution, files)) return around;
    around = parent;
  }
}

function isOfTests(
  folder: string,
  tests: readonly string[],
  solution: readonly string[],
  { paths }: TaskFiles,
): boolean {
  if (folder === 'src' || folder === 'lib') return false;
  if (solution.some((path) => path.startsWith(`${folder}/`))) return false;
  const listed = tests.filter((path) => path.startsWith(`${folder}/`));
  // A module with its test beside it is code.
  if (listed.some((path) => codeBeside(path).some((code) => paths.has(code) && !tests.includes(code))))
    return false;
  const modules = [...paths].filter(
    (path) => path.startsWith(`${folder}/`) && path.endsWith('.py') && baseName(path) !== '__init__.py',
  );
  const ofTests = modules.filter((path) => tests.includes(path) || isTestModule(path));
  if (2 * ofTests.length >= modules.length) return true;
  const isElsewhere = !solution.some((path) => topName(path) === topName(`${folder}/x`));
  return (
    isElsewhere && listed.some((path) => folderOf(path) === folder) && !paths.has(`${folder}/__init__.py`)
  );
}

/** `a/test_core.py` -> `a/core.py`. */
function codeBeside(test: string): string[] {
  const name = baseName(test).replace(/\.py$/, '');
  const plain = [/^(?:test|check|spec)s?_/, /_(?:test|check|spec)s?$/].map((affix) =>
    name.replace(affix, ''),
  );
  const folder = folderOf(test);
  return plain
    .filter((one) => one !== name && one !== '')
    .map((one) => `${folder === '' ? '' : `${folder}/`}${one}.py`);
}

/** A module that, by its name, is there for the tests beside it. */
export function isTestHelper(path: string, files: TaskFiles): boolean {
  const isNamed =
    /(?:^|\/)(?:tests?|test_[^/]*|[^/]*_tests?|test(?:utils?|helpers?|lib|case|base|data))\.py$/.test(path);
  return isNamed && !(MAY_BE_CODE.test(path) && files.paths.has(path) && isUsedByCode(path, files));
}

export function isTestModule(path: string): boolean {
  const name = baseName(path);
  return name.endsWith('.py') && TEST_MODULE.test(name.slice(0, -'.py'.length));
}

/** Code that names other code, and no commands. */
export const NAMING_CODE = /\.(?:[cm]?[jt]sx?|go|rs|java|kt|cc?|cpp|cxx|hh?|hpp)$/;
const SCRIPT = /\.(?:sh|bash|py|rb|pl|t|tcl|lua|vue|svelte)$/;

/** Whether a file of the tests is code. Their data may be what their code makes anew. */
export function isCodeOfTests(path: string): boolean {
  return NAMING_CODE.test(path) || SCRIPT.test(path);
}
