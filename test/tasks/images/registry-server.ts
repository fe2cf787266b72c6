/** A registry that speaks the distribution API on the loopback, with a token service of its own. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Shelf {
  /** `127.0.0.1:PORT`. */
  host: string;
  /** `REPOSITORY:TAG` -> digest. */
  tags: Record<string, string>;
  /** How it wants to know who asks. */
  login: 'none' | 'token' | 'password' | 'elsewhere';
  /** User and password that it knows; null: everybody gets a token. */
  user: string | null;
  /** Whether it says digests in headers. */
  says: boolean;
  /** Statuses with which the next requests are refused. */
  refusals: number[];
  /** What manifests are. */
  manifest: string;
  /** Tokens that break off in the middle. */
  cut: number;
  requests: string[];
  close(): Promise<void>;
}

/** What a manifest is when no digest was given for it. */
export const MANIFEST = '{"schemaVersion":2}';

export async function openRegistry(): Promise<Shelf> {
  const server: Server = createServer((request, response) => serve(shelf, request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const shelf: Shelf = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    tags: {},
    login: 'none',
    user: null,
    says: true,
    refusals: [],
    manifest: MANIFEST,
    cut: 0,
    requests: [],
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
  return shelf;
}

function serve(shelf: Shelf, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', `http://${shelf.host}`);
  const { authorization = '' } = request.headers;
  shelf.requests.push(`${request.method} ${url.pathname}`);
  const refuse = (status: number, headers = {}) => response.writeHead(status, headers).end();
  const refusal = shelf.refusals.shift();
  if (refusal !== undefined) return void refuse(refusal);
  const basic = shelf.user === null ? null : `Basic ${Buffer.from(shelf.user).toString('base64')}`;
  if (url.pathname === '/token') {
    if (basic !== null && authorization !== basic) return void refuse(401);
    if (shelf.cut > 0) {
      shelf.cut -= 1;
      response.writeHead(200, { 'content-length': 100 }).write('{"token": "');
      return void setImmediate(() => response.destroy());
    }
    return void response.end(JSON.stringify({ token: `for ${url.searchParams.get('scope')}` }));
  }
  const [, repository, tag] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(url.pathname) ?? [];
  const realm = shelf.login === 'elsewhere' ? 'http://token.example.org/token' : `http://${shelf.host}/token`;
  const scope = `repository:${repository}:pull`;
  const wanted = { none: authorization, token: `Bearer for ${scope}`, password: basic, elsewhere: 'never' }[
    shelf.login
  ];
  if (authorization !== wanted) {
    const bearer = `Bearer realm="${realm}",service="test",scope="${scope}"`;
    return void refuse(401, {
      'www-authenticate': shelf.login === 'password' ? 'Basic realm="test"' : bearer,
    });
  }
  const digest = shelf.tags[`${repository}:${tag}`];
  if (digest === undefined) return void refuse(404);
  response.writeHead(200, shelf.says ? { 'docker-content-digest': digest } : {});
  response.end(request.method === 'HEAD' ? undefined : shelf.manifest);
}
