/** Output of a command, kept within a bound: the head and the tail stay, and a marker says what is missing. */

export const DEFAULT_MAX_OUTPUT = 4 * 1024 * 1024;

/** The line that stands for `bytes` bytes cut from the middle. */
export function omission(bytes: number): string {
  return `\n[... ${bytes} bytes left out ...]\n`;
}

/** Collects chunks; never holds more than its bound. */
export class OutputBuffer {
  private readonly head: Buffer[] = [];
  private headBytes = 0;
  /** Ring over the last bytes, made once the head is full. */
  private ring: Buffer | null = null;
  private total = 0;
  private readonly half: number;

  constructor(maxBytes: number) {
    this.half = Math.max(1, Math.floor(maxBytes / 2));
  }

  get truncated(): boolean {
    return this.total > 2 * this.half;
  }

  append(chunk: Buffer): void {
    this.total += chunk.length;
    const taken = Math.min(chunk.length, this.half - this.headBytes);
    if (taken > 0) {
      this.head.push(chunk.subarray(0, taken));
      this.headBytes += taken;
    }
    if (taken < chunk.length) this.appendToRing(chunk.subarray(taken));
  }

  /** All that was kept as text, invalid UTF-8 replaced. */
  text(): string {
    const head = Buffer.concat(this.head);
    const tail = this.tail();
    if (!this.truncated) return Buffer.concat([head, tail]).toString();
    const start = withoutCutEnd(head);
    const end = withoutCutStart(tail);
    return `${start.toString()}${omission(this.total - start.length - end.length)}${end.toString()}`;
  }

  private appendToRing(chunk: Buffer): void {
    this.ring ??= Buffer.allocUnsafe(this.half);
    const kept = chunk.subarray(-this.half);
    const at = (this.total - this.headBytes - kept.length) % this.half;
    const copied = kept.copy(this.ring, at);
    kept.copy(this.ring, 0, copied);
  }

  private tail(): Buffer {
    const written = this.total - this.headBytes;
    if (this.ring === null) return Buffer.alloc(0);
    if (written <= this.half) return this.ring.subarray(0, written);
    const at = written % this.half;
    return Buffer.concat([this.ring.subarray(at), this.ring.subarray(0, at)]);
  }
}

/** Drops a UTF-8 sequence that a cut left without its end. */
function withoutCutEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) break;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (needed > 0) return needed > back ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

/** Drops the rest of a UTF-8 sequence whose beginning was cut off. */
function withoutCutStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
