/** Lines of a file of any size, a piece of it in memory at a time: a journal of sixty thousand actions has 100 MB. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';

const PIECE = 1 << 20;
const NEWLINE = 10;

export interface Line {
  text: string;
  /** False for a last line without its end, which a kill may have cut short. */
  ended: boolean;
}

/** The lines of the file at `path`; none when it is not there. */
export function* linesOf(path: string): Generator<Line> {
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE);
      const size = readSync(file, piece, 0, PIECE, null);
      if (size === 0) break;
      const bytes =
        rest.length === 0 ? piece.subarray(0, size) : Buffer.concat([rest, piece.subarray(0, size)]);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        yield { text: bytes.toString('utf8', start, end), ended: true };
        start = end + 1;
      }
      rest = bytes.subarray(start);
    }
    if (rest.length > 0) yield { text: rest.toString('utf8'), ended: false };
  } finally {
    closeSync(file);
  }
}
