/** The proxy for builds, over real sockets: what passes, what is refused, what the log says. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildAllowList } from '../../executors/proxy/allow-list.ts';
import type { ProxyLogEntry } from '../../executors/proxy/exchange.ts';
import { type ProxyOptions, type RunningProxy, startProxy } from '../../executors/proxy/proxy.ts';

let folder: string;
let cleanups: (() => Promise<unknown> | unknown)[];
let entries: ProxyLogEntry[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swemake-proxy-'));
  cleanups = [() => rm(folder, { recursive: true, force: true })];
  entries = [];
});
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

async function proxyFor(options: Partial<ProxyOptions>): Promise<RunningProxy> {
  const proxy = await startProxy({
    allow: [],
    socketPath: join(folder, `${cleanups.length}.sock`),
    log: (entry) => entries.push(entry),
    ...options,
  });
  cleanups.push(() => proxy.close());
  return proxy;
}

function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    cleanups.push(() => new Promise((closed) => server.close(closed)));
  });
}

/** An origin that answers with what it was asked. */
function origin(): Promise<number> {
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const { url, method, headers } = message;
      response.setHeader('connection', 'close');
      response.end(JSON.stringify({ url, method, headers, body: Buffer.concat(chunks).toString() }));
    });
  });
  return listen(server);
}

interface Answer {
  status: number;
  body: string;
}

/** A request in absolute form through the proxy's host socket. */
function ask(proxy: RunningProxy, url: string, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        socketPath: proxy.socketPath,
        path: url,
        method: body === '' ? 'GET' : 'POST',
        headers: { host: new URL(url).host, 'proxy-authorization': 'Basic c2VjcmV0', connection: 'close' },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        response.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Opens a tunnel, sends `text`, and gives all that came back until the end. */
function tunnel(
  where: { path: string } | { port: number },
  target: string,
  text: string,
  head = '',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ ...(where as { path: string }), allowHalfOpen: true });
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      if (received === '' && String(chunk).startsWith('HTTP/1.1 200')) socket.end(text);
      received += chunk;
    });
    socket.on('end', () => {
      socket.destroy();
      resolve(received);
    });
    socket.on('error', reject);
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${head}\r\n`);
  });
}

async function echoServer(): Promise<number> {
  return listen(
    createTcpServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      socket.pipe(socket);
    }),
  );
}

async function logged(count: number): Promise<ProxyLogEntry[]> {
  while (entries.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  return entries;
}

describe('plain requests', () => {
  it('are passed on without what is meant for the proxy, and logged without their query', async () => {
    const port = await origin();
    const proxy = await proxyFor({ allow: [`127.0.0.1:${port}`] });
    const answer = await ask(proxy, `http://127.0.0.1:${port}/simple/x/?token=secret`, 'some body');
    const seen = JSON.parse(answer.body);
    expect(seen).toMatchObject({ url: '/simple/x/?token=secret', method: 'POST', body: 'some body' });
    expect(seen.headers).not.toHaveProperty('proxy-authorization');
    expect(seen.headers.host).toBe(`127.0.0.1:${port}`);
    const [entry] = await logged(1);
    expect(entry).toMatchObject({
      method: 'POST',
      host: '127.0.0.1',
      port,
      path: '/simple/x/',
      verdict: 'allowed',
    });
    expect(entry!.received).toBeGreaterThan(100);
    expect(JSON.stringify(entries)).not.toContain('secret');
  });

  it('are refused when the host or the port is not on the list', async () => {
    const port = await origin();
    const proxy = await proxyFor({ allow: ['127.0.0.1:1', 'example.invalid'] });
    const answer = await ask(proxy, `http://127.0.0.1:${port}/`);
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('not on the allow-list');
    expect(await logged(1)).toMatchObject([{ verdict: 'denied', port, reason: 'not on the allow-list' }]);
  });

  it('must be in absolute form', async () => {
    const proxy = await proxyFor({});
    const answer = await new Promise<number>((resolve) => {
      request({ socketPath: proxy.socketPath, path: '/' }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      }).end();
    });
    expect(answer).toBe(400);
  });

  it('give 502 when the host does not answer or does not exist', async () => {
    const proxy = await proxyFor({ allow: ['127.0.0.1:9', 'nothing.invalid'] });
    expect((await ask(proxy, 'http://127.0.0.1:9/')).status).toBe(502);
    expect((await ask(proxy, 'http://nothing.invalid/')).status).toBe(502);
    expect((await logged(2)).map((entry) => entry.verdict)).toEqual(['failed', 'failed']);
  });
});

