/**
 * A second thread that hashes the later blocks of a file while this one hashes the first. It begins at any line, so
 * its first blocks may differ from those of a reader from the beginning. Soon both cut at the same places, and from
 * there on its blocks are those of the file.
 */
import type { Digest } from '../../../basics/digest.ts';
import type { BegunTail } from '../../../contract/rows-ahead.ts';
import type { NamedBlock } from './hash-blocks.ts';

export class TailHasher {
  readonly #tail: BegunTail;
  readonly #blocks: NamedBlock[] = [];
  readonly #places = new Map<number, number>();

  constructor(tail: BegunTail, onDigest: (digest: Digest) => void = () => undefined) {
    this.#tail = tail;
    const add = (blocks: NamedBlock[]): void => {
      for (const block of blocks) {
        this.#places.set(block.offset, this.#blocks.push(block) - 1);
        onDigest(block.digest);
      }
    };
    for (const blocks of tail.said) add(blocks as NamedBlock[]);
    tail.worker.on('message', add);
  }

  /** The file's blocks from this byte on, if a block that this thread found begins there and it came to the end of the file. */
  async blocksFrom(offset: number): Promise<NamedBlock[] | null> {
    const place = this.#places.get(offset);
    return place !== undefined && (await this.#tail.ended) ? this.#blocks.slice(place) : null;
  }

  async stop(): Promise<void> {
    await this.#tail.worker.terminate();
  }
}
