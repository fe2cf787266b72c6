/**
 * Cuts lines into blocks of whole lines, some 128 each. Where a block ends depends on the lines around there only,
 * so a changed, added or removed row changes one or two blocks and moves no others: code that keeps results by block
 * digest has to look at those rows alone.
 */
const NEWLINE = 10;
/** A changed row is met in a large block more often than in a small one, so blocks are kept alike. */
const MIN_LINES = 64;
const MAX_LINES = 512;
const MAX_BYTES = 4 << 20;
/** Beyond the least number, one line in so many ends a block. */
const LINES_PER_END = 64;
/** Bytes of a line that decide whether it ends a block, together with its length. */
const DECIDING_BYTES = 96;

/** A block of whole lines; its bytes lie in what the cutter was given. */
export interface CutBlock {
  bytes: Buffer;
  /** Bytes from the beginning of the file. */
  offset: number;
  /** 1 is the first line of the file. */
  firstLine: number;
}

export class LineCutter {
  /** The block that is not complete yet, and how much of it was looked at. */
  #bytes: Buffer = Buffer.alloc(0);
  #seen = 0;
  #lineStart = 0;
  #lines = 0;
  #offset = 0;
  #firstLine = 1;

  /** What was taken and is in no block yet. */
  get rest(): Buffer {
    return this.#bytes;
  }

  /** Takes the rest together with what follows it. */
  *take(bytes: Buffer): Generator<CutBlock> {
    this.#bytes = bytes;
    for (;;) {
      const newline = this.#bytes.indexOf(NEWLINE, this.#seen);
      if (newline === -1) break;
      this.#lines++;
      const isEnd = this.#endsBlock(newline);
      this.#seen = this.#lineStart = newline + 1;
      if (isEnd) yield this.#cutAt(this.#seen);
    }
    this.#seen = this.#bytes.length;
  }

  *end(): Generator<CutBlock> {
    if (this.#bytes.length > 0) yield this.#cutAt(this.#bytes.length);
  }

  /** Decided by the beginning and the length of the line that ends at `newline`. */
  #endsBlock(newline: number): boolean {
    if (this.#lines === MAX_LINES || newline >= MAX_BYTES) return true;
    if (this.#lines < MIN_LINES) return false;
    const start = this.#lineStart;
    const stop = Math.min(newline, start + DECIDING_BYTES);
    let mix = newline - start;
    for (let at = start; at < stop; at++) mix = (Math.imul(mix, 31) + this.#bytes[at]!) | 0;
    return (mix >>> 8) % LINES_PER_END === 0;
  }

  #cutAt(end: number): CutBlock {
    const block = { bytes: this.#bytes.subarray(0, end), offset: this.#offset, firstLine: this.#firstLine };
    this.#bytes = this.#bytes.subarray(end);
    this.#offset += end;
    this.#firstLine += this.#lines;
    this.#lines = this.#seen = this.#lineStart = 0;
    return block;
  }
}
