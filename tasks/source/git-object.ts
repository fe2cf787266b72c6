/**
 * Git objects, made without git: their names and their bytes on the disk. Contents are stored, not compressed,
 * because what a compressor puts out differs between its versions and machines, and a layer's digest must not;
 * one file for each object lets the layers of neighbouring commits share almost all of them.
 */
import { createHash } from 'node:crypto';

export type ObjectType = 'blob' | 'tree' | 'commit';

export interface GitObject {
  /** 40 hex digits. */
  id: string;
  /** Content of the file `objects/xx/yyyy…`. */
  bytes: Buffer;
}

/** The loose object that holds `content`. */
export function gitObject(type: ObjectType, content: Buffer): GitObject {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  return { id: createHash('sha1').update(whole).digest('hex'), bytes: storedZlib(whole) };
}

/** Name of the object that holds `content`, 40 hex digits. */
export function objectId(type: ObjectType, content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
}

export interface TreeEntry {
  mode: '100644' | '100755' | '120000' | '160000' | '40000';
  name: Buffer;
  id: string;
}

/** Content of a tree object; entries are put into git's order, in which a folder's name ends with a slash. */
export function treeContent(entries: TreeEntry[]): Buffer {
  return Buffer.concat(
    [...entries]
      .sort(compareEntries)
      .flatMap((entry) => [Buffer.from(`${entry.mode} `), entry.name, NUL, Buffer.from(entry.id, 'hex')]),
  );
}

/** Git's order of a tree's entries. Reading folders in this order gives full paths in the index's order. */
export function compareEntries(
  a: Pick<TreeEntry, 'mode' | 'name'>,
  b: Pick<TreeEntry, 'mode' | 'name'>,
): number {
  return Buffer.compare(sortName(a), sortName(b));
}

function sortName(entry: Pick<TreeEntry, 'mode' | 'name'>): Buffer {
  return entry.mode === '40000' ? Buffer.concat([entry.name, SLASH]) : entry.name;
}

const NUL = Buffer.from([0]);
const SLASH = Buffer.from('/');
const BLOCK = 65_535;

/** A zlib stream of stored blocks (RFC 1950, RFC 1951 section 3.2.4): the same bytes wherever it is made. */
function storedZlib(content: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x78, 0x01])];
  for (let start = 0; start === 0 || start < content.length; start += BLOCK) {
    const block = content.subarray(start, start + BLOCK);
    const header = Buffer.alloc(5);
    header[0] = start + BLOCK >= content.length ? 1 : 0;
    header.writeUInt16LE(block.length, 1);
    header.writeUInt16LE(block.length ^ 0xffff, 3);
    parts.push(header, block);
  }
  const check = Buffer.alloc(4);
  check.writeUInt32BE(adler32(content));
  return Buffer.concat([...parts, check]);
}

/** RFC 1950's checksum; sums stay below 2^32 for 3,800 bytes between two reductions. */
function adler32(bytes: Buffer): number {
  let a = 1;
  let b = 0;
  for (let start = 0; start < bytes.length; start += 3800) {
    const end = Math.min(start + 3800, bytes.length);
    for (let at = start; at < end; at++) {
      a += bytes[at]!;
      b += a;
    }
    a %= 65_521;
    b %= 65_521;
  }
  return b * 65_536 + a;
}
