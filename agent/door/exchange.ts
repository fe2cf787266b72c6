/**
 * One request to the model door. A streamed answer is sent once it is complete and recorded, so no program can go on with a reply that
 * swemake does not know. Until then the connection is kept alive.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '../../basics/canonical.ts';
import { estimateCounter } from '../context/estimate-counter.ts';
import type { Dialect, DialectRequest, ErrorCode, RequestHeaders } from '../dialects/dialect.ts';
import { routeOf } from '../dialects/registry.ts';
import { readBody } from './body.ts';
import type { Answer, Session } from './session.ts';

const HERE = 'http://door';
/** Milliseconds before a stream is begun without its content. Until then an error has a status of its own. */
const QUIET_MS = 15_000;
/** Milliseconds between two signs of life. */
const BEAT_MS = 5_000;

/** The session of a request. Keys and headers decide it, before the body is read. */
export type Admitted =
  | {
      /** null: it may ask which models there are, and nothing else. */
      session: Session | null;
      /** Name of the model that the program asks for. */
      model: string;
      /** Tokens of the model's context; null: not known. */
      context: number | null;
      /** Whether headers may say if a call is the agent's, a sub-agent's or a side call. Absent: the tree of calls decides. */
      isTrusted?: boolean;
    }
  | { refused: ErrorCode; message: string };

export type Admit = (keys: readonly string[], headers: RequestHeaders) => Admitted;

/** Answers a request of those that `admit` lets in. Rejects when `admit` throws, and never else. */
export async function serve(message: IncomingMessage, response: ServerResponse, admit: Admit): Promise<void> {
  const { method = 'GET', url: path = '/' } = message;
  const url = URL.canParse(path, HERE) ? new URL(path, HERE) : null;
  const headers = requestHeaders(message.headers);
  const found = url === null ? null : routeOf(method, url.pathname, url.searchParams, headers);
  if (url === null || found === null)
    return send(response, 404, { error: { message: `no model answers ${method} ${url?.pathname ?? path}` } });
  const { dialect, route } = found;
  const no = (code: ErrorCode, text: string) => refuse(response, dialect, code, text);
  const admitted = admit(keysOf(message, url), headers);
  if ('refused' in admitted) return no(admitted.refused, admitted.message);
  const { session, model, context, isTrusted } = admitted;
  if (route.action === 'models') return send(response, 200, dialect.models(model, context));
  if (session === null) return no('invalid', 'a session is needed: its key, or its name in X-Session-Id');
  const body = await readBody(message, session);
  if (!body.ok) return no(body.fault.code, body.fault.message);
  const read = dialect.read(body.value, headers, route);
  if (!read.ok) return no('invalid', read.fault);
  const request = isTrusted === true ? trusted(read.value) : read.value;
  if (route.action === 'count') return send(response, 200, dialect.count(await counted(request)));
  const asked = session.ask(request);
  const beat = request.stream ? keepAlive(response, dialect) : null;
  const answer = await asked;
  beat?.stop();
  if ('refused' in answer) return no(answer.refused, answer.message);
  response.once('finish', () => session.delivered(answer.call));
  answerWith(response, dialect, request, answer, model);
}

function trusted(request: DialectRequest): DialectRequest {
  return { ...request, label: { ...request.label, isTrusted: true } };
}

export function requestHeaders(headers: IncomingHttpHeaders): RequestHeaders {
  return {
    get(name) {
      const value = headers[name.toLowerCase()];
      return value === undefined ? null : `${value}`;
    },
  };
}

/** Where programs put their API key: OpenAI's, Anthropic's and Google's way. */
export function keysOf({ headers }: IncomingMessage, url?: URL): string[] {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const places = [bearer, headers['x-api-key'], headers['x-goog-api-key'], url?.searchParams.get('key')];
  return places.filter((key) => typeof key === 'string');
}

function counted({ messages, tools }: DialectRequest): Promise<number> {
  return estimateCounter(tools).count(messages);
}

function answerWith(
  response: ServerResponse,
  dialect: Dialect,
  request: DialectRequest,
  { reply, call }: Extract<Answer, { reply: unknown }>,
  model: string,
): void {
  const ids = { id: `call-${call.index}`, model, created: Math.floor(Date.now() / 1000) };
  if (!request.stream) {
    send(response, 200, dialect.write(reply, request, ids));
    return;
  }
  if (!response.headersSent) beginStream(response);
  response.end(dialect.stream(reply, request, ids).join(''));
}

function refuse(response: ServerResponse, dialect: Dialect, code: ErrorCode, message: string): void {
  const error = dialect.error(code, message);
  if (response.headersSent) response.end(error.event);
  else send(response, error.status, error.body);
}

function send(response: ServerResponse, status: number, body: Json): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    // The rest of a body that was refused is not waited for.
    ...(response.req.complete ? {} : { connection: 'close' }),
  });
  response.end(text);
}

function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

/** Sends signs of life until it is stopped. */
function keepAlive(response: ServerResponse, dialect: Dialect): { stop(): void } {
  const beat = () => {
    if (response.destroyed) return;
    if (!response.headersSent) beginStream(response);
    response.write(dialect.keepAlive);
    timer = setTimeout(beat, BEAT_MS);
  };
  let timer = setTimeout(beat, QUIET_MS);
  return { stop: () => clearTimeout(timer) };
}
