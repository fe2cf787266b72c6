/** One request to the proxy, from its arrival to its line in the log. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { parseTarget, type Target } from './allow-list.ts';
import {
  findRoute,
  fixedLookup,
  hostText,
  openTunnel,
  proxyAuthorization,
  type Route,
  type Rules,
} from './connect.ts';
import type { ConnectionLog } from './connection-log.ts';

/** A request as the download log keeps it: no query, no credentials. */
export interface ProxyLogEntry {
  method: string;
  host: string;
  port: number;
  /** Path of a plain HTTP request; a tunnel hides its own. */
  path: string | null;
  verdict: 'allowed' | 'denied' | 'failed';
  reason: string | null;
  /** Bytes that came from the host. */
  received: number;
  sent: number;
  ms: number;
}

/** A host that is served by swemake itself, on port 80. */
export interface OwnHost {
  name: string;
  /** Answers a request in origin form, and reports what happened on the network. */
  serve(
    message: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ lost: string | null; passed: boolean }>;
}

export interface Exchange {
  rules: Rules;
  connections: ConnectionLog;
  own: OwnHost | null;
  log: (entry: ProxyLogEntry) => void;
}

/** A connection on which nothing moves for so long is given up. */
const IDLE_MS = 15 * 60 * 1000;

/** Meant for one connection only, or for the proxy itself. */
const HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Serves CONNECT: a tunnel, once the target is admitted. */
export async function serveConnect(
  message: IncomingMessage,
  client: Duplex,
  head: Buffer,
  on: Exchange,
): Promise<void> {
  client.on('error', () => client.destroy());
  const target = parseTarget(message.url ?? '', null);
  if (target === null) return refuse(client, 400, 'not a host and port');
  if (target.host === on.own?.name && target.port === 80)
    return serveTunnel(client, head, target, on.own, on);
  const entry = startEntry('CONNECT', target, null);
  const route = await findRoute(target, 'https', on.rules);
  if (route.kind === 'denied' || route.kind === 'failed') {
    if (route.kind === 'failed') on.connections.lost(lossOf(target, route.reason));
    else on.connections.refused(hostText(target));
    refuse(client, route.kind === 'denied' ? 403 : 502, refusalText(target, route));
    return on.log(entry.end(route.kind, route.reason));
  }
  try {
    const remote = await openTunnel(target, route);
    on.connections.passed();
    if (client.destroyed) remote.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) remote.write(head);
    join(client, remote, (broken) => {
      if (broken !== null) on.connections.lost(lossOf(target, broken));
      on.log(
        entry.end(broken === null ? 'allowed' : 'failed', broken, remote.bytesRead, remote.bytesWritten),
      );
    });
  } catch (error) {
    const { message } = error as Error;
    on.connections.lost(lossOf(target, message));
    refuse(client, 502, message);
    on.log(entry.end('failed', message));
  }
}

/** Serves what comes through a tunnel to our own host: some clients open one for plain HTTP, too. */
function serveTunnel(client: Duplex, head: Buffer, target: Target, own: OwnHost, on: Exchange): void {
  const server = createServer((message, response) => {
    const [path = ''] = (message.url ?? '').split('?', 1);
    void serveOwn(message, response, startEntry(message.method ?? 'GET', target, path), own, on);
  });
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) client.unshift(head);
  server.emit('connection', client);
}

