/** Files for the user of outputs that the cache keeps in pieces: compared and written a piece at a time. */
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { type Digest, digestOf } from '../../basics/digest.ts';
import type { Blob } from '../../cache/blobs.ts';
import type { Cache } from '../../cache/cache.ts';
import { readPieces } from '../../cache/pieces.ts';
import { digestOfPath, lastDigestOfPath, noteDigestOfPath } from '../../cache/stat-memo.ts';

const KIND = 'pieces';
/** The digest that is remembered of a file which does not hold the wanted pieces. */
const OTHER = digestOf('another content');

/** Whether the file at `path` is made of the pieces in `list`. */
export async function holdsPieces(path: string, list: Digest, { blobs, database }: Cache): Promise<boolean> {
  const last = lastDigestOfPath(database, path, KIND);
  // What an earlier build wrote there; it is not read to find where it differs.
  if (last !== null && last !== list && last !== OTHER) return false;
  const read = async () => (isMadeOf(path, readPieces(blobs, list) ?? []) ? list : OTHER);
  return (await digestOfPath(database, path, KIND, read)) === list;
}

function isMadeOf(path: string, pieces: readonly Blob[]): boolean {
  if (statSync(path).size !== pieces.reduce((sum, { size }) => sum + size, 0)) return false;
  const buffer = Buffer.allocUnsafe(Math.max(0, ...pieces.map(({ size }) => size)));
  const file = openSync(path, 'r');
  try {
    return pieces.every(({ digest, size }) => {
      const bytes = buffer.subarray(0, readSync(file, buffer, 0, size, null));
      return digestOf(bytes) === digest;
    });
  } finally {
    closeSync(file);
  }
}

/** Writes the pieces in `list` to `path`; false when one of them is gone or damaged, and then set aside. */
export function writePieces(path: string, list: Digest, { blobs }: Cache): boolean {
  const pieces = readPieces(blobs, list);
  if (pieces === null) return false;
  const file = openSync(path, 'w', 0o644);
  try {
    for (const { digest } of pieces) {
      const bytes = blobs.read(digest);
      if (bytes === null) return false;
      for (let done = 0; done < bytes.byteLength; ) done += writeSync(file, bytes, done);
    }
    return true;
  } finally {
    closeSync(file);
  }
}

/** To be called when the pieces in `list` have been written to `path`. */
export function notePieces(path: string, list: Digest, { database }: Cache): Promise<void> {
  return noteDigestOfPath(database, path, KIND, list);
}
