/**
 * Bare mirrors of git repositories, one per URL. They hold the commits that were asked for, each fetched without
 * its history where the server allows that; later fetches send only what is missing. One process at a time
 * writes to a mirror.
 */

import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { whenAbsent } from '../../basics/absent.ts';
import { hasSucceeded, type ProgramEnd } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { sleepUnless } from '../../basics/sleep.ts';
import { BROKEN_MIRROR } from '../../cache/folder.ts';
import { type Locks, sourceLock } from '../../cache/key-lock.ts';
import type { Sought } from '../../schemas/absence.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';
import { invalidRow, notFound, type SourceFault, withoutCredentials } from './fault.ts';
import { git, gitFault, isBroken, lacksRepository, localEnv, remoteEnv } from './git-process.ts';
import type { Memo } from './memo.ts';
import { isBefore, isCommit } from './spec.ts';

export interface GitDeps {
  env: NodeJS.ProcessEnv;
  /** Folder of the mirrors and archives. */
  sourcesFolder: string;
  /** One process at a time works on a mirror. */
  locks: Locks;
  /** Folder that relative paths start from. */
  projectFolder: string;
  /** The only ones that git may use to fetch, as GIT_ALLOW_PROTOCOL has them. Absent: git's own rules. */
  protocols?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Remembers a repository of each host, to ask for where another one is not found. */
  memo?: Memo;
}

/** What a remote is asked for. */
type Asked = Extract<Sought, { kind: 'git' }>;

const TRIES = 3;
/** Beside a mirror's refs: its tags were fetched. */
const TAGS_KNOWN = 'swemake-tags';
/** Files come out as they were committed, whatever their .gitattributes ask for. */
const ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding\n';
/** The depth by which git means a whole history. */
const ALL_OF_IT = 2147483647;
const EVERYTHING = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

/** The commit that `ref` of the repository at `url` names now. */
export async function resolveRef(
  url: string,
  ref: string,
  deps: GitDeps,
): Promise<Result<string, SourceFault>> {
  if (isCommit(ref)) return success(ref);
  if (isBefore(ref)) return resolveBefore(url, ref.slice(0, -1), deps);
  const doing = `git ls-remote ${withoutCredentials(url)} ${ref}`;
  const sought: Asked = { kind: 'git', url, ref };
  // A repository has a HEAD. It is the control question: whatever else answers at the address has none.
  const names = [ref, `${ref}^{}`, 'HEAD'];
  const listed = await remote(['ls-remote', '--', remoteUrl(url, deps), ...names], doing, deps, sought);
  if (!listed.ok) return listed;
  const found = new Map(
    listed.value
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t').reverse() as [string, string]),
  );
  // `^{}` is what an annotated tag points to; a tag wins over a branch of the same name, as in git.
  for (const name of [`refs/tags/${ref}^{}`, `refs/tags/${ref}`, `refs/heads/${ref}`, `${ref}^{}`, ref]) {
    const commit = found.get(name);
    if (commit !== undefined) return success(commit);
  }
  if (/^[0-9a-f]{7,39}$/.test(ref)) return resolveShort(url, ref, deps);
  const control = found.size > 0 ? success('') : await controlRefs(url, deps);
  if (!control.ok) return control;
  return fault(notFound(`${withoutCredentials(url)} has no commit, tag or branch "${ref}"`, sought));
}

/** Whether the repository has anything; what shows nothing is empty, or no repository. */
async function controlRefs(url: string, deps: GitDeps): Promise<Result<string, SourceFault>> {
  const doing = `git ls-remote ${withoutCredentials(url)}`;
  const listed = await remote(['ls-remote', '--', remoteUrl(url, deps)], doing, deps);
  if (!listed.ok || listed.value.trim() !== '') return listed;
  return fault(
    infra('source-fetch', `${doing}: it shows no branch and no tag: it is empty, or no repository`),
  );
}

