/**
 * Decides which files a patch cannot change: those that decide the verdict. They are restored before the tests run,
 * unless the task's own solution changes them. The verdict lists restored files; an agent may add tests of its own.
 * docs/integrity.md gives the reason for each kind of file.
 */
import { byCodeUnit } from '../../basics/canonical.ts';
import { globToRegExp } from '../../basics/glob.ts';
import { baseName, folderOf } from '../../basics/repository-path.ts';
import { writtenBy } from '../../basics/shell.ts';
import type { EcosystemTests, GrownFile, NamedFiles } from '../../ecosystems/kind.ts';
import {
  filesOfIds,
  isDocumentedCode,
  located,
  testDirectives,
  testFiles,
} from '../../patches/test-files.ts';
import { addedTexts, namesOf, touchedFiles } from '../../patches/touched.ts';
import { type Instance, listedTests } from '../../schemas/instance.ts';
import { type CodeOf, type EntryPoints, entryPoints } from './entry-points.ts';
import { envFiles } from './env-files.ts';
import type { Finding } from './findings.ts';
import { nameFindings } from './known-names.ts';
import { type GoldReads, givenByTests } from './reads.ts';
import { runnerPackages } from './runner-packages.ts';
import { NO_FILES, type TaskFiles } from './task-files.ts';
import { isCodeOfTests, isTestHelper, isTestModule, NAMING_CODE, testFolders } from './test-folders.ts';

/**
 * test: contains listed tests, or would be loaded instead of them. support: is in a folder of tests. runner: a test
 * runner or an interpreter reads it by itself, or the test command opens it. bytecode: runs instead of its source.
 * project: named by grading.protect.
 */
export type ProtectedAs = 'test' | 'support' | 'runner' | 'bytecode' | 'project';

export interface Protection {
  /** Files of listed tests that are restored, sorted. */
  tests: string[];
  /** Helper files beside listed tests, outside of those folders; sorted. */
  helpers: string[];
  /** Folders of tests, each ending in a slash; all their files are restored. */
  folders: string[];
  /** Files of the task that the test command opens and does not write itself, sorted. */
  starters: string[];
  /** Files of the task that tests open, wherever they lie; sorted. */
  data: string[];
  /** Files of the task's tests wherever they lie, code before data and shallow folders before deep ones, in another ecosystem than Python, which has `folders`. */
  beside(): readonly string[];
  /** Files of the task that tests hand to programs or to the code under test. A change of one is a doubt. */
  given: ReadonlySet<string>;
  /** Findings about files that a patch adds, by their names. */
  namesOf(added: readonly string[]): Finding[];
  /** Files that the task's own solution changes; they are never restored. */
  solution: ReadonlySet<string>;
  /** Those of them that would be restored as files of the runner if the solution did not change them. */
  settings: readonly string[];
  /** The text of a file of the task; null for what it has not, and for very large ones. */
  textOf(path: string): string | null;
  /** Why a patch may not change the file; null when it may. */
  reasonOf(path: string): ProtectedAs | null;
  /** Files of the runner whose lists a patch may make longer. */
  growing: GrowingFiles;
}

export interface GrowingFiles {
  has(path: string): boolean;
  /** Whether a change of such a file names only files that the patch `added`, where code under test is listed. */
  isGrown(change: Pick<GrownFile, 'path' | 'before' | 'after'>, added: readonly string[]): boolean;
}

const NONE_GROWS: GrowingFiles = { has: () => false, isGrown: () => false };

export type ProtectedInstance = Pick<Instance, 'patch' | 'test_patch' | 'FAIL_TO_PASS' | 'PASS_TO_PASS'>;

/** Further facts about the task. */
export interface ProtectionContext {
  /** grading.protect. */
  globs?: readonly string[];
  /** Commands that are run before the tests, in the same shell. */
  evalCommands?: readonly string[];
  files?: TaskFiles;
  /** Packages of plugins in the gold runs; null when not known. */
  plugins?: readonly string[] | null;
  /** What tests read in the gold runs; null when not known. */
  reads?: GoldReads | null;
  /** Modules and packages that are installed in the environment. */
  installed?: readonly string[];
  /** Which files decide the tests in another ecosystem than Python. */
  protects?: EcosystemTests['protects'];
  /** What that ecosystem finds in the task's settings; absent: nothing. */
  named?: NamedFiles;
  /** Of that ecosystem; absent: no lists grow. */
  lists?: EcosystemTests['lists'];
  /** What the commands open there; absent: it is not looked up yet. */
  opened?: EntryPoints;
}

