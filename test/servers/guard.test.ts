/**
 * Who may ask which route: a table over every route of every server. What stands behind the routes throws when it is
 * touched, so a refusal shows that nothing of a request was used.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type EngineOptions, startEngine } from '../../app/rehearsal/endpoint.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { agentRoutes } from '../../servers/agent/routes.ts';
import { routerRoutes } from '../../servers/agents/routes.ts';
import { allRoutes } from '../../servers/http/app.ts';
import { type Listening, listen } from '../../servers/http/listen.ts';
import type { Route } from '../../servers/http/route.ts';
import { modelRoutes } from '../../servers/model/routes.ts';
import { startModel } from '../../servers/model/server.ts';
import type { SessionsOptions } from '../../servers/model/sessions.ts';
import { nodeRoutes } from '../../servers/node/routes.ts';
import { poolRoutes } from '../../servers/pool/routes.ts';
import { startIndex } from '../../tasks/index/server.ts';
import { startRouter } from '../../tasks/serving/router.ts';
import { servePage } from '../../ui/server/app.ts';
import { ROUTES as PAGES } from '../../ui/server/routes.ts';
import { temporaryFolder } from '../rig/folder.ts';

const TOKEN = 'f'.repeat(64);
const ABOUT = { title: 't', version: '1' };
const touched: string[] = [];

/** Has everything; whoever uses any of it is noted, and gets an error. */
function trap<T>(): T {
  const part = (name: string): unknown =>
    new Proxy(() => undefined, {
      get: (_, key) => (typeof key === 'symbol' ? undefined : part(`${name}.${key}`)),
      apply: () => {
        touched.push(name);
        throw new Error(`${name} was used`);
      },
    });
  return part('parts') as T;
}

const SERVERS: Readonly<Record<string, readonly Route[]>> = {
  node: nodeRoutes(trap()),
  pool: poolRoutes(trap()),
  agent: agentRoutes(trap()),
  agents: routerRoutes(trap()),
  model: modelRoutes(trap()),
};
/** Answered without a token on loopback. Whoever adds one says here why others may see it. */
const OPEN: Readonly<Record<string, readonly string[]>> = {
  node: ['/healthz', '/images'],
  pool: ['/healthz', '/images'],
  agent: ['/health'],
  agents: ['/health'],
  model: ['/health'],
};

const open: Listening[] = [];
afterAll(async () => {
  for (const one of open) await one.close();
});

async function serve(name: string, token: string | null): Promise<Listening> {
  const address = { host: '127.0.0.1', port: 0 };
  const opened = await listen(SERVERS[name]!, { ...ABOUT, address, token, tls: null, log: () => undefined });
  if (!opened.ok) throw new Error(opened.fault);
  open.push(opened.value);
  return opened.value;
}

interface Asked {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** One request with exactly these headers beside the right Host. */
function send(url: string, { method = 'GET', path, headers = {}, body }: Asked): Promise<Got> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const asking = request(
      { hostname, port, method, path, agent: false, setHost: false, headers: { host, ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      },
    );
    asking.on('error', reject).end(body);
  });
}

const bearer = { authorization: `Bearer ${TOKEN}` };
const BODIES = { get: undefined, post: '{}', put: 'bytes' };
const typeOf = (route: Route) =>
  route.method === 'get'
    ? {}
    : { 'content-type': route.method === 'post' ? 'application/json' : route.bytes };
const asked = (route: Route, headers: Record<string, string>): Asked => ({
  method: route.method.toUpperCase(),
  path: route.path.replace(/:\w+/, 'f'.repeat(64)),
  headers: { ...typeOf(route), ...headers },
  body: BODIES[route.method],
});

const REFUSED = [401, 403, 415, 421];
/** Everything that keeps a request out, and the status that says so. */
const FOREIGN: readonly [what: string, status: number, headers: Record<string, string>][] = [
  ['another name', 421, { host: 'evil.example:5000' }],
  ['another port', 421, { host: '127.0.0.1:1' }],
  ['another origin', 403, { origin: 'http://evil.example' }],
  ['another port of this host', 403, { origin: 'http://127.0.0.1:1' }],
  ['the origin null', 403, { origin: 'null' }],
  ['cross-site', 403, { 'sec-fetch-site': 'cross-site' }],
  ['same-site', 403, { 'sec-fetch-site': 'same-site' }],
  ['an unknown site', 403, { 'sec-fetch-site': 'x' }],
];
const TYPES = [
  'text/plain',
  'text/plain; x=application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  '',
];

const WRONG = [
  {},
  ...['Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, `Bearer ${TOKEN} ${TOKEN}`].map((authorization) => ({
    authorization,
  })),
];

