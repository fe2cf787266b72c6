/**
 * Finds git repositories in an environment, as an installation from one leaves behind. The history of the same
 * project has the solution in it, before or after the task's commit.
 */
import { readFileSync } from 'node:fs';
import type { LowerFiles } from './lower.ts';

/** Folders of repositories that have an object in `blobs`, or objects that cannot be read. */
export function repositoriesWith(blobs: () => ReadonlySet<string>, lower: LowerFiles): string[] {
  const folders = lower.entries
    .filter(({ path, type }) => type === 'folder' && path.endsWith('/objects'))
    .map(({ path }) => path.slice(0, -'/objects'.length))
    .filter((folder) => lower.get(`${folder}/HEAD`) !== undefined);
  if (folders.length === 0) return [];
  const known = blobs();
  const names = [...known].map((blob) => Buffer.from(blob, 'hex'));
  return folders.filter((folder) => holds(`${folder}/objects`, lower, known, names));
}

function holds(
  objects: string,
  lower: LowerFiles,
  blobs: ReadonlySet<string>,
  names: readonly Buffer[],
): boolean {
  return lower.below(objects).some(({ path, host }) => {
    const loose = /\/([0-9a-f]{2})\/([0-9a-f]{38})$/.exec(path);
    if (loose !== null) return blobs.has(loose[1]! + loose[2]!);
    // Objects that are kept elsewhere are also in this environment, or cannot be found at all.
    if (path.endsWith('.pack')) return lower.get(path.replace(/pack$/, 'idx')) === undefined;
    if (!path.endsWith('.idx')) return false;
    const index = readFileSync(host);
    return names.some((name) => hasObject(index, name));
  });
}

const MAGIC = Buffer.from('ff744f63', 'hex');
/** Bytes before the names of a pack's index, version 2. */
const HEAD = 8 + 4 * 256;

/** Looks the object up in a pack's index, version 2; in any other one, or in a damaged one, its name is searched for. */
function hasObject(index: Buffer, name: Buffer): boolean {
  const isWhole = index.length >= HEAD && index.indexOf(MAGIC) === 0;
  const fanout = (byte: number) => (byte < 0 ? 0 : index.readUInt32BE(8 + 4 * byte));
  if (!isWhole || index.length < HEAD + 20 * fanout(255)) return index.includes(name);
  let low = fanout(name[0]! - 1);
  let high = fanout(name[0]!);
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = HEAD + 20 * middle;
    const order = name.compare(index, at, at + 20);
    if (order === 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}
