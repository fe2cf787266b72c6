/** What leak rules know about an instance: the names of its project, and lines that are only in the answer. */
import { testFiles } from '../../patches/test-files.ts';
import { touchedFiles } from '../../patches/touched.ts';
import type { Instance } from '../../schemas/instance.ts';

export type LeakInstance = Pick<
  Instance,
  | 'repo'
  | 'patch'
  | 'patch_role'
  | 'test_patch'
  | 'tests_in_source'
  | 'FAIL_TO_PASS'
  | 'PASS_TO_PASS'
  | 'problem_statement'
  | 'source'
>;

export interface LeakTask {
  /** Names under which the project is installed or published, lower case, `_` for every separator. */
  packages: ReadonlySet<string>;
  /** Lower-case `owner/name` of the project; null when the row has none. */
  repository: string | null;
  /** Runs of lines that the answer adds. */
  gold: string[][];
  /** Files that the answer changes. */
  goldFiles: string[];
  /** Runs of lines that the hidden tests add. */
  tests: string[][];
  /** Test files that the agent must not see. */
  hidden: string[];
}

export function leakTask(instance: LeakInstance): LeakTask {
  const known = new Set(instance.problem_statement.split('\n').map((line) => line.trim()));
  const goldFiles = touchedFiles(instance.patch).map((file) => file.path);
  return {
    packages: packageNames(instance, goldFiles),
    repository: repositoryOf(instance.repo),
    gold: addedRuns(instance.patch, instance.patch_role === 'fix' ? '+' : '-', known),
    goldFiles,
    tests: addedRuns(instance.test_patch, '+', known),
    // Ids of other languages begin with packages and programs, whose names folders may have.
    hidden: testFiles(instance).hidden.filter((path) => /\.\w+$/.test(path)),
  };
}

/** A name as folders of site-packages spell it. */
export function packageName(text: string): string {
  return text.toLowerCase().replaceAll(/[-_.]+/g, '_');
}

/** SWE-smith's mirrors are named `ORG/OWNER__NAME.COMMIT`. */
function repositoryOf(repo: string): string | null {
  const mirror = /([^/]+)__(.+)\.[0-9a-f]{7,40}$/.exec(repo);
  if (mirror !== null) return `${mirror[1]}/${mirror[2]}`.toLowerCase();
  return /^[^/]+\/[^/]+$/.test(repo) ? repo.toLowerCase() : null;
}

/** Folders that hold code without being a package. */
const NO_PACKAGES = new Set(['src', 'lib', 'python', 'tests', 'test', 'testing', 'docs', 'doc', 'examples']);

function packageNames({ repo, source }: LeakInstance, goldFiles: readonly string[]): Set<string> {
  const names = new Set<string>();
  const repository = repositoryOf(repo);
  if (repository !== null) names.add(packageName(repository.slice(repository.indexOf('/') + 1)));
  const published = /^pypi:([^=<>~!]+)/.exec(source.spec)?.[1];
  if (published !== undefined) names.add(packageName(published));
  for (const path of goldFiles) {
    const parts = path.split('/');
    const top = ['src', 'lib', 'python'].includes(parts[0]!) ? parts[1] : parts[0];
    if (top !== undefined && !NO_PACKAGES.has(top.toLowerCase()))
      names.add(packageName(top.replace(/\.pyi?$/, '')));
  }
  return names;
}

/** Lines of a diff with this mark, in runs. Lines that the file already had, or that the task shows, are left out. */
function addedRuns(diff: string, mark: '+' | '-', known: ReadonlySet<string>): string[][] {
  const body = diff.split('\n').filter((line) => !/^(?:\+\+\+|---) /.test(line));
  const others = body.filter((line) => !line.startsWith(mark)).map((line) => line.slice(1).trim());
  const before = new Set([...others, ...known]);
  const runs: string[][] = [[]];
  for (const line of body) {
    if (!line.startsWith(mark)) runs.push([]);
    else if (isSignificant(line.slice(1)) && !before.has(line.slice(1).trim()))
      runs.at(-1)!.push(line.slice(1).trim());
  }
  return runs.filter((run) => run.length > 0);
}

/** Whether a line is significant, unlike a bracket or `else:`, which any code has. */
export function isSignificant(line: string): boolean {
  return (line.match(/\w/g)?.length ?? 0) > 5;
}