/** Writes the files of `commit` to the new folder `folder`; the value is the submodules, path to commit. */
export async function exportCommit(
  url: string,
  commit: string,
  folder: string,
  deps: GitDeps,
): Promise<Result<Map<string, string>, SourceFault>> {
  const ready = await commitMirror(url, commit, deps);
  if (!ready.ok) return ready;
  const inode = inodeOf(ready.value);
  const written = await writeFiles(ready.value, commit, folder, deps);
  if (!written.ok && isBroken(written.fault)) {
    // The next try starts from an empty one. Others may have made it by now.
    await withMirror(url, deps, async (mirror) =>
      success(inodeOf(mirror) === inode ? await setAside(mirror) : undefined),
    );
  }
  return written;
}

/** The mirror of `url` with the files of `commit`. */
export function commitMirror(
  url: string,
  commit: string,
  deps: GitDeps,
): Promise<Result<string, SourceFault>> {
  return withMirror(url, deps, async (mirror) => {
    if (await hasCommit(mirror, commit, deps)) return success(mirror);
    const fetched = await fetchCommit(mirror, url, commit, deps);
    return fetched.ok ? success(mirror) : fetched;
  });
}

/** The mirror of `url` with all that `commit` comes from, and the repository's tags. */
export async function historyMirror(
  url: string,
  commit: string,
  deps: GitDeps,
): Promise<Result<string, SourceFault>> {
  return withMirror(url, deps, async (mirror) => {
    if (await hasHistory(mirror, commit, deps)) return success(mirror);
    const all = await fetchEverything(mirror, url, deps, commit);
    if (!all.ok) return all;
    await writeFile(join(mirror, TAGS_KNOWN), '');
    if (await hasHistory(mirror, commit, deps)) return success(mirror);
    // A commit of no branch is asked for by its name.
    const whole = ['fetch', '--quiet', '--no-tags', '--no-auto-gc', `--depth=${ALL_OF_IT}`];
    const byName = await remote(
      ['--git-dir', mirror, ...whole, '--', remoteUrl(url, deps), `+${commit}:refs/swemake/${commit}`],
      `git fetch ${withoutCredentials(url)} ${commit}`,
      deps,
      { kind: 'git', url, ref: commit },
    );
    return byName.ok ? success(mirror) : byName;
  });
}

/** Asks the repository for its branches and tags again; what was taken from it is taken from the mirror. */
export async function refreshMirror(url: string, deps: GitDeps): Promise<Result<string, SourceFault>> {
  return withMirror(url, deps, (mirror) => fetchEverything(mirror, url, deps));
}

/** True when the mirror has what all tags point to. */
export async function hasTags(mirror: string, tags: readonly GitTag[], deps: GitDeps): Promise<boolean> {
  if (tags.length === 0) return true;
  const listed = await local(
    mirror,
    ['rev-list', '--no-walk', ...new Set(tags.map(({ target }) => target))],
    deps,
  );
  return hasSucceeded(listed);
}

/** True when no fetch has cut off what the commit comes from, and tags were fetched since the commit is there. */
async function hasHistory(mirror: string, commit: string, deps: GitDeps): Promise<boolean> {
  if (!existsSync(join(mirror, TAGS_KNOWN)) || !(await hasCommit(mirror, commit, deps))) return false;
  const ends = await historyEnds(mirror, commit, deps);
  return ends.ok && ends.value.length === 0;
}

/** The commits at which the mirror's history of `commit` is cut off, sorted; none where it is whole. */
async function historyEnds(
  mirror: string,
  commit: string,
  deps: GitDeps,
): Promise<Result<string[], SourceFault>> {
  const cut = await cutsOf(mirror);
  const ends = new Set(cut.split('\n').filter(Boolean));
  if (ends.size === 0) return success([]);
  const listed = await local(mirror, ['rev-list', commit], deps);
  if (!hasSucceeded(listed)) return fault(gitFault(listed, `git rev-list ${commit}`));
  return success(
    listed.stdout
      .split('\n')
      .filter((line) => ends.has(line))
      .sort(),
  );
}

export interface History {
  tags: GitTag[];
  /** The commits at which it is cut off, sorted; none where it is whole. */
  ends: string[];
}