/** Names of files that pytest, unittest's runners, tox, nox or Python look for in any folder. */
export const RUNNER_FILES: readonly string[] = [
  'conftest.py',
  'pytest.ini',
  '.pytest.ini',
  'pytest.toml',
  '.pytest.toml',
  'tox.ini',
  'tox.toml',
  'setup.cfg',
  'pyproject.toml',
  'noxfile.py',
  'runtests.py',
  'sitecustomize.py',
  'usercustomize.py',
  '.coveragerc',
  '.coveragerc.toml',
  'nose2.cfg',
  'unittest.cfg',
  '.noserc',
  '.python-version',
];
/** As Python looks for them: whatever the case, and `EGG-INFO` in an egg. */
const METADATA = /(?:^|\/)(?:[^/]*\.)?(?:egg-info|dist-info|egg-link|egg)(?:\/|$)/i;
const BYTECODE = /(?:^|\/)__pycache__\/|\.py[co]$/;
/** Files with pytest's options. */
const OPTION_FILES = [
  'pytest.toml',
  '.pytest.toml',
  'pytest.ini',
  '.pytest.ini',
  'pyproject.toml',
  'tox.ini',
  'setup.cfg',
] as const;
const ADDOPTS = /^[ \t]*addopts\s*=[^\n]*(?:\n[ \t]+[^\n]*)*/m;
const HELPER = /^(?:\w+_)?(?:helpers?|fixtures?|mocks?|fakes?|stubs?)$/;
/** Folders of what is expected, also in packages. */
const EXPECTED =
  /(?:^|\/)_*(?:goldens?|expected(?:[-_]?(?:outputs?|results?|data))?|snapshots?|test[-_]?data|baselines?|cassettes)_*\//i;
const PLUGINS = /^pytest_plugins\b[^=\n]*=\s*(\[[^\]]*|\([^)]*|[^\n]*)/m;

/** Texts of the files that may hold pytest's settings. */
export function settingsOfPytest(read: (path: string) => string | null): string[] {
  return OPTION_FILES.map((name) => read(name) ?? '');
}

/** The options that such settings add to each command. */
export function optionsIn(settings: readonly string[]): string[] {
  return settings.flatMap((text) => ADDOPTS.exec(text)?.[0] ?? []);
}

/** What is protected when the tests of `instance` are run by `testCommand`. */
export function protectionOf(
  instance: ProtectedInstance,
  testCommand: string,
  context: ProtectionContext = {},
): Protection {
  const { globs = [], evalCommands = [], files = NO_FILES, reads = null, protects } = context;
  const solution = solvedFiles(instance);
  const solved = new Set(solution);
  const isOpen = (path: string) =>
    solved.has(path) || (protects === undefined && isDocumentedCode(path, instance));
  const task = { instance, testCommand, context, files, solution, isOpen };
  const own = protects === undefined ? pythonTests(task) : ecosystemTests(task, protects);
  const made = new Set([...evalCommands, testCommand].flatMap(writtenBy));
  const data = (reads?.data ?? []).filter((path) => !isOpen(path));
  const tests = own.tests.filter((path) => !isOpen(path));
  const isTest = covering([...tests, ...data]);
  const isStarter = covering(own.starters);
  const starts = (path: string) => (isStarter(path) || own.isMatched(path)) && own.isCode?.(path) !== true;
  const patterns = globs.map(globToRegExp);
  const protection: Protection = {
    helpers: [],
    folders: [],
    beside: () => [],
    given: new Set(),
    namesOf: () => [],
    growing: NONE_GROWS,
    ...own,
    tests,
    starters: own.starters.filter((path) => files.paths.has(path) && !made.has(path) && !isOpen(path)).sort(),
    data: data.filter((path) => files.paths.has(path)).sort(),
    solution: solved,
    settings: solution.filter(
      (path) => own.isSetting?.(path) ?? (starts(path) || own.reasonOf(path) === 'runner'),
    ),
    textOf: files.read,
    reasonOf(path) {
      if (solved.has(path)) return null;
      if (isTest(path)) return 'test';
      if (starts(path)) return 'runner';
      return own.reasonOf(path) ?? (patterns.some((pattern) => pattern.test(path)) ? 'project' : null);
    },
  };
  return {
    ...protection,
    ...(protects === undefined ? {} : { beside: () => filesOfTests(protection, files) }),
    ...(context.lists === undefined ? {} : { growing: growingFiles(context.lists, protection, files) }),
  };
}

