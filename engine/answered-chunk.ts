/** Answers of a chunk that was found answered, and the digest of a list of answers. */
import type { Digest } from '../basics/digest.ts';
import { digestOfList } from '../cache/key.ts';
import type { ItemList } from '../cache/stage-manifest.ts';
import type { Entry } from '../contract/stage.ts';
import type { Output } from '../schemas/record.ts';
import type { Counts } from './events.ts';

export interface AnsweredChunk {
  /** Its lines of the manifest. */
  list: ItemList;
  root: Digest;
  counts: Counts;
  /** What its items' answers name that may get lost. */
  outputs: Output[];
}

/** Names of some items and what each contributes, in the node's own order. */
export function chunkRoot(entries: readonly Entry[]): Digest {
  return digestOfList(
    'chunk',
    entries.flatMap((entry) => [entry.name, entry.digest]),
  );
}