/** The history of `commit` in a folder of git: the tags that it comes from, none newer than it, and where it ends. */
export async function readHistory(
  folder: string,
  commit: string,
  deps: GitDeps,
): Promise<Result<History, SourceFault>> {
  const tags = await tagsUpTo(folder, commit, deps);
  if (!tags.ok) return tags;
  const ends = await historyEnds(folder, commit, deps);
  return ends.ok ? success({ tags: tags.value, ends: ends.value }) : ends;
}

/** Changes whenever the folder's tags do, or where its history is cut off; null where git cannot read it. */
export async function folderState(folder: string, deps: GitDeps): Promise<string | null> {
  const listed = await local(folder, ['for-each-ref', 'refs/tags'], deps);
  if (!hasSucceeded(listed)) return null;
  const cut = await cutsOf(folder);
  return createHash('sha256').update(`${listed.stdout}\n${cut}`).digest('hex');
}

/** Where git says that histories are cut off, a commit a line. */
function cutsOf(folder: string): Promise<string> {
  return readFile(join(gitFolder(folder), 'shallow'), 'utf8').catch(whenAbsent(''));
}

/** The repository of a folder: beside its files, or the folder itself. Git's pointers to elsewhere are followed. */
function gitFolder(folder: string): string {
  const inner = join(folder, '.git');
  if (!existsSync(inner)) return folder;
  if (statSync(inner).isDirectory()) return inner;
  const pointed = /^gitdir: (.+)$/m.exec(readFileSync(inner, 'utf8'))?.[1];
  if (pointed === undefined) return inner;
  const own = resolve(folder, pointed);
  const common = join(own, 'commondir');
  return existsSync(common) ? resolve(own, readFileSync(common, 'utf8').trim()) : own;
}

/** `name target [what an annotated tag points to]` of the tags that the commit comes from, none newer than it. */
async function tagsUpTo(
  mirror: string,
  commit: string,
  deps: GitDeps,
): Promise<Result<GitTag[], SourceFault>> {
  const format = '%(refname)%00%(objectname)%00%(*objectname)%00%(creatordate:unix)';
  const shown = await local(mirror, ['show', '-s', '--format=%ct', commit], deps);
  const args = ['for-each-ref', `--merged=${commit}`, `--format=${format}`, 'refs/tags'];
  const listed = await local(mirror, args, deps);
  for (const done of [shown, listed])
    if (!hasSucceeded(done)) return fault(gitFault(done, `git for-each-ref ${commit}`));
  const date = Number(shown.stdout.trim());
  const tags = listed.stdout.split('\n').filter(Boolean);
  return success(
    tags
      .map((line) => line.split('\0') as [string, string, string, string])
      .filter(([, , , created]) => Number(created) <= date)
      .map(([name, target, peeled]) => ({ name, target, peeled: peeled === '' ? null : peeled })),
  );
}

export interface GitTag {
  /** `refs/tags/…` */
  name: string;
  target: string;
  /** The commit of an annotated tag. */
  peeled: string | null;
}

/** A short commit name can only be looked up among all commits. */
async function resolveShort(url: string, ref: string, deps: GitDeps): Promise<Result<string, SourceFault>> {
  return withMirror(url, deps, async (mirror) => {
    const parse = () => local(mirror, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], deps);
    const known = await parse();
    if (hasSucceeded(known)) return success(known.stdout.trim());
    const fetched = await fetchEverything(mirror, url, deps, ref);
    if (!fetched.ok) return fetched;
    const found = await parse();
    if (hasSucceeded(found)) return success(found.stdout.trim());
    if (!namesNothing(found)) return fault(gitFault(found, `git rev-parse ${ref}`));
    const detail = `${withoutCredentials(url)} has no commit "${ref}", or several`;
    return fault(notFound(detail, { kind: 'git', url, ref }));
  });
}

/** What `rev-parse --quiet` says of a name that there is not; one that was killed, or cannot read the mirror, says nothing. */
function namesNothing(end: ProgramEnd): boolean {
  return end.kind === 'exited' && end.exitCode === 1;
}

