/**
 * Writes a first state to the disk: every file is new, in the order of names, and all have the same time. So nothing
 * that the kernel keeps beside the content of a file depends on the task.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { runProgramNow } from '../../basics/program.ts';
import { LAYER_MTIME } from '../../cache/layers.ts';
import type { IndexEntry } from '../source/git-index.ts';
import { PackWriter } from '../source/git-pack.ts';
import type { LowerFiles } from './lower.ts';
import type { Replacement } from './replacements.ts';
import { type Committed, packCommit, writeIndex, writeRepository } from './repository.ts';
import { bytesOf, type Content, type Tree } from './tree.ts';

export interface WriteRequest {
  /** Empty folder that becomes the layer. */
  into: string;
  /** For files that are on their way. */
  work: string;
  tree: Tree;
  replacements: ReadonlyMap<string, Replacement>;
  lower: LowerFiles;
}

/** Git takes a file for changed if it is as young as the index. */
const INDEX_MTIME = LAYER_MTIME + 1;
/** Files between two pauses, in which others get their turn. */
const AT_ONCE = 50;

export interface Written {
  commit: string;
  /** Milliseconds, not before the last change of a file that git compares. */
  writtenAt: number;
}

export async function writeState(request: WriteRequest): Promise<Written> {
  const { into, work, tree, lower } = request;
  const git = join(into, 'testbed/.git');
  const pieces = piecesOf(request);
  makeFolders(into, pieces);
  mkdirSync(join(git, 'objects/info'), { recursive: true });
  const pack = new PackWriter(join(git, 'objects/pack'));
  try {
    const committed = await layFiles(into, work, pieces, pack);
    const commit = packCommit(committed, pack);
    pack.finish();
    writeRepository(git, commit.id, ignoredPaths(tree, lower));
    hide(into, pieces, lower);
    normalise(into);
    const writtenAt = Date.now();
    writeIndex(git, commit, (path) => lookAt(join(into, 'testbed', path)));
    for (const [path, time] of [
      [join(git, 'index'), INDEX_MTIME],
      [git, LAYER_MTIME],
    ] as const)
      utimesSync(path, time, time);
    return { commit: commit.id, writtenAt };
  } finally {
    pack.close();
  }
}

/** Something to write, at a path from the root. */
interface Piece {
  path: string;
  entry: Replacement | { kind: 'submodule'; id: string };
  /** Its path in the repository; null: it is none of the repository's. */
  committed: string | null;
}

function piecesOf({ tree, replacements }: WriteRequest): Piece[] {
  const folders = new Set([...tree.keys()].flatMap((path) => parentsOf(path)));
  const own = [...tree].map(
    ([path, file]): Piece => ({ path: `testbed/${path}`, entry: file, committed: path }),
  );
  const others = [...replacements].flatMap(([path, one]): Piece[] => {
    const inside = path.startsWith('testbed/') ? path.slice('testbed/'.length) : null;
    if (inside !== null && (tree.has(inside) || folders.has(inside))) return [];
    return [{ path, entry: one, committed: null }];
  });
  return [...own, ...others].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function makeFolders(into: string, pieces: readonly Piece[]): void {
  const folders = new Set(['testbed']);
  for (const { path, entry } of pieces) {
    for (const parent of parentsOf(path)) folders.add(parent);
    if (entry.kind === 'folder' || entry.kind === 'submodule') folders.add(path);
  }
  for (const folder of [...folders].sort()) mkdirSync(join(into, folder), { recursive: true });
}

async function layFiles(
  into: string,
  work: string,
  pieces: readonly Piece[],
  pack: PackWriter,
): Promise<Committed[]> {
  const place = placer(work);
  const committed: Committed[] = [];
  for (const [index, { path, entry, committed: name }] of pieces.entries()) {
    const commit = (mode: Committed['mode'], id: string) => {
      if (name !== null) committed.push({ path: name, mode, id });
    };
    if (index % AT_ONCE === 0) await yieldToEventLoop();
    if (entry.kind === 'submodule') commit('160000', entry.id);
    else if (entry.kind === 'link') {
      symlinkSync(entry.target, join(into, path));
      if (name !== null) commit('120000', pack.add('blob', Buffer.from(entry.target)));
    } else if (entry.kind === 'file') {
      const bytes = bytesOf(entry.content);
      place(entry.content, bytes, join(into, path));
      chmodSync(join(into, path), entry.executable ? 0o755 : 0o644);
      if (name !== null) commit(entry.executable ? '100755' : '100644', pack.add('blob', bytes));
    }
  }
  return committed;
}

/** All files come about in the same way: blocks are shared where the file system can do that, or all are written. */
function placer(work: string): (content: Content, bytes: Buffer, to: string) => void {
  let shares = canShare(work);
  return (content, bytes, to) => {
    if (shares) {
      const from = 'host' in content ? content.host : join(work, 'content');
      if (!('host' in content)) writeFileSync(from, bytes);
      try {
        copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE);
        return;
      } catch {
        // Whatever forbids it. A full disk also refuses the copy.
        shares = false;
      }
    }
    writeFileSync(to, bytes);
  };
}

