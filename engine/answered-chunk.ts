/** Answers of a chunk that was found answered. */
import type { Digest } from '../basics/digest.ts';
import type { ItemList } from '../cache/stage-manifest.ts';
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
