/** Writes a stream or copies a file to its place, hashed on the way, so that a half-written file is never seen. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Saves `bytes` as `path` when `accept` likes their sha256; returns the sha256 either way. */
export async function saveStream(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  accept: (sha256: string) => boolean,
): Promise<string> {
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const temporary = `${path}.${randomUUID()}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await pipeline(bytes, hashing, createWriteStream(temporary, { flush: true }));
    const sha256 = hash.digest('hex');
    if (accept(sha256)) await rename(temporary, path);
    return sha256;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** sha256 of a file; null when there is no such file. */
export async function fileSha256(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return hash.digest('hex');
}
