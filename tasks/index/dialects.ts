/** The dialects at work: each is opened by its first request, and all of them share what fetches and keeps. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { fault, type Result } from '../../basics/result.ts';
import { INDEX_FAULT, type Registry } from '../../contract/build-index.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { httpClient } from '../source/http.ts';
import { momentOf } from './as-of.ts';
import {
  type Answer,
  absent,
  type Connection,
  type Dialect,
  type OpenDialect,
  type SharedParts,
} from './dialect.ts';
import { Documents } from './documents.ts';
import type { FileStore } from './file-store.ts';
import { Files } from './files.ts';
import { DIALECTS } from './registry.ts';
import type { Seen } from './server.ts';
import { Told } from './told.ts';

export interface DialectsOptions {
  env: NodeJS.ProcessEnv;
  store: FileStore;
  /** See HttpOptions. */
  pause?: number;
  tries?: number;
  /** See DocumentsOptions and FilesOptions. */
  maxBytes?: number;
}

/** In addresses, for the registry of today. */
const EVER = 'now';

export class Dialects {
  readonly told = new Told();
  readonly #options: DialectsOptions;
  readonly #open = new Map<string, OpenDialect>();
  readonly #ended = new AbortController();

  constructor(options: DialectsOptions) {
    this.#options = options;
  }

  /** Where its clients find it below `origin`. Few of them send a credential of an address, so it is moved into the path. */
  registry(name: string, origin: string, asOf: string | null): Registry {
    const { protocol, host, password } = new URL(origin);
    const below = password === '' ? origin : `${protocol}//${host}/${password}`;
    const url = `${below}/${name}/${encodeURIComponent(asOf ?? EVER)}`;
    return { url, origin, ...dialectOf(name).client(url) };
  }

  /** See BuildIndex.versions. */
  async versions(dialect: string, name: string, asOf: string | null): Promise<Result<string[], Infra>> {
    if (asOf !== null && momentOf(asOf) === null)
      return fault(infra('package-index', `"${asOf}" is neither a day nor a moment`));
    return this.#opened(dialectOf(dialect)).versions(name, asOf);
  }

  /** Answers a request below a dialect; null: its path is below none. `origin`: how the client names this server. */
  async serve(origin: string, message: IncomingMessage, response: ServerResponse): Promise<Seen | null> {
    const [, name = '', day = '', rest = ''] =
      /^\/([^/?#]+)\/([^/?#]+)(?:\/([^?#]*))?/.exec(message.url ?? '') ?? [];
    const dialect = DIALECTS.find((one) => one.name === name);
    if (dialect === undefined) return null;
    message.resume();
    if (message.method !== 'GET' && message.method !== 'HEAD')
      return send(
        { kind: 'refused', status: 405, detail: 'only GET and HEAD', isFault: false },
        name,
        message,
        response,
      );
    const asOf = decoded(day);
    const path = decoded(rest);
    const moment = asOf === null || asOf === EVER ? null : momentOf(asOf);
    if (asOf === null || path === null || (asOf !== EVER && moment === null))
      return send({ kind: 'refused', ...absent('no such path') }, name, message, response);
    const answer = await this.#opened(dialect).serve({
      path,
      asOf: asOf === EVER ? null : asOf,
      moment,
      base: `${origin}/${name}/${day}`,
      accept: message.headers.accept ?? '',
    });
    return send(answer, name, message, response);
  }

  close(): void {
    this.#ended.abort();
  }

  #opened(dialect: Dialect): OpenDialect {
    let open = this.#open.get(dialect.name);
    if (open === undefined) {
      open = dialect.open(this.#options.env, this.#sharedParts(dialect.name));
      this.#open.set(dialect.name, open);
    }
    return open;
  }

  #sharedParts(dialect: string): SharedParts {
    const { env: _, store, ...options } = this.#options;
    const { signal } = this.#ended;
    const common = (connection: Connection) => ({
      ...options,
      http: httpClient({ ...connection, ...options }),
      connection,
      signal,
    });
    return {
      documents: (connection) => new Documents(common(connection)),
      files: (connection) => new Files({ ...common(connection), store }),
      told: this.told.of(dialect),
    };
  }
}

function dialectOf(name: string): Dialect {
  const found = DIALECTS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`the index has no dialect ${name}`);
  return found;
}

async function send(
  answer: Answer,
  dialect: string,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<Seen> {
  if (answer.kind === 'refused') {
    const { status, detail, isFault, isOfIndex } = answer;
    end(response, status, `${detail}\n`, 'text/plain; charset=utf-8');
    const lost = `${isOfIndex === true ? INDEX_FAULT : ''}the ${dialect} registry: ${detail}`;
    return { lost: isFault ? lost : null, passed: false };
  }
  if (answer.kind === 'body') {
    end(response, 200, answer.body, answer.type);
    return { lost: null, passed: answer.isNew };
  }
  const { size } = await stat(answer.path);
  response.writeHead(200, { 'content-type': answer.type, 'content-length': size });
  if (message.method === 'HEAD') response.end();
  // A client that has read enough is no fault.
  else await pipeline(createReadStream(answer.path), response).catch(() => response.destroy());
  return { lost: null, passed: answer.isNew };
}

function end(response: ServerResponse, status: number, body: string | Buffer, type: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
