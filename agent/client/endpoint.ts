/**
 * The endpoints of a run. There is one object for each address and key. All rollouts and judges share it, with its
 * connections, its limiter, and what it remembers of each model.
 */

import { afterAwake } from '../../basics/awake.ts';
import type { Credential } from '../../basics/credential.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { Limiter } from './limiter.ts';
import { type Memory, newMemory } from './request.ts';
import type { Exchange, HttpResponse, HttpStatus, Transport } from './transport.ts';

export interface EndpointOptions {
  baseUrl: string;
  /** Null: no key is sent. */
  credential: Credential | null;
  concurrency: number;
}

/** Additional connections for routes that must not wait behind chat requests. */
const SPARE_CONNECTIONS = 8;

export class Endpoints {
  readonly #known = new Map<string, Endpoint>();
  readonly #proxyFor: (url: URL) => string | null;
  readonly #stopping: AbortSignal | undefined;

  /**
   * `proxyFor`: the address of the proxy for a URL, null for none; this machine is never behind one. `stopping`: aborted when
   * the run is being stopped, after which no request is repeated.
   */
  constructor(proxyFor: (url: URL) => string | null, stopping?: AbortSignal) {
    this.#stopping = stopping;
    this.#proxyFor = (url) => (isLoopback(url) ? null : proxyFor(url));
  }

  at(options: EndpointOptions): Result<Endpoint, Infra> {
    const baseUrl = options.baseUrl.replace(/\/+$/, '');
    const { credential } = options;
    const wrong = whatIsWrong(baseUrl, credential);
    if (wrong !== null) return fault(infra('endpoint-refused', wrong));
    const name = JSON.stringify([baseUrl, credential?.digest ?? null]);
    const known = this.#known.get(name);
    if (known !== undefined) {
      known.limiter.narrow(options.concurrency);
      return success(known);
    }
    const endpoint = new Endpoint({ ...options, baseUrl }, this.#proxyFor, this.#stopping);
    this.#known.set(name, endpoint);
    return success(endpoint);
  }

  /** Cuts all connections. */
  async close(): Promise<void> {
    const all = [...this.#known.values()];
    this.#known.clear();
    await Promise.all(all.map((endpoint) => endpoint.close()));
  }
}

export class Endpoint {
  readonly limiter: Limiter;
  readonly baseUrl: string;
  /** Aborted: no request is repeated. */
  readonly stopping: AbortSignal | undefined;
  readonly #options: EndpointOptions;
  readonly #proxyFor: (url: URL) => string | null;
  readonly #memories = new Map<string, Memory>();
  #transport: Promise<Transport> | null = null;

  constructor(options: EndpointOptions, proxyFor: (url: URL) => string | null, stopping?: AbortSignal) {
    this.stopping = stopping;
    this.#options = options;
    this.#proxyFor = proxyFor;
    this.baseUrl = options.baseUrl;
    this.limiter = new Limiter(options.concurrency);
  }

  /** Whether requests have a key. */
  get hasKey(): boolean {
    return this.#options.credential !== null;
  }

  /** What is known about a model at this endpoint. */
  memory(model: string): Memory {
    const known = this.#memories.get(model) ?? newMemory();
    this.#memories.set(model, known);
    return known;
  }

  /** The URL of a route outside /v1. */
  beside(path: string): string {
    return `${this.baseUrl.replace(/\/v1$/, '')}${path}`;
  }

  /** One request with a time limit of `limit` milliseconds; null when `signal` aborted it. */
  async send(exchange: Exchange, limit: number): Promise<HttpResponse | null> {
    const transport = await this.#open();
    const { signal } = exchange;
    if (signal.aborted) return null;
    const control = new AbortController();
    const abort = () => control.abort();
    signal.addEventListener('abort', abort, { once: true });
    let late = false;
    const forget = afterAwake(limit, () => {
      late = true;
      control.abort();
    });
    try {
      const answer = await transport.send({ ...exchange, signal: control.signal });
      if (answer.kind === 'status') return this.redacted(answer);
      if (answer.kind === 'body') return answer;
      if (signal.aborted) return null;
      return late ? { kind: 'broken', detail: `no whole answer within ${limit / 1000} s` } : answer;
    } finally {
      forget();
      signal.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    await (await this.#transport)?.close();
  }

  #open(): Promise<Transport> {
    const { baseUrl, credential, concurrency } = this.#options;
    const connections = concurrency + SPARE_CONNECTIONS;
    this.#transport ??= import('./transport.ts').then(({ openTransport }) =>
      openTransport({ baseUrl, credential, connections, proxyFor: this.#proxyFor }),
    );
    return this.#transport;
  }

  /** An error without the key, which some servers repeat in their messages. */
  redacted(answer: HttpStatus): HttpStatus {
    const hidden = (_name: string, value: unknown) => (typeof value === 'string' ? this.hide(value) : value);
    const body = answer.body === undefined ? undefined : JSON.parse(JSON.stringify(answer.body), hidden);
    return { ...answer, body, text: this.hide(answer.text) };
  }

  /** A message of the server without the key. */
  hide(text: string): string {
    return this.#options.credential?.hide(text) ?? text;
  }
}

function whatIsWrong(baseUrl: string, credential: Credential | null): string | null {
  const { username, password } = new URL(baseUrl);
  if (username !== '' || password !== '')
    return 'base_url holds credentials; write them as api_key: ${secret:NAME}';
  if (credential?.isSendable === false) return 'api_key holds characters that no HTTP header can carry';
  return null;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