/** The first parent of `commit`, which comes with it, so that it need not be fetched again. */
async function resolveBefore(
  url: string,
  commit: string,
  deps: GitDeps,
): Promise<Result<string, SourceFault>> {
  return withMirror(url, deps, async (mirror) => {
    const parse = () => local(mirror, ['rev-parse', '--verify', '--quiet', `${commit}^^{commit}`], deps);
    const known = await parse();
    if (hasSucceeded(known)) return success(known.stdout.trim());
    const fetched = await fetchCommit(mirror, url, commit, deps, 2);
    if (!fetched.ok) return fetched;
    const found = await parse();
    if (hasSucceeded(found)) return success(found.stdout.trim());
    if (!namesNothing(found)) return fault(gitFault(found, `git rev-parse ${commit}^`));
    return fault(invalidRow(`${withoutCredentials(url)} has nothing before ${commit}`));
  });
}

/** When the commit was made, in milliseconds since 1970. */
export async function commitTime(
  url: string,
  commit: string,
  deps: GitDeps,
): Promise<Result<number, SourceFault>> {
  return withMirror(url, deps, async (mirror) => {
    const fetched = (await hasCommit(mirror, commit, deps))
      ? success('')
      : await fetchCommit(mirror, url, commit, deps);
    if (!fetched.ok) return fetched;
    const shown = await local(mirror, ['show', '-s', '--format=%ct', commit], deps);
    if (!hasSucceeded(shown)) return fault(gitFault(shown, `git show ${commit}`));
    return success(Number(shown.stdout.trim()) * 1000);
  });
}

async function withMirror<T>(
  url: string,
  deps: GitDeps,
  work: (mirror: string) => Promise<Result<T, SourceFault>>,
): Promise<Result<T, SourceFault>> {
  const name = createHash('sha256')
    .update(withoutCredentials(remoteUrl(url, deps)))
    .digest('hex')
    .slice(0, 32);
  const folder = join(deps.sourcesFolder, 'git');
  const mirror = join(folder, `${name}.git`);
  await mkdir(folder, { recursive: true });
  const lock = await deps.locks.wait(sourceLock(mirror), deps);
  if (lock === null) return fault(infra('cancelled', 'git fetch: cancelled'));
  try {
    const first = await inMirror(mirror, deps, work);
    if (first.ok || !isBroken(first.fault)) return first;
    await setAside(mirror);
    return await inMirror(mirror, deps, work);
  } finally {
    lock.unlock();
  }
}

/** Does the work in the mirror, which is made if there is none. */
async function inMirror<T>(
  mirror: string,
  deps: GitDeps,
  work: (mirror: string) => Promise<Result<T, SourceFault>>,
): Promise<Result<T, SourceFault>> {
  if (!existsSync(join(mirror, 'HEAD'))) {
    const made = await git(['init', '--quiet', '--bare', '--template=', mirror], { env: localEnv(deps.env) });
    if (!hasSucceeded(made)) return fault(gitFault(made, 'git init'));
  }
  await writeAttributes(mirror);
  // A git that was killed leaves its locks behind, and no other one lives here now.
  for (const left of await readdir(mirror)) if (left.endsWith('.lock')) await rm(join(mirror, left));
  return work(mirror);
}

/** Renames a damaged mirror, which others may be reading. Gc removes it later. */
async function setAside(mirror: string): Promise<void> {
  const aside = mirror.replace(/\.git$/, `${BROKEN_MIRROR}${randomUUID()}`);
  await rename(mirror, aside);
  await utimes(aside, new Date(), new Date());
}

/** Which folder a path means now; undefined: none. */
function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Others read the file without the lock, so it is never seen half written. */
async function writeAttributes(mirror: string): Promise<void> {
  const path = join(mirror, 'info', 'attributes');
  if ((await readFile(path, 'utf8').catch(whenAbsent(''))) === ATTRIBUTES) return;
  await mkdir(join(mirror, 'info'), { recursive: true });
  await writeFile(`${path}.new`, ATTRIBUTES);
  await rename(`${path}.new`, path);
}

/** True when the folder of git has the commit and its files. False also says that git could not look, so it is fetched. */
export async function hasCommit(mirror: string, commit: string, deps: GitDeps): Promise<boolean> {
  return hasSucceeded(await lookForCommit(mirror, commit, deps));
}

