/** The stream of a container that an engine gives: both outputs in one, each piece with its length in front. */
import { Duplex } from 'node:stream';

const HEADER = 8;
const STDERR = 2;
/** Characters of the standard error that are kept. */
const KEPT = 4000;

/** What is written goes to the standard input; what is read comes from the standard output. */
export class ContainerStream extends Duplex {
  #held: Buffer = Buffer.alloc(0);
  #stderr = '';

  constructor(private readonly raw: Duplex) {
    super();
    raw.on('data', (chunk: Buffer) => this.#take(chunk));
    raw.on('end', () => this.push(null));
    raw.on('close', () => this.destroy());
    raw.on('error', () => this.destroy());
  }

  /** The end of the standard error. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  override _read(): void {
    this.raw.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.raw.write(chunk, () => done());
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    this.raw.destroy();
    done();
  }

  #take(chunk: Buffer): void {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    while (bytes.length >= HEADER) {
      const end = HEADER + bytes.readUInt32BE(4);
      if (bytes.length < end) break;
      this.#give(bytes[0]!, bytes.subarray(HEADER, end));
      bytes = bytes.subarray(end);
    }
    this.#held = bytes;
  }

  #give(stream: number, piece: Buffer): void {
    if (stream === STDERR) this.#stderr = (this.#stderr + piece.toString()).slice(-KEPT);
    else if (!this.push(piece)) this.raw.pause();
  }
}
