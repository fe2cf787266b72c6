/**
 * Digests of files, remembered by what `stat` says. A memo counts only when the file was last changed well
 * before the memo was written: a change within the clock's granularity would leave the same times (git calls
 * such an entry racy).
 */
import { type BigIntStats, statSync } from 'node:fs';
import { type Digest, digestOf } from '../schemas/digest.ts';
import { digestOfFile } from './blobs.ts';
import type { Database } from './database.ts';

/** Milliseconds that a file must have rested before its memo is trusted. */
const REST_MS = 2000;

interface FileMemo {
  stat: string;
  digest: string;
  at: number;
  [member: string]: string | number;
}

/**
 * The digest of the file at `path`, or null when it is not a readable file. `read` may be another way to make it
 * than from all bytes in a row; `kind` then keeps its memos apart.
 */
export async function digestOfPath(
  database: Database,
  path: string,
  kind = 'file',
  read: (path: string) => Promise<Digest> = digestOfFile,
): Promise<Digest | null> {
  const before = statOf(path);
  if (before === null) return null;
  const name = memoName(kind, path);
  const memo = database.memos.get(name) as FileMemo | undefined;
  if (memo !== undefined && memo.stat === signature(before) && isRested(before, memo.at)) {
    return memo.digest as Digest;
  }
  const at = Date.now();
  const digest = await read(path);
  const after = statOf(path);
  if (after !== null && signature(after) === signature(before)) {
    await database.memos.put(name, { stat: signature(before), digest, at });
  }
  return digest;
}

/** Paths may be longer than an LMDB key. */
function memoName(kind: string, path: string): string {
  return `${kind} ${path.length > 500 ? digestOf(path) : path}`;
}

function statOf(path: string): BigIntStats | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.isFile() === true ? found : null;
}

function signature(stat: BigIntStats): string {
  return `${stat.dev}.${stat.ino}.${stat.size}.${stat.mtimeNs}.${stat.ctimeNs}`;
}

function isRested(stat: BigIntStats, at: number): boolean {
  return Number(stat.ctimeMs) + REST_MS < at && Number(stat.mtimeMs) + REST_MS < at;
}
