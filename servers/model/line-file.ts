/** A file to which lines of JSON are added. What was added is there when the process is killed, and, once flushed, when the machine is. */

import { closeSync, fdatasync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { jsonObject } from '../../basics/json.ts';
import { linesOf } from '../../basics/lines.ts';

/** Where a line stands. */
export interface LinePlace {
  offset: number;
  bytes: number;
}

export class LineFile {
  readonly #file: number;
  #size: number;
  #flushed = 0;
  #flushing: Promise<void> | null = null;
  #isClosed = false;

  private constructor(path: string, size: number) {
    this.#file = openSync(path, 'a+', 0o600);
    this.#size = size;
    // What a kill cut short would damage the next line.
    if (statSync(path).size > size) ftruncateSync(this.#file, size);
  }

  /** Opens the file, or makes it; `each` gets what stands in it. */
  static open<Line extends object>(path: string, each: (line: Line, place: LinePlace) => void): LineFile {
    let offset = 0;
    for (const { text, ended } of linesOf(path)) {
      const line = ended ? jsonObject<Line>(text) : null;
      if (line === null) break;
      const bytes = Buffer.byteLength(text) + 1;
      each(line, { offset, bytes });
      offset += bytes;
    }
    return new LineFile(path, offset);
  }

  /** Bytes. */
  get size(): number {
    return this.#size;
  }

  /** @throws when the disk does not take it; nothing is added then. */
  add(line: object): LinePlace {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    const place = { offset: this.#size, bytes: bytes.length };
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    } catch (error) {
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size += bytes.length;
    return place;
  }

  /** Resolves when all that was added is on the disk. Callers at the same time wait for the same. */
  async flush(): Promise<void> {
    const wanted = this.#size;
    while (this.#flushed < wanted && !this.#isClosed) {
      this.#flushing ??= this.#flushNow();
      await this.#flushing;
    }
  }

  read<Line>({ offset, bytes }: LinePlace): Line {
    const text = Buffer.alloc(bytes);
    readSync(this.#file, text, 0, bytes, offset);
    return JSON.parse(text.toString('utf8')) as Line;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    // Lines that must be on the disk were waited for when they were added.
    await this.flush().catch(() => undefined);
    this.#isClosed = true;
    closeSync(this.#file);
  }

  async #flushNow(): Promise<void> {
    const size = this.#size;
    try {
      await new Promise<void>((resolve, reject) => {
        fdatasync(this.#file, (error) => (error === null ? resolve() : reject(error)));
      });
      this.#flushed = size;
    } finally {
      this.#flushing = null;
    }
  }
}
