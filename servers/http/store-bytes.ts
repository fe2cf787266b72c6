/** Writes the body of a request to a file. A sender that is silent for too long, or sends too much, is refused while it sends. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fault, type Result, success } from '../../basics/result.ts';

const MAX_BYTES = 64 * 2 ** 30;
/** Milliseconds without a byte. */
const SILENT = 30_000;
/** Codes of errors when a sender goes away. */
const GONE = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'];

/** The SHA-256 of the bytes; the fault says what their sender did wrong. @throws when the machine cannot write them. */
export async function storeBytes(
  bytes: Readable,
  path: string,
  silent = SILENT,
): Promise<Result<string, string>> {
  const hash = createHash('sha256');
  let count = 0;
  let refused: string | null = null;
  const refuse = (why: string) => {
    refused = why;
    return new Error(why);
  };
  const giveUp = () => bytes.destroy(refuse('its sender was silent for too long'));
  let silence = setTimeout(giveUp, silent);
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      clearTimeout(silence);
      silence = setTimeout(giveUp, silent);
      count += chunk.length;
      hash.update(chunk);
      next(count > MAX_BYTES ? refuse('it is too large') : null, chunk);
    },
  });
  try {
    await pipeline(bytes, hashing, createWriteStream(path, { mode: 0o600 }));
    return success(hash.digest('hex'));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (refused === null && !GONE.includes(code)) throw error;
    return fault(refused ?? 'the request ended early');
  } finally {
    clearTimeout(silence);
  }
}