describe('a client that has enough', () => {
  /** Serves bytes without end. */
  const endless = () =>
    listen(
      createServer((_, response) => {
        response.on('error', () => undefined);
        const more = () => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      }),
    );

  it.each(['plain', 'tunnel'])('breaks its connection, and nothing was lost: %s', async (way) => {
    const port = await endless();
    const proxy = await proxyFor({ allow: [`127.0.0.1:${port}`] });
    const client = connect({ path: proxy.socketPath });
    client.on('error', () => undefined);
    const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    let read = 0;
    await new Promise<void>((done) => {
      client.on('data', (bytes) => {
        if (read === 0 && way === 'tunnel') client.write(get('/'));
        read += bytes.length;
        if (read > 100_000) done();
      });
      client.write(
        way === 'plain'
          ? get(`http://127.0.0.1:${port}/`)
          : `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
    });
    client.destroy();
    expect(await logged(1)).toMatchObject([{ verdict: 'allowed' }]);
    await proxy.close();
    expect(proxy.connections.since(0)).toMatchObject({ lost: null, passed: true });
  });
});

it('a server that breaks off in the middle of its answer is lost', async () => {
  const port = await listen(
    createServer((_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
    }),
  );
  const proxy = await proxyFor({ allow: [`127.0.0.1:${port}`] });
  // The client sees it, too.
  await ask(proxy, `http://127.0.0.1:${port}/`).catch(() => undefined);
  expect(proxy.connections.since(0).lost).toContain(`127.0.0.1:${port}`);
});

describe('tunnels', () => {
  it('carry bytes both ways, and the end of each side', async () => {
    const port = await echoServer();
    const proxy = await proxyFor({ allow: [`127.0.0.1:${port}`] });
    const text = 'x'.repeat(1_000_000);
    const received = await tunnel({ path: proxy.socketPath }, `127.0.0.1:${port}`, text);
    expect(received.endsWith(text)).toBe(true);
    expect(await logged(1)).toMatchObject([
      { method: 'CONNECT', path: null, verdict: 'allowed', received: text.length, sent: text.length },
    ]);
  });

  it('are refused when not on the list, in every spelling of an address', async () => {
    const port = await echoServer();
    const proxy = await proxyFor({ allow: ['pypi.org'] });
    const spellings = ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0', 'localhost'];
    for (const host of spellings) {
      const received = await tunnel({ path: proxy.socketPath }, `${host}:${port}`, 'x');
      expect(received).toMatch(/^HTTP\/1\.1 403 /);
    }
    expect(await tunnel({ path: proxy.socketPath }, 'no-port', 'x')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('do not reach this machine through a name below an admitted one', async () => {
    const port = await echoServer();
    const proxy = await proxyFor({ allow: [`*.localhost:${port}`] });
    const received = await tunnel({ path: proxy.socketPath }, `index.localhost:${port}`, 'x');
    expect(received).toMatch(/^HTTP\/1\.1 (403|502) /);
  });

  it('to a host on the list that means a forbidden address count as lost: the next network may say otherwise', async () => {
    const proxy = await proxyFor({ allow: ['*.0.0.1'] });
    const received = await tunnel({ path: proxy.socketPath }, '127.0.0.1:443', 'x');
    expect(received).toMatch(/^HTTP\/1\.1 502 /);
    expect(proxy.connections.since(0)).toMatchObject({
      lost: '127.0.0.1:443: it resolves to 127.0.0.1, an address of this machine',
      refused: [],
    });
    expect((await ask(proxy, 'http://127.0.0.1/')).status).toBe(502);
  });

  it('end with the proxy', async () => {
    const port = await echoServer();
    const proxy = await proxyFor({ allow: [`127.0.0.1:${port}`] });
    const socket = connect({ path: proxy.socketPath });
    socket.on('error', () => undefined);
    socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await proxy.close();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});

describe('the loopback address for local workspaces', () => {
  it('needs its credential', async () => {
    const port = await echoServer();
    const proxy = await proxyFor({ allow: [`127.0.0.1:${port}`], tcp: true });
    const url = new URL(proxy.url!);
    const where = { port: Number(url.port) };
    const login = Buffer.from(`${url.username}:${url.password}`).toString('base64');
    expect(await tunnel(where, `127.0.0.1:${port}`, 'hi')).toMatch(/^HTTP\/1\.1 407 /);
    const wrong = 'Proxy-Authorization: Basic d3Jvbmc=\r\n';
    expect(await tunnel(where, `127.0.0.1:${port}`, 'hi', wrong)).toMatch(/^HTTP\/1\.1 407 /);
    const right = `Proxy-Authorization: Basic ${login}\r\n`;
    expect(await tunnel(where, `127.0.0.1:${port}`, 'hi', right)).toMatch(/^HTTP\/1\.1 200 [\s\S]*hi$/);
  });
});

describe("the host's own proxy", () => {
  it('is used for tunnels and requests, with its credentials, and only for admitted hosts', async () => {
    const port = await origin();
    const seen: ProxyLogEntry[] = [];
    const outer = await proxyFor({
      allow: [`127.0.0.1:${port}`],
      tcp: true,
      log: (entry) => seen.push(entry),
    });
    const proxy = await proxyFor({ allow: [`127.0.0.1:${port}`], upstream: () => outer.url });
    expect((await ask(proxy, `http://127.0.0.1:${port}/a`)).body).toContain('"url":"/a"');
    const raw = 'GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(await tunnel({ path: proxy.socketPath }, `127.0.0.1:${port}`, raw)).toContain('"url":"/b"');
    expect((await ask(proxy, `http://127.0.0.1:${port + 1}/`)).status).toBe(403);
    expect(seen.map((entry) => entry.method).sort()).toEqual(['CONNECT', 'GET']);
  });

  it('that is no address is a loss, and no answer of a build', async () => {
    const proxy = await proxyFor({ allow: ['some.example'], upstream: () => 'http://proxy:port' });
    expect(await tunnel({ path: proxy.socketPath }, 'some.example:443', 'x')).toMatch(/^HTTP\/1\.1 502 /);
    expect((await ask(proxy, 'http://some.example/')).status).toBe(502);
    expect(proxy.connections.since(0).lost).toBe('some.example:80: the address of the host’s proxy is wrong');
  });

  it('is reported when it refuses', async () => {
    const outer = await proxyFor({ allow: [], tcp: true });
    const proxy = await proxyFor({ allow: ['some.example'], upstream: () => outer.url });
    const received = await tunnel({ path: proxy.socketPath }, 'some.example:443', 'x');
    expect(received).toMatch(/^HTTP\/1\.1 502 [\s\S]*says 403/);
  });
});

describe('pip', () => {
  it('downloads through the proxy', async ({ skip }) => {
    const { buildSettings } = await import('../../tasks/python/settings.ts');
    const { proxyFor: hostProxy } = await import('../../tasks/source/proxy.ts');
    const settings = buildSettings(process.env, 'host');
    if (settings.hosts.length === 0) return skip('no package index over http is configured');
    const proxy = await proxyFor({
      allow: buildAllowList(settings.hosts),
      tcp: true,
      upstream: (url) => hostProxy(url, process.env),
    });
    const args = ['-m', 'pip', 'download', '--no-deps', '-q', '-d', folder, 'iniconfig==2.0.0'];
    const env = { PATH: process.env.PATH, HOME: folder, PIP_NO_CACHE_DIR: '1' };
    const variables = buildSettings(process.env, 'proxy').variables;
    const inside = Object.entries(variables).filter(([, value]) => !value.includes('/opt/'));
    const proxied = { https_proxy: proxy.url!, http_proxy: proxy.url! };
    const certificate = process.env.PIP_CERT ?? process.env.SSL_CERT_FILE;
    const full = {
      ...env,
      ...Object.fromEntries(inside),
      ...proxied,
      ...(certificate && { PIP_CERT: certificate }),
    };
    const failed = await promisify(execFile)('python3', args, { env: full }).then(
      () => null,
      (error: Error) => error.message,
    );
    const refused = entries.filter((entry) => entry.verdict !== 'allowed');
    if (failed !== null && refused.every((entry) => entry.verdict === 'failed'))
      return skip(`no index: ${failed}`);
    expect(failed).toBeNull();
    expect(entries.length).toBeGreaterThan(0);
    expect(refused).toEqual([]);
  });
});

describe('a host of the proxy’s own', () => {
  const NOTHING = { lost: null, passed: false, isOver: false, refused: [] };

  it('is served without an address, and what it says of the network is counted', async () => {
    const proxy = await proxyFor({
      allow: [],
      own: {
        name: 'index.own',
        serve: async ({ url }, response) => {
          response.writeHead(url === '/bad?x=1' ? 502 : 200).end(url);
          return url === '/bad?x=1'
            ? { lost: 'the index', passed: false }
            : { lost: null, passed: url === '/new' };
        },
      },
    });
    const since = performance.now();
    expect(await ask(proxy, 'http://index.own/kept')).toEqual({ status: 200, body: '/kept' });
    expect(proxy.connections.since(since)).toEqual(NOTHING);
    await ask(proxy, 'http://INDEX.own:80/new');
    expect(proxy.connections.since(since)).toEqual({ ...NOTHING, passed: true });
    expect((await ask(proxy, 'http://index.own/bad?x=1')).status).toBe(502);
    expect(proxy.connections.since(since)).toMatchObject({ lost: 'the index' });
    expect(entries.map(({ path, verdict }) => [path, verdict])).toEqual([
      ['/kept', 'allowed'],
      ['/new', 'allowed'],
      ['/bad', 'failed'],
    ]);
    expect((await ask(proxy, 'http://index.own:8080/kept')).status).toBe(403);
    expect((await ask(proxy, 'http://below.index.own/kept')).status).toBe(403);
    expect(proxy.connections.since(since)).toMatchObject({ refused: ['below.index.own', 'index.own'] });
  });

  it('is served through a tunnel, too', async () => {
    const serve = async ({ url }: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': url!.length }).end(url);
      return { lost: null, passed: true };
    };
    const proxy = await proxyFor({ allow: [], own: { name: 'index.own', serve } });
    const text = 'GET /a?b=1 HTTP/1.1\r\nHost: index.own\r\nConnection: close\r\n\r\n';
    expect(await tunnel({ path: proxy.socketPath }, 'index.own:80', text)).toMatch(
      /^HTTP\/1\.1 200 .*HTTP\/1\.1 200 OK\r\n.*\r\n\r\n\/a\?b=1$/s,
    );
    expect(entries).toMatchObject([{ method: 'GET', host: 'index.own', path: '/a', verdict: 'allowed' }]);
    expect(await tunnel({ path: proxy.socketPath }, 'index.own:443', text)).toMatch(/^HTTP\/1\.1 403 /);
  });
});
