/**
 * What a patch really changed, and putting files back: the repository's files as a git tree before and after, with
 * an index and an object folder of our own, so that the repository stays as it is. Runs before any code of the
 * patch does.
 */
import type { Workspace } from '../../executors/deployment.ts';
import { helperFault } from '../../grading/helper.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import { fault, type Result, success } from '../../schemas/result.ts';

export interface TreeChange {
  path: string;
  /** The file is new. */
  added: boolean;
  /** It is, or has become, a symbolic link or a submodule. */
  link: boolean;
}

type Fault = Infra | Outcome;

/** Seconds; a large repository is read once. */
const TIMEOUT = 300;
const SCRATCH = '/tmp/.swemake-tree';

const GIT = [
  'set -e; cd /testbed',
  'export LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_DIR=/testbed/.git GIT_WORK_TREE=/testbed',
  `export GIT_INDEX_FILE=${SCRATCH}/index GIT_OBJECT_DIRECTORY=${SCRATCH}/objects`,
  'export GIT_ALTERNATE_OBJECT_DIRECTORIES=/testbed/.git/objects',
  `git() { command git -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.autocrlf=false -c core.fileMode=true "$@"; }`,
  // What cannot be added (a nested repository without a commit) is no file of the task; it is named in the file $1.
  // Any other code than 1 means that nothing was added.
  'add() {',
  `  code=0; git -c core.safecrlf=false -c advice.addEmbeddedRepo=false add -A -f --ignore-errors . 2> ${SCRATCH}/said || code=$?`,
  `  [ "$code" -le 1 ] || { cat ${SCRATCH}/said; return "$code"; }`,
  `  grep '^error: \\|^fatal: ' ${SCRATCH}/said > "$1" || [ $? = 1 ]`,
  '}',
  // A file that could be added before and cannot now would look like one that did not change.
  `same() { cmp -s ${SCRATCH}/left-out "$1" || { cat "$1"; return 1; }; }`,
];

/** Remembers the files as they are now. */
export function rememberTree(workspace: Workspace, signal: AbortSignal): Promise<Result<string, Fault>> {
  const copy = `mkdir -p ${SCRATCH}/objects; if [ -f .git/index ]; then cp .git/index ${SCRATCH}/index; fi`;
  return run(
    workspace,
    [...GIT, copy, `add ${SCRATCH}/left-out`, 'git write-tree', `cp ${SCRATCH}/index ${SCRATCH}/before`],
    signal,
  );
}

/** What has changed since `rememberTree` gave `tree`. */
export async function changesSince(
  tree: string,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Result<TreeChange[], Fault>> {
  const compare = `git diff-tree -r -z --no-renames ${tree.trim()} "$after" > ${SCRATCH}/changes`;
  const add = `add ${SCRATCH}/left-out-now; same ${SCRATCH}/left-out-now`;
  const ran = await run(workspace, [...GIT, add, 'after=$(git write-tree)', compare], signal);
  if (!ran.ok) return ran;
  const bytes = await workspace.read(`${SCRATCH}/changes`);
  if (bytes === null) return fault(infra('executor', 'the list of changed files is gone'));
  const fields = Buffer.from(bytes).toString('utf8').split('\0');
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode, newMode] = fields[at]!.split(' ');
    const link = newMode === '120000' || newMode === '160000';
    changes.push({ path: fields[at + 1]!, added: oldMode === ':000000', link });
  }
  return success(changes);
}

/** Brings files back to what `rememberTree` saw; new ones are removed. */
export async function putBack(
  changes: readonly TreeChange[],
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Result<string, Fault>> {
  const list = (added: boolean) =>
    changes
      .filter((change) => change.added === added)
      .map(({ path }) => `${path}\0`)
      .join('');
  await workspace.write(`${SCRATCH}/remove`, list(true));
  await workspace.write(`${SCRATCH}/restore`, list(false));
  return run(
    workspace,
    [
      ...GIT,
      `xargs -0 -r rm -rf -- < ${SCRATCH}/remove`,
      `GIT_INDEX_FILE=${SCRATCH}/before git checkout-index -f -z --stdin < ${SCRATCH}/restore`,
    ],
    signal,
  );
}

async function run(
  workspace: Workspace,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<Result<string, Fault>> {
  const ran = await workspace.exec(lines.join('\n'), { timeout: TIMEOUT, signal });
  if (!ran.ok) return ran;
  const broken = helperFault('comparing the repository’s files', ran.value);
  if (broken !== null) return fault(broken);
  if (ran.value.exitCode === 0) return success(ran.value.stdout);
  return fault(infra('executor', `the repository’s files cannot be compared: ${ran.value.output.trim()}`));
}
