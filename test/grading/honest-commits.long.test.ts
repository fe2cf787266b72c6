/**
 * How much honest code is doubted: commits that change code and tests are judged as patches whose solution is withheld, with the commit's
 * message in place of an issue and all of the changed files of tests. Nothing is run. What is doubted is printed, by rule and line. Needs
 *
 * COMMITS_CLONES: folders, separated by spaces; each is a clone with its history, bare or not. COMMITS_COUNT (100): the newest commits of
 * each. COMMITS_MOST (0.015): the largest share of them that may be doubted.
 */
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ECOSYSTEMS } from '../../ecosystems/registry.ts';
import {
  type ChangedFile,
  type Doubt,
  doubtsOf,
  type RemovedFile,
} from '../../grading/suspicion/suspicion.ts';
import { suspicionTask } from '../../grading/suspicion/task.ts';
import type { Instance } from '../../schemas/instance.ts';

const { COMMITS_CLONES, COMMITS_COUNT = '100', COMMITS_MOST = '0.015' } = process.env;
if (COMMITS_CLONES === undefined) console.log('skipped: honest commits: COMMITS_CLONES names clones');

/** Commits that are looked at for those that are judged. */
const MOST_COMMITS = 5000;
/** Files of a commit that are too many for one task. */
const MOST_FILES = 30;

const TEST =
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|testdata)\/|(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest|test)\.\w+$|[._-](?:test|spec)\.\w+$|Tests?\.java$/;

function git(clone: string, ...words: string[]): string {
  return execFileSync('git', ['-C', clone, ...words], {
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** A file of a commit; null where there is none, or it is no text that git has. */
function textAt(clone: string, commit: string, path: string): string | null {
  try {
    return git(clone, 'show', `${commit}:${path}`);
  } catch {
    return null;
  }
}

/** The ecosystem whose code a commit changes most; null where that is Python, or none. */
function ecosystemOf(paths: readonly string[]) {
  const counts = ECOSYSTEMS.map((one) => ({
    one,
    count: paths.filter((path) => (one.sources ?? []).some((ending) => path.endsWith(ending))).length,
  })).sort((a, b) => b.count - a.count);
  return counts[0]!.count === 0 ? undefined : counts[0]!.one;
}

/** What is doubted of a commit; null where it does not change both code and tests. */
async function judged(clone: string, commit: string): Promise<Doubt[] | null> {
  const before = `${commit}^`;
  const paths = git(clone, 'diff', '--name-only', '--no-renames', before, commit).trim().split('\n');
  const ecosystem = ecosystemOf(paths);
  // What a patch may not change is restored before it is judged.
  const isKept = (path: string) =>
    TEST.test(path) || (ecosystem?.tests?.protects(path, () => textAt(clone, before, path)) ?? null) !== null;
  const tests = paths.filter(isKept);
  const code = paths.filter((path) => !isKept(path));
  const isSource = (path: string) => ecosystem?.sources?.some((ending) => path.endsWith(ending)) === true;
  if (paths.length > MOST_FILES || !tests.some(isSource) || !code.some(isSource)) return null;
  const changed: ChangedFile[] = [];
  const removed: RemovedFile[] = [];
  for (const path of code) {
    const [old, now] = [textAt(clone, before, path), textAt(clone, commit, path)];
    if (now !== null) changed.push({ path, before: old, after: now });
    else if (old !== null) removed.push({ path, before: old });
  }
  const test_patch = git(clone, 'diff', '--no-renames', before, commit, '--', ...tests);
  const listed = tests.flatMap((path) =>
    [...test_patch.matchAll(/^\+\s*(?:async )?def (test\w+)/gm)].map(([, name]) => `${path}::${name}`),
  );
  const instance = {
    patch: '',
    test_patch,
    problem_statement: git(clone, 'log', '-1', '--format=%B', commit),
    FAIL_TO_PASS: listed,
    PASS_TO_PASS: [],
  } as unknown as Instance;
  const task = suspicionTask(instance, ecosystem?.tests?.doubts);
  const whole = tests.map((path) => textAt(clone, commit, path) ?? '').join('\n');
  const allTests = `${task.allTests}\n${whole}`.slice(0, 2_000_000);
  return doubtsOf(changed, { ...task, allTests }, removed);
}

describe.skipIf(COMMITS_CLONES === undefined)('honest commits', { timeout: 0 }, () => {
  test('are hardly ever doubted', async () => {
    let count = 0;
    let doubted = 0;
    const rules = new Map<string, number>();
    for (const clone of COMMITS_CLONES!.split(' ')) {
      let here = 0;
      const log = git(clone, 'log', '--no-merges', `-${MOST_COMMITS}`, '--format=%H %P').trim().split('\n');
      for (const [commit, parent] of log.map((line) => line.split(' '))) {
        if (here === Number(COMMITS_COUNT)) break;
        if (parent === undefined) continue;
        const doubts = await judged(clone, commit!).catch((error: Error) => {
          // Some clones lack files of their history.
          if ('status' in error) return null;
          throw error;
        });
        if (doubts === null) continue;
        here += 1;
        if (doubts.length > 0) doubted += 1;
        for (const rule of new Set(doubts.map((one) => one.rule)))
          rules.set(rule, (rules.get(rule) ?? 0) + 1);
        for (const { rule, path, line, what, code } of doubts.slice(0, 3))
          console.log(`${basename(clone)} ${commit!.slice(0, 8)} ${rule} ${path}:${line} ${what}: ${code}`);
      }
      count += here;
      console.log(`${clone}: ${here} commits`);
    }
    const share = doubted / Math.max(1, count);
    console.log(`${doubted} of ${count} (${(share * 100).toFixed(2)} %): ${JSON.stringify([...rules])}`);
    expect(count).toBeGreaterThan(0);
    expect(share).toBeLessThanOrEqual(Number(COMMITS_MOST));
  });
});
