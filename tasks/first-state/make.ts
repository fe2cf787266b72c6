/**
 * Makes the first state of an instance: the repository as agents, grading and validation find it. The bug is in place
 * and hidden tests are gone. No file, git object, time or inode that the task's environment shows reveals what the
 * task hides.
 */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fault, success } from '../../basics/result.ts';
import type { EcosystemTests } from '../../ecosystems/kind.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { testPatch } from '../../patches/apply.ts';
import { holdsTests, located, snapshotsOf, testFiles, UNMEASURED } from '../../patches/test-files.ts';
import type { Instance } from '../../schemas/instance.ts';
import { type Attempt, infra, isFault } from '../../schemas/outcome.ts';
import { DEFAULT_ECOSYSTEM } from '../../schemas/recipe.ts';
import { objectId } from '../source/git-object.ts';
import { MissingTool } from '../source/unpack-tar.ts';
import type { LowerFiles } from './lower.ts';
import { replaceInTree } from './replace-in-tree.ts';
import { replacementsFor } from './replacements.ts';
import { type Change, Scratch, type ScratchOptions } from './scratch.ts';
import { type Secret, Secrets, secretOf, secretsOf } from './secrets.ts';
import { bytesOf, fileBytes, isInside, readTree, sizeOf, type Tree, type TreeFile } from './tree.ts';
import { carriedNames } from './vendored.ts';
import { writeState } from './write-state.ts';

/** What of an instance decides its first state. */
export type StateTask = Pick<
  Instance,
  'patch' | 'patch_role' | 'test_patch' | 'tests_in_source' | 'FAIL_TO_PASS' | 'PASS_TO_PASS'
>;

/** What is known of a first state, beside its files. */
export interface StateDescription {
  /** The repository's only commit. */
  commit: string;
  /** Milliseconds by this machine's clock, not before the last change of its files; see settled.ts. Absent: long ago. */
  writtenAt?: number;
  /** Hidden tests that the source has: their places, and their contents' names in the folder `withheld`. */
  withheld: Withheld[];
  /** Copies of hidden tests, by absolute path: what they are copies of. */
  copies: { at: string; path: string }[];
}

export type Withheld =
  | { path: string; kind: 'file'; file: string; executable: boolean }
  | { path: string; kind: 'link'; target: string };

export interface StateRequest {
  task: StateTask;
  /** Absent: Python. */
  ecosystem?: string | undefined;
  /** Folder of the source layer. */
  source: string;
  lower: LowerFiles;
  /** Empty folder: gets `tree`, the layer, and `withheld`. */
  into: string;
  scratch: ScratchOptions;
}

/** Smaller files may be the same in other projects, so their objects identify no repository. */
const MIN_BYTES = 100;

/** The fault is an answer if a bug patch does not apply. A gold patch that does not apply is no fault. */
export async function makeFirstState(request: StateRequest): Attempt<StateDescription> {
  try {
    return await makeState(request);
  } catch (error) {
    if (error instanceof MissingTool) return fault(infra('tool-missing', error.message));
    throw error;
  }
}

async function makeState(request: StateRequest): Attempt<StateDescription> {
  const { task, ecosystem, source, lower, into, scratch } = request;
  const tree = readTree(join(source, 'testbed'));
  const solvedTree = new Map(tree);
  const changed = await taskChanges(task, tree, solvedTree, scratch);
  if (!changed.ok) return changed;
  const { solution, tests } = changed.value;
  const solved = task.patch_role === 'bug' ? 'before' : 'after';
  const touched = new Set([...solution, ...tests].map(({ path }) => path));
  const names = new Set([...tree.keys(), ...solvedTree.keys()]);
  const rules = ecosystemNamed(ecosystem ?? DEFAULT_ECOSYSTEM).tests;
  const found =
    rules === null ? located(testFiles(task).hidden, names) : hiddenBy(rules, task, solvedTree, touched);
  const expected = snapshotsOf(found, names).filter((path) => !touched.has(path));
  const hidden = hide([...found, ...expected], tree, solvedTree);
  const secrets = new Secrets(
    [
      ...secretsOf('solution', solution, solved),
      ...secretsOf('test', tests, 'after'),
      ...hidden.flatMap(([path, file]): Secret[] => {
        const bytes = fileBytes(file);
        return bytes === null ? [] : [secretOf('test', path, bytes, null)];
      }),
      ...diffsOf(task),
    ],
    [...solution, ...tests].flatMap(
      (change) => fileBytes(change[changeSide(change, solution, solved)]) ?? [],
    ),
  );
  const work = join(into, 'work');
  for (const folder of ['tree', 'withheld', 'work']) mkdirSync(join(into, folder));
  const copiesInside = replaceInTree(tree, secrets, touched);
  const replacements = replacementsFor({
    lower,
    secrets,
    tree,
    solution: solution.map((change) => ({
      path: change.path,
      names: carriedNames(change.path, solvedTree),
      solved: fileBytes(change[solved]),
      substitute: fileBytes(tree.get(change.path)),
    })),
    work,
    blobs: () => blobsOf(tree, secrets),
  });
  const { commit, writtenAt } = await writeState({
    into: join(into, 'tree'),
    work,
    tree,
    replacements: replacements.files,
    lower,
  });
  rmSync(work, { recursive: true });
  const withheld = hidden.map(([path, file], index) => withhold(path, file, `${index}`, into));
  const copies = [...copiesInside, ...replacements.copies].map(({ at, path }) => ({ at: `/${at}`, path }));
  return success({ commit, writtenAt, withheld: withheld.flat(), copies });
}

