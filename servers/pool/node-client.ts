/** Requests of a pool to one node server. Expected failures are values. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerConnection } from '../../basics/server-connection.ts';
import { LAYER_TYPE } from '../http/work.ts';

export type NodeReply =
  | { kind: 'answer'; status: number; json: Record<string, unknown> }
  /** It was not reached, or went away before it answered. */
  | { kind: 'unreachable'; detail: string }
  /** The client has gone. */
  | { kind: 'cancelled' };

interface SendOptions {
  method?: 'GET' | 'POST' | 'PUT';
  /** Media type of the body; absent: JSON. */
  type?: string;
  /** Milliseconds. */
  timeout: number;
  signal?: AbortSignal;
}

/** Requests at once; further ones wait. */
const CONNECTIONS = 512;
const CONNECT_TIMEOUT = 5000;

export class NodeClient {
  readonly #server: ServerConnection;
  /** Requests that wait for an answer. */
  readonly #waiting = new Set<AbortController>();

  /** `token`: null where this user's server at the address says it in a file. */
  constructor(address: string, token: string | null) {
    this.#server = new ServerConnection(address, token, {
      connections: CONNECTIONS,
      connectTimeout: CONNECT_TIMEOUT,
      bodyTimeout: 0,
    });
  }

  /** Without its token. */
  get url(): string {
    return this.#server.url;
  }

  get(path: string, timeout: number): Promise<NodeReply> {
    return this.#send(path, null, { method: 'GET', timeout });
  }

  post(path: string, body: object, options: SendOptions): Promise<NodeReply> {
    return this.#send(path, () => JSON.stringify(body), { method: 'POST', ...options });
  }

  /** For a request that may be sent twice: one more attempt when the connection breaks. */
  async postTwice(path: string, body: object, options: SendOptions): Promise<NodeReply> {
    const first = await this.post(path, body, options);
    if (first.kind !== 'unreachable') return first;
    await sleep(200);
    return this.post(path, body, options);
  }

  putFile(path: string, file: string, timeout: number): Promise<NodeReply> {
    return this.#send(path, () => createReadStream(file), { method: 'PUT', type: LAYER_TYPE, timeout });
  }

  /** An answer as a stream; null when there is none. */
  async stream(
    path: string,
    body: object,
    signal: AbortSignal,
  ): Promise<{ status: number; headers: Record<string, string>; body: Readable } | null> {
    const stop = new AbortController();
    this.#waiting.add(stop);
    const onGone = () => stop.abort();
    signal.addEventListener('abort', onGone, { once: true });
    if (signal.aborted) stop.abort();
    try {
      const sent = { body: () => JSON.stringify(body), type: 'application/json' };
      const answer = await this.#server.request({ path, method: 'POST', ...sent, signal: stop.signal });
      const received = Object.entries(answer.headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      );
      return { status: answer.statusCode, headers: Object.fromEntries(received), body: answer.body };
    } catch {
      // No answer, however it failed to come.
      return null;
    } finally {
      this.#waiting.delete(stop);
    }
  }

  async #send(
    path: string,
    body: (() => string | Readable) | null,
    { method = 'POST', type = 'application/json', timeout, signal }: SendOptions,
  ): Promise<NodeReply> {
    // One controller for the timeout and the signal; AbortSignal.any() is much slower.
    const stop = new AbortController();
    this.#waiting.add(stop);
    const onGone = () => stop.abort();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      stop.abort();
    }, timeout);
    signal?.addEventListener('abort', onGone, { once: true });
    if (signal?.aborted === true) stop.abort();
    try {
      const answer = await this.#server.request({ path, method, body, type, signal: stop.signal });
      const json = (await answer.body.json()) as Record<string, unknown>;
      return { kind: 'answer', status: answer.statusCode, json };
    } catch (error) {
      if (signal?.aborted === true) return { kind: 'cancelled' };
      const gone = stop.signal.aborted ? 'it does not answer any more' : (error as Error).message;
      const detail = late ? `no answer within ${timeout / 1000} s` : gone;
      return { kind: 'unreachable', detail: `${this.url}: ${detail}` };
    } finally {
      this.#waiting.delete(stop);
      clearTimeout(timer);
      signal?.removeEventListener('abort', onGone);
    }
  }

  /** Fails all requests that wait, since a machine that is down sends no answer. */
  giveUp(): void {
    for (const waiting of this.#waiting) waiting.abort();
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
