/**
 * `Workspace.diff` by exec, read and write, for backends whose workspaces have git. It uses a repository folder of
 * its own. The original state of the repository is read from the source layer on the host, if there is one. So
 * changes to `.git` inside do not decide what counts as changed.
 */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { fault, type Result, success } from '../basics/result.ts';
import {
  type DiffRefused,
  type FileRefused,
  type KeepAdded,
  LARGE_FILE,
  MAX_BYTES,
  type Workspace,
  type WorkspaceLost,
} from './deployment.ts';
import { originOf, type Repository } from './origin.ts';
import { ownGit } from './own-git.ts';

type Access = Pick<Workspace, 'exec' | 'read' | 'write'>;
/** Why there is no diff. */
type NoDiff = WorkspaceLost | DiffRefused;

export interface DiffRequest {
  /** A commit; without one the last commit of the workspace's own repository. */
  base?: string | undefined;
  /** Which of the new files belong to the diff; without it all of them. */
  keep?: KeepAdded | undefined;
  /** Host folder of the source layer; null: there is none. */
  layer: string | null;
}

/** Binary-safe unified diff of /testbed against the tree of `base`; refused when there is no such commit. */
export async function diffWorkspace(
  workspace: Access,
  { base, keep, layer }: DiffRequest,
): Promise<Result<string, NoDiff>> {
  const origin = layer === null || base === undefined ? null : await originOf(layer, base);
  const task = { workspace, base, keep, origin };
  const taken = await take(task, null);
  // The repository inside lost objects or contains others in their place, or there are files that cannot be read.
  return taken.ok || !mayBeInside(taken.fault, origin) ? taken : take(task, origin, MADE_READABLE);
}

interface Task {
  workspace: Access;
  base: string | undefined;
  keep: KeepAdded | undefined;
  origin: Repository | null;
}

/**
 * Whether what the code inside did to `.git` or to the rights of files may be the reason: git gave up, or waited for a
 * pipe or read without end in a repository that need not be read.
 */
function mayBeInside(why: NoDiff, origin: Repository | null): boolean {
  if (why.status !== 'refused' || why.end === null) return false;
  if ([1, 128].includes(why.end.exitCode ?? -1)) return true;
  return origin !== null && (why.end.timedOut || isKilled(why.end.exitCode));
}

/** Gives the user back what it takes to read its own files. git keeps no right to read, so the diff is the same. */
const MADE_READABLE = [
  'find . -type d ! -perm -500 -exec chmod u+rx {} \\; -o -type f ! -perm -400 -exec chmod u+r {} + || true',
];

/**
 * `objects`: the repository whose objects are copied; null: those of the workspace's own repository are used. `before`:
 * commands to run first.
 */
async function take(
  task: Task,
  objects: Repository | null,
  before: readonly string[] = [],
): Promise<Result<string, NoDiff>> {
  const { workspace, base, origin } = task;
  // It is not removed, since that would take longer than a small diff; it goes with the workspace.
  const scratch = `/tmp/.swemake-diff-${randomBytes(6).toString('hex')}`;
  const git = ownGit(scratch, [objects === null ? '/testbed/.git/objects' : `${scratch}/brought`]);
  const brought = (await objects?.bring(workspace, `${scratch}/brought`)) ?? null;
  if (brought !== null) return fault(withoutFile(brought));
  for (const [name, bytes] of ownFiles(origin)) {
    const written = await workspace.write(`${scratch}/git/${name}`, bytes);
    if (!written.ok) return fault(withoutFile(written.fault));
  }
  const begin = origin === null ? ownBase(base, scratch) : [`base=${base}; echo "$base" > ${scratch}/base`];
  const show = `git diff-index --cached ${OPTIONS} "$base" > ${scratch}/text`;
  const changed = [...oddFiles(scratch), ...changedFiles(scratch)];
  const compare = [...git, ...before, ...begin, ...changed, `[ -s ${scratch}/new ] || ${show}`];
  const listed = await runThenRead(workspace, compare, `${scratch}/new`);
  if (!listed.ok) return listed;
  const again = [...git, `base=$(< ${scratch}/base)`];
  if (listed.value.length > 0) {
    const added = await addNew(task, scratch, again, show);
    if (added !== null) return fault(added);
  }
  const text = await stored(workspace, `${scratch}/text`);
  if (!text.ok) return text;
  if (isUtf8(text.value)) return success(text.value.toString());
  return withBinary(workspace, text.value, again, scratch, show);
}

