/** A repository's files as a list: what lies in a source layer, and what becomes of it on the way to a first state. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { gitlinksIn } from '../source/git-index.ts';

export type TreeFile =
  | { kind: 'file'; executable: boolean; content: Content }
  | { kind: 'link'; target: string }
  | { kind: 'submodule'; id: string };

/** Bytes, or the host's file that holds them. */
export type Content = { bytes: Buffer } | { host: string; size: number };

/** By path inside of the repository. */
export type Tree = Map<string, TreeFile>;

/** The files of the repository in the folder `root`, without its `.git`. */
export function readTree(root: string): Tree {
  const tree: Tree = new Map();
  walk(root, '', tree);
  for (const [path, id] of submodules(root)) if (!tree.has(path)) tree.set(path, { kind: 'submodule', id });
  return tree;
}

function walk(root: string, folder: string, tree: Tree): void {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (entry.name === '.git') continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const host = join(root, path);
    if (entry.isDirectory()) walk(root, path, tree);
    else if (entry.isSymbolicLink()) tree.set(path, { kind: 'link', target: readlinkSync(host) });
    else if (entry.isFile()) {
      const { size, mode } = lstatSync(host);
      tree.set(path, { kind: 'file', executable: (mode & 0o100) !== 0, content: { host, size } });
    }
  }
}

function submodules(root: string): Map<string, string> {
  let index: Buffer;
  try {
    index = readFileSync(join(root, '.git/index'));
  } catch (error) {
    return whenAbsent(new Map())(error);
  }
  return gitlinksIn(index);
}

export function sizeOf(content: Content): number {
  return 'bytes' in content ? content.bytes.length : content.size;
}

export function bytesOf(content: Content): Buffer {
  return 'bytes' in content ? content.bytes : readFileSync(content.host);
}

/** Bytes of a plain file; null for what is none. */
export function fileBytes(file: TreeFile | null | undefined): Buffer | null {
  return file?.kind === 'file' ? bytesOf(file.content) : null;
}

/** True for a name that can lie in a repository: relative, without `..`, and not in its `.git`. */
export function isInside(path: string): boolean {
  const parts = path.split('/');
  return (
    path !== '' &&
    !path.includes('\0') &&
    !parts.some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part))
  );
}

/** The part of `path` that is a file or a link in the tree, so that nothing can lie below it; null for none. */
export function obstacle(path: string, tree: Tree): string | null {
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
    if (tree.has(path.slice(0, at))) return path.slice(0, at);
  return null;
}
