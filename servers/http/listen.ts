/**
 * Listens on an address, or on a socket that only its user can connect to. An address that other machines reach
 * requires a token. With a certificate it uses TLS.
 */
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { createSecureContext } from 'node:tls';
import { createAdaptorServer } from '@hono/node-server';
import { isLoopback, loopbackNames } from '../../basics/entry.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type BoundAddress, boundHost } from '../../basics/server-token.ts';
import { type Access, type AppOptions, createApp } from './app.ts';
import type { Route } from './route.ts';

export interface ListenOptions extends Omit<AppOptions, 'access'> {
  address: Address;
  token: string | null;
  /** Paths of PEM files. */
  tls: { certificate: string; key: string } | null;
}

/** A port, or the path of a socket that only this user can connect to. */
export type Address = { host: string; port: number } | { path: string };

export interface Listening {
  url: string;
  /** Null: it listens on a socket. */
  bound: BoundAddress | null;
  close(): Promise<void>;
}

/** Milliseconds. Clients keep idle connections for some seconds, and the server must not be the first to close them. */
const KEEP_ALIVE = 75_000;
const HEADERS = 15_000;
/** Bytes of a socket's path. The kernel's limit; libuv cuts longer ones without a word. */
const MAX_SOCKET_PATH = 107;

/** `HOST:PORT`, `[::1]:PORT`, `:PORT`, `PORT` or `unix:PATH`; null for anything else. */
export function parseAddress(text: string): Address | null {
  if (/^unix:[^\0]/.test(text)) return { path: text.slice('unix:'.length) };
  const [, six, four = '', digits = ''] =
    /^(?:\[([0-9a-fA-F:]+)\]:|([^\s:[\]]*):)?(\d{1,5})$/.exec(text) ?? [];
  if (digits === '' || Number(digits) > 65_535) return null;
  return { host: six ?? (four === '' ? '127.0.0.1' : four), port: Number(digits) };
}

/** Whether others than processes of this machine may reach it. */
export function isReachable(address: Address): boolean {
  return 'host' in address && !isLoopback(address.host);
}

/** The fault says why the address cannot be used. */
export async function listen(
  routes: readonly Route[],
  { address, token, tls, ...options }: ListenOptions,
): Promise<Result<Listening, string>> {
  const isOpen = isReachable(address);
  if (isOpen && 'host' in address && (token === null || token.length < 16))
    return fault(`${address.host} is not a loopback address: that needs a token of at least 16 characters`);
  const hosts = new Set<string>();
  const access: Access = { token, hosts: isOpen ? null : hosts, opens: !isOpen };
  const app = createApp(routes, { ...options, access });
  const limits = { headersTimeout: HEADERS, requestTimeout: 0, connectionsCheckingInterval: 3000 };
  const secrets = tls === null ? success(null) : readSecrets(tls);
  if (!secrets.ok) return secrets;
  const server = createAdaptorServer({
    fetch: app.fetch,
    ...(secrets.value === null
      ? { serverOptions: limits }
      : { createServer: createTls, serverOptions: { ...limits, ...secrets.value } }),
    // The rest of a refused body is not read.
    autoCleanupIncoming: false,
  } as Parameters<typeof createAdaptorServer>[0]) as Server;
  server.keepAliveTimeout = KEEP_ALIVE;
  const scheme = tls === null ? 'http' : 'https';
  const close = () => stop(server);
  if ('path' in address) {
    hosts.add('localhost');
    const refused = await startSocket(server, address.path);
    return refused === null ? success({ url: `unix:${address.path}`, bound: null, close }) : fault(refused);
  }
  const host = boundHost(address.host);
  const refused = await start(server, () => server.listen(address.port, host));
  if (refused !== null) return fault(refused);
  const { address: ip, port } = server.address() as AddressInfo;
  for (const name of loopbackNames(host, port)) hosts.add(name);
  const shown = host.includes(':') ? `[${host}]` : address.host;
  return success({ url: `${scheme}://${shown}:${port}`, bound: { host: ip, port }, close });
}

function readSecrets({
  certificate,
  key,
}: NonNullable<ListenOptions['tls']>): Result<{ cert: Buffer; key: Buffer }, string> {
  try {
    const secrets = { cert: readFileSync(certificate), key: readFileSync(key) };
    createSecureContext(secrets);
    return success(secrets);
  } catch (error) {
    // Files come from people: they may be away, or hold something else.
    return fault(`--tls-certificate ${certificate} with --tls-key ${key}: ${(error as Error).message}`);
  }
}

/** Made with mode 0600 from its first moment. One that a server left that was killed is taken over. */
async function startSocket(server: Server, path: string): Promise<string | null> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH)
    return `${path} is too long for a socket: at most ${MAX_SOCKET_PATH} bytes`;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) {
    if (!found.isSocket()) return `${path} is there and is no socket`;
    if (await answers(path)) return `another server listens on ${path}`;
    rmSync(path, { force: true });
  }
  const mask = process.umask(0o177);
  try {
    return await start(server, () => {
      server.listen(path);
      // The socket is made at once, and the mask is for it alone.
      process.umask(mask);
    });
  } finally {
    process.umask(mask);
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    // Without the right to connect there may be a server.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
}

function start(server: Server, begin: () => void): Promise<string | null> {
  return new Promise((resolve) => {
    server.once('error', ({ message }) => resolve(message));
    server.once('listening', () => {
      server.removeAllListeners('error');
      server.on('error', () => undefined);
      resolve(null);
    });
    begin();
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
