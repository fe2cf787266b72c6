/**
 * A damaged LMDB file ends a Node process with a signal that cannot be caught, so the file is examined before
 * it is mapped: its two meta pages by hand, and after an unclean stop by a full scan in a child process.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** MDB_MAGIC and the data version of lmdb-js; page headers have 24 bytes in this version. */
const MAGIC = 0xbeefc0de;
const HEADER = 24;
const OFFSETS = { magic: HEADER, version: HEADER + 4, pageSize: HEADER + 24, lastPage: HEADER + 120 };

/** Why the file must not be opened, or null when its meta pages are sound. A missing file is sound. */
export function metaPageFault(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return faultOf(file);
  } finally {
    closeSync(file);
  }
}

function faultOf(file: number): string | null {
  const size = fstatSync(file).size;
  // A file that was just made has no meta page yet; LMDB writes them itself.
  if (size === 0) return null;
  const page = Buffer.alloc(HEADER + 144);
  if (readSync(file, page, 0, page.length, 0) < page.length) return 'it is shorter than one page';
  if (page.readUInt32LE(OFFSETS.magic) !== MAGIC) return 'it does not begin like a database';
  const pageSize = page.readUInt32LE(OFFSETS.pageSize);
  if (pageSize < 512 || pageSize > 65536) return `its page size reads as ${pageSize}`;
  let last = page.readBigUInt64LE(OFFSETS.lastPage);
  if (readSync(file, page, 0, page.length, pageSize) < page.length) return 'its second page is missing';
  if (page.readUInt32LE(OFFSETS.magic) !== MAGIC) return 'its second page is damaged';
  const second = page.readBigUInt64LE(OFFSETS.lastPage);
  if (second > last) last = second;
  const needed = (last + 1n) * BigInt(pageSize);
  return needed > BigInt(size) ? `it is cut short: ${size} of ${needed} bytes` : null;
}
