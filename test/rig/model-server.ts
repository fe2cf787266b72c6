/**
 * A scripted OpenAI-compatible endpoint: real HTTP, no model. A function says how each request is answered, so it
 * can play a whole agent, and everything that goes wrong with real servers: refusals, stalls, cut connections, and
 * being down for a while (stop and start keep the port).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ScriptedReply, writeReply } from './model-reply.ts';

export interface ServedMessage {
  role: string;
  content: string | null;
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface ServedRequest {
  /** From 0, over all chat requests. */
  number: number;
  path: string;
  headers: IncomingMessage['headers'];
  /** The X-Session-ID header; empty when there is none. */
  session: string;
  body: Record<string, unknown> & { messages: ServedMessage[] };
}

/** How a request is answered. */
export type Answer =
  | ScriptedReply
  /** Any status and body, with status 200 too; a text is sent as it is. */
  | { status: number; body: unknown; headers?: Record<string, string> }
  /** Nothing comes until the client goes away. */
  | { stall: 'headers' | 'body' }
  /** The connection is cut before anything or in the middle of the body. */
  | { cut: 'headers' | 'body' }
  /** The answer after a pause, its body in pieces. */
  | { slow: number; answer: ScriptedReply };

export type Script = (request: ServedRequest) => Answer | Promise<Answer>;

export interface ModelServerOptions {
  /** Entries of /v1/models; a status instead refuses the route. */
  models?: Record<string, unknown>[] | { status: number; body: unknown };
  /** Other routes by path, such as /tokenize; without it they are 404. */
  routes?: Record<string, (body: Record<string, unknown>) => { status?: number; body: unknown }>;
  /** Asked for by `Authorization: Bearer`. */
  apiKey?: string;
}

export interface ModelServer {
  /** With /v1. */
  readonly url: string;
  /** Chat requests, as they came. */
  readonly requests: ServedRequest[];
  /** Most chat requests that were being answered at once. */
  readonly most: number;
  /** Chat requests that are being answered. */
  readonly running: number;
  /** Requests of any route, by path. */
  readonly paths: Map<string, number>;
  /** Answers of the following requests. */
  play(script: Script | Answer[]): void;
  /** Cuts every connection and listens no more. */
  stop(): Promise<void>;
  /** Listens again, at the same address. */
  start(): Promise<void>;
}

/** Starts a server that answers as `script` says; a list is played once, its last answer again and again. */
export async function startModelServer(
  script: Script | Answer[],
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const server = new ScriptedServer(script, options);
  await server.start();
  return server;
}

class ScriptedServer implements ModelServer {
  readonly requests: ServedRequest[] = [];
  readonly paths = new Map<string, number>();
  most = 0;
  running = 0;
  #script: Script;
  #port = 0;
  #server: Server | null = null;
  readonly #sockets = new Set<Socket>();
  readonly #options: ModelServerOptions;

  constructor(script: Script | Answer[], options: ModelServerOptions) {
    this.#script = asFunction(script);
    this.#options = options;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  play(script: Script | Answer[]): void {
    this.#script = asFunction(script);
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    server.keepAliveTimeout = 0;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url!, 'http://host').pathname;
    this.paths.set(path, (this.paths.get(path) ?? 0) + 1);
    const text = await readAll(request);
    const { apiKey } = this.#options;
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`)
      return sendJson(response, 401, { error: { message: 'Incorrect API key provided', type: 'auth' } });
    if (path === '/v1/chat/completions') return this.#chat(path, request, JSON.parse(text), response);
    const { models = [{ id: 'scripted' }], routes = {} } = this.#options;
    if (path === '/health') return sendJson(response, 200, {});
    if (path === '/v1/models') {
      if ('status' in models) return sendJson(response, models.status, models.body);
      return sendJson(response, 200, { object: 'list', data: models });
    }
    const route = routes[path];
    if (route === undefined) return sendJson(response, 404, { detail: 'Not Found' });
    const { status = 200, body } = route(text === '' ? {} : JSON.parse(text));
    return sendJson(response, status, body);
  }

  async #chat(
    path: string,
    { headers }: IncomingMessage,
    body: ServedRequest['body'],
    response: ServerResponse,
  ): Promise<void> {
    const session = String(headers['x-session-id'] ?? '');
    const request = { number: this.requests.length, path, headers, session, body };
    this.requests.push(request);
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      await send(response, await this.#script(request), body);
    } finally {
      this.running -= 1;
    }
  }
}

function asFunction(script: Script | Answer[]): Script {
  if (typeof script === 'function') return script;
  let next = 0;
  return () => script[Math.min(next++, script.length - 1)]!;
}

async function send(response: ServerResponse, answer: Answer, body: Record<string, unknown>): Promise<void> {
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  if ('status' in answer) {
    const { status, body: content, headers = {} } = answer;
    if (typeof content !== 'string') return sendJson(response, status, content, headers);
    response.writeHead(status, headers).end(content);
  } else if ('stall' in answer) {
    if (answer.stall === 'body') response.writeHead(200, JSON_HEADERS).write('{"choices":');
    await gone;
  } else if ('cut' in answer) {
    if (answer.cut === 'body') {
      response.writeHead(200, { ...JSON_HEADERS, 'content-length': '1000' });
      await new Promise((resolve) => response.write('{"choices":[{"message":', resolve));
    }
    response.destroy();
  } else if ('slow' in answer) {
    const text = JSON.stringify(writeReply(answer.answer, body));
    response.writeHead(200, JSON_HEADERS);
    const middle = Math.floor(text.length / 2);
    for (const piece of [text.slice(0, middle), text.slice(middle)]) {
      await sleep(answer.slow);
      response.write(piece);
    }
    response.end();
  } else {
    sendJson(response, 200, writeReply(answer, body));
  }
}

const JSON_HEADERS = { 'content-type': 'application/json' };

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { ...JSON_HEADERS, ...headers }).end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
