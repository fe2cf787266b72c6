/**
 * Keys of answers by number. A project may have hundreds of thousands of answers: a key takes 32 bytes and a place of 8 here, as a text
 * in a map some 150. A key keeps its number as long as the page is open.
 */
import type { ActionKey } from '../../basics/digest.ts';

const BYTES = 32;

export class Keys {
  #bytes = Buffer.alloc(BYTES << 10);
  /** By the first bytes of a key: its number and one; 0: free. At least twice as many as keys. */
  #places = new Uint32Array(2 << 10);
  size = 0;

  /** The key's number. */
  add(key: ActionKey): number {
    if (BYTES * (this.size + 1) > this.#bytes.length) this.#grow();
    const at = BYTES * this.size;
    this.#bytes.write(key, at, 'hex');
    const place = this.#placeOf(at);
    if (this.#places[place] === 0) {
      this.size += 1;
      this.#places[place] = this.size;
    }
    return this.#places[place]! - 1;
  }

  /** As LMDB stores it. */
  binary(number: number): Buffer {
    return this.#bytes.subarray(BYTES * number, BYTES * (number + 1));
  }

  text(number: number): ActionKey {
    return this.binary(number).toString('hex') as ActionKey;
  }

  /** Where the key that is written at `at` is, or would be. */
  #placeOf(at: number): number {
    const mask = this.#places.length - 1;
    for (let place = this.#bytes.readUInt32LE(at) & mask; ; place = (place + 1) & mask) {
      const found = BYTES * (this.#places[place]! - 1);
      if (found < 0 || this.#bytes.compare(this.#bytes, at, at + BYTES, found, found + BYTES) === 0)
        return place;
    }
  }

  #grow(): void {
    this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    this.#places = new Uint32Array(2 * this.#places.length);
    for (let number = 0; number < this.size; number += 1) {
      this.#places[this.#placeOf(BYTES * number)] = number + 1;
    }
  }
}
