/**
 * What a first state shows in place of files of the environment, so that no copy of the solution is left: the task's
 * own content where there is some, else nothing. If one file of a package is replaced, all files of the package are
 * written again, so that times and inodes do not show which one it was.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { digestOf } from '../../basics/digest.ts';
import { replaceInArchive } from './archive.ts';
import { headOf, type LowerEntry, type LowerFiles } from './lower.ts';
import { packageRoots } from './packages.ts';
import { isBytecode, isCached, rewriteList, rewriteOrigin, rewriteRecord } from './records.ts';
import { repositoriesWith } from './repositories.ts';
import { type Secret, type Secrets, sharedTail } from './secrets.ts';
import { type Content, fileBytes, type Tree } from './tree.ts';
import { ALIKE, coverOf, type SolvedFile, similarity, vendoredCopies } from './vendored.ts';

/** The replacement for a file of the environment. */
export type Replacement =
  | { kind: 'file'; executable: boolean; content: Content }
  | { kind: 'link'; target: string }
  | { kind: 'folder' }
  | { kind: 'gone' };

export interface Replacements {
  /** By path, without a slash in front. */
  files: Map<string, Replacement>;
  /** Copies of hidden tests: where they lie, and the repository's path of the test. */
  copies: { at: string; path: string }[];
}

export interface ReplacementRequest {
  lower: LowerFiles;
  secrets: Secrets;
  /** The repository in the task's state. */
  tree: Tree;
  /** Files that solve the task. */
  solution: readonly SolvedFile[];
  /** Folder for files that are needed for a moment. */
  work: string;
  /** Names of git objects that identify a repository of the project. */
  blobs(): ReadonlySet<string>;
}

/** Larger files of a package are not written again: no patch contains such files. */
const LARGE = 16 << 20;

export function replacementsFor(request: ReplacementRequest): Replacements {
  const { lower, secrets } = request;
  const found = new Map<string, Found>();
  const note = (path: string, content: Buffer | null, secret: Secret | null = null) => {
    if (!found.has(path)) found.set(path, { content, secret });
  };
  for (const entry of lower.entries) {
    if (entry.type !== 'file') continue;
    const secret = secrets.hasSize(entry.size) ? secrets.bySha256(entry.path, entry.digest) : null;
    if (secret !== null) note(entry.path, secret.substitute, secret);
    else if (isBytecode(entry.path)) noteBytecode(entry, request, note);
    else if (/\.egg-info\/(?:SOURCES|installed-files)\.txt$/.test(entry.path)) noteList(entry, secrets, note);
  }
  const repositories = repositoriesWith(request.blobs, lower);
  noteInstalled(request, note);
  const cover = coverOf(request.solution, request.work);
  for (const [at, content] of vendoredCopies(lower, cover)) note(at, content);
  for (const folder of repositories) noteCheckout(folder, request, note);
  const crates = new Map<LowerFile, string>();
  const isLocked = lockedIn(request.tree);
  for (const entry of lower.archives()) {
    const covered = found.has(entry.path)
      ? null
      : replaceInArchive(entry.path, readFileSync(entry.host), secrets, isLocked(entry) ? undefined : cover);
    if (covered !== null) note(entry.path, covered === 'gone' ? null : covered);
    if (entry.type === 'file' && entry.path.endsWith('.crate') && Buffer.isBuffer(covered))
      crates.set(entry, digestOf(covered));
  }
  for (const folder of new Set([...crates.keys()].map(({ path }) => `${dirname(path)}/index`)))
    noteChecksums(folder, crates, lower, note);
  const replacements = replacePackages(found, request);
  for (const folder of repositories) {
    for (const path of [...replacements.keys()]) if (path.startsWith(`${folder}/`)) replacements.delete(path);
    replacements.set(folder, { kind: 'gone' });
  }
  const copies = [...found].flatMap(([at, { secret }]) =>
    secret?.kind === 'test' ? [{ at, path: secret.path }] : [],
  );
  return { files: replacements, copies };
}

interface Found {
  /** null: the file is removed. */
  content: Buffer | null;
  secret: Secret | null;
}