/** The row's own diffs, as images of Multi-SWE-bench have them in files, with or without their last line end. */
function diffsOf({ patch, test_patch }: StateTask): Secret[] {
  return [patch, test_patch].flatMap((diff) => {
    const bare = diff.trimEnd();
    const forms = bare === '' ? [] : [diff, bare, `${bare}\n`];
    return [...new Set(forms)].map((text) => secretOf('solution', 'fix.patch', Buffer.from(text), null));
  });
}

/** The side of a change that the task shows. */
function changeSide(
  change: Change,
  solution: readonly Change[],
  solved: 'before' | 'after',
): 'before' | 'after' {
  return solution.includes(change) && solved === 'before' ? 'after' : 'before';
}

interface TaskChanges {
  /** Between the task's state and the solved one, in either direction. */
  solution: Change[];
  /** What the test patch does. */
  tests: Change[];
}

/** Brings `tree` into the task's state and `solved` into the solved one, and says how they differ. */
async function taskChanges(
  task: StateTask,
  tree: Tree,
  solved: Tree,
  options: ScratchOptions,
): Attempt<TaskChanges> {
  const opened = await Scratch.open(options);
  if (!opened.ok) return opened;
  const scratch = opened.value;
  try {
    const isBug = task.patch_role === 'bug';
    const step = { title: isBug ? 'bug patch' : 'gold patch', diff: task.patch, role: 'apply' } as const;
    const solution =
      task.patch.trim() === '' ? success([]) : await scratch.apply(step, isBug ? tree : solved);
    // A gold patch that does not apply solves nothing, which validation says.
    if (!solution.ok && (isBug || isFault(solution.fault))) return solution;
    const patch = testPatch(task as Instance);
    const tests = patch === null ? success([]) : await scratch.apply(patch, new Map(tree));
    if (!tests.ok && isFault(tests.fault)) return tests;
    return success({ solution: solution.ok ? solution.value : [], tests: tests.ok ? tests.value : [] });
  } finally {
    await scratch.close();
  }
}

/** Files that an ecosystem hides if the source holds the tests, without those in `apart`, which the task's patches change. */
function hiddenBy(
  rules: EcosystemTests,
  task: StateTask,
  solved: Tree,
  apart: ReadonlySet<string>,
): string[] {
  if (!holdsTests(task) || rules.hides === undefined) return [];
  const texts = new Map<string, string>();
  const read = (path: string) => {
    const text = texts.get(path) ?? fileBytes(solved.get(path))?.toString() ?? '';
    texts.set(path, text);
    return text;
  };
  const failing = task.FAIL_TO_PASS.filter((id) => id !== UNMEASURED);
  return rules.hides(failing, { paths: [...solved.keys()], read }).filter((path) => !apart.has(path));
}

/** Removes the named files, and all below named folders, from `tree`. Returns them as `solved` has them. */
function hide(names: readonly string[], tree: Tree, solved: Tree): [string, TreeFile][] {
  const wanted = names.map((name) => posix.normalize(name).replace(/\/$/, '')).filter(isInside);
  const isHidden = (path: string) => wanted.some((name) => path === name || path.startsWith(`${name}/`));
  for (const path of [...tree.keys()]) if (isHidden(path)) tree.delete(path);
  return [...solved].filter(([path]) => isHidden(path));
}

function withhold(path: string, file: TreeFile, name: string, into: string): Withheld[] {
  if (file.kind === 'link') return [{ path, kind: 'link', target: file.target }];
  if (file.kind !== 'file') return [];
  const place = join(into, 'withheld', name);
  if ('host' in file.content) copyFileSync(file.content.host, place);
  else writeFileSync(place, file.content.bytes);
  return [{ path, kind: 'file', file: name, executable: file.executable }];
}

/** Names of git objects that identify a repository of the project, at any commit. */
function blobsOf(tree: Tree, secrets: Secrets): Set<string> {
  const blobs = new Set(secrets.all.filter(({ content }) => content.length > 0).map(({ blob }) => blob));
  for (const file of tree.values())
    if (file.kind === 'file' && sizeOf(file.content) >= MIN_BYTES)
      blobs.add(objectId('blob', bytesOf(file.content)));
  return blobs;
}
