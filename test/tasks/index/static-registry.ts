/** A registry of the test on the loopback: files by their path, and what was asked for. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Offered {
  body: string | Buffer;
  /** Last-Modified. */
  modified?: string;
}

export interface StaticRegistry {
  url: string;
  files: Map<string, Offered>;
  /** Method and path of each request. */
  asked: string[];
  /** Answers in place of the registry when it returns true. */
  intercept: ((message: IncomingMessage, response: ServerResponse) => boolean) | null;
  offer(path: string, body: string | Buffer, modified?: string): void;
  close(): Promise<void>;
}

export async function staticRegistry(): Promise<StaticRegistry> {
  const server = createServer((message, response) => {
    const path = (message.url ?? '').slice(1);
    registry.asked.push(`${message.method} ${path}`);
    if (registry.intercept?.(message, response)) return;
    const found = registry.files.get(path);
    if (found === undefined) return void response.writeHead(404).end('no such file');
    if (found.modified !== undefined)
      response.setHeader('last-modified', new Date(found.modified).toUTCString());
    response.setHeader('content-length', Buffer.byteLength(found.body));
    response.end(message.method === 'HEAD' ? undefined : found.body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const registry: StaticRegistry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files: new Map(),
    asked: [],
    intercept: null,
    offer: (path, body, modified) =>
      registry.files.set(path, { body, ...(modified === undefined ? {} : { modified }) }),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return registry;
}