describe.each(Object.keys(SERVERS))('the %s server', (name) => {
  const routes = allRoutes(SERVERS[name]!, ABOUT);

  test('says of each route whether it is open', () => {
    const declared = routes.filter(({ access }) => access === 'open').map(({ path }) => path);
    expect(declared).toEqual(OPEN[name]);
    // What is open changes nothing.
    expect(routes.filter(({ access, method }) => access === 'open' && method !== 'get')).toEqual([]);
  });

  test.each([TOKEN, null])('with the token %s: what is refused touches nothing', async (token) => {
    const { url } = await serve(name, token);
    const before = touched.length;
    const cases = routes.flatMap((route) => [
      ...FOREIGN.map(([, status, headers]) => ({ route, status, headers: { ...bearer, ...headers } })),
      ...(route.method === 'get' ? [] : TYPES).map((type) => ({
        ...{ route, status: 415, headers: { ...bearer, 'content-type': type } },
      })),
      ...(route.access === 'open' || token === null ? [] : WRONG).map((headers) => ({
        route,
        status: 401,
        headers,
      })),
    ]);
    await Promise.all(
      cases.map(async ({ route, status, headers }) => {
        const got = await send(url, asked(route, headers));
        const { connection } = got.headers;
        const told = { path: route.path, headers, connection: 'close', ok: false };
        expect({
          ...told,
          status: got.status,
          connection,
          ok: (JSON.parse(got.text) as { ok: boolean }).ok,
        }).toEqual({
          ...{ ...told, status },
        });
      }),
    );
    expect(touched).toHaveLength(before);
  });

  test('lets in who has the token, in both forms, and on open routes everybody of this machine', async () => {
    const { url } = await serve(name, TOKEN);
    const basic = { authorization: `Basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}` };
    for (const route of routes)
      for (const headers of [bearer, basic, ...(route.access === 'open' ? [{}] : [])]) {
        const { status } = await send(url, asked(route, { ...headers, 'sec-fetch-site': 'none' }));
        expect([route.path, REFUSED.includes(status)]).toEqual([route.path, false]);
      }
  });

  test('tells who asks without the token nothing of its routes', async () => {
    const { url } = await serve(name, TOKEN);
    for (const path of ['/nowhere', '/', '/openapi.json', '//healthz', '/healthz/'])
      expect([path, (await send(url, { path })).status]).toEqual([path, 401]);
    for (const { path } of routes)
      for (const method of ['OPTIONS', 'DELETE', 'PATCH', 'TRACE'])
        expect((await send(url, { method, path })).status).toBe(401);
  });
});

test('on an address that others reach, nothing is open', async () => {
  const address = { host: '0.0.0.0', port: 0 };
  const opened = await listen(SERVERS.node!, {
    ...ABOUT,
    address,
    token: TOKEN,
    tls: null,
    log: () => undefined,
  });
  if (!opened.ok) throw new Error(opened.fault);
  open.push(opened.value);
  const url = opened.value.url.replace('0.0.0.0', '127.0.0.1');
  for (const path of OPEN.node!) expect((await send(url, { path })).status).toBe(401);
  expect(
    (await send(url, { path: '/healthz', headers: { ...bearer, origin: 'http://evil.example' } })).status,
  ).toBe(403);
});

test('the page refuses the same', async () => {
  const page = await servePage(trap(), 0);
  const { origin } = new URL(page.address);
  const paths = [
    ...Object.keys(PAGES).map((name) => `/api/${name}`),
    '/api/events',
    '/page.js',
    '/nowhere',
    '//',
  ];
  for (const path of paths) {
    for (const [what, status, headers] of FOREIGN)
      expect([path, what, (await send(origin, { path, headers })).status]).toEqual([path, what, status]);
    expect((await send(origin, { path })).status).toBe(401);
    expect((await send(origin, { path, method: 'POST', body: '{}' })).status).toBe(405);
  }
  await page.close();
});

test('the router of model servers refuses what a page of another site sends', async () => {
  const router = await startRouter([], 0, () => undefined);
  if (!router.ok) throw new Error(router.fault.detail);
  const { url } = router.value;
  for (const path of ['/v1/chat/completions', '/v1/models', '/anything']) {
    const post = (headers: Record<string, string>) =>
      send(url, {
        method: 'POST',
        path,
        body: '{}',
        headers: { 'content-type': 'application/json', ...headers },
      });
    for (const [what, status, headers] of FOREIGN)
      expect([path, what, (await post(headers)).status]).toEqual([path, what, status]);
    for (const type of TYPES) expect((await post({ 'content-type': type })).status).toBe(415);
    expect((await post({})).status).toBe(503);
  }
  await router.value.close();
});

