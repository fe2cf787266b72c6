/** Messages between Node and the Python side: lengths of header and body, a JSON header, raw bytes. */

export interface Frame {
  header: Record<string, unknown>;
  body: Buffer;
}

const PREFIX_BYTES = 8;

export function encodeFrame(header: object, body: Uint8Array = new Uint8Array(0)): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  prefix.writeUInt32LE(text.length, 0);
  prefix.writeUInt32LE(body.length, 4);
  return Buffer.concat([prefix, text, body]);
}

/** Cuts a stream of chunks into frames. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private needed = PREFIX_BYTES;

  /** Whole frames so far. */
  feed(chunk: Buffer): Frame[] {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    const frames: Frame[] = [];
    while (this.bytes >= this.needed) {
      const all = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks, this.bytes);
      this.chunks = [all];
      const bodyStart = PREFIX_BYTES + all.readUInt32LE(0);
      const end = bodyStart + all.readUInt32LE(4);
      if (all.length < end) {
        this.needed = end;
        break;
      }
      const header = JSON.parse(all.toString('utf8', PREFIX_BYTES, bodyStart)) as Frame['header'];
      frames.push({ header, body: all.subarray(bodyStart, end) });
      this.chunks = end < all.length ? [all.subarray(end)] : [];
      this.bytes = all.length - end;
      this.needed = PREFIX_BYTES;
    }
    return frames;
  }
}