function filesOfTests({ reasonOf }: Protection, { paths }: TaskFiles): string[] {
  const depth = (path: string) => path.split('/').length;
  const ofTests = [...paths]
    .filter((path) => ['test', 'support'].includes(reasonOf(path) ?? ''))
    .sort((a, b) => depth(a) - depth(b) || byCodeUnit(a, b));
  return [...ofTests.filter(isCodeOfTests), ...ofTests.filter((path) => !isCodeOfTests(path))];
}

function growingFiles(
  lists: NonNullable<EcosystemTests['lists']>,
  { reasonOf, settings }: Protection,
  files: TaskFiles,
): GrowingFiles {
  const isFree = (path: string) => reasonOf(path) === null;
  const isCode = (path: string) => (files.paths.has(path) ? isFree(path) : null);
  return {
    has: (path) =>
      lists.has(path) &&
      (reasonOf(path) === 'runner' || settings.includes(path)) &&
      files.linked(path) === null,
    isGrown: (change, added) =>
      lists.isGrown({
        ...change,
        added: new Set(added.filter((path) => isFree(path) && !files.paths.has(path))),
        isCode,
      }),
  };
}

/** Names of the files that the task's own solution changes. */
function solvedFiles({ patch }: ProtectedInstance): string[] {
  return touchedFiles(patch).flatMap(namesOf);
}

interface ProtectedTask {
  instance: ProtectedInstance;
  testCommand: string;
  context: ProtectionContext;
  files: TaskFiles;
  solution: readonly string[];
  /** Files that a patch may change, whatever they are to the tests. */
  isOpen(path: string): boolean;
}

/** What a language knows of the files that decide the tests. `starters`: files that commands open, also if they are not there. */
type OfLanguage = Pick<Protection, 'tests' | 'starters' | 'reasonOf'> & {
  /** Code under test, though it would start tests by its name; absent: none. */
  isCode?(path: string): boolean;
  /** Whether a file has settings of the tests; absent: what is of the runner has. */
  isSetting?(path: string): boolean;
} & Partial<Pick<Protection, 'helpers' | 'folders' | 'given' | 'namesOf'>> &
  Pick<EntryPoints, 'isMatched'>;

/** What an ecosystem's settings make part of the tests, for the context of `protectionOf`. */
export async function namedBySettings(
  instance: ProtectedInstance,
  testCommand: string,
  context: ProtectionContext,
  { named, protects }: Pick<EcosystemTests, 'named' | 'protects'>,
): Promise<Pick<ProtectionContext, 'named' | 'opened'>> {
  if (named === undefined) return {};
  const { files = NO_FILES } = context;
  const solution = solvedFiles(instance);
  const opened = openedBy(instance, testCommand, context, protects);
  const found = await named({
    files: {
      paths: [...files.paths].sort(),
      read: (path) => files.read(path) ?? '',
      linked: (path) => files.linked(path),
    },
    commands: opened.texts,
    started: [...opened.files].filter((path) => files.paths.has(path)).sort(),
    solution,
    tests: touchedFiles(instance.test_patch).flatMap(namesOf),
    added: addedTexts(instance.test_patch),
  });
  // What a link leads to decides as the link does.
  const all = new Map(found.files);
  for (const [path, as] of found.files) {
    let target = files.linked(path);
    for (let links = 0; target !== null && links < 8; target = files.linked(target), links += 1)
      if (!solution.includes(target) && !all.has(target)) all.set(target, as);
  }
  const isCode = (path: string) => found.isCode?.(path) === true;
  return { named: { files: all, isTest: (path) => found.isTest(path), isCode }, opened };
}

/** The files that the commands of a task open. */
function openedBy(
  instance: ProtectedInstance,
  testCommand: string,
  { evalCommands = [], files = NO_FILES }: ProtectionContext,
  protects: EcosystemTests['protects'],
): EntryPoints {
  const brought = touchedFiles(instance.test_patch).flatMap(namesOf);
  const codeOf: CodeOf = (path) => {
    if (!NAMING_CODE.test(path)) return null;
    const own = brought.includes(path) ? 'test' : protects(path, () => files.read(path));
    return own === 'test' || own === 'support' ? 'test' : own === null ? 'script' : null;
  };
  return entryPoints([...evalCommands, testCommand], files, solvedFiles(instance), codeOf);
}

