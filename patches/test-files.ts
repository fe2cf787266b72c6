/**
 * Finds the files with an instance's tests: files that are run, that are restored before grading, and that the agent
 * must not see. They are read from the ids, or from the test patch if ids name no files.
 */
import { type Instance, listedTests, type TestLists } from '../schemas/instance.ts';
import { touchedFiles } from './touched.ts';

export type TestedInstance = TestLists & Pick<Instance, 'test_patch' | 'test_files' | 'tests_in_source'>;

/** In FAIL_TO_PASS while it is measured which tests belong there: it names no file and no test, so the test patch says what is run. */
export const UNMEASURED = 'not measured yet';

export interface TestFiles {
  /** Restored to the task's state before the tests run. */
  restored: string[];
  /** Removed from what the agent sees: files of FAIL_TO_PASS tests that the source already holds. */
  hidden: string[];
}

/** Endings of files that a test patch may touch without them being tests; SWE-bench's list. */
const NOT_TESTS = [
  '.json',
  '.png',
  '.csv',
  '.txt',
  '.md',
  '.jpg',
  '.jpeg',
  '.pkl',
  '.yml',
  '.yaml',
  '.toml',
] as const;

/** The same with no test that is not one: none is listed while they are measured. */
export function withListedTests<T extends TestedInstance>(instance: T): T {
  const FAIL_TO_PASS = instance.FAIL_TO_PASS.filter((id) => id !== UNMEASURED);
  return { ...instance, FAIL_TO_PASS };
}

/** Sorted, without duplicates. Paths are relative to the repository. */
export function testFiles(instance: TestedInstance): TestFiles {
  const failing = filesOfIds(instance.FAIL_TO_PASS);
  const listed = filesOfIds(listedTests(instance));
  const patched = touchedFiles(instance.test_patch).map((file) => file.path);
  // Code whose own docstrings are the tests is what an agent is to mend.
  const apart = failing.filter((path) => !isDocumentedCode(path, instance));
  const hidden = holdsTests(instance) ? apart.filter((path) => !patched.includes(path)) : [];
  return { restored: sorted([...listed, ...patched]), hidden };
}

/** Whether the source holds the listed tests, but for those that the test patch brings. */
export function holdsTests({ test_patch, tests_in_source }: Omit<TestedInstance, keyof TestLists>): boolean {
  return test_patch === '' || tests_in_source === true;
}

/** A module whose docstrings are listed tests, and nothing else in it. Restoring it would undo a patch. */
export function isDocumentedCode(path: string, lists: TestLists): boolean {
  if (!path.endsWith('.py')) return false;
  const names = listedTests(lists)
    .filter((id) => id.startsWith(`${path}::`))
    .map((id) => id.slice(path.length + 2));
  return names.length > 0 && names.every((name) => /^[\w.]+$/.test(name) && name.includes('.'));
}

/** Files of the test patch that are run, in the patch's order (SWE-bench's test directives). */
export function testDirectives(testPatch: string): string[] {
  const present = touchedFiles(testPatch).filter((file) => file.change !== 'deleted');
  const paths = present
    .map((file) => file.path)
    .filter((path) => !NOT_TESTS.some((end) => path.endsWith(end)));
  return [...new Set(paths)];
}

/** Files that the ids name, sorted; ids without a file are passed over. */
export function filesOfIds(ids: readonly string[]): string[] {
  return sorted(ids.map(fileOfId).filter((file) => file !== null));
}

/**
 * The matching files of a repository. Ids of unittest name modules without folders, and a runner may start in a
 * folder. So if there is no file of that path, each file whose path ends with it matches. Sorted.
 */
export function located(paths: readonly string[], known: ReadonlySet<string>): string[] {
  const found = paths.flatMap((path) => {
    const ends = known.has(path) ? [] : [...known].filter((one) => one.endsWith(`/${path}`));
    return [path, ...ends];
  });
  return sorted(found);
}

/** Folders beside tests in which runners keep what the tests expect. */
const SNAPSHOTS = ['__snapshots__', 'snapshots'];

/** Snapshots of these test files and of no others: those of jest and vitest, AVA, syrupy, pytest-snapshot, snapshottest and insta. */
export function snapshotsOf(tests: readonly string[], known: ReadonlySet<string>): string[] {
  const starts = tests.flatMap((path) => {
    const [, folder = '', file = '', stem = ''] = /^(.*\/)?((.+?)(?:\.\w+)?)$/.exec(path) ?? [];
    const names = [`${file}.`, `${stem}.ambr`, `${stem}/`, `${stem}__`, `snap_${stem}.py`];
    return SNAPSHOTS.flatMap((beside) => names.map((name) => `${folder}${beside}/${name}`));
  });
  return sorted([...known].filter((path) => starts.some((start) => path.startsWith(start))));
}

/** `path::name` of pytest, else `name (package.module.Class)` of unittest. */
export function fileOfId(id: string): string | null {
  const colons = id.indexOf('::');
  if (colons > 0) return repositoryPath(id.slice(0, colons));
  const dotted = /^(\S+) \(([\w.]+)\)$/.exec(id);
  if (dotted === null) return null;
  const parts = (dotted[2] as string).split('.');
  // Python 3.11 and later repeat the test's name.
  if (parts.at(-1) === dotted[1]) parts.pop();
  parts.pop();
  if (parts.length === 0 || parts[0] === '__main__') return null;
  return `${parts.join('/')}.py`;
}

/** With `-c /dev/null` pytest writes ids relative to /dev. */
function repositoryPath(path: string): string {
  return path.startsWith('../dev/') ? path.slice('../dev/'.length) : path;
}

function sorted(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort();
}
