/**
 * The manifest of a finished stage: one line an item, what others see of its answer. A stage with very many items
 * names lists of them instead, each a blob of such lines: where one item of sixty thousand changed, one list is new.
 */
import type { Digest } from '../basics/digest.ts';
import type { ManifestItem } from '../schemas/record.ts';
import type { BlobStore } from './blobs.ts';

/** A blob that lists items. */
export interface ItemList {
  digest: Digest;
  /** Bytes. */
  size: number;
  items: number;
}

/** The line of an item. */
export function itemLine({ name, key, outcome, digest }: Nullable<ManifestItem>): string {
  return `${JSON.stringify([name, key, outcome, digest])}\n`;
}

/** The line of a list of items. */
export function listLine({ digest, size, items }: ItemList): string {
  return `${JSON.stringify({ list: digest, size, items })}\n`;
}

/** The lists that a manifest names; none when it holds its items itself, or is damaged. */
export function parseLists(manifest: string): ItemList[] {
  if (!manifest.startsWith('{')) return [];
  try {
    return linesOf(manifest).map((line) => {
      const { list, size, items } = JSON.parse(line) as { list: Digest; size: number; items: number };
      return { digest: list, size, items };
    });
  } catch {
    // What is damaged may be any text.
    return [];
  }
}

/** The items of lines that {@link itemLine} wrote. */
function parseItems(text: string): ManifestItem[] {
  return linesOf(text).map(parseItem);
}

function parseItem(line: string): ManifestItem {
  const [name, key, outcome, digest] = JSON.parse(line) as ItemFields;
  return { name, key, outcome, digest };
}

/** The items of a list; null when it is gone or damaged. */
export function readList(blobs: BlobStore, digest: Digest): ManifestItem[] | null {
  const text = blobs.read(digest)?.toString('utf8');
  return text === undefined ? null : parseItems(text);
}

/** The items of a list one after the other, for who looks at each once: all of them at once take ten times their bytes. */
export function* eachItem(blobs: BlobStore, digest: Digest): Generator<ManifestItem> {
  const bytes = blobs.read(digest) ?? Buffer.alloc(0);
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at);
    yield parseItem(bytes.toString('utf8', at, end));
    at = end + 1;
  }
}

/** All items of the manifest; null when it, or a list that it names, is gone or damaged. */
export function readItems(blobs: BlobStore, manifest: Digest): ManifestItem[] | null {
  const text = blobs.read(manifest)?.toString('utf8');
  if (text === undefined) return null;
  const lists = parseLists(text);
  if (lists.length === 0) return parseItems(text);
  const items: ManifestItem[] = [];
  for (const { digest } of lists) {
    const found = readList(blobs, digest);
    if (found === null) return null;
    for (const item of found) items.push(item);
  }
  return items;
}

type ItemFields = [
  ManifestItem['name'],
  ManifestItem['key'],
  ManifestItem['outcome'],
  ManifestItem['digest'],
];

/** An item that ended in a fault has no key; such a list is never kept. */
type Nullable<T extends { key: unknown }> = Omit<T, 'key'> & { key: T['key'] | null };

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