type Note = (path: string, content: Buffer | null, secret?: Secret | null) => void;

/** Compiled from what is hidden. Without a source beside it, the task's own source takes its place. */
function noteBytecode({ path, host }: LowerEntry, { lower, secrets }: ReplacementRequest, note: Note): void {
  const stem = `${basename(path).split('.')[0]}.py`;
  if (!secrets.all.some((secret) => basename(secret.path) === stem)) return;
  const secret = secrets.byBytecode(path, headOf(host, 16));
  if (secret === null) return;
  note(path, null);
  const source = `${dirname(path)}/${stem}`;
  if (!isCached(path) && secret.substitute !== null && lower.get(source) === undefined)
    note(source, secret.substitute);
}

/** Lists of a distribution's files name tests that are hidden and modules that are to be written. */
function noteList({ path, host }: LowerEntry, secrets: Secrets, note: Note): void {
  const gone = new Set(secrets.all.flatMap((secret) => (secret.substitute === null ? [secret.path] : [])));
  const text = readFileSync(host, 'utf8');
  const covered = rewriteList(text, (name) => gone.has(name));
  if (covered !== text) note(path, Buffer.from(covered));
}

/** Installed and built copies of the files that the task is about, in any version. */
function noteInstalled({ lower, solution }: ReplacementRequest, note: Note): void {
  const places = lower.entries
    .filter(
      ({ type, path }) =>
        type === 'folder' &&
        /\/(?:site|dist)-packages$|^testbed\/build\/lib[^/]*$/.test(path) &&
        // Services use a release of their own.
        !path.startsWith('opt/env/services/'),
    )
    .map(({ path }) => path);
  for (const { names, solved, substitute } of solution) {
    const own = substitute ?? solved;
    // The patch may mean one of two names, and there is no file of this one.
    if (own === null) continue;
    for (const at of places.flatMap((place) => names.map((name) => `${place}/${name}`))) {
      const entry = lower.get(at);
      if (entry?.type !== 'file' || (substitute !== null && entry.digest === digestOf(substitute))) continue;
      if (similarity(readFileSync(entry.host), own) >= ALIKE) note(at, substitute);
    }
  }
}

/** Whether a file is a crate whose checksum the repository has: cargo refuses any other, and it is older than the solution. */
function lockedIn(tree: Tree): (entry: LowerEntry) => boolean {
  const locks = [...tree].flatMap(([path, file]) =>
    basename(path) === 'Cargo.lock' ? (fileBytes(file)?.toString() ?? []) : [],
  );
  return (entry) =>
    entry.type === 'file' &&
    entry.path.endsWith('.crate') &&
    locks.some((text) => text.includes(entry.digest));
}

/** The index of fetched crates, which lies beside them, names their checksums. */
function noteChecksums(
  folder: string,
  crates: ReadonlyMap<LowerFile, string>,
  lower: LowerFiles,
  note: Note,
): void {
  for (const { path, type, host } of lower.below(folder)) {
    const text = type === 'file' ? readFileSync(host, 'utf8') : '';
    const named = [...crates].filter(([{ digest }]) => text.includes(digest));
    const put = (now: string, [{ digest }, made]: [LowerFile, string]) => now.replaceAll(digest, made);
    if (named.length > 0) note(path, Buffer.from(named.reduce(put, text)));
  }
}

/** Files of a checkout of the same project, at any commit and with its packages anywhere. */
function noteCheckout(repository: string, { lower, solution }: ReplacementRequest, note: Note): void {
  if (!repository.endsWith('/.git')) return;
  for (const { path, type } of lower.below(dirname(repository))) {
    if (type !== 'file' || path.startsWith(`${repository}/`)) continue;
    const own = path.slice(dirname(repository).length + 1);
    const same = solution.find((one) => one.path === own || sharedTail(one.path, own) > 1);
    if (same !== undefined) note(path, same.substitute);
  }
}