/** The files that are taken from the layer's repository. */
function ownFiles(origin: Repository | null): [name: string, bytes: Uint8Array | string][] {
  if (origin === null) return [];
  return [
    ['index', origin.index],
    ['info/exclude', origin.exclude],
  ];
}

/** Brings the new files that belong to the diff into it. */
async function addNew(
  task: Task,
  scratch: string,
  again: readonly string[],
  show: string,
): Promise<NoDiff | null> {
  const { workspace } = task;
  const kept = await keptFiles(task, scratch, again);
  if (!kept.ok) return kept.fault;
  const list = Buffer.from(kept.value.map((name) => `${name}\0`).join(''), 'latin1');
  const written = await workspace.write(`${scratch}/kept`, list);
  if (!written.ok) return withoutFile(written.fault);
  return run(workspace, [...again, `git update-index --add -z --stdin < ${scratch}/kept`, show]);
}

/** Those of the new files that belong to the diff. */
async function keptFiles(
  { workspace, keep, origin }: Task,
  scratch: string,
  begin: readonly string[],
): Promise<Result<string[], NoDiff>> {
  const index = `${scratch}/then`;
  const written = origin === null ? success(null) : await workspace.write(index, origin.index);
  if (!written.ok) return fault(withoutFile(written.fault));
  const read = origin === null ? [`GIT_INDEX_FILE=${index} git read-tree "$base"`] : [];
  const look = [...begin, ...read, ...rulesOf(index, scratch), ...newFiles(scratch)];
  const listed = await runThenRead(workspace, look, `${scratch}/sizes`);
  if (!listed.ok) return listed;
  const sizes = sizesIn(listed.value);
  const known = await stored(workspace, `${scratch}/known`);
  if (!known.ok) return known;
  const kept = choose(sizes, namesIn(known.value), keep);
  const bytes = kept.reduce((sum, name) => sum + sizes.get(name)!, 0);
  if (bytes <= MAX_BYTES && kept.length <= MAX_FILES) return success(kept);
  const detail = `there are ${kept.length} new files of ${bytes} bytes, and a diff holds ${MAX_FILES} of ${MAX_BYTES}`;
  return fault({ status: 'refused', detail, end: null });
}

/** Files whose text is not UTF-8 are taken as binary patches, all others as text. */
async function withBinary(
  workspace: Access,
  text: Buffer,
  git: readonly string[],
  scratch: string,
  show: string,
): Promise<Result<string, NoDiff>> {
  const attributes = `echo '* -diff' >> ${scratch}/git/info/attributes`;
  const shown = await runThenRead(workspace, [...git, attributes, show], `${scratch}/text`);
  if (!shown.ok) return shown;
  const binary = sections(shown.value);
  return success(
    sections(text)
      .map((section, at) => (isUtf8(section) ? section : (binary[at] ?? section)).toString())
      .join(''),
  );
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

/** Reads the base from the workspace's own repository, when it is known from nowhere else, and sets the index to it. */
function ownBase(base: string | undefined, scratch: string): string[] {
  const own = '"$(GIT_DIR=/testbed/.git git rev-parse --verify HEAD)"';
  return [
    `base=${base ?? own}; git cat-file -e "$base^{tree}"`,
    `echo "$base" > ${scratch}/base`,
    'git read-tree "$base"',
    'if [ -f .git/info/exclude ]; then cp .git/info/exclude "$GIT_DIR/info/exclude"; fi',
  ];
}

/**
 * Deals with files that git cannot read, or not in any time. A pipe, socket or device in the place of a file removes
 * that file; git would wait for one with the name of its own files. Changed files that are too large end the script.
 */
function oddFiles(scratch: string): string[] {
  const odd = `-type p -o -type s -o -type b -o -type c -o -type f -size +${LARGE_FILE}c`;
  return [
    // Its code is 1 if it may not enter a folder.
    `find . -path ./.git -prune -o \\( ${odd} \\) -printf '%y%s/%P\\0' > ${scratch}/odd || [ $? = 1 ]`,
    `if [ -s ${scratch}/odd ]; then sum=0; : > ${scratch}/no-files`,
    "  while IFS= read -r -d '' line; do",
    '    name=${line#*/}; size=${line%%/*}; size=${size:1}',
    '    if [ "${line:0:1}" = f ]; then',
    '      was=$(git cat-file -s "$base:$name" 2>/dev/null) || continue',
    '      [ "$was" = "$size" ] || sum=$((sum + size))',
    `    else printf '%s\\0' "$name" >> ${scratch}/no-files`,
    '      case ${name##*/} in .gitattributes | .gitignore) rm -f -- "$name" ;; esac',
    '    fi',
    `  done < ${scratch}/odd`,
    `  if ((sum > ${MAX_BYTES})); then echo "files were changed to $sum bytes, and a diff holds ${MAX_BYTES}"; exit 3; fi`,
    `  git update-index --force-remove -z --stdin < ${scratch}/no-files`,
    'fi',
  ];
}

/** Adds all changed files to the index. New files are only listed. */
function changedFiles(scratch: string): string[] {
  return ['git add -u .', `git ls-files -o -z > ${scratch}/new`];
}

/** The names in the base's index, and a tree with its ignore rules. */
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
 * New files that are not ignored. The rules that count are those of the base, and those in folders that the base does
 * not have. A file counts nevertheless if no rule ignores it any more, or if it was added to the index by force.
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
    // A file that is gone meanwhile has no size; xargs ends with 123 then.
    `xargs -0 -r stat --printf='%s %n\\0' -- < ${scratch}/added > ${scratch}/sizes || [ $? = 123 ]`,
  ];
}

