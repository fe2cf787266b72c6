/**
 * Writes output to a file while it comes. The beginning is written once. What follows goes to two segments in turn,
 * and at the end head and tail are put together. So a trainer that prints for days does not fill the disk, and its
 * last output is on disk even if swemake is killed. Output that the disk does not take, because it is full or the folder
 * was removed, is left out of the file: no caller waits for it, and a log decides nothing.
 */
import { closeSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { OutputBuffer } from '../../basics/output.ts';

/** Bytes of a segment at least, so that a small cap does not make a file of every line. */
const LEAST_SEGMENT = 64 * 1024;

export class LogFile {
  readonly #path: string;
  readonly #half: number;
  readonly #kept: OutputBuffer;
  readonly #head: number;
  #headLeft: number;
  #segment: { file: number; left: number } | null = null;

  /** Keeps at most `maxBytes` in memory and in the final file. Until `end`, the files on disk are somewhat larger. */
  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#half = Math.max(1, Math.floor(maxBytes / 2));
    this.#kept = new OutputBuffer(maxBytes);
    this.#head = openSync(path, 'w');
    this.#headLeft = this.#half;
  }

  append(text: string): void {
    const bytes = Buffer.from(text);
    if (bytes.length === 0) return;
    this.#kept.append(bytes);
    unlessRefused(() => this.#write(bytes));
  }

  #write(bytes: Buffer): void {
    const toHead = bytes.subarray(0, this.#headLeft);
    if (toHead.length > 0) writeSync(this.#head, toHead);
    this.#headLeft -= toHead.length;
    for (let at = toHead.length; at < bytes.length; ) at += this.#toSegment(bytes.subarray(at));
  }

  /** Closes the file: head, a line that says what is missing, tail. */
  end(): { output: string; truncated: boolean } {
    closeSync(this.#head);
    const output = this.#kept.text();
    const segment = this.#segment;
    if (segment !== null) unlessRefused(() => this.#join(segment.file, output));
    return { output, truncated: this.#kept.truncated };
  }

  #join(segment: number, output: string): void {
    closeSync(segment);
    writeFileSync(`${this.#path}.new`, output);
    renameSync(`${this.#path}.new`, this.#path);
    for (const name of ['tail', 'tail.old']) rmSync(`${this.#path}.${name}`, { force: true });
  }

  #toSegment(bytes: Buffer): number {
    const full = this.#segment?.left === 0 ? this.#segment : null;
    if (full !== null) {
      this.#segment = null;
      closeSync(full.file);
      renameSync(`${this.#path}.tail`, `${this.#path}.tail.old`);
    }
    this.#segment ??= {
      file: openSync(`${this.#path}.tail`, 'w'),
      left: Math.max(LEAST_SEGMENT, this.#half),
    };
    const part = bytes.subarray(0, this.#segment.left);
    writeSync(this.#segment.file, part);
    this.#segment.left -= part.length;
    return part.length;
  }
}

/** Ignores errors of system calls, such as of a full disk. A bug is thrown on. */
function unlessRefused(write: () => void): void {
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}
