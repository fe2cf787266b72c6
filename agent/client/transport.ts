/**
 * One HTTP exchange with an endpoint, through the openai package over undici: no retry, no time limit but for
 * connecting, and answers of any kind as values. It is loaded when the first request is made, since it is heavy.
 */
import { APIError, type ClientOptions, OpenAI } from 'openai';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';

export interface TransportOptions {
  baseUrl: string;
  apiKey: string | null;
  /** Connections kept at once. */
  connections: number;
  /** Address of the proxy for a URL; null: straight. */
  proxyFor(url: URL): string | null;
}

export interface Exchange {
  method: 'get' | 'post';
  /** After the base URL, or a whole address. */
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
/** The largest that timers take; the limits of a request are the caller's. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** Carries the answer's own body: the package's errors know only what stands under `error`. */
class StatusError extends APIError {
  readonly answer: Extract<HttpResponse, { kind: 'status' }>;
  constructor(status: number, body: unknown, text: string, headers: Headers) {
    super(status, undefined, text, headers);
    this.answer = { kind: 'status', status, body, text, headers };
  }
}

/**
 * The package without what these exchanges have no use for, at a third of the processor time of a request: no headers
 * that tell of this machine, no timer of its own, and headers that are a plain object until somebody asks for them.
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
export function openTransport({ baseUrl, apiKey, connections, proxyFor }: TransportOptions): Transport {
  const limits = { connections, headersTimeout: 0, bodyTimeout: 0 };
  const dispatcher = new Agent({
    factory(origin): Dispatcher {
      const proxy = proxyFor(new URL(origin));
      const connect = { timeout: CONNECT_MS };
      return proxy === null
        ? new Pool(origin, { ...limits, connect })
        : new ProxyAgent({ ...limits, uri: proxy, requestTls: connect });
    },
  });
  const client = new Client({
    baseURL: baseUrl,
    // Whatever the environment says of OpenAI's own service is not meant for this endpoint.
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: NO_LIMIT_MS,
    logLevel: 'off',
    fetch: fetchWith(dispatcher),
  });
  return {
    async send({ method, path, body, session, signal }) {
      const headers = {
        accept: 'application/json',
        'user-agent': 'swemake',
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(session === undefined ? {} : { 'x-session-id': session }),
      };
      try {
        const answer = await client[method](path, { headers, signal, ...(body ? { body } : {}) });
        return { kind: 'body', body: fromText(answer) };
      } catch (error) {
        if (error instanceof StatusError) return error.answer;
        return { kind: 'broken', detail: reasonOf(error) };
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/**
 * As much of fetch as the package needs, on undici's plain requests: its whole fetch takes several times the processor
 * time, and follows redirects, by which a POST becomes a GET.
 */
function fetchWith(dispatcher: Dispatcher): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(String(input));
    const { statusCode, headers, body } = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: init.method!.toUpperCase() as 'GET' | 'POST',
      headers: init.headers as Record<string, string>,
      body: (init.body ?? null) as string | null,
      signal: init.signal ?? null,
    });
    const answer = {
      ok: statusCode >= 200 && statusCode < 300,
      status: statusCode,
      url: url.href,
      headers: new Map(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      text: () => body.text(),
      json: () => body.json(),
    };
    return answer as unknown as Response;
  };
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

/** The innermost cause, with its code: the outer ones say no more than that the fetch failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // Of the addresses of one name.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (error instanceof SyntaxError) return `the answer is no JSON (${error.message})`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return code === null || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
