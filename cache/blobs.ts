/**
 * Blobs are files named by their sha256. They are written under a temporary name, fsynced and renamed, with mode
 * 0444. So a blob with its final name is complete, and the record that names it is written after it. A disk may need
 * a second for an fsync, while sixty rollouts wait for the event loop. So it is done in the background, and the writer of
 * a record waits for it (`settled`). Until then this process reads the blob under its temporary name.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  createReadStream,
  fchmodSync,
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
import { BackgroundSync } from './background-sync.ts';
import { type CacheFolder, temporaryPath } from './folder.ts';

export interface Blob {
  digest: Digest;
  size: number;
}

/** A file that is written and on its way to the disk. */
interface Written {
  temporary: string;
  file: number;
}

export class BlobStore {
  readonly #folder: CacheFolder;
  readonly #sync = new BackgroundSync();
  /** Temporary names of blobs that have no other yet. */
  readonly #unsettled = new Map<Digest, string>();
  /** Why blobs could not be kept, for those that were not written again since. */
  readonly #lost = new Map<Digest, unknown>();

  constructor(folder: CacheFolder) {
    this.#folder = folder;
  }

  /** Where the blob's file is by now, or would be. */
  path(digest: Digest): string {
    return this.#unsettled.get(digest) ?? this.#finalPath(digest);
  }

  #finalPath(digest: Digest): string {
    return `${this.#folder.blobs}/${digest.slice(0, 2)}/${digest}`;
  }

  /** Stores `bytes`; a blob that is there with the right size is left alone. */
  write(bytes: Uint8Array | string): Blob {
    const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    const blob = { digest: digestOf(content), size: content.byteLength };
    if (!this.keep(blob)) this.#settle(blob.digest, writeTemporary(this.#folder, content));
    return blob;
  }

  /** Stores what is written piece by piece, for what is too large to hold. End it with `finish` or `drop`. */
  writer(): BlobWriter {
    return new BlobWriter(openTemporary(this.#folder), (digest, written) => this.#settle(digest, written));
  }

  /** Waits until everything that was written is on the disk under its name, or could not be kept. */
  settled(): Promise<void> {
    return this.#sync.settled();
  }

  /** @throws when one of them could not be kept, as on a full disk: nothing that is published may rest on it. */
  refuseLost(blobs: readonly Pick<Blob, 'digest'>[]): void {
    for (const { digest } of blobs) if (this.#lost.has(digest)) throw this.#lost.get(digest);
  }

  /** Present with the right size. A wrong size is damage: the file is moved aside and the blob counts as absent. */
  has(blob: Blob): boolean {
    const found = statSync(this.path(blob.digest), { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (found.size === blob.size) return true;
    this.#quarantine(blob.digest);
    return false;
  }

  /** Like `has`, for a blob that is going to be referred to: from now on gc sees that it is needed. */
  keep(blob: Blob): boolean {
    return this.has(blob) && this.#touch(blob.digest);
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

  #settle(digest: Digest, { temporary, file }: Written): void {
    if (this.#unsettled.has(digest)) {
      // Another process wrote the same blob a moment ago.
      closeSync(file);
      rmSync(temporary, { force: true });
      return;
    }
    this.#unsettled.set(digest, temporary);
    this.#sync.add(file, (error) => {
      this.#unsettled.delete(digest);
      try {
        if (error !== null) throw error;
        faultPoint('blob-synced');
        renameSync(temporary, this.#finalPath(digest));
        faultPoint('blob-renamed');
        this.#lost.delete(digest);
      } catch (failure) {
        // A half-written file would take space until this process ends.
        rmSync(temporary, { force: true });
        this.#lost.set(digest, failure);
      } finally {
        closeSync(file);
      }
    });
  }

  /** Marks it as needed just now. False when gc was quicker. */
  #touch(digest: Digest): boolean {
    try {
      const now = new Date();
      utimesSync(this.path(digest), now, now);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPERM' && this.#folder.isShared) return this.#replace(digest);
      // Otherwise it belongs to another user's cache, or to a read-only one.
      return code !== 'ENOENT';
    }
  }

  /** Puts a copy of this user's in the place of another user's file, whose time cannot be set. False when it is gone. */
  #replace(digest: Digest): boolean {
    const copy = temporaryPath(this.#folder);
    try {
      copyFileSync(this.path(digest), copy);
      chmodSync(copy, 0o444);
      renameSync(copy, this.#finalPath(digest));
      return true;
    } catch (error) {
      rmSync(copy, { force: true });
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  #quarantine(digest: Digest): void {
    const { quarantine } = this.#folder;
    mkdirSync(quarantine, { recursive: true });
    try {
      renameSync(this.path(digest), join(quarantine, digest));
    } catch (error) {
      // Another process may have moved it first.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** A new file for a blob, which in a shared cache other users can read, whatever the mask of this one. */
function openTemporary(folder: CacheFolder): Written {
  const temporary = temporaryPath(folder);
  const file = openSync(temporary, 'wx', 0o444);
  if (folder.isShared) fchmodSync(file, 0o444);
  return { temporary, file };
}

function writeTemporary(folder: CacheFolder, content: Uint8Array): Written {
  const { temporary, file } = openTemporary(folder);
  try {
    faultPoint('blob-opened');
    for (let done = 0; done < content.byteLength; ) done += writeSync(file, content, done);
    faultPoint('blob-written');
    return { temporary, file };
  } catch (error) {
    rmSync(temporary, { force: true });
    closeSync(file);
    throw error;
  }
}

/** A blob in the making. */
export class BlobWriter {
  readonly #temporary: string;
  readonly #settle: (digest: Digest, written: Written) => void;
  readonly #file: number;
  readonly #hash = createHash('sha256');
  #size = 0;
  #ended = false;

  constructor({ temporary, file }: Written, settle: (digest: Digest, written: Written) => void) {
    this.#temporary = temporary;
    this.#settle = settle;
    this.#file = file;
    faultPoint('blob-opened');
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    this.#hash.update(bytes);
    for (let done = 0; done < bytes.byteLength; ) done += writeSync(this.#file, bytes, done);
    this.#size += bytes.byteLength;
  }

  /** The blob; after an error here nothing is left of it. */
  finish(): Blob {
    try {
      faultPoint('blob-written');
    } catch (error) {
      this.drop();
      throw error;
    }
    this.#ended = true;
    const digest = this.#hash.digest('hex') as Digest;
    this.#settle(digest, { temporary: this.#temporary, file: this.#file });
    return { digest, size: this.#size };
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
export async function digestOfFile(path: string | Buffer): Promise<Digest> {
  if (statSync(path).size <= AT_ONCE) return digestOf(readFileSync(path));
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(piece as Buffer);
  return hash.digest('hex') as Digest;
}
