/**
 * Which files a patch cannot change: those that decide the verdict. They are put back before the tests run, unless
 * the task's own solution changes them too. What is put back is listed in the verdict, since an agent that adds
 * tests of its own is not at fault; docs/integrity.md has the reasons file by file.
 */
import { globToRegExp } from '../schemas/glob.ts';
import type { Instance } from '../schemas/instance.ts';
import { namesOf, touchedFiles } from './patch.ts';
import { simpleCommands } from './shell.ts';
import { testFiles } from './test-files.ts';

/**
 * test: holds listed tests. support: lies in a folder of tests. runner: a test runner or an interpreter reads it
 * without being asked to. bytecode: is run in place of its source. project: named under grading.protect.
 */
export type ProtectedAs = 'test' | 'support' | 'runner' | 'bytecode' | 'project';

export interface Protection {
  /** Files of listed tests that are put back, sorted. */
  tests: string[];
  /** Folders of tests, each ending in a slash, of which every file is put back. */
  folders: string[];
  /** Files that the task's own solution changes; they are nobody's to put back. */
  solution: ReadonlySet<string>;
  /** Why a patch may not change the file; null when it may. */
  reasonOf(path: string): ProtectedAs | null;
}

export type ProtectedInstance = Pick<Instance, 'patch' | 'test_patch' | 'FAIL_TO_PASS' | 'PASS_TO_PASS'>;

/** Names that pytest, unittest's runners, tox, nox or Python itself look for, in whatever folder. */
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
];
/** Packages that start tests; a copy in a folder that is searched first would be run in their place. */
const RUNNER_PACKAGES =
  /^(?:pytest|_pytest|py|pluggy|iniconfig|unittest|doctest|xdist|execnet|coverage|nose2?|tox|pytest_[^/]*)$/;
const METADATA = /(?:^|\/)[^/]+\.(?:egg-info|dist-info|egg-link)(?:\/|$)/;
const BYTECODE = /(?:^|\/)__pycache__\/|\.py[co]$/;
const TEST_FOLDERS = new Set(['tests', 'test', 'testing']);

/** What is protected when the tests of `instance` are run by `testCommand`. */
export function protectionOf(
  instance: ProtectedInstance,
  testCommand: string,
  globs: readonly string[] = [],
): Protection {
  const solution = touchedFiles(instance.patch).flatMap(namesOf);
  const solved = new Set(solution);
  const tests = testFiles(instance).restored.filter(
    (path) => !solved.has(path) && !isDocumentedCode(path, instance),
  );
  const listed = new Set(tests);
  const folders = supportFolders(tests, solution);
  const scripts = scriptsOf(testCommand);
  const patterns = globs.map(globToRegExp);
  // A project may be a runner itself, or a plugin of one.
  const own = new Set(solution.map(topName));
  const isRunner = (path: string) =>
    isRunnerFile(path) ||
    scripts.has(path) ||
    (RUNNER_PACKAGES.test(topName(path)) && !own.has(topName(path)));
  return {
    tests,
    folders,
    solution: solved,
    reasonOf(path) {
      if (solved.has(path)) return null;
      if (listed.has(path) || tests.some((test) => test.startsWith(`${path}/`))) return 'test';
      if (isRunner(path)) return 'runner';
      if (BYTECODE.test(path)) return 'bytecode';
      if (folders.some((folder) => path.startsWith(folder))) return 'support';
      return patterns.some((pattern) => pattern.test(path)) ? 'project' : null;
    },
  };
}

function isRunnerFile(path: string): boolean {
  const name = path.split('/').at(-1)!;
  return RUNNER_FILES.includes(name) || name.endsWith('.pth') || METADATA.test(path);
}

/** The package or module that a file belongs to when its folder is searched for imports. */
function topName(path: string): string {
  const parts = path.split('/');
  const top = parts[0] === 'src' || parts[0] === 'lib' ? parts.slice(1) : parts;
  return (top[0] ?? '').replace(/\.(?:py|so|[^.]+\.so)$/, '');
}

/** A module whose listed tests are the examples in its docstrings: putting it back would undo the patch. */
function isDocumentedCode(path: string, { FAIL_TO_PASS, PASS_TO_PASS }: ProtectedInstance): boolean {
  if (!path.endsWith('.py')) return false;
  const names = [...FAIL_TO_PASS, ...PASS_TO_PASS]
    .filter((id) => id.startsWith(`${path}::`))
    .map((id) => id.slice(path.length + 2));
  return names.length > 0 && names.every((name) => /^[\w.]+$/.test(name) && name.includes('.'));
}

/** The outermost folders of tests that hold listed ones; none that the solution works in. */
function supportFolders(tests: readonly string[], solution: readonly string[]): string[] {
  const folders = tests.flatMap((path) => {
    const parts = path.split('/').slice(0, -1);
    const at = parts.findIndex((part) => TEST_FOLDERS.has(part));
    return at < 0 ? [] : [`${parts.slice(0, at + 1).join('/')}/`];
  });
  return [...new Set(folders)].filter((folder) => !solution.some((path) => path.startsWith(folder)));
}

/** Files of the repository that the test command names, such as bin/test. */
function scriptsOf(testCommand: string): Set<string> {
  const words = simpleCommands(testCommand).flatMap((command) => command.words.map(({ text }) => text));
  return new Set(words.map((word) => word.replace(/^\.\//, '')).filter((word) => /^[\w@+./-]+$/.test(word)));
}
