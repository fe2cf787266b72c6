/**
 * A git index (version 2) with nothing of the machine in it. Of what `stat` tells, only time and size are
 * filled in; with `core.checkStat=minimal` git looks at no more, so `git status` is cheap on any copy of the
 * tree that keeps the layers' time.
 */
import { createHash } from 'node:crypto';

export interface IndexEntry {
  /** Octal, as in trees. */
  mode: '100644' | '100755' | '120000' | '160000';
  path: Buffer;
  id: string;
  size: number;
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
  // ctime (0, 4), dev (16), ino (20), uid (28) and gid (32) stay zero: they belong to a machine.
  bytes.writeUInt32BE(mtime, 8);
  bytes.writeUInt32BE(Number.parseInt(entry.mode, 8), 24);
  bytes.writeUInt32BE(entry.size, 36);
  bytes.write(entry.id, 40, 'hex');
  bytes.writeUInt16BE(Math.min(entry.path.length, 0xfff), 60);
  entry.path.copy(bytes, 62);
  return bytes;
}

function cachedTrees(tree: CachedTree): Buffer[] {
  return [
    tree.name,
    Buffer.from(`\0${tree.entries} ${tree.trees.length}\n`),
    Buffer.from(tree.id, 'hex'),
    ...tree.trees.flatMap(cachedTrees),
  ];
}
