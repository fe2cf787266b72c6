/** Listens on an address. Any address but loopback requires a token. With a certificate it uses TLS. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { isLoopback, loopbackNames } from '../../basics/entry.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Access, type AppOptions, createApp } from './app.ts';
import type { Route } from './route.ts';

export interface ListenOptions extends Omit<AppOptions, 'access'> {
  address: Address;
  token: string | null;
  /** Paths of PEM files. */
  tls: { certificate: string; key: string } | null;
}

export interface Address {
  host: string;
  port: number;
}

export interface Listening {
  url: string;
  address: Address;
  close(): Promise<void>;
}

/** Milliseconds. Clients keep idle connections for some seconds, and the server must not be the first to close them. */
const KEEP_ALIVE = 75_000;
const HEADERS = 15_000;

/** `HOST:PORT`, `[::1]:PORT`, `:PORT` or `PORT`; null for anything else. */
export function parseAddress(text: string): Address | null {
  const [, six, four = '', digits = ''] =
    /^(?:\[([0-9a-fA-F:]+)\]:|([^\s:[\]]*):)?(\d{1,5})$/.exec(text) ?? [];
  if (digits === '' || Number(digits) > 65_535) return null;
  return { host: six ?? (four === '' ? '127.0.0.1' : four), port: Number(digits) };
}

/** The fault says why the address cannot be used. */
export async function listen(
  routes: readonly Route[],
  { address, token, tls, ...options }: ListenOptions,
): Promise<Result<Listening, string>> {
  const isOpen = !isLoopback(address.host);
  if (isOpen && (token === null || token.length < 16))
    return fault(`${address.host} is not a loopback address: that needs a token of at least 16 characters`);
  const hosts = new Set<string>();
  const access: Access = { token, hosts: isOpen ? null : hosts, opens: !isOpen };
  const app = createApp(routes, { ...options, access });
  const limits = { headersTimeout: HEADERS, requestTimeout: 0, connectionsCheckingInterval: 3000 };
  const secrets = tls === null ? null : { cert: readFileSync(tls.certificate), key: readFileSync(tls.key) };
  const server = createAdaptorServer({
    fetch: app.fetch,
    ...(secrets === null
      ? { serverOptions: limits }
      : { createServer: createTls, serverOptions: { ...limits, ...secrets } }),
    // The rest of a refused body is not read.
    autoCleanupIncoming: false,
  } as Parameters<typeof createAdaptorServer>[0]) as Server;
  server.keepAliveTimeout = KEEP_ALIVE;
  const refused = await start(server, address);
  if (refused !== null) return fault(refused);
  const { port } = server.address() as AddressInfo;
  for (const name of loopbackNames(address.host, port)) hosts.add(name);
  const shown = address.host.includes(':') ? `[${address.host}]` : address.host;
  return success({
    url: `${tls === null ? 'http' : 'https'}://${shown}:${port}`,
    address: { host: address.host, port },
    close: () => stop(server),
  });
}

function start(server: Server, { host, port }: Address): Promise<string | null> {
  return new Promise((resolve) => {
    server.once('error', ({ message }) => resolve(message));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      server.on('error', () => undefined);
      resolve(null);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
