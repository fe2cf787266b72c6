/** Merkle roots of collections: of a list of answers, and of all lists of a node. */
import type { Digest } from '../basics/digest.ts';
import { digestOfList } from './key.ts';

/** Names of some items and what each contributes, in the node's own order. */
export function chunkRoot(entries: readonly { name: string; digest: Digest }[]): Digest {
  return digestOfList(
    'chunk',
    entries.flatMap((entry) => [entry.name, entry.digest]),
  );
}

export function collectionRoot(chunkRoots: readonly Digest[]): Digest {
  return digestOfList('collection', chunkRoots);
}
