/**
 * The page's server: its files, the data routes, and one stream of changes. Secrets are removed from every answer in
 * one place. Headers let a browser run only the page's own script.
 */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { machineFault } from '../../basics/machine-fault.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { CHANGES_HEADER } from '../shapes.ts';
import { BrowserAccess } from './browser-access.ts';
import { changeStream } from './change-stream.ts';
import type { LiveProject } from './live-project.ts';
import { ROUTES } from './routes.ts';

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const FILES: Readonly<Record<string, [file: string, type: string]>> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
};

type App = Hono<{ Bindings: HttpBindings }>;

export interface OpenPage {
  /** With the token. */
  address: string;
  close(): Promise<void>;
}

/**
 * Serves on loopback; port 0 takes any.
 * @throws Error with `remedy` when the port cannot be had.
 */
export async function servePage(project: LiveProject, port: number): Promise<OpenPage> {
  const host = '127.0.0.1';
  let gate: BrowserAccess | null = null;
  const app = pageApp(project, () => gate!);
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: Error) =>
      reject(Object.assign(error, { remedy: 'write another --port, or 0 for any that is free' }));
    server.once('error', refuse);
    server.listen(port, host, () => resolve());
  });
  const { port: taken } = server.address() as AddressInfo;
  gate = new BrowserAccess(host, taken);
  return {
    address: `http://${host}:${taken}/?token=${gate.token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pageApp(project: LiveProject, gate: () => BrowserAccess): App {
  const app: App = new Hono();
  app.use(async (context, next) => {
    const entry = enter(context, gate());
    if (entry !== null) return entry;
    await next();
  });
  const folder = join(packageRoot(), 'dist/ui');
  for (const [path, [file, type]] of Object.entries(FILES))
    app.get(path, () => answer(readFileSync(join(folder, file)), type));
  for (const [name, route] of Object.entries(ROUTES)) {
    app.get(`/api/${name}`, async (context) => {
      const { changes } = project;
      try {
        const found = await route(project, (key) => context.req.query(key) ?? '');
        const answer =
          found === null ? json(project, { error: 'there is no such item' }, 404) : json(project, found);
        answer.headers.set(CHANGES_HEADER, String(changes));
        return answer;
      } catch (error) {
        const why = machineFault(error) ?? (error as Error).message;
        return json(project, { error: why }, 500);
      }
    });
  }
  app.get('/api/events', () => {
    const { secrets } = project.snapshot.session.services;
    const stream = changeStream({
      onChange: (listener) => project.onChange(listener),
      changes: () => project.changes,
      run: () => secrets.redact(JSON.stringify(project.live.now())),
    });
    return new Response(stream, { headers: headersOf('text/event-stream') });
  });
  app.notFound(() => json(project, { error: 'there is no such page' }, 404));
  return app;
}

/** The answer to a request that is refused; null: it is allowed. */
function enter(context: Context<{ Bindings: HttpBindings }>, gate: BrowserAccess): Response | null {
  const { headers, method, url } = context.env.incoming;
  // Such as `//`, which is a path and alone no address.
  const asked = `http://page${url ?? '/'}`;
  const entry = gate.enter({
    method: method ?? '',
    host: headers.host,
    cookie: headers.cookie,
    origin: headers.origin,
    site: headers['sec-fetch-site'] as string | undefined,
    url: new URL(URL.canParse(asked) ? asked : 'http://page/nowhere'),
  });
  switch (entry.kind) {
    case 'in':
      return null;
    case 'welcome':
      return new Response(null, {
        status: 303,
        headers: { ...headersOf('text/plain'), location: entry.location, 'set-cookie': entry.cookie },
      });
    case 'refused':
      return answer(`${entry.why}\n`, 'text/plain; charset=utf-8', entry.status);
  }
}

function headersOf(type: string): Record<string, string> {
  return { ...HEADERS, 'content-type': type };
}

function answer(body: string | Buffer, type: string, status = 200): Response {
  return new Response(body as string, { status, headers: headersOf(type) });
}

function json(project: LiveProject, value: unknown, status = 200): Response {
  const { secrets } = project.snapshot.session.services;
  return answer(secrets.redact(JSON.stringify(value)), 'application/json', status);
}
