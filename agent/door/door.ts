/**
 * The model door: an HTTP server on a Unix socket of the host, to which a loopback port of a workspace leads. Programs speak the protocol
 * that they know. Their key names the rollout, and is good for nothing else.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { keysOf, serve } from './exchange.ts';
import { Session, type SessionOptions } from './session.ts';

/** Milliseconds in which a request must have arrived whole. */
const ARRIVAL_MS = 300_000;

export class ModelDoor {
  /** Path of the Unix socket. */
  readonly socket: string;
  readonly #folder: string;
  readonly #server: Server;
  readonly #sessions = new Map<string, Session>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.socket = join(folder, 'door');
    this.#server = createServer(
      { requestTimeout: ARRIVAL_MS, headersTimeout: 60_000, keepAliveTimeout: 60_000 },
      (message, response) => this.#serve(message, response),
    );
    // A model may take longer for an answer than any idle limit.
    this.#server.timeout = 0;
    this.#server.on('connect', (message, connection, head) => {
      connection.unshift(head);
      this.#connect(message, connection);
    });
  }

  /** Opens the door; paths of sockets are short, so it is not in the cache's folder. */
  static async open(): Promise<ModelDoor> {
    const door = new ModelDoor(await mkdtemp(join(tmpdir(), 'swemake-door-')));
    await new Promise<void>((resolve, reject) => {
      door.#server.once('error', reject).listen(door.socket, resolve);
    });
    return door;
  }

  /** Admits a rollout. The caller closes its session when its program has ended. */
  begin(options: SessionOptions): Session {
    const session = new Session(options);
    this.#sessions.set(session.key, session);
    return session;
  }

  /** Ends a session: its key opens nothing any more. */
  end(session: Session): void {
    session.close();
    this.#sessions.delete(session.key);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Gives the connection of a program to its rollout, which speaks to it there (agent/outside/acp.ts). */
  #connect(message: IncomingMessage, connection: Duplex): void {
    connection.on('error', () => undefined);
    const session = keysOf(message)
      .map((key) => this.#sessions.get(key))
      .find((one) => one !== undefined);
    const talk = session?.talk ?? null;
    if (session === undefined || talk === null)
      return void connection.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    session.talk = null;
    connection.write('HTTP/1.1 200 OK\r\n\r\n');
    talk(connection);
  }

  #serve(message: IncomingMessage, response: ServerResponse): void {
    void serve(message, response, (keys) => {
      const session = keys.map((key) => this.#sessions.get(key)).find((one) => one !== undefined);
      if (session === undefined)
        return { refused: 'auth', message: 'this key belongs to no rollout that runs' };
      return { session, ...session.options };
    });
  }
}
