/**
 * `Workspace.diff` in terms of exec and read, for backends whose workspaces hold git. Plumbing commands with a
 * private index and object folder: the repository's own state and its display settings stay out of it.
 */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Workspace } from './deployment.ts';

const TIMEOUT_SECONDS = 300;

/** Binary-safe unified diff of /testbed against its last commit; rejects when there is no commit. */
export async function diffWorkspace(workspace: Pick<Workspace, 'exec' | 'read'>): Promise<string> {
  const scratch = `/tmp/.swemake-diff-${randomBytes(6).toString('hex')}`;
  const result = await workspace.exec(diffCommand(scratch), { timeout: TIMEOUT_SECONDS });
  if (!result.ok) throw new Error(`diff: ${result.fault.detail}`);
  if (result.value.exitCode !== 0) throw new Error(`diff: ${result.value.output.trim()}`);
  const text = Buffer.from((await workspace.read(`${scratch}/text`)) ?? '');
  const patch = isUtf8(text)
    ? text.toString()
    : mergeSections(text, await workspace.read(`${scratch}/binary`));
  await workspace.exec(`rm -rf ${scratch}`, { timeout: TIMEOUT_SECONDS });
  return patch;
}

/**
 * Leaves the diff in SCRATCH/text, and in SCRATCH/binary one where every file is treated as binary. The copied
 * index keeps git from reading files that did not change.
 */
function diffCommand(scratch: string): string {
  const options = [
    '-r -p --binary --full-index --no-renames --no-color --no-ext-diff --no-textconv --no-relative',
    '-U3 --inter-hunk-context=0 --src-prefix=a/ --dst-prefix=b/ -O/dev/null --ignore-submodules=none',
  ].join(' ');
  return [
    'set -e',
    `mkdir -p ${scratch}/objects; echo '* -diff' > ${scratch}/attributes`,
    'export LC_ALL=C GIT_OPTIONAL_LOCKS=0 GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null',
    'unset GIT_EXTERNAL_DIFF; export GIT_DIR=/testbed/.git GIT_WORK_TREE=/testbed',
    'git() { command git -c safe.directory="*" -c core.fsmonitor=false -c core.hooksPath=/dev/null -c core.quotePath=true -c core.fileMode=true -c core.autocrlf=false "$@"; }',
    'cd /testbed; base=$(git rev-parse --verify "HEAD^{tree}")',
    'index=$(git rev-parse --git-path index); objects=$(git rev-parse --git-path objects)',
    `[ ! -f "$index" ] || cp "$index" ${scratch}/index`,
    `export GIT_INDEX_FILE=${scratch}/index`,
    `export GIT_ALTERNATE_OBJECT_DIRECTORIES=$(cd "$objects" && pwd) GIT_OBJECT_DIRECTORY=${scratch}/objects`,
    'git -c core.safecrlf=false -c advice.addEmbeddedRepo=false add -A',
    'tree=$(git write-tree)',
    `git diff-tree ${options} "$base" "$tree" > ${scratch}/text`,
    `git -c core.attributesFile=${scratch}/attributes diff-tree ${options} "$base" "$tree" > ${scratch}/binary`,
  ].join('\n');
}

/** Files whose text is not UTF-8 are taken as binary patches, all others as text. */
function mergeSections(text: Buffer, binary: Uint8Array | null): string {
  const asText = sections(text);
  const asBinary = sections(Buffer.from(binary ?? ''));
  return asText
    .map((section, at) => (isUtf8(section) ? section : (asBinary[at] ?? section)).toString())
    .join('');
}

/** One piece per file: content lines of a diff never begin with "diff --git ". */
function sections(patch: Buffer): Buffer[] {
  return patch
    .toString('latin1')
    .split(/^(?=diff --git )/m)
    .map((section) => Buffer.from(section, 'latin1'));
}
