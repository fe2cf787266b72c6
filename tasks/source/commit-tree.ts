/**
 * Turns a folder into a repository with one commit and nothing else: no remotes, other refs, reflogs or hooks,
 * so an agent finds no history to copy the answer from. Every byte of `.git` follows from the files alone, so
 * the same source gives the same layer on every machine, whatever git is installed and however it is set up.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LAYER_MTIME } from '../../cache/layers.ts';
import { type CachedTree, type IndexEntry, indexBytes } from './git-index.ts';
import { compareEntries, type GitObject, gitObject, type TreeEntry, treeContent } from './git-object.ts';

export interface Committed {
  /** 40 hex digits. */
  commit: string;
  files: number;
  /** What had to be left out, in words. */
  warnings: string[];
}

/** The author of what is written here, and its time. */
export const AUTHOR = `swemake <swemake@localhost> ${LAYER_MTIME} +0000`;
const MESSAGE = 'Initial state\n';

/**
 * The configuration of a repository that is written here. `checkStat` says what tells a file that git has read from one that
 * it has not: `minimal`, times and sizes alone; `default`, all that the kernel says of it.
 */
export function gitConfig(checkStat: 'minimal' | 'default'): string {
  return `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
\tautocrlf = false
\tsafecrlf = false
\tcheckStat = ${checkStat}
\ttrustctime = ${checkStat === 'default'}
[gc]
\tauto = 0
[user]
\tname = swemake
\temail = swemake@localhost
`;
}

/** What keeps git from changing a byte of a file on its way in or out, whatever a repository's own rules are. */
export const EXACT_BYTES = '* -text -eol -ident -filter -working-tree-encoding\n';

/**
 * Commits all of `root`, ignored files too, after giving files normal modes (0644, 0755) and taking out what
 * a commit cannot hold. `gitlinks` are submodules to keep as such, by path.
 */
export async function commitTree(root: string, gitlinks: ReadonlyMap<string, string>): Promise<Committed> {
  const walk: Walk = { root, gitlinks, entries: [], warnings: [], written: 0 };
  const tree = await commitFolder(walk, '');
  const commit = gitObject(
    'commit',
    Buffer.from(`tree ${tree.id}\nauthor ${AUTHOR}\ncommitter ${AUTHOR}\n\n${MESSAGE}`),
  );
  writeObject(root, commit);
  const put = (name: string, content: string | Buffer) => writeGitFile(root, name, content);
  put('HEAD', 'ref: refs/heads/main\n');
  put('refs/heads/main', `${commit.id}\n`);
  put('config', gitConfig('minimal'));
  put('info/attributes', EXACT_BYTES);
  put('index', indexBytes(walk.entries, tree, LAYER_MTIME));
  return { commit: commit.id, files: walk.entries.length, warnings: walk.warnings };
}

interface Walk {
  root: string;
  gitlinks: ReadonlyMap<string, string>;
  entries: IndexEntry[];
  warnings: string[];
  written: number;
}

/** Synchronous calls are several times faster for small files; a pause now and then keeps the process alive. */
async function commitFolder(walk: Walk, folder: string): Promise<CachedTree> {
  const first = walk.entries.length;
  const trees: CachedTree[] = [];
  const entries: TreeEntry[] = [];
  for (const item of listFolder(walk, folder)) {
    const path = folder === '' ? item.name.toString() : `${folder}/${item.name}`;
    if (item.mode === '40000') {
      const tree = await commitFolder(walk, path);
      if (tree.entries === 0) {
        // Git knows no empty folders, so a copy made by git would lack it too.
        rmSync(join(walk.root, path), { recursive: true });
        continue;
      }
      trees.push({ ...tree, name: item.name });
      entries.push({ ...item, id: tree.id });
    } else {
      const { id, size } = commitLeaf(walk, path, item.mode);
      walk.entries.push({ mode: item.mode, path: Buffer.from(path), id, size });
      entries.push({ ...item, id });
      if (++walk.written % 100 === 0) await yieldToEventLoop();
    }
  }
  const tree = gitObject('tree', treeContent(entries));
  if (entries.length > 0 || folder === '') writeObject(walk.root, tree);
  return { name: Buffer.alloc(0), id: tree.id, entries: walk.entries.length - first, trees };
}

function commitLeaf(
  walk: Walk,
  path: string,
  mode: Exclude<TreeEntry['mode'], '40000'>,
): { id: string; size: number } {
  if (mode === '160000') return { id: walk.gitlinks.get(path)!, size: 0 };
  const absolute = join(walk.root, path);
  const content = mode === '120000' ? Buffer.from(readlinkSync(absolute)) : readFileSync(absolute);
  const blob = gitObject('blob', content);
  writeObject(walk.root, blob);
  return { id: blob.id, size: content.length };
}

/** A folder's members in git's order, with normal modes; what cannot be committed is removed. */
function listFolder(walk: Walk, folder: string): Omit<TreeEntry, 'id'>[] {
  const found: Omit<TreeEntry, 'id'>[] = [];
  for (const name of readdirSync(join(walk.root, folder), { encoding: 'buffer' })) {
    const text = name.toString();
    const path = folder === '' ? text : `${folder}/${text}`;
    const absolute = Buffer.concat([Buffer.from(`${join(walk.root, folder)}/`), name]);
    const refusal = refuseName(name);
    const mode = refusal === null ? normalMode(walk, path, folder) : null;
    if (mode !== null) {
      found.push({ name, mode });
      continue;
    }
    rmSync(absolute, { recursive: true, force: true });
    walk.warnings.push(
      `left out ${path}: ${refusal ?? 'it is neither file, folder nor a link inside the tree'}`,
    );
  }
  return found.sort(compareEntries);
}

function refuseName(name: Buffer): string | null {
  if (!Buffer.from(name.toString()).equals(name)) return 'its name is not UTF-8';
  if (/^\.git$/i.test(name.toString())) return 'a repository inside the source';
  return null;
}

function normalMode(walk: Walk, path: string, folder: string): TreeEntry['mode'] | null {
  if (walk.gitlinks.has(path)) return '160000';
  const absolute = join(walk.root, path);
  const stat = lstatSync(absolute);
  if (stat.isSymbolicLink()) return staysInside(folder, readlinkSync(absolute)) ? '120000' : null;
  if (stat.isDirectory()) {
    if ((stat.mode & 0o7777) !== 0o755) chmodSync(absolute, 0o755);
    return '40000';
  }
  if (!stat.isFile()) return null;
  const isExecutable = (stat.mode & 0o100) !== 0;
  chmodSync(absolute, isExecutable ? 0o755 : 0o644);
  return isExecutable ? '100755' : '100644';
}

/**
 * True when a link in `folder` cannot lead out of the tree: relative, at most as many `..` as it lies deep, and
 * none after a name, since that name may be another link.
 */
export function staysInside(folder: string, target: string): boolean {
  if (target.startsWith('/')) return false;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const climbs = parts.findIndex((part) => part !== '..');
  const up = climbs === -1 ? parts.length : climbs;
  const depth = folder === '' ? 0 : folder.split('/').length;
  return up <= depth && !parts.slice(up).includes('..');
}

function writeObject(root: string, object: GitObject): void {
  writeGitFile(root, `objects/${object.id.slice(0, 2)}/${object.id.slice(2)}`, object.bytes);
}

function writeGitFile(root: string, name: string, content: string | Buffer): void {
  const path = join(root, '.git', name);
  try {
    writeFileSync(path, content);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