function replacePackages(
  found: ReadonlyMap<string, Found>,
  request: ReplacementRequest,
): Map<string, Replacement> {
  const replacements = new Map<string, Replacement>();
  const contents = new Map([...found].map(([path, { content }]) => [path, content]));
  for (const root of packageRoots([...found.keys()], request.lower))
    for (const entry of request.lower.below(root)) replaceEntry(entry, contents, request, replacements);
  // Sources that take the place of compiled files.
  for (const [path, content] of contents)
    if (content !== null && !replacements.has(path)) replacements.set(path, fileOf(content, false));
  return replacements;
}

function replaceEntry(
  entry: LowerEntry,
  contents: ReadonlyMap<string, Buffer | null>,
  { tree, lower }: ReplacementRequest,
  replacements: Map<string, Replacement>,
): void {
  const { path } = entry;
  if (replacements.has(path) || isShadowed(path, tree)) return;
  if (isCached(path)) {
    if (contents.has(path) && !replacements.has(dirname(path))) replacements.set(path, { kind: 'gone' });
    return;
  }
  if (entry.type === 'folder') {
    replacements.set(path, { kind: path.endsWith('/__pycache__') ? 'gone' : 'folder' });
  } else if (entry.type === 'link') {
    replacements.set(path, { kind: 'link', target: entry.target });
  } else if (isBytecode(path)) {
    replaceBytecode(entry, contents, tree, lower, replacements);
  } else {
    const content = contents.get(path);
    const text = content === undefined ? rewritten(entry, contents) : content;
    if (text === null) replacements.set(path, { kind: 'gone' });
    else if (text !== undefined) replacements.set(path, fileOf(text, entry.executable));
    else if (entry.size <= LARGE) replacements.set(path, copyOf(entry));
  }
}

type LowerFile = Extract<LowerEntry, { type: 'file' }>;

/**
 * Compiled files without sources get the repository's sources, in all of a package, so that none of them stands out.
 */
function replaceBytecode(
  entry: LowerFile,
  contents: ReadonlyMap<string, Buffer | null>,
  tree: Tree,
  lower: LowerFiles,
  replacements: Map<string, Replacement>,
): void {
  const { path } = entry;
  const source = `${path.slice(0, -1)}`;
  if (lower.get(source) !== undefined || contents.has(source)) {
    replacements.set(path, { kind: 'gone' });
    return;
  }
  const name = source.replace(/^.*\/(?:site|dist)-packages\//, '');
  const own = ['', 'src/', 'lib/']
    .map((top) => fileBytes(tree.get(top + name)))
    .find((bytes) => bytes !== null);
  if (own !== undefined && own !== null) replacements.set(source, fileOf(own, false));
  replacements.set(path, own !== undefined || contents.has(path) ? { kind: 'gone' } : copyOf(entry));
}

/** Records that an installation made of its files, changed for the new contents. */
function rewritten(entry: LowerFile, contents: ReadonlyMap<string, Buffer | null>): Buffer | undefined {
  const [, folder, name] = /^(.*)\/[^/]+\.dist-info\/([^/]+)$/.exec(entry.path) ?? [];
  if (name !== 'RECORD' && name !== 'direct_url.json') return undefined;
  const text = readFileSync(entry.host, 'utf8');
  if (name === 'direct_url.json') return Buffer.from(rewriteOrigin(text));
  const below = new Map(
    [...contents].flatMap(([path, content]) =>
      path.startsWith(`${folder}/`) ? [[path.slice(folder!.length + 1), content]] : [],
    ) as [string, Buffer | null][],
  );
  return Buffer.from(rewriteRecord(text, below));
}

/** The repository's own files hide those that the environment has at the same paths. */
function isShadowed(path: string, tree: Tree): boolean {
  if (!path.startsWith('testbed/')) return false;
  const parts = path.slice('testbed/'.length).split('/');
  return parts.some((_, index) => tree.has(parts.slice(0, index + 1).join('/')));
}

function fileOf(bytes: Buffer, executable: boolean): Replacement {
  return { kind: 'file', executable, content: { bytes } };
}

function copyOf({ host, size, executable }: LowerFile): Replacement {
  return { kind: 'file', executable, content: { host, size } };
}
