/**
 * `Workspace.diff` in terms of exec, read and write, for backends whose workspaces hold git. The repository folder is
 * one of our own; what the workspace's repository was at the start is taken from the source layer on the host, where
 * there is one, so that nothing that was done to `.git` inside decides what counts as changed.
 */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { HelperFailed, type KeepAdded, type Workspace } from './deployment.ts';
import { originOf, type Repository } from './origin.ts';
import { ownGit } from './own-git.ts';

type Access = Pick<Workspace, 'exec' | 'read' | 'write'>;

export interface DiffRequest {
  /** A commit; without one the last commit of the workspace's own repository. */
  base?: string | undefined;
  /** Which of the new files belong to the diff; without it all of them. */
  keep?: KeepAdded | undefined;
  /** Host folder of the source layer; null: there is none. */
  layer: string | null;
}

/** Binary-safe unified diff of /testbed against the tree of `base`; rejects when there is no such commit. */
export async function diffWorkspace(workspace: Access, { base, keep, layer }: DiffRequest): Promise<string> {
  const origin = layer === null || base === undefined ? null : await originOf(layer, base);
  const task = { workspace, base, keep, origin };
  try {
    return await take(task, null);
  } catch (error) {
    if (origin === null || !isGitsOwn(error)) throw error;
  }
  // The repository inside lacks what it had at the start, or holds something else in its place.
  return take(task, origin);
}

interface Task {
  workspace: Access;
  base: string | undefined;
  keep: KeepAdded | undefined;
  origin: Repository | null;
}

/** Git ends so when it cannot go on; any other end has other reasons. */
function isGitsOwn(error: unknown): boolean {
  if (!(error instanceof HelperFailed) || !error.end.ok) return false;
  return [1, 128].includes(error.end.value.exitCode ?? -1);
}

/** `objects`: whose objects are brought along; null: those of the workspace's own repository are looked at. */
async function take(task: Task, objects: Repository | null): Promise<string> {
  const { workspace, base, origin } = task;
  // It stays, like all that lies in the workspace's /tmp: to remove it would take longer than a small diff.
  const scratch = `/tmp/.swemake-diff-${randomBytes(6).toString('hex')}`;
  const git = ownGit(scratch, [objects === null ? '/testbed/.git/objects' : `${scratch}/brought`]);
  await objects?.bring(workspace, `${scratch}/brought`);
  if (origin !== null) {
    await workspace.write(`${scratch}/git/index`, origin.index);
    await workspace.write(`${scratch}/git/info/exclude`, origin.exclude);
  }
  const begin = origin === null ? ownBase(base, scratch) : [`base=${base}; echo "$base" > ${scratch}/base`];
  const show = `git diff-index --cached ${OPTIONS} "$base" > ${scratch}/text`;
  await run(workspace, [...git, ...begin, ...changedFiles(scratch), `[ -s ${scratch}/new ] || ${show}`]);
  const again = [...git, `base=$(< ${scratch}/base)`];
  if ((await stored(workspace, `${scratch}/new`)).length > 0) {
    const kept = await keptFiles(task, scratch, again);
    await workspace.write(`${scratch}/kept`, Buffer.from(kept.map((name) => `${name}\0`).join(''), 'latin1'));
    await run(workspace, [...again, `git update-index --add -z --stdin < ${scratch}/kept`, show]);
  }
  const text = await stored(workspace, `${scratch}/text`);
  return isUtf8(text) ? text.toString() : withBinary(workspace, text, again, scratch, show);
}

/** Those of the new files that belong to the diff. */
async function keptFiles(
  { workspace, keep, origin }: Task,
  scratch: string,
  begin: readonly string[],
): Promise<string[]> {
  const index = `${scratch}/then`;
  if (origin !== null) await workspace.write(index, origin.index);
  const read = origin === null ? [`GIT_INDEX_FILE=${index} git read-tree "$base"`] : [];
  await run(workspace, [...begin, ...read, ...rulesOf(index, scratch), ...newFiles(scratch)]);
  const added = namesIn(await stored(workspace, `${scratch}/added`));
  return added.filter(await choose(workspace, added, scratch, keep));
}

/** Files whose text is not UTF-8 are taken as binary patches, all others as text. */
async function withBinary(
  workspace: Access,
  text: Buffer,
  git: readonly string[],
  scratch: string,
  show: string,
): Promise<string> {
  const attributes = `echo '* -diff' >> ${scratch}/git/info/attributes`;
  await run(workspace, [...git, attributes, show]);
  const binary = sections(await stored(workspace, `${scratch}/text`));
  return sections(text)
    .map((section, at) => (isUtf8(section) ? section : (binary[at] ?? section)).toString())
    .join('');
}

/** One piece per file: content lines of a diff never begin with "diff --git ". */
function sections(patch: Buffer): Buffer[] {
  return patch
    .toString('latin1')
    .split(/^(?=diff --git )/m)
    .map((section) => Buffer.from(section, 'latin1'));
}

