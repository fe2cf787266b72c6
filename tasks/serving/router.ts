/**
 * One address for several servers of the same weights. Requests of one rollout go to one server, which keeps what it
 * computed of their prompt; those of a new rollout go where the fewest wait. What a server did not answer because it
 * ended is asked of another one, so that a caller never sees a server come and go.
 */
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { type Denied, denyForeign, denyOtherType, loopbackNames } from '../../basics/entry.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { LiveServer, ModelServer } from './model-server.ts';

/** Rollouts whose server is remembered. */
const SESSIONS = 20_000;
/** Headers that belong to one connection, or are written anew. */
const OWN_HEADERS = new Set([
  'connection',
  'host',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'expect',
]);

/** Answers of a server that is out of order, or has no room: another one may have an answer. */
const BROKEN = new Set([500, 502, 503, 504]);

export interface Router {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on `port` of this machine, 0 for a free one. `onGivenUp` is called when no server will come up again. */
export async function startRouter(
  servers: readonly ModelServer[],
  port: number,
  onGivenUp: (last: Infra) => void,
): Promise<Result<Router, Infra>> {
  const routes = new Routes(servers, onGivenUp);
  let names: ReadonlySet<string> = new Set();
  const server = createServer((asked, response) => {
    const denied = deny(asked, names);
    if (denied !== null) return void refuse(response, denied.status, denied.why);
    // Whatever breaks, the client sees a connection that broke.
    routes.serve(asked, response).catch(() => response.destroy());
  });
  // A request may wait for a server to be started.
  server.requestTimeout = 0;
  try {
    await listen(server, port);
  } catch (error) {
    return fault(infra('endpoint', `the router cannot listen on port ${port}: ${(error as Error).message}`));
  }
  server.unref();
  const { port: own } = server.address() as AddressInfo;
  names = loopbackNames('127.0.0.1', own);
  return success({
    url: `http://127.0.0.1:${own}`,
    close: () => {
      routes.close();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  });
}

/** Its servers need no token, so pages of other sites are kept out by what browsers say of them. */
function deny({ method, headers }: IncomingMessage, names: ReadonlySet<string>): Denied | null {
  const foreign = denyForeign(headers, names);
  return foreign !== null || method !== 'POST' ? foreign : denyOtherType(headers, 'application/json');
}

/** What came of the body is not read, and nothing that follows it. */
function refuse(response: ServerResponse, status: number, message: string): void {
  const error = { message, type: 'invalid_request_error' };
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ error }));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

class Routes {
  readonly #servers: readonly ModelServer[];
  readonly #agent = new Agent({ keepAlive: true });
  /** Session -> its server; the longest unused first. */
  readonly #sessions = new Map<string, ModelServer>();
  /** Requests that each of them was chosen for and that are not over. */
  readonly #taken = new Map<ModelServer, number>();

  readonly #onGivenUp: (last: Infra) => void;

  constructor(servers: readonly ModelServer[], onGivenUp: (last: Infra) => void) {
    this.#servers = servers;
    this.#onGivenUp = onGivenUp;
  }

  close(): void {
    this.#agent.destroy();
  }

  async serve(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const control = new AbortController();
    response.once('close', () => control.abort());
    const body = await bodyOf(asked);
    const work = (up: LiveServer, signal: AbortSignal) => this.#pass(asked, body, response, up.url, signal);
    const refused = new Set<ModelServer>();
    let last: Infra = infra('endpoint', 'no server');
    while (refused.size < this.#servers.length && !control.signal.aborted) {
      const server = this.#serverFor(sessionOf(asked), refused);
      this.#taken.set(server, this.#takenBy(server) + 1);
      const done = await server.tryOnce(control.signal, work).finally(() => {
        this.#taken.set(server, this.#takenBy(server) - 1);
      });
      if (done === 'gone') continue;
      if (done.ok) return;
      last = done.fault;
      refused.add(server);
    }
    if (this.#servers.every((server) => server.isGivenUp)) this.#onGivenUp(last);
    if (response.destroyed || response.headersSent) return;
    const error = { message: last.detail, type: 'server_error' };
    response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  }

  #serverFor(session: string | null, refused: ReadonlySet<ModelServer>): ModelServer {
    const left = this.#servers.filter((server) => !refused.has(server));
    const up = left.filter((server) => server.isUp);
    const usable = up.length > 0 ? up : left;
    // Those that ended come back while the others answer. Requests that need one are told why it does not.
    for (const server of left) if (!server.isUp) server.up().catch(() => undefined);
    const known = session === null ? undefined : this.#sessions.get(session);
    const chosen =
      known !== undefined && usable.includes(known)
        ? known
        : usable.reduce((best, server) => (this.#takenBy(server) < this.#takenBy(best) ? server : best));
    if (session !== null) this.#remember(session, chosen);
    return chosen;
  }

  #takenBy(server: ModelServer): number {
    return this.#taken.get(server) ?? 0;
  }

  #remember(session: string, server: ModelServer): void {
    this.#sessions.delete(session);
    this.#sessions.set(session, server);
    if (this.#sessions.size > SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
  }

  /** Hands a request on and its answer back. What breaks before the answer begins can be asked of another server. */
  async #pass(
    asked: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    url: string,
    signal: AbortSignal,
  ): Promise<Result<null, Infra>> {
    try {
      const answer = await this.#ask(asked, body, url, signal);
      if (BROKEN.has(answer.statusCode ?? 500)) {
        answer.resume();
        return fault(infra('endpoint', `${url}: status ${answer.statusCode}`));
      }
      response.writeHead(answer.statusCode ?? 502, ownHeaders(answer.headers));
      await pipeline(answer, response, { signal });
      return success(null);
    } catch (error) {
      if (response.headersSent) response.destroy();
      return fault(infra('endpoint', `${url}: ${(error as Error).message}`));
    }
  }

  #ask(asked: IncomingMessage, body: Buffer, url: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { method, url: path, headers } = asked;
    return new Promise((resolve, reject) => {
      const own = { ...ownHeaders(headers), 'content-length': `${body.length}` };
      const asking = request(`${url}${path}`, { method, headers: own, agent: this.#agent, signal });
      asking.once('response', resolve);
      asking.once('error', (error) => {
        // The server had closed the connection by then.
        if (asking.reusedSocket && !signal.aborted) this.#ask(asked, body, url, signal).then(resolve, reject);
        else reject(error);
      });
      asking.end(body);
    });
  }
}

function sessionOf({ headers }: IncomingMessage): string | null {
  const session = headers['x-session-id'];
  return typeof session === 'string' && session !== '' ? session : null;
}

function ownHeaders(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !OWN_HEADERS.has(name),
  );
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
