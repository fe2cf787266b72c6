/**
 * What is known of blocks of lines that were read before, by their digest, the dataset's settings and the code that
 * reads them.
 */
import { buildId } from '../../../basics/build-id.ts';
import { type Cache, memoName } from '../../../cache/cache.ts';
import type { DatasetConfig } from '../../../schemas/generated/project.ts';
import type { FileBlock } from './file-blocks.ts';
import type { BlockFacts } from './row-block.ts';

export class KnownBlocks {
  readonly #cache: Cache;
  readonly #settings: string;

  constructor(cache: Cache, { format, inner, sources, discover_tests }: DatasetConfig) {
    this.#cache = cache;
    this.#settings = memoName('block', { build: buildId(), format, inner, sources, discover_tests });
  }

  /** The facts of a block whose blob is there now, else null. From now on gc leaves it. */
  find(block: FileBlock): BlockFacts | null {
    const memo = this.#cache.database.memos.get(this.#nameOf(block));
    if (memo === undefined) return null;
    const facts = JSON.parse(memo as string) as BlockFacts;
    if (!this.#cache.blobs.keep(facts.blob)) return null;
    // The answer that will name it is not there yet.
    this.#cache.database.lease.use(facts.blob.digest);
    return facts;
  }

  keep(block: FileBlock, facts: BlockFacts): void {
    // As text, which is read faster.
    void this.#cache.database.memos.put(this.#nameOf(block), JSON.stringify(facts));
  }

  /** Only the first line of a file may begin with a mark of its encoding. */
  #nameOf({ digest, firstLine }: FileBlock): string {
    return `${this.#settings} ${firstLine === 1 ? 'first' : 'inner'} ${digest}`;
  }
}
