/** Writes to files without loss: where little room is left, one call writes less than it is given. */
import { writeSync } from 'node:fs';

/** `position`: null, where the file is. */
export function writeAll(file: number, bytes: Uint8Array, position: number | null = null): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position === null ? null : position + done);
}