/** Outside of Python, files are told by their names, and by the task's own text. */
function ecosystemTests(
  { instance, testCommand, context, files }: ProtectedTask,
  protects: EcosystemTests['protects'],
): OfLanguage {
  const { named } = context;
  const isCode = (path: string) => named?.isCode?.(path) === true;
  const entries = context.opened ?? openedBy(instance, testCommand, context, protects);
  const ofRunner = [...(named?.files ?? [])].flatMap(([path, as]) => (as === 'runner' ? [path] : []));
  return {
    tests: [...new Set(touchedFiles(instance.test_patch).flatMap(namesOf))].sort(),
    starters: [...new Set([...entries.files, ...ofRunner])],
    isMatched: entries.isMatched,
    isCode,
    reasonOf(path) {
      const called = protects(path, () => files.read(path));
      if (called !== null && !isCode(path)) return called;
      return named?.files.get(path) ?? (named?.isTest(path) === true ? 'test' : null);
    },
  };
}

function pythonTests({
  instance,
  testCommand,
  context: { evalCommands = [], plugins = null, reads = null, installed = [] },
  files,
  solution,
  isOpen,
}: ProtectedTask): OfLanguage {
  const modules = located(testModules(instance), files.paths).filter((path) => !isOpen(path));
  const folders = testFolders(modules, solution, files);
  const settings = settingsOfPytest(files.read);
  const options = optionsIn(settings);
  const plugged = pluginModules(modules, files).map((name) => `pytest -p ${name}`);
  const entries = entryPoints([...evalCommands, testCommand, ...options, ...plugged], files, solution);
  const commands = [...entries.texts, ...options];
  const runner = { commands, settings, plugins, installed, files, solution };
  const isRunnerPackage = runnerPackages(runner);
  const isEnvFile = envFiles(runner);
  const isShadow = shadowing(modules, folders, files);
  const places = new Set(modules.map(folderOf));
  const own = helpersBeside(modules, files);
  const isHelper = (path: string) =>
    own.has(path) || (places.has(folderOf(path)) && isTestHelper(path, files));
  const isInside = (path: string) => folders.some((folder) => path.startsWith(folder));
  return {
    tests: located(testFiles(instance).restored, files.paths),
    helpers: [...files.paths].filter((path) => isHelper(path) && !isOpen(path) && !isInside(path)).sort(),
    folders,
    starters: [...entries.files].filter((path) => !isOpen(path)),
    given: new Set(
      [
        ...givenByTests(reads?.given ?? [], modules, files),
        ...[...files.paths].filter((path) => EXPECTED.test(path) && !/\.pyi?$/.test(path)),
      ].filter((path) => !isOpen(path)),
    ),
    namesOf: (added) => nameFindings(added, { programs: reads?.programs ?? [], installed }, files, solution),
    isMatched: entries.isMatched,
    // The code of a runner may be the code under test.
    isSetting: (path) =>
      isRunnerFile(path) || isEnvFile(path) || (entries.files.has(path) && !path.endsWith('.py')),
    reasonOf(path) {
      if (isRunnerFile(path) || isEnvFile(path) || isRunnerPackage(path)) return 'runner';
      if (BYTECODE.test(path)) return 'bytecode';
      if (isInside(path) || folders.includes(`${path}/`)) return 'support';
      if (isShadow(path) || own.has(`${folderOf(path)}.py`)) return 'test';
      return isHelper(path) ? 'support' : null;
    },
  };
}

