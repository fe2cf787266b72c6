/** The smallest server that speaks the dialects: it reads a request, and writes the next reply or error. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dialect, DialectRequest, ErrorCode, Written } from '../../../agent/dialects/dialect.ts';
import { routeOf } from '../../../agent/dialects/registry.ts';

export interface Refusal {
  code: ErrorCode;
  message: string;
  /** Within a stream that has begun. */
  late?: boolean;
}

export interface Door {
  url: string;
  /** As the dialect read them; a string is what was wrong. */
  requests: (DialectRequest | string)[];
  answers: (Written | Refusal)[];
  close(): Promise<void>;
}

export function reply(fields: Partial<Written> = {}): Written {
  return {
    content: '',
    reasoning: null,
    toolCalls: [],
    truncated: false,
    promptTokens: 11,
    completionTokens: 7,
    ...fields,
  };
}

export async function openDoor(): Promise<Door> {
  const door: Door = { url: '', requests: [], answers: [], close: async () => {} };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(door, request, Buffer.concat(chunks).toString(), response));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  door.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  door.close = () =>
    new Promise((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  return door;
}

function answer(door: Door, request: IncomingMessage, text: string, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url!, door.url);
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const routed = routeOf(request.method!, pathname, searchParams, headers);
  if (routed === null) end(response, 404, { error: { message: `no route ${pathname}` } });
  else if (routed.route.action === 'models') end(response, 200, routed.dialect.models('policy', 32_768));
  else {
    const read = routed.dialect.read(JSON.parse(text), headers, routed.route);
    door.requests.push(read.ok ? read.value : read.fault);
    if (!read.ok) refuse(response, routed.dialect, { code: 'invalid', message: read.fault });
    else if (routed.route.action === 'count') end(response, 200, routed.dialect.count(42));
    else give(door, routed.dialect, read.value, response);
  }
}

function give(door: Door, dialect: Dialect, request: DialectRequest, response: ServerResponse): void {
  const next = door.answers.shift() ?? { code: 'internal', message: 'no answer is left' };
  const ids = { id: `a${door.requests.length}`, model: 'policy', created: 1_700_000_000 };
  if ('code' in next) refuse(response, dialect, next);
  else if (!request.stream) end(response, 200, dialect.write(next, request, ids));
  else stream(response, [dialect.keepAlive, ...dialect.stream(next, request, ids)]);
}

function refuse(response: ServerResponse, dialect: Dialect, { code, message, late }: Refusal): void {
  const { status, body, event } = dialect.error(code, message);
  if (late) stream(response, [dialect.keepAlive, event]);
  else end(response, status, body);
}

function end(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function stream(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(event);
  response.end();
}