/** Serves a request in absolute form: passes it on, and the answer back. */
export async function serveRequest(
  message: IncomingMessage,
  response: ServerResponse,
  on: Exchange,
): Promise<void> {
  const url = URL.canParse(message.url ?? '') ? new URL(message.url!) : null;
  const target = url?.protocol === 'http:' ? parseTarget(url.host, 80) : null;
  if (url === null || target === null) return answer(response, 400, 'this is a proxy for http and CONNECT');
  const entry = startEntry(message.method ?? 'GET', target, url.pathname);
  if (target.host === on.own?.name && target.port === 80) {
    message.url = url.pathname + url.search;
    return serveOwn(message, response, entry, on.own, on);
  }
  const route = await findRoute(target, 'http', on.rules);
  if (route.kind === 'denied' || route.kind === 'failed') {
    if (route.kind === 'failed') on.connections.lost(lossOf(target, route.reason));
    else on.connections.refused(hostText(target));
    answer(response, route.kind === 'denied' ? 403 : 502, refusalText(target, route));
    return on.log(entry.end(route.kind, route.reason));
  }
  const isSecure = route.kind === 'upstream' && route.proxy.protocol === 'https:';
  const passed = (isSecure ? secureRequest : request)(requestOptions(message, url, target, route));
  const fail = (error: Error) => {
    on.connections.lost(lossOf(target, error.message));
    answer(response, 502, error.message);
    on.log(entry.end('failed', error.message));
  };
  passed.setTimeout(IDLE_MS, () => passed.destroy(new Error('no answer')));
  passed.once('error', fail);
  passed.once('response', (from) => {
    const status = from.statusCode ?? 502;
    on.connections.passed();
    if (status === 429 || status >= 500) on.connections.lost(lossOf(target, `it answers ${status}`));
    response.writeHead(status, withoutHopHeaders(from.headers));
    from.on('error', (error) => {
      // It breaks, too, when the client has left.
      if (!response.destroyed) on.connections.lost(lossOf(target, error.message));
      response.destroy();
    });
    from.pipe(response);
    response.once('close', () => {
      const { bytesRead = 0, bytesWritten = 0 } = passed.socket ?? {};
      on.log(entry.end('allowed', null, bytesRead, bytesWritten));
    });
  });
  response.once('close', () =>
    passed
      .off('error', fail)
      .on('error', () => undefined)
      .destroy(),
  );
  message.pipe(passed);
}

/** The answer is made here, from what its host has or had. */
async function serveOwn(
  message: IncomingMessage,
  response: ServerResponse,
  entry: ReturnType<typeof startEntry>,
  own: OwnHost,
  { connections, log }: Exchange,
): Promise<void> {
  const { socket } = response;
  const [read = 0, written = 0] = [socket?.bytesRead, socket?.bytesWritten];
  const { lost, passed } = await own.serve(message, response);
  if (passed) connections.passed();
  if (lost !== null) connections.lost(lost);
  const [sent, received] = [(socket?.bytesRead ?? read) - read, (socket?.bytesWritten ?? written) - written];
  log(entry.end(lost === null ? 'allowed' : 'failed', lost, received, sent));
}

function requestOptions(
  message: IncomingMessage,
  url: URL,
  target: Target,
  route: Route & { kind: 'straight' | 'upstream' },
): RequestOptions {
  const headers = { ...withoutHopHeaders(message.headers), host: url.host };
  const common = { method: message.method ?? 'GET', agent: false as const };
  if (route.kind === 'straight') {
    const lookup = fixedLookup(route.addresses);
    return {
      ...common,
      hostname: target.host,
      port: target.port,
      path: url.pathname + url.search,
      headers,
      lookup,
    };
  }
  const { proxy } = route;
  return {
    ...common,
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    path: url.href,
    headers: { ...headers, ...proxyAuthorization(proxy) },
  };
}

function withoutHopHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name)));
}

/**
 * Copies bytes both ways until both sides have ended. `done` is called with an error of the far side that occurred
 * while the near side was open.
 */
function join(
  client: Duplex,
  remote: Duplex & { setTimeout(ms: number, done: () => void): unknown },
  done: (broken: string | null) => void,
) {
  let broken: string | null = null;
  remote.setTimeout(IDLE_MS, () => remote.destroy(new Error('no answer')));
  remote.on('error', (error) => {
    if (!client.destroyed && !client.readableEnded) broken = error.message;
    client.destroy();
  });
  client.once('close', () => remote.destroy());
  remote.once('close', () => {
    if (!client.writableFinished) client.end();
    done(broken);
  });
  client.pipe(remote);
  remote.pipe(client);
}

function lossOf(target: Target, reason: string): string {
  return `${hostText(target)}:${target.port}: ${reason}`;
}

function refusalText(target: Target, route: { reason: string }): string {
  return `swemake does not connect to ${hostText(target)}:${target.port}: ${route.reason}`;
}

function refuse(client: Duplex, status: number, text: string): void {
  const reason = status === 403 ? 'Forbidden' : status === 400 ? 'Bad Request' : 'Bad Gateway';
  const body = `${text}\n`;
  const length = Buffer.byteLength(body);
  client.end(`HTTP/1.1 ${status} ${reason}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`);
}

function answer(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
}

function startEntry(method: string, { host, port }: Target, path: string | null) {
  const startedAt = performance.now();
  return {
    end: (
      verdict: ProxyLogEntry['verdict'],
      reason: string | null,
      received = 0,
      sent = 0,
    ): ProxyLogEntry => {
      const ms = Math.round(performance.now() - startedAt);
      return { method, host, port, path, verdict, reason, received, sent, ms };
    },
  };
}
