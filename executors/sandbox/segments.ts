/** Turns what the supervisor captured into text: pieces of both streams in the order in which they arrived. */
import { omission } from '../../basics/output.ts';

/** [stream, bytes], or [0, stdout, stderr]: bytes of each stream that were left out at this place. */
export type Segment = [number, number] | [0, number, number];

export interface Texts {
  stdout: string;
  stderr: string;
  output: string;
}

export function decodeSegments(segments: Segment[], body: Buffer): Texts {
  return {
    stdout: decode(segments, body, 1),
    stderr: decode(segments, body, 2),
    output: decode(segments, body, null),
  };
}

/** One stream's text, or everything for null. */
function decode(segments: Segment[], body: Buffer, stream: 1 | 2 | null): string {
  let text = '';
  let pieces: Buffer[] = [];
  let at = 0;
  for (const segment of segments) {
    if (segment[0] === 0) {
      const [, stdout, stderr] = segment as [0, number, number];
      const missing = stream === null ? stdout + stderr : stream === 1 ? stdout : stderr;
      if (missing === 0) continue;
      text += withoutCutEnd(Buffer.concat(pieces)).toString() + omission(missing);
      pieces = [];
      continue;
    }
    const piece = body.subarray(at, at + segment[1]);
    at += segment[1];
    if (stream === null || segment[0] === stream) pieces.push(piece);
  }
  const rest = Buffer.concat(pieces);
  return text + (text === '' ? rest : withoutCutStart(rest)).toString();
}

/** Drops the beginning of a UTF-8 sequence whose rest was left out. */
function withoutCutEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) return bytes.subarray(0, -back);
    if (byte < 0x80) break;
  }
  return bytes;
}

function withoutCutStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