/** Names as bytes, one character for each. */
function namesIn(list: Buffer): string[] {
  return list.toString('latin1').split('\0').slice(0, -1);
}

function sizesIn(list: Buffer): Map<string, number> {
  return new Map(
    namesIn(list).map((line) => [
      line.slice(line.indexOf(' ') + 1),
      Number(line.slice(0, line.indexOf(' '))),
    ]),
  );
}

/** Repositories inside of this one are never part of it; their names end in a slash. */
function choose(
  sizes: ReadonlyMap<string, number>,
  known: readonly string[],
  keep: KeepAdded | undefined,
): string[] {
  const added = [...sizes.keys()];
  const files = added.filter((name) => !name.endsWith('/'));
  if (keep === undefined || added.length === 0) return files;
  const asText = (name: string) => Buffer.from(name, 'latin1').toString();
  const texts = new Map([...sizes].map(([name, size]) => [asText(name), size]));
  const kept = new Set(keep([...texts.keys()], known.map(asText), (name) => texts.get(name) ?? 0));
  return files.filter((name) => kept.has(asText(name)));
}

/** The file that git wrote. A missing file is no empty diff. */
async function stored(workspace: Access, path: string): Promise<Result<Buffer, NoDiff>> {
  const read = await workspace.read(path);
  if (!read.ok) return fault(withoutFile(read.fault));
  if (read.value === null) return fault({ status: 'refused', detail: `${path} is gone`, end: null });
  return success(Buffer.from(read.value));
}

function withoutFile(why: WorkspaceLost | FileRefused): NoDiff {
  return why.status === 'refused' ? { status: 'refused', detail: why.detail, end: null } : why;
}

const TIMEOUT_SECONDS = 300;
/** New files that a diff can hold. */
const MAX_FILES = 100_000;
/** Exit codes of commands that a signal killed. */
const isKilled = (code: number | null) => code === null || code > 128;

/** Why the script failed, or null. */
async function run(workspace: Access, script: readonly string[]): Promise<NoDiff | null> {
  const ran = await workspace.exec(script.join('\n'), { timeout: TIMEOUT_SECONDS });
  if (!ran.ok) return ran.fault;
  return ran.value.exitCode === 0
    ? null
    : { status: 'refused', detail: ran.value.output.trim(), end: ran.value };
}

async function runThenRead(
  workspace: Access,
  script: readonly string[],
  path: string,
): Promise<Result<Buffer, NoDiff>> {
  const failed = await run(workspace, script);
  return failed === null ? stored(workspace, path) : fault(failed);
}
