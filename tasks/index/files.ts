/**
 * Files of registries, such as archives: large, and they never change. Each is brought once, checked while it comes, and kept by its
 * sha256 on the disk; which address had which file is kept there, too. Nothing has a name in the store before it is whole.
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'undici';
import { digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { infra } from '../../schemas/outcome.ts';
import { SharedWork } from '../source/deps.ts';
import { diskFault, type SourceFault, withoutCredentials } from '../source/fault.ts';
import type { Http } from '../source/http.ts';
import type { Connection, Fetched, Refusal } from './answer.ts';
import { ask } from './ask.ts';
import type { FileStore } from './file-store.ts';

/** Bytes of one file. */
const MAX_BYTES = 4 * 1024 ** 3;

export interface FilesOptions {
  http: Http;
  connection: Connection;
  store: FileStore;
  signal: AbortSignal;
  /** Default {@link MAX_BYTES}. */
  maxBytes?: number;
}

export interface WantedFile {
  url: string;
  /** What the registry says of its bytes; null: nothing. */
  digest: FileDigest | null;
  /** For files without a digest: whether what came can be the whole file. */
  isWhole?(path: string): Promise<boolean>;
  /** Whether what came can be such a file. Absent: anything can. */
  fits?(path: string): Promise<boolean>;
}

export interface FileDigest {
  algorithm: 'sha1' | 'sha256' | 'sha512';
  hex: string;
}

export class Files {
  readonly #options: FilesOptions;
  readonly #work = new SharedWork();

  constructor(options: FilesOptions) {
    this.#options = options;
  }

  /** Path of the file. */
  async get(wanted: WantedFile): Promise<Result<Fetched<string>, Refusal>> {
    const { store } = this.#options;
    const { url, digest } = wanted;
    const note = `${digestOf(JSON.stringify([withoutCredentials(url), digest]))}.file`;
    const sha256 = digest?.algorithm === 'sha256' ? digest.hex : (await store.noted(note))?.toString('utf8');
    const kept = sha256 === undefined ? null : await store.find(sha256);
    if (kept !== null) return success({ value: kept, isNew: false });
    return this.#work.share(note, async () => {
      const got = await this.#fetch(wanted);
      if (!got.ok) return got;
      const { path, sha256 } = got.value;
      if (digest?.algorithm !== 'sha256') await store.note(note, Buffer.from(sha256));
      return success({ value: path, isNew: true });
    });
  }

  async #fetch(wanted: WantedFile): Promise<Result<{ path: string; sha256: string }, Refusal>> {
    const { http, connection, store, signal, maxBytes = MAX_BYTES } = this.#options;
    const temporary = await store.temporaryPath();
    try {
      const got = await ask(http, connection, wanted.url, { signal }, (response) =>
        save(response, temporary, wanted, maxBytes),
      );
      if (!got.ok) return got;
      return success({ path: await store.add(temporary, got.value), sha256: got.value });
    } catch (error) {
      return fault({ status: 507, detail: diskFault(error).detail, isFault: true });
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

/** The sha256 of what was saved. */
async function save(
  response: Response,
  path: string,
  { url, digest, isWhole, fits }: WantedFile,
  limit: number,
): Promise<Result<string, SourceFault>> {
  const wrong = (why: string) => fault(infra('package-index', `${withoutCredentials(url)}: ${why}`));
  const { headers } = response;
  const isMeasured = headers.has('content-length') || headers.has('transfer-encoding');
  if (digest === null && isWhole === undefined && !isMeasured)
    return wrong('its server names no length, so it is unknown whether the file is whole');
  const [sha256, other] = [createHash('sha256'), createHash(digest?.algorithm ?? 'sha256')];
  let size = 0;
  const measuring = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > limit) return done(new TooLong());
      sha256.update(chunk);
      other.update(chunk);
      done(null, chunk);
    },
  });
  try {
    const bytes = (response.body ?? []) as AsyncIterable<Uint8Array>;
    await pipeline(bytes, measuring, createWriteStream(path, { flush: true }));
  } catch (error) {
    if (error instanceof TooLong) return wrong(`it is longer than ${limit} bytes`);
    throw error;
  }
  const got = other.digest('hex');
  if (digest !== null && got !== digest.hex)
    return wrong(`its ${digest.algorithm} is ${got}, and the registry says ${digest.hex}`);
  if (isWhole !== undefined && !(await isWhole(path))) return wrong('what came is not the whole file');
  if (fits !== undefined && !(await fits(path))) return wrong('what came is no such file');
  return success(sha256.digest('hex'));
}

class TooLong extends Error {}
