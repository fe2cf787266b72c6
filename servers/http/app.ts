/** Routes as an application: checks who asks, reads the body, runs the route, and sends the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Context, Hono } from 'hono';
import { type Denied, denyForeign, denyOtherType, denyWithoutToken } from '../../basics/entry.ts';
import { machineFault } from '../../basics/machine-fault.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { parseBody, readBody } from './body.ts';
import { openApi } from './openapi.ts';
import { type Answer, type Call, type RefusalCode, type Route, refusal } from './route.ts';

const LIMIT = 32 << 20;

/** The right to send requests. */
export interface Access {
  /** Null: none is required, by the server's options, or since its socket belongs to one user. */
  readonly token: string | null;
  /** Values of the Host header that are let in; null: any. */
  readonly hosts: ReadonlySet<string> | null;
  /** Routes that are declared open need no token. */
  readonly opens: boolean;
}

/** What answers requests of no route, in forms that it defines itself. It decides which clients it answers, but no page of another site gets to it. */
export interface Beside {
  takes(message: IncomingMessage): boolean;
  serve(message: IncomingMessage, response: ServerResponse): void;
}

export interface AppOptions {
  title: string;
  version: string;
  access: Access;
  beside?: Beside;
  /** Called for each request that was answered. */
  served?(route: string, status: number, seconds: number): void;
  log(text: string): void;
}

type Bindings = { Bindings: HttpBindings };

export function createApp(routes: readonly Route[], options: AppOptions): Hono<Bindings> {
  const app = new Hono<Bindings>();
  const refused = new Refused();
  for (const route of allRoutes(routes, options)) {
    const handle = handler(route, refused, options);
    app.on(route.method.toUpperCase(), route.path, (context) => handle(context));
  }
  app.notFound((context) => {
    const { incoming, outgoing } = context.env;
    const { beside, access } = options;
    if (beside?.takes(incoming)) {
      const denied = refused.of(context, () => denyPage(incoming, access));
      if (denied !== null) return respond(context, denied);
      beside.serve(incoming, outgoing as ServerResponse);
      return RESPONSE_ALREADY_SENT;
    }
    const denied = refused.of(context, () => deny(null, context, options));
    return respond(context, denied ?? refusal(404, 'not_found', 'there is no such route'));
  });
  return app;
}

/** Those that are given, and the one that describes them. */
export function allRoutes(
  routes: readonly Route[],
  { title, version }: Pick<AppOptions, 'title' | 'version'>,
) {
  const described: Route = {
    method: 'get',
    path: '/openapi.json',
    summary: 'This description.',
    access: 'token',
    answer: { type: 'object' },
    run: async () => ({ json: openApi(title, version, routes) as Record<string, unknown> }),
  };
  return [...routes, described];
}

function handler(
  route: Route,
  refused: Refused,
  options: AppOptions,
): (context: Context<Bindings>) => Promise<Response> {
  const validate =
    route.method === 'post' ? new Ajv2020({ strict: false }).compile(route.body as object) : null;
  return async (context) => {
    const since = performance.now();
    const denied = refused.of(context, () => deny(route, context, options));
    const answer = denied ?? (await answerOf(route, validate, context, options));
    const status = 'json' in answer ? (answer.status ?? 200) : 200;
    options.served?.(route.path, status, (performance.now() - since) / 1000);
    return respond(context, answer);
  };
}

/** Connections on which a request was refused. Requests that come after it on the same connection are not run. */
class Refused {
  readonly #sockets = new WeakSet<Socket>();

  of({ env: { incoming } }: Context<Bindings>, deny: () => Denied | null): Answer | null {
    if (this.#sockets.has(incoming.socket)) return AFTER_REFUSED;
    const denied = deny();
    if (denied === null) return null;
    this.#sockets.add(incoming.socket);
    return refusal(denied.status, CODES[denied.status], denied.why);
  }
}

const CODES = {
  401: 'unauthorized',
  403: 'foreign',
  415: 'unsupported_type',
  421: 'unauthorized',
} as const satisfies Record<Denied['status'], RefusalCode>;

const AFTER_REFUSED = refusal(400, 'bad_request', 'the request before it on this connection was refused');

/** Decided by headers alone, before anything of a body is read. `route` is null where there is none. */
function deny(route: Route | null, { env }: Context<Bindings>, { access }: AppOptions): Denied | null {
  const { headers } = env.incoming;
  const isOpen = access.opens && route?.access === 'open';
  const denied =
    denyForeign(headers, access.hosts) ?? (isOpen ? null : denyWithoutToken(headers, access.token));
  if (denied !== null || route === null || route.method === 'get') return denied;
  return denyOtherType(headers, route.method === 'post' ? 'application/json' : route.bytes);
}

function denyPage({ headers, method }: IncomingMessage, { hosts }: Access): Denied | null {
  return (
    denyForeign(headers, hosts) ?? (method === 'POST' ? denyOtherType(headers, 'application/json') : null)
  );
}

async function answerOf(
  route: Route,
  validate: ValidateFunction | null,
  context: Context<Bindings>,
  options: AppOptions,
): Promise<Answer> {
  const { incoming, outgoing } = context.env;
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  try {
    const body =
      route.method === 'post' && validate !== null
        ? await checkedBody(incoming, route, validate)
        : success({});
    if (!body.ok) return body.fault;
    const call: Call = {
      body: body.value,
      parameters: context.req.param() as Record<string, string>,
      signal: gone.signal,
      header: (name) => context.req.header(name) ?? null,
      bytes: () => incoming,
    };
    return await route.run(call);
  } catch (error) {
    const machine = machineFault(error);
    if (machine === null) options.log(`${route.path}: ${(error as Error).stack ?? String(error)}`);
    return machine === null
      ? refusal(500, 'internal', 'a fault of the server; its log says more')
      : refusal(503, 'infra', machine, { reward: null });
  }
}

async function checkedBody(
  incoming: IncomingMessage,
  { limit = LIMIT, required }: Route & { method: 'post' },
  validate: ValidateFunction,
): Promise<Result<Record<string, unknown>, Answer>> {
  const bytes = await readBody(incoming, limit);
  if (!bytes.ok) return bytes;
  const body = parseBody(bytes.value);
  if (!body.ok || validate(body.value)) return body;
  return fault(refusal(400, 'bad_request', complaint(validate.errors![0]!, required)));
}

function complaint({ keyword, instancePath, message }: ErrorObject, required: string | undefined): string {
  const isMissing = keyword === 'required' || keyword === 'minLength';
  if (isMissing && required !== undefined) return required;
  const place = instancePath.slice(1).replaceAll('/', '.');
  return `${place === '' ? 'the body' : place} ${message ?? 'is wrong'}`;
}

/** Statuses of requests whose body was not read to its end. */
const EARLY: ReadonlySet<number> = new Set([401, 403, 408, 413, 415, 421]);

function respond(context: Context<Bindings>, answer: Answer): Response {
  if ('text' in answer) return context.body(answer.text, 200, { 'content-type': answer.type });
  if ('stream' in answer)
    return context.body(Readable.toWeb(answer.stream) as ReadableStream, 200, { ...answer.headers });
  const { status = 200, json } = answer;
  // The unread rest of a body must not be taken for the next request.
  const early = answer === AFTER_REFUSED || EARLY.has(status);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(early ? { connection: 'close' } : {}),
    ...(status === 503 ? { 'retry-after': '2' } : {}),
  };
  return new Response(JSON.stringify(json), { status, headers });
}
