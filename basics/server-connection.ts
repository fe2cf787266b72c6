/**
 * Connections of a client to one of our servers. The address says how it is reached: `http://HOST:PORT`, perhaps with a
 * token as its password, or `unix:PATH` for a socket. Without a token of its own, the token of this user's server at
 * that address is found. A server that was started again may have another one, so it is looked for again when the
 * server refuses.
 */

import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { boundHost, findToken } from './server-token.ts';
import { decodedLogin } from './uri.ts';

export interface ConnectionOptions {
  /** At once. */
  connections: number;
  /** Milliseconds. */
  connectTimeout: number;
  bodyTimeout: number;
}

export interface ServerRequest {
  path: string;
  method: 'GET' | 'POST' | 'PUT';
  /** Makes the body; null: there is none. It is called again when the request is sent again. */
  body: (() => string | Readable) | null;
  /** Media type of the body. */
  type: string;
  signal?: AbortSignal | undefined;
}

/** Says what is wrong with the address of a server, or null. */
export function addressProblem(address: string): string | null {
  if (/^unix:\/[^\0]*$/.test(address)) return null;
  const isKnown = URL.canParse(address) && /^https?:/.test(address);
  return isKnown ? null : 'it is neither http://HOST:PORT nor unix:PATH';
}

export class ServerConnection {
  /** Without its token. */
  readonly url: string;
  readonly #pool: Pool;
  readonly #env: NodeJS.ProcessEnv;
  #token: string | null;

  /** `token`: null when none is known. */
  constructor(
    address: string,
    token: string | null,
    options: ConnectionOptions,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    const { url, origin, socketPath, own } = placeOf(address);
    this.url = url;
    this.#env = env;
    this.#token = own ?? token ?? this.#found();
    this.#pool = new Pool(origin, {
      ...options,
      headersTimeout: 0,
      ...(socketPath === null ? {} : { socketPath }),
    });
  }

  async request({ path, method, body, type, signal }: ServerRequest): Promise<Dispatcher.ResponseData> {
    const ask = () =>
      this.#pool.request({
        ...{ path, method, body: body === null ? null : body() },
        headers: {
          ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(body === null ? {} : { 'content-type': type }),
        },
        ...(signal === undefined ? {} : { signal }),
      });
    const answer = await ask();
    if (answer.statusCode !== 401) return answer;
    const found = this.#found();
    if (found === null || found === this.#token) return answer;
    this.#token = found;
    await answer.body.dump();
    return ask();
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #found(): string | null {
    return this.url.startsWith('unix:') ? null : findToken(this.url, this.#env);
  }
}

interface Place {
  url: string;
  origin: string;
  socketPath: string | null;
  /** The token in the address. */
  own: string | null;
}

function placeOf(address: string): Place {
  if (address.startsWith('unix:')) {
    const socketPath = address.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    return { url: `unix:${socketPath}`, origin: 'http://localhost', socketPath, own: null };
  }
  const { username, password, origin, protocol, hostname, port } = new URL(address);
  const own = decodedLogin(password === '' ? username : password);
  // A certificate says who answers; without one, only the address does.
  const isPlain = protocol === 'http:' && hostname === 'localhost';
  const reached = isPlain ? `http://${boundHost(hostname)}${port === '' ? '' : `:${port}`}` : origin;
  return { url: origin, origin: reached, socketPath: null, own: own === '' ? null : own };
}