/** Tried apart from the state: a copy that fails makes and removes a file, and what is written next has another inode. */
function canShare(work: string): boolean {
  const [from, to] = [join(work, 'content'), join(work, 'copy')];
  writeFileSync(from, 'x');
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  }
}

/** Files beside those of the repository: each is named by its topmost folder that has none of them. */
function ignoredPaths(tree: Tree, lower: LowerFiles): string[] {
  const folders = new Set([...tree.keys()].flatMap(parentsOf));
  const ignored = new Map<string, string>();
  for (const { path, type } of lower.entries) {
    if (!path.startsWith('testbed/')) continue;
    const inside = path.slice('testbed/'.length);
    if (tree.has(inside) || folders.has(inside)) continue;
    if (parentsOf(inside).some((parent) => ignored.has(parent))) continue;
    // A name that ends with a slash means a folder.
    ignored.set(inside, type === 'folder' ? `${inside}/` : inside);
  }
  return [...ignored.values()];
}

/** Hides files of lower layers: by marks of overlayfs, or by empty files where marks cannot be made. */
function hide(into: string, pieces: readonly Piece[], lower: LowerFiles): void {
  const gone = pieces.filter(({ entry }) => entry.kind === 'gone').map(({ path }) => path);
  let first: string | null = null;
  for (const path of gone) {
    const place = join(into, path);
    try {
      if (first === null) makeMark(place);
      else linkSync(first, place);
      first ??= place;
    } catch {
      // Whatever forbids it. A full disk also refuses what follows.
      for (const entry of lower.below(path)) {
        mkdirSync(join(into, dirname(entry.path)), { recursive: true });
        if (entry.type !== 'folder') writeFileSync(join(into, entry.path), '');
      }
    }
  }
}

/** @throws where none can be made. */
function makeMark(place: string): void {
  const argv = ['mknod', place, 'c', '0', '0'];
  const made = runProgramNow({ argv, env: { PATH: process.env.PATH }, timeout: 60 });
  if (made.kind !== 'exited' || made.exitCode !== 0) throw new Error('no mark of overlayfs can be made here');
}

/** One mode for folders and one time for all, in the order of names. */
function normalise(root: string): void {
  for (const entry of readdirSync(root, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(root, entry.name);
    if (entry.isDirectory()) normalise(path);
    else if (entry.isSymbolicLink()) lutimesSync(path, LAYER_MTIME, LAYER_MTIME);
    else if (entry.isFile()) utimesSync(path, LAYER_MTIME, LAYER_MTIME);
  }
  chmodSync(root, 0o755);
  utimesSync(root, LAYER_MTIME, LAYER_MTIME);
}

/** What git compares: `ino` has 32 bits in an index. */
function lookAt(path: string): Pick<IndexEntry, 'size' | 'stat'> {
  const { size, ctimeNs, ino } = lstatSync(path, { bigint: true });
  const second = 1_000_000_000n;
  const stat = {
    ctime: Number(ctimeNs / second),
    ctimeNs: Number(ctimeNs % second),
    ino: Number(ino & 0xffffffffn),
  };
  return { size: Number(size), stat };
}
