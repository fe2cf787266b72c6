/**
 * Documents of registries, such as lists of versions: small, and they change. Each is asked for once in a while and is kept in
 * memory, the least recently used ones only as long as all of them have room.
 */
import type { Response } from 'undici';
import { fault, type Result, success } from '../../basics/result.ts';
import { infra } from '../../schemas/outcome.ts';
import { SharedWork } from '../source/deps.ts';
import { type SourceFault, withoutCredentials } from '../source/fault.ts';
import type { Http } from '../source/http.ts';
import type { Connection, Fetched, Refusal } from './answer.ts';
import { ask } from './ask.ts';

/** As long as clients of registries believe one. */
const LASTS_MS = 600_000;
/** Bytes of one document; the largest of npm’s have tens of millions. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Bytes of all that are kept. */
const ROOM = 64 * 1024 * 1024;

/** Times that are kept: some ten million bytes. */
const MAX_TIMES = 100_000;

export interface DocumentsOptions {
  http: Http;
  connection: Connection;
  signal: AbortSignal;
  /** Default {@link MAX_BYTES}. */
  maxBytes?: number;
}

interface Kept {
  /** null: there is none. */
  bytes: Buffer | null;
  at: number;
}

export class Documents {
  readonly #options: DocumentsOptions;
  readonly #kept = new Map<string, Kept>();
  /** Of files that never change. */
  readonly #times = new Map<string, number | null>();
  readonly #work = new SharedWork();
  #room = ROOM;

  constructor(options: DocumentsOptions) {
    this.#options = options;
  }

  /** What `parse` makes of the document; null where there is none. What it makes nothing of is no answer, and is not kept. */
  async get<T>(
    url: string,
    parse: (bytes: Buffer) => T | null,
    accept = '*/*',
  ): Promise<Result<Fetched<T | null>, Refusal>> {
    const name = `${accept} ${url}`;
    const known = this.#kept.get(name);
    if (known !== undefined && performance.now() - known.at < LASTS_MS) {
      this.#keep(name, known);
      return success({ value: known.bytes === null ? null : parse(known.bytes), isNew: false });
    }
    return this.#work.share(name, () => this.#fetch(name, url, parse, accept));
  }

  /** When the file behind an address was changed last, as its server says; null: it does not say. A file that is not there is refused. */
  async modified(url: string): Promise<Result<number | null, Refusal>> {
    const { http, connection, signal } = this.#options;
    const known = this.#times.get(url);
    if (known !== undefined) return success(known);
    return this.#work.share(`HEAD ${url}`, async () => {
      const got = await ask(http, connection, url, { method: 'HEAD', signal }, async ({ headers }) => {
        const time = Date.parse(headers.get('last-modified') ?? '');
        return success(Number.isNaN(time) ? null : time);
      });
      if (got.ok) {
        if (this.#times.size >= MAX_TIMES) this.#times.clear();
        this.#times.set(url, got.value);
      }
      return got;
    });
  }

  async #fetch<T>(
    name: string,
    url: string,
    parse: (bytes: Buffer) => T | null,
    accept: string,
  ): Promise<Result<Fetched<T | null>, Refusal>> {
    const { http, connection, signal, maxBytes = MAX_BYTES } = this.#options;
    const at = performance.now();
    const got = await ask(http, connection, url, { accept, signal }, async (response) => {
      const bytes = await bytesOf(response, maxBytes);
      if (!bytes.ok) return bytes;
      const value = parse(bytes.value);
      if (value !== null) return success({ bytes: bytes.value, value });
      return notOne(url, 'what it answers is not what a registry has there');
    });
    if (!got.ok && got.fault.isFault) return got;
    this.#keep(name, { bytes: got.ok ? got.value.bytes : null, at });
    return success({ value: got.ok ? got.value.value : null, isNew: true });
  }

  #keep(name: string, kept: Kept): void {
    const sizeOf = (one: Kept | undefined) => (one === undefined ? 0 : (one.bytes?.length ?? 0) + 500);
    this.#room += sizeOf(this.#kept.get(name)) - sizeOf(kept);
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    for (const [oldest, one] of this.#kept) {
      if (this.#room >= 0) break;
      this.#room += sizeOf(one);
      this.#kept.delete(oldest);
    }
  }
}

/** The whole body, as far as it is no longer than allowed. */
async function bytesOf(response: Response, limit: number): Promise<Result<Buffer, SourceFault>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) return notOne(response.url, `it answers with more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return success(Buffer.concat(chunks));
}

function notOne(url: string, why: string): Result<never, SourceFault> {
  return fault(infra('package-index', `${withoutCredentials(url)}: ${why}`));
}
