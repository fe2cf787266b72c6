/**
 * One HTTP exchange with an endpoint, by undici. It repeats nothing, follows no redirect (which would turn a POST into a
 * GET) and limits only the time to connect. Every answer is returned as a value.
 */

import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import { bugOf } from '../../basics/bug.ts';
import type { Credential } from '../../basics/credential.ts';
import { jsonOrText } from '../../basics/json.ts';

export interface TransportOptions {
  baseUrl: string;
  /** Null: no key is sent. */
  credential: Credential | null;
  /** Connections kept at once. */
  connections: number;
  /** Address of the proxy for a URL; null: no proxy. */
  proxyFor(url: URL): string | null;
}

export interface Exchange {
  method: 'get' | 'post';
  /** A path below the base URL, or a whole URL of the base URL's origin. */
  path: string;
  body?: Record<string, unknown>;
  session?: string;
  signal: AbortSignal;
}

export type HttpResponse =
  /** Status 2xx. `body`: the parsed JSON, else the text. */
  | { kind: 'body'; body: unknown }
  | HttpStatus
  /** No whole answer came. */
  | { kind: 'broken'; detail: string };

/** Any other status. */
export interface HttpStatus {
  kind: 'status';
  status: number;
  body: unknown;
  text: string;
  headers: Headers;
}

export interface Transport {
  send(exchange: Exchange): Promise<HttpResponse>;
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
/** The highest HTTP status. */
const LAST_STATUS = 599;

/** Makes the exchange's client; connections are opened by the first request. */
export function openTransport({ baseUrl, credential, connections, proxyFor }: TransportOptions): Transport {
  const { origin } = new URL(baseUrl);
  const limits = { connections, headersTimeout: 0, bodyTimeout: 0 };
  const proxy = proxyFor(new URL(origin));
  const connect = { timeout: CONNECT_MS };
  const dispatcher =
    proxy === null
      ? new Pool(origin, { ...limits, connect })
      : new ProxyAgent({ ...limits, uri: proxy, requestTls: connect });
  return {
    async send({ method, path, body, session, signal }) {
      const url = /^https?:/.test(path) ? path : `${baseUrl}${path}`;
      const headers = {
        accept: 'application/json',
        'user-agent': 'swemake',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...credential?.headers(baseUrl),
        ...(session === undefined ? {} : { 'x-session-id': session }),
      };
      try {
        const answer = await dispatcher.request({
          origin,
          path: url.slice(origin.length),
          method: method === 'post' ? 'POST' : 'GET',
          headers,
          body: body === undefined ? null : JSON.stringify(body),
          signal,
        });
        return responseOf(answer, await answer.body.text());
      } catch (error) {
        const bug = bugOf(error);
        if (bug !== null) throw bug;
        return { kind: 'broken', detail: reasonOf(error) };
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** @throws SyntaxError when the content type is JSON and the body is not. */
function responseOf({ statusCode: status, headers }: Dispatcher.ResponseData, text: string): HttpResponse {
  if (status > LAST_STATUS) return { kind: 'broken', detail: `there is no HTTP status ${status}` };
  if (status >= 200 && status < 300) {
    const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(String(headers['content-type'] ?? ''));
    return { kind: 'body', body: isJson && text !== '' ? JSON.parse(text) : jsonOrText(text) };
  }
  // Some servers send JSON with another content type.
  const parsed = jsonOrText(text);
  const isText = typeof parsed === 'string';
  // Headers are bytes. undici reads them as UTF-8, and `Headers` refuses characters above U+00FF.
  const asBytes = (value: unknown) => Buffer.from(String(value)).toString('latin1');
  const got = Object.entries(headers).map(([name, value]): [string, string] => [name, asBytes(value)]);
  return {
    kind: 'status',
    status,
    body: isText ? undefined : parsed,
    text: isText ? text : '',
    headers: new Headers(got),
  };
}

/** The message of the innermost cause, with its error code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // All addresses of the host failed; the first error is shown.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (error instanceof SyntaxError) return `the answer is not JSON (${error.message})`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return code === null || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