test('the dialects of a model door refuse the same, and who has neither its token nor the key of a session', async () => {
  const sessions = {
    ...trap<SessionsOptions>(),
    folder: temporaryFolder(),
    idleLimit: 1e6,
    most: 1,
    seedOf: () => 1,
  };
  const address = { host: '127.0.0.1', port: 0 };
  const log = () => undefined;
  const options = { ...ABOUT, address, token: TOKEN, tls: null, log, drain: 0 };
  const door = await startModel({
    ...options,
    sessions: { ...sessions, model: { name: 'm', identity: 'm' } },
  });
  if (!door.ok) throw new Error(door.fault);
  const { url } = door.value;
  const named = { 'x-session-id': 's', 'content-type': 'application/json' };
  for (const path of [
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/messages',
    '/v1beta/models/m:generateContent',
  ]) {
    const post = (headers: Record<string, string>, more = '') =>
      send(url, { method: 'POST', path: path + more, body: '{}', headers: { ...named, ...headers } });
    for (const [what, status, headers] of FOREIGN)
      expect([path, what, (await post({ ...bearer, ...headers })).status]).toEqual([path, what, status]);
    for (const type of TYPES) expect((await post({ ...bearer, 'content-type': type })).status).toBe(415);
    for (const headers of [
      {},
      { authorization: 'Bearer x' },
      { 'x-api-key': 'x' },
      { 'x-goog-api-key': 'x' },
    ])
      expect((await post(headers)).status).toSatisfy((status: number) => status === 401 || status === 403);
    for (const headers of [bearer, { 'x-api-key': TOKEN }, { 'x-goog-api-key': TOKEN }])
      expect((await post(headers)).status).toBe(400);
    expect((await post({}, `?key=${TOKEN}`)).status).toBe(400);
  }
  expect((await send(url, { path: '/v1/models' })).status).toBe(401);
  for (const path of ['//', '/v1/else', '/v1/messages/'])
    expect((await send(url, { path })).status).toBe(401);
  await door.value.close();
});

test('the package index of builds refuses the same, and who lacks its credential', async () => {
  const index = startIndex({ env: {}, store: temporaryFolder() });
  const url = await index.listen();
  const path = '/now/0/simple/x/';
  for (const [what, status, headers] of FOREIGN)
    expect([what, (await send(url, { path, headers })).status]).toEqual([what, status]);
  expect((await send(url, { path })).status).toBe(401);
  await index.close();
});

test('the stand-in of a model in rehearsals refuses the same', async () => {
  const engine = await startEngine({ port: 0 } as EngineOptions);
  if (!engine.ok) throw new Error(engine.fault);
  for (const [what, status, headers] of FOREIGN)
    expect([what, (await send(engine.value.url, { path: '/generate', headers })).status]).toEqual([
      what,
      status,
    ]);
  expect((await send(engine.value.url, { path: '/else' })).status).toBe(404);
  await engine.value.close();
});

/** Files that listen, and what refuses requests from elsewhere. */
const LISTENING: Readonly<Record<string, string>> = {
  'servers/http/listen.ts': 'the guard of routes',
  'ui/server/app.ts': 'the same rules, with a cookie',
  'tasks/serving/router.ts': 'the same rules without a token, as the servers behind it have none',
  'tasks/index/server.ts': 'the same rules, with a credential in its address',
  'app/rehearsal/endpoint.ts': 'the same rules without a token; it has scripted replies alone',
  'executors/proxy/proxy.ts': 'a credential that no page can send; its other socket has the mode 0600',
  'executors/proxy/exchange.ts': 'nothing listens: it serves what comes through a tunnel of the proxy',
  'agent/door/door.ts': 'a socket in a folder that is closed to others, and a key for each rollout',
  'executors/loopback.ts': 'bytes for such a socket, which asks for a key',
  'executors/sandbox/spawner.ts': 'a socket in a folder that is closed to others',
  'executors/process/port.ts': 'it only looks for a free port',
  'app/doctor/surroundings.ts': 'it only looks whether a port is free',
};

test('whoever listens is known here', () => {
  const layers = [
    'basics',
    'cache',
    'executors',
    'grading',
    'trainers',
    'agent',
    'formats',
    'contract',
    'tasks',
    'stages',
  ];
  const all = [...layers, 'compiler', 'engine', 'servers', 'app', 'ui', 'cli'];
  const listening = all
    .flatMap((layer) =>
      readdirSync(join(packageRoot(), layer), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(layer, name),
      ),
    )
    .filter((path) => path.endsWith('.ts'))
    .filter((path) =>
      /\bcreate(?:Adaptor|Secure)?Server\b|\bcreateTls\b/.test(
        readFileSync(join(packageRoot(), path), 'utf8'),
      ),
    );
  expect(listening.sort()).toEqual(Object.keys(LISTENING).sort());
});
