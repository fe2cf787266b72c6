/**
 * Writes a git index (version 2). The index of a source layer holds nothing of the machine: of the fields of `stat` only time
 * and size are set. The index of a first state has the other fields, too, so that git knows an unchanged file without
 * reading it.
 */
import { createHash } from 'node:crypto';

export interface IndexEntry {
  /** Octal, as in trees. */
  mode: '100644' | '100755' | '120000' | '160000';
  path: Buffer;
  id: string;
  size: number;
  /** What the kernel alone writes; zero in a source layer, which has to be the same everywhere. */
  stat?: { ctime: number; ctimeNs: number; ino: number };
}

/** A folder for the index's cache of tree names, which spares git reading the commit's trees. */
export interface CachedTree {
  name: Buffer;
  id: string;
  /** Files below it. */
  entries: number;
  trees: CachedTree[];
}

/** The bytes of an index whose entries, sorted by path, all have the modification time `mtime` (seconds). */
export function indexBytes(entries: IndexEntry[], root: CachedTree, mtime: number): Buffer {
  const header = Buffer.alloc(12);
  header.write('DIRC');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(entries.length, 8);
  const trees = Buffer.concat(cachedTrees(root));
  const extension = Buffer.alloc(8);
  extension.write('TREE');
  extension.writeUInt32BE(trees.length, 4);
  const body = Buffer.concat([header, ...entries.map((entry) => entryBytes(entry, mtime)), extension, trees]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function entryBytes(entry: IndexEntry, mtime: number): Buffer {
  const length = (62 + entry.path.length + 8) & ~7;
  const bytes = Buffer.alloc(length);
  // dev (16) stays zero, and git looks past it; uid (28) and gid (32) are those of root, as whom everybody works.
  if (entry.stat !== undefined) {
    bytes.writeUInt32BE(entry.stat.ctime >>> 0, 0);
    bytes.writeUInt32BE(entry.stat.ctimeNs, 4);
    bytes.writeUInt32BE(entry.stat.ino, 20);
  }
  bytes.writeUInt32BE(mtime, 8);
  bytes.writeUInt32BE(Number.parseInt(entry.mode, 8), 24);
  bytes.writeUInt32BE(entry.size, 36);
  bytes.write(entry.id, 40, 'hex');
  bytes.writeUInt16BE(Math.min(entry.path.length, 0xfff), 60);
  entry.path.copy(bytes, 62);
  return bytes;
}

/** Submodules of an index, by path; none where the bytes are no index of version 2. */
export function gitlinksIn(index: Buffer): Map<string, string> {
  const links = new Map<string, string>();
  if (index.length < 32 || index.toString('latin1', 0, 4) !== 'DIRC' || index.readUInt32BE(4) !== 2)
    return links;
  const count = index.readUInt32BE(8);
  for (let at = 12, entry = 0; entry < count && at + 62 < index.length; entry++) {
    const end = index.indexOf(0, at + 62);
    if (end < 0) break;
    if (index.readUInt32BE(at + 24) === 0o160000)
      links.set(index.toString('utf8', at + 62, end), index.toString('hex', at + 40, at + 60));
    at += (end - at + 8) & ~7;
  }
  return links;
}

function cachedTrees(tree: CachedTree): Buffer[] {
  return [
    tree.name,
    Buffer.from(`\0${tree.entries} ${tree.trees.length}\n`),
    Buffer.from(tree.id, 'hex'),
    ...tree.trees.flatMap(cachedTrees),
  ];
}
