/**
 * npm's registry as builds see it: swemake asks the machine's own registries, with their credentials, and a build sees only what they
 * answer. Paths are `PACKAGE` for what there is of a package and `-/files/ID` for a file that such an answer named.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Response } from 'undici';
import { digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { INDEX_FAULT } from '../../contract/build-index.ts';
import { infra } from '../../schemas/outcome.ts';
import type { SourceFault } from '../source/fault.ts';
import { type Http, httpClient } from '../source/http.ts';
import { type NpmSettings, npmSettings } from './settings.ts';

export interface NpmOptions {
  env: NodeJS.ProcessEnv;
  /** See HttpOptions. */
  pause?: number;
  tries?: number;
}

/** What of a package's document decides here. */
export interface NpmPackage {
  'dist-tags'?: Record<string, string>;
  time?: Record<string, string>;
  versions: Record<string, NpmVersion>;
}

export interface NpmVersion {
  optionalDependencies?: Record<string, string>;
  dist: { tarball: string; unpackedSize?: number };
}

/** What a request showed of the network. */
interface Seen {
  lost: string | null;
  passed: boolean;
}

/** An answer that is passed on as it came. */
interface Refused {
  status: number;
  detail: string;
}

const FILES = '-/files/';
const NAME = /^(?:@[a-z0-9~._-]+\/)?[a-z0-9~._-]+$/i;
const WHOLE = 'application/json';

export class NpmRegistry {
  readonly #settings: NpmSettings;
  readonly #http: Http;
  /** Only what a registry named can be fetched. */
  readonly #files = new Map<string, string>();

  constructor({ env, ...tries }: NpmOptions) {
    this.#settings = npmSettings(env);
    const { env: proxied, certificates, timeout } = this.#settings;
    this.#http = httpClient({ env: proxied, certificates, timeout, ...tries });
  }

  /** What the registry has of a package; the fault says that it cannot be asked. `name` not there: null. */
  async package(name: string, signal?: AbortSignal): Promise<Result<NpmPackage | null, SourceFault>> {
    const read = await this.#document(name, WHOLE, signal);
    if (read.ok) return read;
    return read.fault.status === 404
      ? success(null)
      : fault(infra('package-index', `npm’s registry: ${read.fault.detail}`));
  }

  /** Answers a request whose path below the registry is `path`; `base`: how the client names this registry. */
  async serve(path: string, base: string, message: IncomingMessage, response: ServerResponse): Promise<Seen> {
    if (message.method !== 'GET' && message.method !== 'HEAD')
      return refuse(response, { status: 405, detail: 'this registry is read alone' });
    const bare = path.replace(/[?#].*$/, '');
    if (bare.startsWith(FILES)) return this.#file(bare.slice(FILES.length), response);
    const name = decoded(bare);
    if (name === null || !NAME.test(name))
      return refuse(response, { status: 404, detail: 'no package has this name' });
    const read = await this.#document(name, message.headers.accept ?? WHOLE);
    if (!read.ok) return refuse(response, read.fault);
    const body = JSON.stringify(this.#withOwnFiles(read.value, base));
    response.writeHead(200, { 'content-type': WHOLE, 'content-length': Buffer.byteLength(body) }).end(body);
    return { lost: null, passed: true };
  }

  async #document(name: string, accept: string, signal?: AbortSignal): Promise<Result<NpmPackage, Refused>> {
    const url = `${this.#settings.registryOf(name)}/${name.replace('/', '%2f')}`;
    return this.#get(url, { accept, ...(signal === undefined ? {} : { signal }) }, async (response) => {
      const read = (await response.json().catch(() => null)) as NpmPackage | null;
      if (typeof read?.versions === 'object' && read.versions !== null) return success(read);
      return fault(infra('package-index', `${name}: what the registry answers is no package`));
    });
  }

  #withOwnFiles(read: NpmPackage, base: string): NpmPackage {
    const versions = Object.entries(read.versions).map(([version, found]) => {
      const id = digestOf(found.dist.tarball).slice(0, 32);
      this.#files.set(id, found.dist.tarball);
      return [version, { ...found, dist: { ...found.dist, tarball: `${base}/${FILES}${id}` } }];
    });
    return { ...read, versions: Object.fromEntries(versions) };
  }

  async #file(id: string, response: ServerResponse): Promise<Seen> {
    const url = this.#files.get(id);
    if (url === undefined) return refuse(response, { status: 404, detail: 'no package named this file' });
    const sent = await this.#get(url, {}, async (from) => {
      const length = from.headers.get('content-length');
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        ...(length === null ? {} : { 'content-length': length }),
      });
      return success(await passOn(from, response));
    });
    if (!sent.ok) return refuse(response, sent.fault);
    // What was begun cannot be begun again: npm asks once more.
    return sent.value === null
      ? { lost: null, passed: true }
      : { lost: `npm’s registry: ${sent.value}`, passed: false };
  }

  async #get<T>(
    url: string,
    asked: { accept?: string; signal?: AbortSignal },
    use: (response: Response) => Promise<Result<T, SourceFault>>,
  ): Promise<Result<T, Refused>> {
    let status = 502;
    const got = await this.#http.get(
      url,
      {
        ...asked,
        headers: () => this.#settings.headersOf(url),
        refusal: (response) => {
          if (response.status < 500 && response.status !== 429) status = response.status;
          return null;
        },
      },
      use,
    );
    return got.ok ? got : fault({ status, detail: got.fault.detail });
  }
}

/** Why the file broke off; null: it did not, or the client left. */
async function passOn(from: Response, response: ServerResponse): Promise<string | null> {
  if (from.body === null) {
    response.end();
    return null;
  }
  try {
    await pipeline(Readable.fromWeb(from.body as ReadableStream), response);
    return null;
  } catch (error) {
    response.destroy();
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ERR_STREAM_PREMATURE_CLOSE' ? null : message;
  }
}

function refuse(response: ServerResponse, { status, detail }: Refused): Seen {
  const body = JSON.stringify({ error: detail });
  response.writeHead(status, { 'content-type': WHOLE, 'content-length': Buffer.byteLength(body) }).end(body);
  return { lost: status >= 500 ? `${INDEX_FAULT}npm’s registry: ${detail}` : null, passed: false };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
