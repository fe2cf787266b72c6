/**
 * A remote store over HTTP: the routes of Bazel's HTTP cache (`/ac/KEY`, `/cas/SHA256`), as bazel-remote serves them.
 * Every request has a limit of time, so a server that takes a connection and says nothing costs that and no more.
 */
import { Agent, type Dispatcher, errors } from 'undici';
import { Credential } from '../../basics/credential.ts';
import type { GetResult, Presence, PutResult, RemoteStore, Space, StoreFault } from './store.ts';

export interface HttpStoreOptions {
  url: string;
  /** USER:PASSWORD for basic authorisation, anything else is a bearer token. */
  token: string | null;
  /** PEM texts: who signed the server's certificate, and the client's own certificate and key. */
  ca: string | null;
  certificate: string | null;
  key: string | null;
  /** Milliseconds without an answer, or without a byte of one. */
  timeout: number;
  connections: number;
}

/** Milliseconds for making a connection. */
const CONNECT = 5000;
/** Bytes a millisecond below which a transfer counts as stuck. */
const SLOWEST = 250;

export function httpStore(options: HttpStoreOptions): RemoteStore {
  const { origin, pathname } = new URL(options.url);
  const base = pathname.replace(/\/+$/, '');
  const agent = agentOf(options);
  const headers = {
    'user-agent': 'swemake',
    ...(options.token === null ? {} : Credential.login(options.token, origin).headers(origin)),
  };
  const ask = async <T>(
    request: { method: 'GET' | 'HEAD' | 'PUT'; space: Space; name: string; body?: Uint8Array },
    bytes: number,
    read: (response: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<T | StoreFault> => {
    const { method, space, name, body } = request;
    // A timer of its own: a waiting one does not keep the process alive.
    const stop = new AbortController();
    const limit = setTimeout(
      () => stop.abort(new Error(`no end within ${options.timeout} ms and the time for its bytes`)),
      options.timeout + bytes / SLOWEST,
    );
    limit.unref();
    try {
      const response = await agent.request({
        origin,
        path: `${base}/${space}/${name}`,
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/octet-stream' },
        ...(body === undefined ? {} : { body }),
        signal: stop.signal,
      });
      // Errors of an abandoned response body are ignored.
      response.body.on('error', () => undefined);
      return await read(response);
    } catch (error) {
      return broken(messageOf(error));
    } finally {
      clearTimeout(limit);
    }
  };
  return {
    name: `${origin}${base}`,
    get: (space, name, most) =>
      ask<GetResult>({ method: 'GET', space, name }, most, async (response) => {
        if (response.statusCode === 200) return readBody(response, most);
        return (await answerTo(response)) ?? { kind: 'absent' };
      }),
    has: (space, name) =>
      ask<Presence>({ method: 'HEAD', space, name }, 0, async (response) => {
        if (response.statusCode === 200) {
          await response.body.dump();
          return { kind: 'found' };
        }
        return (await answerTo(response)) ?? { kind: 'absent' };
      }),
    put: (space, name, body) =>
      ask<PutResult>({ method: 'PUT', space, name, body }, body.byteLength, async (response) => {
        if (response.statusCode >= 200 && response.statusCode < 300) {
          await response.body.dump();
          return { kind: 'kept' };
        }
        return (await answerTo(response)) ?? broken('404 for something that was sent');
      }),
    close: () => agent.destroy(),
  };
}

function agentOf({ ca, certificate, key, timeout, connections }: HttpStoreOptions): Agent {
  return new Agent({
    connections,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    connect: {
      timeout: Math.min(CONNECT, timeout),
      ...(ca === null ? {} : { ca }),
      ...(certificate === null ? {} : { cert: certificate }),
      ...(key === null ? {} : { key }),
    },
  });
}

/** What an answer that is no success means; null: it is not there. */
async function answerTo({ statusCode, body }: Dispatcher.ResponseData): Promise<StoreFault | null> {
  await body.dump();
  if (statusCode === 404) return null;
  const detail = `HTTP ${statusCode}`;
  if ([401, 403, 407].includes(statusCode)) return { kind: 'fault', why: 'refused', detail };
  if ([413, 507].includes(statusCode)) return { kind: 'fault', why: 'full', detail };
  return broken(detail);
}

async function readBody({ headers, body }: Dispatcher.ResponseData, most: number): Promise<GetResult> {
  const promised = Number(headers['content-length'] ?? 0);
  const pieces: Buffer[] = [];
  let size = 0;
  if (promised <= most) {
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.byteLength;
      if (size > most) break;
      pieces.push(piece);
    }
  }
  if (promised <= most && size <= most) return { kind: 'found', bytes: Buffer.concat(pieces) };
  body.destroy();
  return broken('an answer that is larger than it should be');
}

function messageOf(error: unknown): string {
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return 'no answer in time';
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined || message.includes(code) ? message : `${code}: ${message}`;
}

function broken(detail: string): StoreFault {
  return { kind: 'fault', why: 'broken', detail };
}