function lookForCommit(mirror: string, commit: string, deps: GitDeps): Promise<ProgramEnd> {
  return local(mirror, ['cat-file', '-e', `${commit}^{tree}`], deps);
}

/** By name first; a server that refuses that gives its branches and tags with their whole history. */
async function fetchCommit(
  mirror: string,
  url: string,
  commit: string,
  deps: GitDeps,
  depth = 1,
): Promise<Result<string, SourceFault>> {
  const doing = `git fetch ${withoutCredentials(url)} ${commit}`;
  const deep = `--depth=${depth}`;
  const fetch = ['--git-dir', mirror, '-c', 'gc.auto=0', 'fetch', '--quiet', '--no-tags', deep, '--'];
  // A ref of its own makes the commit known in the next negotiation.
  const byName = await remote(
    [...fetch, remoteUrl(url, deps), `+${commit}:refs/swemake/${commit}`],
    doing,
    deps,
    { kind: 'git', url, ref: commit },
  );
  if (byName.ok || (isFault(byName.fault) && byName.fault.reason !== 'source-fetch')) return byName;
  const all = await fetchEverything(mirror, url, deps, commit);
  if (!all.ok) return all;
  const there = await lookForCommit(mirror, commit, deps);
  if (hasSucceeded(there)) return success('');
  if (there.kind !== 'exited') return fault(gitFault(there, `git cat-file ${commit}`));
  const control = await controlRefs(url, deps);
  if (!control.ok) return control;
  const detail = `${withoutCredentials(url)} has no commit ${commit} in its branches and tags`;
  return fault(notFound(detail, { kind: 'git', url, ref: commit }));
}

/** `sought`: the commit that it is fetched for. */
function fetchEverything(
  mirror: string,
  url: string,
  deps: GitDeps,
  sought?: string,
): Promise<Result<string, SourceFault>> {
  const unshallow = existsSync(join(mirror, 'shallow')) ? ['--unshallow'] : [];
  // A source may itself end somewhere; without the option git takes the objects and forgets where.
  const options = ['--quiet', '--no-tags', '--no-auto-gc', '--prune', '--update-shallow', ...unshallow];
  return remote(
    ['--git-dir', mirror, 'fetch', ...options, '--', remoteUrl(url, deps), ...EVERYTHING],
    `git fetch ${withoutCredentials(url)}`,
    deps,
    sought === undefined ? undefined : { kind: 'git', url, ref: sought },
  );
}

async function writeFiles(
  mirror: string,
  commit: string,
  folder: string,
  deps: GitDeps,
): Promise<Result<Map<string, string>, SourceFault>> {
  await mkdir(folder, { recursive: true });
  const index = `${folder}.index`;
  const run = (args: string[]) => local(mirror, args, deps, { GIT_INDEX_FILE: index }, folder);
  for (const args of [
    ['read-tree', commit],
    ['checkout-index', '--all', '--force', '--quiet'],
  ]) {
    const done = await run(['-c', 'core.symlinks=true', '--work-tree', folder, ...args]);
    if (!hasSucceeded(done)) return fault(gitFault(done, `git ${args[0]} ${commit}`));
  }
  const listed = await run(['ls-files', '--stage', '-z']);
  await rm(index, { force: true });
  if (!hasSucceeded(listed)) return fault(gitFault(listed, `git ls-files ${commit}`));
  const links = listed.stdout.split('\0').filter((line) => line.startsWith('160000 '));
  return success(new Map(links.map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(7, 47)])));
}

/** A submodule as a commit of the repository above names it. */
export interface Submodule {
  name: string;
  path: string;
  /** As .gitmodules has it: it may be relative to the address of the repository above. */
  url: string;
  commit: string;
}

