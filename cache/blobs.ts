/**
 * Blobs are files named by their sha256. They are written under a temporary name, fsynced and renamed, mode
 * 0444, so a blob that has its final name is whole; the record that names it is written after it.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Digest, digestOf } from '../basics/digest.ts';
import { faultPoint } from '../basics/fault-point.ts';
import { type CacheFolder, temporaryPath } from './folder.ts';

export interface Blob {
  digest: Digest;
  size: number;
}

export class BlobStore {
  readonly #folder: CacheFolder;

  constructor(folder: CacheFolder) {
    this.#folder = folder;
  }

  /** Where the blob's file is or would be. */
  path(digest: Digest): string {
    return join(this.#folder.blobs, digest.slice(0, 2), digest);
  }

  /** Stores `bytes`; a blob that is there with the right size is left alone. */
  write(bytes: Uint8Array | string): Blob {
    const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    const blob = { digest: digestOf(content), size: content.byteLength };
    if (this.has(blob)) this.#touch(blob.digest);
    else this.#publish(blob.digest, content);
    return blob;
  }

  /** Stores what is written piece by piece, for what is too large to hold. End it with `finish` or `drop`. */
  writer(): BlobWriter {
    return new BlobWriter(temporaryPath(this.#folder), (digest) => this.path(digest));
  }

  /** Present with the right size. A wrong size is damage: the file is moved aside and the blob counts as absent. */
  has(blob: Blob): boolean {
    const found = statSync(this.path(blob.digest), { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (found.size === blob.size) return true;
    this.#quarantine(blob.digest);
    return false;
  }

  /** The blob's bytes, or null when it is absent or damaged (its content is checked against its name). */
  read(digest: Digest): Buffer | null {
    try {
      const bytes = readFileSync(this.path(digest));
      if (digestOf(bytes) === digest) return bytes;
      this.#quarantine(digest);
      return null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  #publish(digest: Digest, content: Uint8Array): void {
    const temporary = temporaryPath(this.#folder);
    const file = openSync(temporary, 'wx', 0o444);
    try {
      faultPoint('blob-opened');
      for (let done = 0; done < content.byteLength; ) done += writeSync(file, content, done);
      faultPoint('blob-written');
      fsyncSync(file);
      faultPoint('blob-synced');
      renameSync(temporary, this.path(digest));
      faultPoint('blob-renamed');
    } catch (error) {
      // What is half written would fill a full disk until this process ends.
      rmSync(temporary, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Marks it as needed just now: gc spares what is younger than the runs that it sees. */
  #touch(digest: Digest): void {
    try {
      const now = new Date();
      utimesSync(this.path(digest), now, now);
    } catch {
      // Somebody else's cache, or gone this very moment: then the answer that names it is a miss.
    }
  }

  #quarantine(digest: Digest): void {
    const aside = join(this.#folder.root, 'quarantine');
    mkdirSync(aside, { recursive: true });
    try {
      renameSync(this.path(digest), join(aside, digest));
    } catch (error) {
      // Another process may have moved it first.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** A blob in the making. */
export class BlobWriter {
  readonly #temporary: string;
  readonly #pathOf: (digest: Digest) => string;
  readonly #file: number;
  readonly #hash = createHash('sha256');
  #size = 0;
  #ended = false;

  constructor(temporary: string, pathOf: (digest: Digest) => string) {
    this.#temporary = temporary;
    this.#pathOf = pathOf;
    this.#file = openSync(temporary, 'wx', 0o444);
    faultPoint('blob-opened');
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    this.#hash.update(bytes);
    for (let done = 0; done < bytes.byteLength; ) done += writeSync(this.#file, bytes, done);
    this.#size += bytes.byteLength;
  }

  /** The blob under its final name; after an error here nothing is left of it. */
  finish(): Blob {
    this.#ended = true;
    try {
      faultPoint('blob-written');
      fsyncSync(this.#file);
      faultPoint('blob-synced');
      const digest = this.#hash.digest('hex') as Digest;
      renameSync(this.#temporary, this.#pathOf(digest));
      faultPoint('blob-renamed');
      return { digest, size: this.#size };
    } catch (error) {
      rmSync(this.#temporary, { force: true });
      throw error;
    } finally {
      closeSync(this.#file);
    }
  }

  drop(): void {
    if (this.#ended) return;
    this.#ended = true;
    closeSync(this.#file);
    rmSync(this.#temporary, { force: true });
  }
}

/** Bytes up to which a file is read at once: for most files of a cache, a stream costs more than reading them. */
const AT_ONCE = 1 << 20;

/** sha256 of a file; a large one is read in pieces. */
export async function digestOfFile(path: string): Promise<Digest> {
  if (statSync(path).size <= AT_ONCE) return digestOf(readFileSync(path));
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(piece as Buffer);
  return hash.digest('hex') as Digest;
}
