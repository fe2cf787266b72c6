/**
 * One HTTP exchange with an endpoint, by the openai package over undici. It repeats nothing and limits only the time
 * to connect. Every answer is returned as a value. The package is loaded by the first request, since loading is slow.
 */

import { APIError, type ClientOptions, OpenAI } from 'openai';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import { bugOf } from '../../basics/bug.ts';
import type { Credential } from '../../basics/credential.ts';

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
  /** A path below the base URL, or a whole URL. */
  path: string;
  body?: Record<string, unknown>;
  session?: string;
  signal: AbortSignal;
}

export type HttpResponse =
  /** Status 2xx. The body as JSON; text when it is none. */
  | { kind: 'body'; body: unknown }
  /** Any other status. */
  | { kind: 'status'; status: number; body: unknown; text: string; headers: Headers }
  /** No whole answer came. */
  | { kind: 'broken'; detail: string };

export interface Transport {
  send(exchange: Exchange): Promise<HttpResponse>;
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
const BYTE_ORDER_MARK = 0xfeff;
/** The longest time of a timer. The caller limits the time of a request. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** Carries the answer's own body: the package's errors hold only the value of `error`. */
class StatusError extends APIError {
  readonly answer: Extract<HttpResponse, { kind: 'status' }>;
  constructor(status: number, body: unknown, text: string, headers: Headers) {
    super(status, undefined, text, headers);
    this.answer = { kind: 'status', status, body, text, headers };
  }
}

/**
 * The package's client without features that are not needed here, which saves two thirds of the processor time of a
 * request: no headers about this machine, no timer, and headers as a plain object until they are read.
 */
class Client extends OpenAI {
  readonly #exchange: typeof fetch;

  constructor(options: ClientOptions & { fetch: typeof fetch }) {
    super(options);
    this.#exchange = options.fetch;
  }

  override async buildRequest(...[options]: Parameters<OpenAI['buildRequest']>): Promise<Built> {
    const { method, path, body, headers, signal } = options;
    const req = {
      method,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    };
    const url = /^https?:/.test(path) ? path : `${this.baseURL}${path}`;
    return { req: req as unknown as Built['req'], url, timeout: this.timeout };
  }

  override fetchWithTimeout(...[url, init]: Parameters<OpenAI['fetchWithTimeout']>): Promise<Response> {
    return this.#exchange(url, init);
  }

  protected override makeStatusError(
    status: number,
    // biome-ignore lint/complexity/noBannedTypes: the package's own signature
    body: Object | undefined,
    text: string | undefined,
    headers: Headers,
  ): APIError {
    return new StatusError(status, body, text ?? '', new Headers([...headers]));
  }
}

type Built = Awaited<ReturnType<OpenAI['buildRequest']>>;

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
  const client = new Client({
    baseURL: baseUrl,
    // Each request has its own header. Environment variables for OpenAI's own service are not used for this endpoint.
    apiKey: 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: NO_LIMIT_MS,
    logLevel: 'off',
    fetch: fetchWith(dispatcher, origin),
  });
  return {
    async send({ method, path, body, session, signal }) {
      const headers = {
        accept: 'application/json',
        'user-agent': 'swemake',
        ...credential?.headers(baseUrl),
        ...(session === undefined ? {} : { 'x-session-id': session }),
      };
      try {
        const answer = await client[method](path, { headers, signal, ...(body ? { body } : {}) });
        return { kind: 'body', body: fromText(answer) };
      } catch (error) {
        if (error instanceof StatusError) return error.answer;
        const bug = bugOf(error);
        if (bug !== null) throw bug;
        return { kind: 'broken', detail: reasonOf(error) };
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/**
 * The part of fetch that the package needs, on undici's dispatcher. undici's own fetch takes several times the
 * processor time. It also follows redirects, which turn a POST into a GET.
 */
function fetchWith(dispatcher: Dispatcher, origin: string): typeof fetch {
  return async (url, init = {}) => {
    const address = String(url);
    const answer = new Answer();
    dispatcher.dispatch(
      {
        origin,
        path: address.slice(origin.length),
        method: init.method!.toUpperCase() as 'GET' | 'POST',
        headers: init.headers as Record<string, string>,
        body: (init.body ?? null) as string | null,
      },
      answer,
    );
    const stop = () => answer.stop();
    if (init.signal?.aborted === true) stop();
    init.signal?.addEventListener('abort', stop, { once: true });
    try {
      const { status, headers, body } = await answer.whole;
      const text = async () => body;
      const json = async () => JSON.parse(body);
      const ok = status >= 200 && status < 300;
      return { ok, status, url: address, headers, text, json } as unknown as Response;
    } finally {
      init.signal?.removeEventListener('abort', stop);
    }
  };
}

interface Whole {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/** Gathers an answer to its end. */
class Answer implements Dispatcher.DispatchHandlers {
  readonly whole: Promise<Whole>;
  #status = 0;
  #headers = new Map<string, string>();
  readonly #pieces: Buffer[] = [];
  #abort: (() => void) | null = null;
  #isStopped = false;
  #resolve!: (whole: Whole) => void;
  #reject!: (error: Error) => void;

  constructor() {
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The caller does not need the answer any more. */
  stop(): void {
    this.#isStopped = true;
    this.#abort?.();
    this.#reject(new Error('stopped'));
  }

  onConnect(abort: () => void): void {
    this.#abort = abort;
    if (this.#isStopped) abort();
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    if (status < 200) return true;
    this.#status = status;
    for (let at = 0; at + 1 < headers.length; at += 2)
      this.#headers.set(headers[at]!.toString('latin1').toLowerCase(), headers[at + 1]!.toString('latin1'));
    return true;
  }

  onData(piece: Buffer): boolean {
    this.#pieces.push(piece);
    return true;
  }

  onComplete(): void {
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const body = bytes.toString();
    const isMarked = body.charCodeAt(0) === BYTE_ORDER_MARK;
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: isMarked ? body.slice(1) : body,
    });
  }

  onError(error: Error): void {
    this.#reject(error);
  }
}

/** Some servers send JSON as another type of content. */
function fromText(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** The innermost cause with its code. The outer errors say only that fetch failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // All addresses of the host failed; the first error is shown.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (error instanceof SyntaxError) return `the answer is not JSON (${error.message})`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return code === null || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
