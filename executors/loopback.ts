/**
 * Ports of the host's loopback whose connections end at Unix sockets: how workspaces that share the host's network reach
 * services of swemake's own process. They are there for as long as the workspace.
 */
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';
import { fault, type Result, success } from '../basics/result.ts';
import { type Infra, infra } from '../schemas/outcome.ts';

/** Connections of a port at once. Further ones are closed. */
const MOST = 256;

export interface Loopback {
  /** One for each socket, in its order. */
  ports: readonly number[];
  /** Ends all connections. */
  close(): void;
}

/** Listens on a free port for each of the sockets. */
export async function openLoopback(sockets: readonly string[]): Promise<Result<Loopback, Infra>> {
  const opened: Port[] = [];
  const close = () => {
    for (const port of opened) port.close();
  };
  try {
    for (const path of sockets) {
      const port = new Port(path);
      opened.push(port);
      await port.listen();
    }
    return success({ ports: opened.map(({ number }) => number), close });
  } catch (error) {
    close();
    return fault(infra('machine', `no port of the loopback can be opened: ${(error as Error).message}`));
  }
}

class Port {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(path: string) {
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#join(client, path));
    this.#server.maxConnections = MOST;
    // An open workspace does not keep the process running.
    this.#server.unref();
  }

  get number(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: '127.0.0.1', port: 0 }, resolve);
    });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket, path: string): void {
    const host = createConnection({ path, allowHalfOpen: true });
    let isJoined = false;
    host.once('connect', () => {
      isJoined = true;
    });
    for (const socket of [client, host]) {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    }
    client.on('error', () => host.destroy());
    host.on('error', () => (isJoined ? client.destroy() : client.resetAndDestroy()));
    client.pipe(host);
    host.pipe(client);
  }
}