/** Modules that tests or their configuration name as plugins. pytest calls their functions. */
function pluginModules(tests: readonly string[], { paths, read }: TaskFiles): string[] {
  const naming = new Set([...tests, ...[...paths].filter((path) => baseName(path) === 'conftest.py')]);
  const given = [...naming].flatMap((path) => PLUGINS.exec(read(path) ?? '')?.[1] ?? []);
  return given.flatMap((text) => [...text.matchAll(/['"]([\w.]+)['"]/g)].map(([, name]) => name!));
}

function isRunnerFile(path: string): boolean {
  const name = baseName(path);
  return RUNNER_FILES.includes(name) || name.endsWith('.pth') || METADATA.test(path);
}

/** Listed files that are run, without data that the test patch brings. */
function testModules(instance: ProtectedInstance): string[] {
  return [...filesOfIds(listedTests(instance)), ...testDirectives(instance.test_patch)];
}

/**
 * Whether a path is one of `files`, a folder above it, a path below its name, or a module that Python would import
 * instead: a package or a compiled module of its name.
 */
function covering(files: readonly string[]): (path: string) => boolean {
  const exact = new Set<string>();
  const stems = new Set<string>();
  for (const file of files) {
    for (let path = file; path !== ''; path = folderOf(path)) exact.add(path);
    if (file.endsWith('.py')) stems.add(file.slice(0, -'.py'.length));
  }
  const whole = new Set(files);
  return (path) => {
    if (exact.has(path) || stems.has(path.replace(/\.[^/]*\.?(?:so|pyd)$/, ''))) return true;
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder))
      if (whole.has(folder) || stems.has(folder)) return true;
    return false;
  };
}

/**
 * Whether a path is a new module that would be imported instead of tests or their helpers: `tests.py` beside a folder
 * `tests` without `__init__.py`, another folder of that name on the search path, or a top module with the name of a
 * helper that tests import without a package.
 */
function shadowing(
  tests: readonly string[],
  folders: readonly string[],
  files: TaskFiles,
): (path: string) => boolean {
  const names = new Set(folders.map((folder) => folder.slice(0, -1)));
  const tops = new Set([...names].filter((name) => !name.includes('/')));
  const bare = bareNames(tests, folders, files);
  const searched = (path: string) => path.replace(/^(?:src|lib)\//, '');
  return (path) => {
    const stem = path.replace(/\.(?:py|pyd|so|[^./]+\.so)$/, '');
    if (stem !== path && names.has(stem)) return true;
    if (files.paths.has(path)) return false;
    const [top = ''] = searched(stem).split('/');
    if (searched(stem) !== stem && tops.has(top)) return true;
    return bare.has(top);
  };
}

/** Modules beside tests that are imported by their bare name, if no top module has that name. */
function bareNames(
  tests: readonly string[],
  folders: readonly string[],
  { paths, read }: TaskFiles,
): Set<string> {
  const beside = new Set(tests.map(folderOf).filter((folder) => folder !== ''));
  for (const folder of folders) beside.add(folder.slice(0, -1));
  const helpers = new Set<string>();
  for (const path of paths)
    if (path.endsWith('.py') && beside.has(folderOf(path)))
      helpers.add(baseName(path).slice(0, -'.py'.length));
  helpers.delete('__init__');
  const isTop = (name: string) =>
    ['', 'src/', 'lib/'].some((at) => paths.has(`${at}${name}.py`) || paths.has(`${at}${name}/__init__.py`));
  const imported = new Set(tests.map((path) => baseName(path).replace(/\.py$/, '')));
  for (const path of tests) for (const name of importsOf(read(path) ?? '')) imported.add(name);
  return new Set([...helpers].filter((name) => imported.has(name) && !isTop(name)));
}

/** Modules that a text imports by their bare names, or from the package that it is in. */
function importsOf(text: string): string[] {
  const found = text.matchAll(/^[ \t]*(?:from[ \t]+\.?(\w+)[ \t]+import|import[ \t]+([\w, \t]+))/gm);
  return [...found].flatMap(([, from, names]) => (from ?? names ?? '').split(/[\s,]+/));
}

/**
 * Helpers in folders with listed tests and code: by their name, by their importers, and if they have no tests
 * themselves.
 */
function helpersBeside(tests: readonly string[], { paths, read }: TaskFiles): ReadonlySet<string> {
  const found = tests.flatMap((test) => {
    const at = folderOf(test) === '' ? '' : `${folderOf(test)}/`;
    return importsOf(read(test) ?? '')
      .filter((name) => HELPER.test(name) && paths.has(`${at}${name}.py`))
      .filter((name) => ![`test_${name}.py`, `${name}_test.py`].some((own) => paths.has(`${at}${own}`)))
      .map((name) => `${at}${name}.py`);
  });
  const helpers = new Set(found);
  if (helpers.size === 0) return helpers;
  for (const path of paths) {
    if (!path.endsWith('.py') || tests.includes(path) || isTestModule(path)) continue;
    for (const name of importsOf(read(path) ?? ''))
      for (const helper of helpers)
        if (baseName(helper) === `${name}.py` && !helpers.has(path)) helpers.delete(helper);
  }
  return helpers;
}