const OPTIONS = [
  '-p --binary --full-index --no-renames --no-color --no-ext-diff --no-textconv --no-relative',
  '-U3 --inter-hunk-context=0 --src-prefix=a/ --dst-prefix=b/ -O/dev/null --ignore-submodules=all',
].join(' ');

/** Where nobody else knows it, the workspace's repository says what the base is; the index is made to be that. */
function ownBase(base: string | undefined, scratch: string): string[] {
  const own = '"$(GIT_DIR=/testbed/.git git rev-parse --verify HEAD)"';
  return [
    `base=${base ?? own}; git cat-file -e "$base^{tree}"`,
    `echo "$base" > ${scratch}/base`,
    'git read-tree "$base"',
    'if [ -f .git/info/exclude ]; then cp .git/info/exclude "$GIT_DIR/info/exclude"; fi',
  ];
}

/** The index becomes what lies in the tree, but for the new files, which are listed. */
function changedFiles(scratch: string): string[] {
  return ['git add -u .', `git ls-files -o -z > ${scratch}/new`];
}

/** What the base had, by its index: all names, and a tree with its rules of what is ignored. */
function rulesOf(index: string, scratch: string): string[] {
  const git = `GIT_INDEX_FILE=${index} git`;
  return [
    `${git} ls-files -z > ${scratch}/known`,
    `mkdir -p ${scratch}/rules`,
    `${git} ls-files -z -- ':(glob)**/.gitignore' > ${scratch}/ignores`,
    `${git} checkout-index -z --stdin --prefix=${scratch}/rules/ < ${scratch}/ignores`,
  ];
}

/**
 * New files but for those that are ignored. What counts are the rules that the repository had, and those that lie in a
 * folder that it had not; a file that no rule there is now ignores, or that was added to the index by force, is not.
 */
function newFiles(scratch: string): string[] {
  const [fresh, rules] = [`${scratch}/fresh`, `${scratch}/rules`];
  return [
    `sort -z < ${scratch}/new > ${fresh}`,
    `{ grep -z '/\\.gitignore$' ${fresh} || [ $? = 1 ]; } > ${scratch}/own-rules`,
    "while IFS= read -r -d '' file; do",
    '  if [ -L "$file" ] || [ ! -f "$file" ]; then continue; fi',
    '  code=0; git cat-file -e "$base:${file%/*}" 2>/dev/null || code=$?',
    '  if [ $code = 0 ]; then continue; fi; [ $code = 128 ]',
    `  mkdir -p "${rules}/\${file%/*}"; cp -- "$file" "${rules}/$file"`,
    `done < ${scratch}/own-rules`,
    // A name that begins with a colon would mean something else.
    `ignored() { sed -z 's,^,./,' ${fresh} | { GIT_WORK_TREE=$PWD git check-ignore --no-index -z --stdin || [ $? = 1 ]; } | sed -z 's,^\\./,,'; }`,
    `(cd ${rules}; ignored) | sort -z > ${scratch}/ignored-then`,
    `ignored | sort -z > ${scratch}/ignored-now`,
    `: > ${scratch}/forced`,
    'if [ -f .git/index ] && [ ! -L .git ] && [ ! -L .git/index ]; then',
    `  { GIT_INDEX_FILE=/testbed/.git/index git ls-files -z 2>/dev/null || [ $? = 128 ]; } | sort -z > ${scratch}/forced`,
    'fi',
    `comm -z -12 ${scratch}/ignored-then ${scratch}/ignored-now > ${scratch}/ignored`,
    `comm -z -23 ${scratch}/ignored ${scratch}/forced > ${scratch}/out`,
    `comm -z -23 ${fresh} ${scratch}/out > ${scratch}/added`,
  ];
}

/** Names as bytes, one character for each. */
function namesIn(list: Buffer): string[] {
  return list.toString('latin1').split('\0').slice(0, -1);
}

/** Repositories inside of this one are never part of it; their names end in a slash. */
async function choose(
  workspace: Access,
  added: readonly string[],
  scratch: string,
  keep: KeepAdded | undefined,
): Promise<(name: string) => boolean> {
  const isFile = (name: string) => !name.endsWith('/');
  if (keep === undefined || added.length === 0) return isFile;
  const asText = (name: string) => Buffer.from(name, 'latin1').toString();
  const known = namesIn(await stored(workspace, `${scratch}/known`));
  const kept = new Set(keep(added.map(asText), known.map(asText)));
  return (name) => isFile(name) && kept.has(asText(name));
}

/** What git wrote; a file that is not there is no empty diff. */
async function stored(workspace: Access, path: string): Promise<Buffer> {
  const bytes = await workspace.read(path);
  if (bytes === null) throw new Error(`diff: ${path} is gone`);
  return Buffer.from(bytes);
}

const TIMEOUT_SECONDS = 300;

async function run(workspace: Access, script: readonly string[]): Promise<void> {
  const result = await workspace.exec(script.join('\n'), { timeout: TIMEOUT_SECONDS });
  if (!result.ok || result.value.exitCode !== 0) throw new HelperFailed('diff', result);
}
