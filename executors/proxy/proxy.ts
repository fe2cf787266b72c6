/**
 * The proxy for builds: an HTTP proxy in swemake's own process. It listens on a host socket, to which the sandbox
 * relays connections, and for local workspaces on loopback with a random password. Only hosts on the allow-list can
 * be reached, and every request is reported to the download log. It can also serve a host of swemake's own, which has
 * no address.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { dirname } from 'node:path';
import { addressRules, type Interfaces } from './address.ts';
import { parseAllowList } from './allow-list.ts';
import { ConnectionLog } from './connection-log.ts';
import { type Exchange, type OwnHost, type ProxyLogEntry, serveConnect, serveRequest } from './exchange.ts';

export interface ProxyOptions {
  /** Rules as in allow-list.ts. */
  allow: string[];
  log?: (entry: ProxyLogEntry) => void;
  /** Keep it short: socket paths are bounded to about 100 bytes. */
  socketPath: string;
  /** Listen on 127.0.0.1 as well, for local workspaces. */
  tcp?: boolean;
  /** A host of swemake's own, which nothing but this proxy knows. */
  own?: OwnHost;
  /** The host's own proxy for a URL, or null. */
  upstream?: (url: URL) => string | null;
  /** The host's network interfaces, when they are known. */
  interfaces?: Interfaces;
}

export interface RunningProxy {
  socketPath: string;
  /** Address with its credential; only with `tcp`. */
  url: string | null;
  /** What it saw of the network. */
  connections: ConnectionLog;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Starts the proxy; rejects when it cannot listen. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const connections = new ConnectionLog();
  const exchange: Exchange = {
    connections,
    own: options.own ?? null,
    rules: {
      allow: parseAllowList(options.allow),
      addresses: addressRules(options.interfaces),
      upstream: options.upstream ?? (() => null),
    },
    log: (entry) => {
      try {
        options.log?.(entry);
      } catch {
        // A log that cannot be written, on a full disk say, must not end the builds.
      }
    },
  };
  await mkdir(dirname(options.socketPath), { recursive: true });
  await rm(options.socketPath, { force: true });
  const local = new Listener(exchange, null);
  await local.listen({ path: options.socketPath });
  await chmod(options.socketPath, 0o600);
  const token = randomBytes(24).toString('hex');
  const tcp = options.tcp ? new Listener(exchange, `swemake:${token}`) : null;
  const port = tcp === null ? 0 : await tcp.listen({ host: '127.0.0.1', port: 0 });
  return {
    socketPath: options.socketPath,
    connections,
    url: tcp === null ? null : `http://swemake:${token}@127.0.0.1:${port}`,
    close: async () => {
      await Promise.all([local.close(), tcp?.close()]);
      await rm(options.socketPath, { force: true });
    },
  };
}

class Listener {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  /** With `login`, requests must carry it as Proxy-Authorization. */
  constructor(exchange: Exchange, login: string | null) {
    this.server = createServer({ requestTimeout: 0 });
    this.server.on('connection', (socket) => this.track(socket));
    this.server.on('request', (message, response) => {
      if (isAuthorized(message, login))
        // Whatever breaks, the client sees a connection that broke.
        return void serveRequest(message, response, exchange).catch(() => response.destroy());
      response.writeHead(407, { 'proxy-authenticate': 'Basic', connection: 'close' }).end();
    });
    this.server.on('connect', (message, client, head) => {
      if (isAuthorized(message, login))
        return void serveConnect(message, client, head, exchange).catch(() => client.destroy());
      client.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n',
      );
    });
    this.server.on('clientError', (_, socket) => socket.destroy());
  }

  listen(where: { path: string } | { host: string; port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(where, () => resolve((this.server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }
}

function isAuthorized(message: IncomingMessage, login: string | null): boolean {
  if (login === null) return true;
  const wanted = Buffer.from(`Basic ${Buffer.from(login).toString('base64')}`);
  const given = Buffer.from(message.headers['proxy-authorization'] ?? '');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
