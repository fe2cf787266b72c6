/** A server with the routes of Bazel's HTTP cache that can be made to answer wrongly, and is the only fake here. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.ts';

export type Misbehaviour = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer | null,
) => boolean;

export interface RemoteServer {
  url: string;
  /** What it holds: `/ac/KEY` and `/cas/DIGEST`. */
  held: Map<string, Buffer>;
  /** Method and path of each request. */
  asked: string[];
  /** Answers a request in its own way, and says so by `true`. */
  misbehave: Misbehaviour | null;
  stop(): Promise<void>;
}

export async function remoteServer(): Promise<RemoteServer> {
  const held = new Map<string, Buffer>();
  const asked: string[] = [];
  const rig: RemoteServer = { url: '', held, asked, misbehave: null, stop: async () => stop(server) };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const path = request.url!;
      asked.push(`${request.method} ${path}`);
      const body = held.get(path) ?? null;
      if (rig.misbehave?.(request, response, body) === true) return;
      if (request.method === 'PUT') {
        held.set(path, Buffer.concat(pieces));
        response.writeHead(200).end();
      } else if (body === null) response.writeHead(404).end();
      else
        response.writeHead(200, { 'content-length': body.length }).end(request.method === 'HEAD' ? '' : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  rig.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  atEnd(() => stop(server));
  return rig;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
