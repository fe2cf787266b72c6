/** Requests to a pool server. A missing answer is always a fault of the machine. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fault, type Result, success } from '../../basics/result.ts';
import { ServerConnection } from '../../basics/server-connection.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

export interface PoolReply {
  status: number;
  json: Record<string, unknown>;
}

interface SendOptions {
  method?: 'POST' | 'PUT';
  /** Media type of the body; absent: JSON. */
  type?: string;
  signal?: AbortSignal | undefined;
  /** The request may be sent twice. */
  twice?: boolean;
}

const CONNECTIONS = 1024;
/** Milliseconds between two bytes of an answer that has begun. */
const SILENT = 120_000;
/**
 * While a request waits, the pool is checked regularly: an answer may take any time, and a machine that is down sends
 * nothing.
 */
const WATCH = { every: 20_000, timeout: 15_000, misses: 4 };

export class PoolClient {
  readonly #server: ServerConnection;
  readonly #watch: typeof WATCH;
  /** Requests that wait for an answer. */
  readonly #waiting = new Set<AbortController>();
  #watching: NodeJS.Timeout | null = null;
  #missed = 0;

  /** `token`: null where this user's server at the address says it in a file. */
  constructor(address: string, token: string | null, watch = WATCH) {
    this.#watch = watch;
    this.#server = new ServerConnection(address, token, {
      connections: CONNECTIONS,
      bodyTimeout: SILENT,
      connectTimeout: 10_000,
    });
  }

  get url(): string {
    return this.#server.url;
  }

  post(path: string, body: object, options: SendOptions = {}): Promise<Result<PoolReply, Infra>> {
    return this.#retrying(path, () => JSON.stringify(body), { twice: true, ...options });
  }

  putFile(path: string, file: string): Promise<Result<PoolReply, Infra>> {
    return this.#retrying(path, () => createReadStream(file), {
      ...{ method: 'PUT', type: 'application/x-tar' },
    });
  }

  /** The bytes of an answer, with its headers. */
  async stream(
    path: string,
    body: object,
  ): Promise<Result<{ headers: Record<string, unknown>; body: Readable }, PoolReply | Infra>> {
    try {
      const sent = { body: () => JSON.stringify(body), type: 'application/json' };
      const answer = await this.#watched(undefined, (signal) =>
        this.#server.request({ path, method: 'POST', ...sent, signal }),
      );
      if (answer.statusCode === 200) return success({ headers: answer.headers, body: answer.body });
      const json = (await answer.body.json()) as Record<string, unknown>;
      return fault({ status: answer.statusCode, json });
    } catch (error) {
      return fault(this.#unreachable(error as Error));
    }
  }

  async #retrying(
    path: string,
    body: () => string | Readable,
    { method = 'POST', type = 'application/json', signal, twice = false }: SendOptions,
  ): Promise<Result<PoolReply, Infra>> {
    for (let round = 0; ; round += 1) {
      try {
        return await this.#watched(signal, async (stop) => {
          const answer = await this.#server.request({ path, method, body, type, signal: stop });
          const json = (await answer.body.json()) as Record<string, unknown>;
          return success({ status: answer.statusCode, json });
        });
      } catch (error) {
        if (signal?.aborted === true) return fault(infra('cancelled', 'cancelled while the pool was asked'));
        if (!twice || round >= RETRIES.length) return fault(this.#unreachable(error as Error));
        await sleep(RETRIES[round]);
      }
    }
  }

  /** Aborts the request when its signal says so, and when the pool counts as down. */
  async #watched<T>(
    signal: AbortSignal | undefined,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) stop.abort();
    this.#waiting.add(stop);
    this.#watching ??= setInterval(() => void this.#look(), this.#watch.every);
    try {
      return await request(stop.signal);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#leave(stop);
    }
  }

  #leave(stop: AbortController): void {
    this.#waiting.delete(stop);
    if (this.#waiting.size > 0 || this.#watching === null) return;
    clearInterval(this.#watching);
    this.#watching = null;
    this.#missed = 0;
  }

  /** Checks the pool. After some failures in a row it counts as down, and requests that may be sent twice are repeated. */
  async #look(): Promise<void> {
    try {
      const signal = AbortSignal.timeout(this.#watch.timeout);
      const answer = await this.#server.request({
        ...{ path: '/healthz', method: 'GET', body: null, type: '', signal },
      });
      await answer.body.dump();
      this.#missed = 0;
    } catch {
      // No answer, however it failed to come.
      this.#missed += 1;
      if (this.#missed < this.#watch.misses) return;
      this.#missed = 0;
      for (const stop of this.#waiting) stop.abort();
    }
  }

  #unreachable({ message }: Error): Infra {
    return infra('pool', `the pool at ${this.url} does not answer: ${message}`);
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

/** Milliseconds between attempts: a pool that is restarted is back within seconds. */
const RETRIES = [200, 500, 1000, 2000, 4000];

/** The fault for a refusal of the server. */
export function faultOf({ json }: PoolReply): Infra {
  const { reason, error } = json as { reason?: string; error?: string };
  const known = [
    ...(['disk-full', 'out-of-memory', 'killed', 'network', 'tool-missing'] as const),
    ...(['deployment', 'engine', 'workspace-lost', 'helper', 'machine'] as const),
  ];
  return infra(known.find((one) => one === reason) ?? 'pool', String(error ?? 'the pool gave no reason'));
}
