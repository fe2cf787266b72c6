/**
 * What is known of blocks of lines that were read before, by their digest, the dataset's settings and the code that
 * reads them. It is looked up
 * while another thread still hashes the file.
 */
import { buildId } from '../../../basics/build-id.ts';
import { type Cache, memoName } from '../../../cache/cache.ts';
import type { DatasetConfig } from '../../../schemas/generated/project.ts';
import type { FileBlock } from './file-blocks.ts';
import { GroupNumbers } from './group-numbers.ts';
import type { BlockFacts } from './row-block.ts';

/** What a block is known by. */
export type LookedUp = Pick<FileBlock, 'digest' | 'firstLine'>;

export class KnownBlocks {
  readonly groups = new GroupNumbers();
  readonly #cache: Cache;
  readonly #settings: string;
  readonly #ahead = new Map<string, BlockFacts | null>();

  constructor(cache: Cache, { format, inner, sources }: DatasetConfig) {
    this.#cache = cache;
    this.#settings = memoName('block', { build: buildId(), format, inner, sources });
  }

  /** Does ahead what {@link find} will be asked for. */
  look(block: LookedUp): void {
    const name = this.#nameOf(block);
    if (!this.#ahead.has(name)) this.#ahead.set(name, this.#find(name));
  }

  /** The facts of a block whose blob is there now, else null. From now on gc leaves it. */
  find(block: FileBlock): BlockFacts | null {
    const name = this.#nameOf(block);
    const ahead = this.#ahead.get(name);
    this.#ahead.delete(name);
    return ahead ?? this.#find(name);
  }

  #find(name: string): BlockFacts | null {
    const memo = this.#cache.database.memos.get(name);
    if (memo === undefined) return null;
    const facts = JSON.parse(memo as string) as BlockFacts;
    if (!this.#cache.blobs.keep(facts.blob)) return null;
    // The answer that will name it is not there yet.
    this.#cache.database.lease.use(facts.blob.digest);
    this.groups.of(facts.groups);
    return facts;
  }

  keep(block: FileBlock, facts: BlockFacts): void {
    // As text, which is read faster.
    void this.#cache.database.memos.put(this.#nameOf(block), JSON.stringify(facts));
  }

  /** Only the first line of a file may begin with a mark of its encoding. */
  #nameOf({ digest, firstLine }: LookedUp): string {
    return `${this.#settings} ${firstLine === 1 ? 'first' : 'inner'} ${digest}`;
  }
}
