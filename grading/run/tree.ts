/**
 * Finds what a patch really changed, and restores files: the repository's files are written as a git tree before and
 * after, into a repository folder of swemake's own. So the task's own stays as it is and has no influence. This runs
 * before any code of the patch does.
 */

import { fault, success } from '../../basics/result.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { fileFault, helperFault } from '../../executors/helper-fault.ts';
import { ownGit } from '../../executors/own-git.ts';
import { type Attempt, infra, type Outcome } from '../../schemas/outcome.ts';

export interface TreeChange {
  path: string;
  /** The file is new. */
  added: boolean;
  /** Where the symbolic link that it now is leads; null for anything else. */
  target: string | null;
  /** It is, or has become, a submodule. */
  isSubmodule: boolean;
}

export interface TreeChanges {
  files: TreeChange[];
  /** Something in `.git` is not what it was. */
  isRepositoryChanged: boolean;
}

/** Seconds; a large repository is read once. */
const TIMEOUT = 300;
const SCRATCH = '/tmp/.swemake-tree';
const COMPARING = 'comparing the repository’s files';

// Objects of the task are only looked up where files are restored: git marks those that it would write again as fresh.
const GIT = [
  ...ownGit(SCRATCH),
  // What cannot be added (a nested repository without a commit) is no file of the task; it is named in the file $1.
  // Any other code than 1 means that nothing was added.
  'add() {',
  `  code=0; git add -A -f --ignore-errors . 2> ${SCRATCH}/errors || code=$?`,
  `  [ "$code" -le 1 ] || { cat ${SCRATCH}/errors; return "$code"; }`,
  `  while IFS= read -r line; do case $line in error:\\ * | fatal:\\ *) echo "$line" ;; esac; done < ${SCRATCH}/errors > "$1"`,
  '}',
  // A file that could be added before and cannot now would look like one that did not change.
  `same() { [ "$(<${SCRATCH}/left-out)" = "$(<"$1")" ] || { cat "$1"; return 1; }; }`,
  // Times of change do not help: layers share files by hard links, and making a link counts as a change.
  `repository() { if [ -e .git ]; then find .git -printf '%p %y %m %s %T@ %l\\n' | sort | sha256sum; fi; }`,
];

/** Remembers the files as they are now. The source's index keeps git from reading what did not change. */
export function rememberTree(workspace: Workspace, signal: AbortSignal): Attempt<string> {
  return run(
    workspace,
    [
      ...GIT,
      'if [ -f .git/index ]; then cp .git/index "$GIT_INDEX_FILE"; fi',
      `add ${SCRATCH}/left-out`,
      'git write-tree --missing-ok',
      `cp "$GIT_INDEX_FILE" ${SCRATCH}/before; repository > ${SCRATCH}/repository`,
    ],
    signal,
  );
}

/** What has changed since `rememberTree` gave `tree`. */
export async function changesSince(
  tree: string,
  workspace: Workspace,
  signal: AbortSignal,
): Attempt<TreeChanges> {
  const ran = await run(
    workspace,
    [
      ...GIT,
      `add ${SCRATCH}/left-out-now; same ${SCRATCH}/left-out-now`,
      'after=$(git write-tree --missing-ok)',
      `git diff-tree -r -z --no-renames ${tree.trim()} "$after" > ${SCRATCH}/changes`,
      "while IFS= read -r -d '' change && IFS= read -r -d '' path; do",
      '  case $change in :??????\' 120000 \'*) readlink -z -- "$path" ;; esac',
      `done < ${SCRATCH}/changes > ${SCRATCH}/targets`,
      `repository > ${SCRATCH}/repository-now`,
      `code=0; cmp -s ${SCRATCH}/repository ${SCRATCH}/repository-now || code=$?`,
      '[ $code -le 1 ]; [ $code = 0 ] || echo changed',
    ],
    signal,
  );
  if (!ran.ok) return ran;
  const listed = await listAt('changes', workspace);
  if (!listed.ok) return listed;
  const targets = await listAt('targets', workspace);
  if (!targets.ok) return targets;
  const fields = listed.value;
  const files: TreeChange[] = [];
  let links = 0;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode, newMode] = fields[at]!.split(' ');
    files.push({
      path: fields[at + 1]!,
      added: oldMode === ':000000',
      target: newMode === '120000' ? targets.value[links++]! : null,
      isSubmodule: newMode === '160000',
    });
  }
  if (links !== targets.value.length) return fault(infra('helper', 'the repository’s links cannot be read'));
  return success({ files, isRepositoryChanged: ran.value.trim() === 'changed' });
}

async function listAt(name: string, workspace: Workspace): Attempt<string[]> {
  const read = await workspace.read(`${SCRATCH}/${name}`);
  if (!read.ok) return fault(fileFault(COMPARING, read.fault));
  if (read.value === null) return fault(infra('helper', `${COMPARING}: the list of ${name} is gone`));
  return success(Buffer.from(read.value).toString('utf8').split('\0').slice(0, -1));
}

/** What kept the list from being written, or null. */
async function writeList(
  name: string,
  files: readonly TreeChange[],
  workspace: Workspace,
): Promise<Outcome | null> {
  const text = files.map(({ path }) => `${path}\0`).join('');
  const written = await workspace.write(`${SCRATCH}/${name}`, text);
  return written.ok ? null : fileFault(COMPARING, written.fault);
}

/** Brings files back to what `rememberTree` saw; new ones are removed. */
export async function putBack(
  changes: readonly TreeChange[],
  workspace: Workspace,
  signal: AbortSignal,
): Attempt<string> {
  const added = changes.filter((change) => change.added);
  const others = changes.filter((change) => !change.added);
  const refused =
    (await writeList('remove', added, workspace)) ?? (await writeList('restore', others, workspace));
  if (refused !== null) return fault(refused);
  return run(
    workspace,
    [
      ...GIT,
      `xargs -0 -r rm -rf -- < ${SCRATCH}/remove`,
      'export GIT_ALTERNATE_OBJECT_DIRECTORIES=/testbed/.git/objects',
      `GIT_INDEX_FILE=${SCRATCH}/before git checkout-index -f -z --stdin < ${SCRATCH}/restore`,
    ],
    signal,
  );
}

async function run(workspace: Workspace, lines: readonly string[], signal: AbortSignal): Attempt<string> {
  const ran = await workspace.exec(lines.join('\n'), { timeout: TIMEOUT, signal });
  if (!ran.ok) return ran;
  const broken = helperFault(COMPARING, ran.value);
  if (broken !== null) return fault(broken);
  if (ran.value.exitCode === 0) return success(ran.value.stdout);
  return fault(infra('helper', `the repository’s files cannot be compared: ${ran.value.output.trim()}`));
}
