/** Which files of a repository a patch may not change, by an ecosystem's rules for names and by what the task's settings name. */
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { namedBySettings, protectionOf } from '../../grading/rules/protect.ts';

export interface Repository {
  ecosystem: string;
  files: Record<string, string>;
  /** The command for the tests. */
  command: string;
  /** Files that the solution changes. */
  solution?: readonly string[];
  /** Links, and what they lead to. */
  links?: Record<string, string>;
  /** Files that a patch adds, which are asked for as well. */
  added?: readonly string[];
  testPatch?: string;
}

export async function protectedIn(repository: Repository): Promise<Record<string, string>> {
  const {
    ecosystem,
    files: texts,
    command,
    solution = [],
    added = [],
    links = {},
    testPatch = '',
  } = repository;
  const paths = new Set([...Object.keys(texts), ...Object.keys(links)]);
  const linked = (path: string) => links[path] ?? null;
  const files = { paths, read: (path: string) => texts[linked(path) ?? path] ?? null, linked };
  const patch = solution.map(
    (path) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1,2 @@\n a\n+b\n`,
  );
  const instance = { patch: patch.join(''), test_patch: testPatch, FAIL_TO_PASS: [], PASS_TO_PASS: [] };
  const tests = ecosystemNamed(ecosystem).tests!;
  const named = await namedBySettings(instance, command, { files }, tests);
  const { reasonOf } = protectionOf(instance, command, { files, protects: tests.protects, ...named });
  const found = [...paths, ...added].map((path) => [path, reasonOf(path)] as const);
  return Object.fromEntries(found.filter(([, reason]) => reason !== null)) as Record<string, string>;
}

/** The paths alone, without those in `but`. */
export async function pathsIn(repository: Repository, but: RegExp): Promise<string[]> {
  return Object.keys(await protectedIn(repository))
    .filter((path) => !but.test(path))
    .sort();
}