/** The submodules of `commit` that lie at `paths`; what is no submodule there is left out. */
export async function submodulesOf(
  mirror: string,
  commit: string,
  paths: readonly string[],
  deps: GitDeps,
): Promise<Result<Submodule[], SourceFault>> {
  if (paths.length === 0) return success([]);
  const listed = await local(mirror, ['config', '--blob', `${commit}:.gitmodules`, '--null', '--list'], deps);
  // Without such a file, and for one that it cannot read, git fails: the repository names none then.
  if (listed.kind !== 'exited') return fault(gitFault(listed, `git config ${commit}:.gitmodules`));
  const settings = new Map(
    listed.stdout
      .split('\0')
      .filter((line) => line.includes('\n'))
      .map((line) => [line.slice(0, line.indexOf('\n')), line.slice(line.indexOf('\n') + 1)]),
  );
  const found: Submodule[] = [];
  for (const path of paths) {
    const shown = await local(mirror, ['ls-tree', '-z', commit, '--', path], deps);
    if (!hasSucceeded(shown)) return fault(gitFault(shown, `git ls-tree ${commit}`));
    const [link] = shown.stdout.split('\0');
    const key = [...settings].find(
      ([name, value]) => /^submodule\..+\.path$/s.test(name) && value === path,
    )?.[0];
    const name = key?.slice('submodule.'.length, -'.path'.length);
    const url = settings.get(`submodule.${name}.url`);
    if (name === undefined || url === undefined || !link?.startsWith('160000 ')) continue;
    found.push({ name, path, url, commit: link.slice('160000 commit '.length, link.indexOf('\t')) });
  }
  return success(found);
}

/**
 * Talks to a remote, up to three times when the network is at fault; the value is what git printed. `sought`: what is not
 * found is an answer to this.
 */
async function remote(
  args: string[],
  doing: string,
  deps: GitDeps,
  sought?: Asked,
): Promise<Result<string, SourceFault>> {
  for (let count = 1; ; count++) {
    const env = remoteEnv(deps.env);
    const limited = deps.protocols === undefined ? env : { ...env, GIT_ALLOW_PROTOCOL: deps.protocols };
    const result = await git(args, { env: limited, signal: deps.signal });
    if (hasSucceeded(result)) {
      if (sought !== undefined) await rememberHost(sought.url, deps);
      return success(result.stdout);
    }
    const found = gitFault(result, doing, sought);
    const lacks = sought !== undefined && lacksRepository(result);
    const control = lacks && !isFault(found) ? await controlHost(sought.url, deps) : null;
    if (control !== null) return fault(control);
    if (found.reason !== 'network' || count === TRIES) return fault(found);
    await sleepUnless(1000 * 3 ** (count - 1), deps.signal);
  }
}

/** A repository that a host had when it was asked. */
async function rememberHost(url: string, { memo }: GitDeps): Promise<void> {
  const name = memoOfHost(url);
  if (name !== null && memo !== undefined && (await memo.get(name)) === undefined) await memo.set(name, url);
}

/**
 * The control question to a host that says that there is no such repository: another one that it had. A fault where that
 * is not there either; null where it is, or where none is known.
 */
async function controlHost(url: string, deps: GitDeps): Promise<Infra | null> {
  const name = memoOfHost(url);
  const known = name === null ? undefined : await deps.memo?.get(name);
  if (known === undefined || known === url) return null;
  const asked = await git(['ls-remote', '--', known, 'HEAD'], {
    env: remoteEnv(deps.env),
    signal: deps.signal,
  });
  if (hasSucceeded(asked)) return null;
  const detail = `there is no such repository, and not ${withoutCredentials(known)} either, which was there before`;
  return infra('source-fetch', `${withoutCredentials(url)}: ${detail}`);
}

function memoOfHost(url: string): string | null {
  const host = URL.canParse(url) ? new URL(url).host : (/^[\w.-]+@([\w.-]+):/.exec(url)?.[1] ?? '');
  return host === '' ? null : `git host ${host}`;
}

function local(
  mirror: string,
  args: string[],
  deps: GitDeps,
  extra: NodeJS.ProcessEnv = {},
  cwd?: string,
): Promise<ProgramEnd> {
  return git(['--git-dir', gitFolder(mirror), ...args], {
    env: { ...localEnv(deps.env), ...extra },
    signal: deps.signal,
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** A path becomes a file:// URL: only that way git keeps to the depth that it is asked for. */
export function remoteUrl(url: string, deps: GitDeps): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || /^[\w.-]+@[\w.-]+:/.test(url)) return url;
  return pathToFileURL(isAbsolute(url) ? url : resolve(deps.projectFolder, url)).href;
}
