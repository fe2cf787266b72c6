/**
 * Rows rebuilt from a repository's history: a commit that changes code and tests becomes a task. Its parent is the base, its test files are the
 * hidden tests, the rest is the gold patch. Which tests fail before and pass after is measured. Such rows are like those of SWE-Gym, and not equal
 * to them: their issue is the commit's subject.
 */
import { execFileSync } from 'node:child_process';
import { matchesGlob } from '../../basics/glob.ts';
import { findParser } from '../../parsers/registry.ts';
import type { Status } from '../../parsers/status.ts';

export interface HistoryRow {
  instance_id: string;
  repo: string;
  base_commit: string;
  patch: string;
  test_patch: string;
  problem_statement: string;
  version: string;
  FAIL_TO_PASS: string[];
  PASS_TO_PASS: string[];
}

/** A recipe of `import-recipes --json`, as far as it is needed here. */
export interface NamedRecipe {
  match: { repo: string; version?: string };
  recipe: { parser?: string; test?: string };
}

interface Search {
  repo: string;
  clone: string;
  /** Those that `import-recipes` made. Commits of versions for which there is none are passed over. */
  recipes: readonly NamedRecipe[];
  /** Commits of this day and later are passed over. */
  before: string;
  count: number;
}

/** Files of a commit that are too many for one task. */
const MOST_FILES = 8;
/** How many commits are looked at. */
const MOST_COMMITS = 400;

/** The newest commits that make rows; their lists hold what is known without a run. */
export function historyRows({ repo, clone, recipes, before, count }: Search): HistoryRow[] {
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', clone, ...words], {
      encoding: 'utf8',
      maxBuffer: 1e9,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const range = ['--first-parent', `--before=${before}`, `-${MOST_COMMITS}`];
  const rows: HistoryRow[] = [];
  for (const line of git('log', ...range, '--format=%H%x09%P%x09%s')
    .trim()
    .split('\n')) {
    if (rows.length === count) break;
    const [commit = '', parents = '', subject = ''] = line.split('\t');
    const number = /#(\d+)\)?/.exec(subject)?.[1];
    const parent = parents.split(' ')[0]!;
    if (number === undefined || parent === '') continue;
    const files = git('diff', '--name-only', '--no-renames', parent, commit).trim().split('\n');
    const tests = files.filter(isTest);
    const code = files.filter((file) => !isTest(file));
    if (files.length > MOST_FILES || !tests.some(holdsTests) || !code.some((file) => file.endsWith('.py')))
      continue;
    const version = versionOf(parent, repo, recipes, git);
    const diff = (paths: readonly string[]) =>
      git('diff', '--no-renames', '--binary', parent, commit, '--', ...paths);
    if (version === null) continue;
    const test_patch = diff(tests);
    const named = casesIn(test_patch);
    const id = `${repo.replace('/', '__')}-${number}`;
    const facts = { instance_id: id, repo, base_commit: parent, version, problem_statement: subject };
    const lists = {
      FAIL_TO_PASS: named.length > 0 ? named : [`${tests.find(holdsTests)}::not_known_yet`],
      PASS_TO_PASS: [],
    };
    rows.push({ ...facts, patch: diff(code), test_patch, ...lists });
  }
  return rows;
}

/** The recipe for the row. */
export function recipeOf(
  { repo, version }: HistoryRow,
  recipes: readonly NamedRecipe[],
): NamedRecipe | undefined {
  return recipes.find(
    ({ match }) =>
      matchesGlob(match.repo, repo) && (match.version === undefined || matchesGlob(match.version, version)),
  );
}

/** The row with the tests that fail before the gold patch and pass with it, and those that pass both times, by the log of a validation. */
export function measured(row: HistoryRow, log: string, parser: string): HistoryRow {
  const runs = log.split(/^== (?=untouched|empty patch|gold patch, run)/m).slice(1);
  const statuses = (title: RegExp) =>
    runs.filter((run) => title.test(run)).map((run) => findParser(parser)!.parse(run));
  const [before = new Map<string, Status>()] = statuses(/^untouched/);
  const after = statuses(/^gold patch, run/);
  const always = [...(after[0]?.keys() ?? [])].filter((id) => after.every((run) => run.get(id) === 'PASSED'));
  return {
    ...row,
    FAIL_TO_PASS: always.filter((id) => before.get(id) !== 'PASSED'),
    PASS_TO_PASS: always.filter((id) => before.get(id) === 'PASSED'),
  };
}

function isTest(file: string): boolean {
  return /(?:^|\/)(?:tests?|test-data|testing)\/|(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest)\.py$/.test(file);
}

function holdsTests(file: string): boolean {
  return /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$|\.test$/.test(file);
}

/** Tests of mypy are data: `[case name]` in a file of cases. */
function casesIn(patch: string): string[] {
  return [...patch.matchAll(/^[+ ]\[case (\w+)[\w-]*\]/gm)].map(
    ([, name]) => `mypy/test/testcheck.py::TypeCheckSuite::${name}`,
  );
}

/** Where repositories say their version. */
const VERSION_FILES = ['version.py', '__init__.py', '_version.py'];

/** The version as the tables name it; null where no recipe is for it. */
function versionOf(
  commit: string,
  repo: string,
  recipes: readonly NamedRecipe[],
  git: (...words: string[]) => string,
): string | null {
  const name = repo.split('/')[1]!.toLowerCase();
  const said = [name, 'conans'].flatMap((folder) =>
    VERSION_FILES.flatMap((file) => {
      try {
        const text = git('show', `${commit}:${folder}/${file}`);
        return /^(?:__version__|VERSION)(?:: \w+)? = ['"](\d[^'"]*)['"]/m.exec(text)?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  const tagged = () => {
    try {
      return git('describe', '--tags', '--abbrev=0', '--match=[v0-9]*', commit).trim().replace(/^v/, '');
    } catch {
      return '';
    }
  };
  const version = /^\d+\.\d+/.exec(said[0] ?? tagged())?.[0];
  if (version === undefined) return null;
  const has = recipes.some(
    ({ match }) =>
      matchesGlob(match.repo, repo) && (match.version === undefined || matchesGlob(match.version, version)),
  );
  return has ? version : null;
}
