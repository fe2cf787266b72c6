/**
 * `Workspace.diff` in terms of exec and read, for backends whose workspaces hold git. Plumbing commands with a
 * private index and object folder: the repository's own state and its display settings stay out of it.
 */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { type ExecResult, HelperFailed, type Workspace } from './deployment.ts';

const TIMEOUT_SECONDS = 300;

/** Bytes of a diff that a command's output may hold; a larger one is left in a file. */
const SHOWN = 16 << 20;
const REPLACEMENT = '\ufffd';

/**
 * Binary-safe unified diff of /testbed against the tree of `base`, its last commit for none; rejects when there is
 * no such commit.
 */
export async function diffWorkspace(
  workspace: Pick<Workspace, 'exec' | 'read'>,
  base = 'HEAD',
): Promise<string> {
  const shown = await run(workspace, (scratch) => [
    ...STAGE(scratch),
    `git diff-index --cached ${OPTIONS} ${base}; rm -rf ${scratch}`,
  ]);
  // What is no UTF-8 was replaced in an output.
  if (!shown.truncated && !shown.stdout.includes(REPLACEMENT)) return shown.stdout;
  return storedDiff(workspace, base);
}

/** By way of two files, in one of which every file is treated as binary. */
async function storedDiff(workspace: Pick<Workspace, 'exec' | 'read'>, base: string): Promise<string> {
  const { scratch } = await run(workspace, (folder) => [
    ...STAGE(folder),
    `echo '* -diff' > ${folder}/attributes`,
    `git diff-index --cached ${OPTIONS} ${base} > ${folder}/text`,
    `git -c core.attributesFile=${folder}/attributes diff-index --cached ${OPTIONS} ${base} > ${folder}/binary`,
  ]);
  const text = await stored(workspace, `${scratch}/text`);
  const patch = isUtf8(text)
    ? text.toString()
    : mergeSections(text, await stored(workspace, `${scratch}/binary`));
  await workspace.exec(`rm -rf ${scratch}`, { timeout: TIMEOUT_SECONDS });
  return patch;
}

/** What git wrote; a file that is not there is no empty diff. */
async function stored(workspace: Pick<Workspace, 'read'>, path: string): Promise<Buffer> {
  const bytes = await workspace.read(path);
  if (bytes === null) throw new Error(`diff: ${path} is gone`);
  return Buffer.from(bytes);
}

async function run(
  workspace: Pick<Workspace, 'exec'>,
  script: (scratch: string) => string[],
): Promise<ExecResult & { scratch: string }> {
  const scratch = `/tmp/.swemake-diff-${randomBytes(6).toString('hex')}`;
  const options = { timeout: TIMEOUT_SECONDS, maxOutput: SHOWN };
  const result = await workspace.exec(script(scratch).join('\n'), options);
  if (!result.ok || result.value.exitCode !== 0) throw new HelperFailed('diff', result);
  return { scratch, ...result.value };
}

const OPTIONS = [
  '-p --binary --full-index --no-renames --no-color --no-ext-diff --no-textconv --no-relative',
  '-U3 --inter-hunk-context=0 --src-prefix=a/ --dst-prefix=b/ -O/dev/null --ignore-submodules=none',
].join(' ');

/**
 * Brings all of the tree into an index of its own, and what is new into a folder of objects. The copied index keeps
 * git from reading files that did not change.
 */
const STAGE = (scratch: string): string[] => [
  'set -e; cd /testbed',
  'export LC_ALL=C GIT_OPTIONAL_LOCKS=0 GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null',
  'unset GIT_EXTERNAL_DIFF; export GIT_DIR=/testbed/.git GIT_WORK_TREE=/testbed',
  'git() { command git -c safe.directory="*" -c core.fsmonitor=false -c core.hooksPath=/dev/null -c core.quotePath=true -c core.fileMode=true -c core.autocrlf=false "$@"; }',
  'index=.git/index; objects=/testbed/.git/objects',
  'if [ ! -d .git ]; then index=$(git rev-parse --git-path index); objects=$(git rev-parse --git-path objects); objects=$(cd "$objects" && pwd); fi',
  `if [ -f "$index" ]; then install -D -m 600 "$index" ${scratch}/index; else mkdir -p ${scratch}; fi`,
  `export GIT_INDEX_FILE=${scratch}/index GIT_OBJECT_DIRECTORY=${scratch} GIT_ALTERNATE_OBJECT_DIRECTORIES=$objects`,
  'git -c core.safecrlf=false -c advice.addEmbeddedRepo=false add -A',
];

/** Files whose text is not UTF-8 are taken as binary patches, all others as text. */
function mergeSections(text: Buffer, binary: Buffer): string {
  const asText = sections(text);
  const asBinary = sections(binary);
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
