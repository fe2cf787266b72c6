/** A server that speaks the hub's API on the loopback, with switches for what can go wrong. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export const ID = 'acme/tasks';
export const COMMIT = 'a'.repeat(40);
export const LATER = 'b'.repeat(40);
export const TOKEN = 'hf_notARealTokenButLooksLikeOne000000';
const PATCH = 'diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n';

/** What the hub has, and how it behaves for the next requests. */
export interface Hub {
  endpoint: string;
  /** Where downloads end up; see whenWritten. */
  root: string;
  files: Record<string, string>;
  /** Paths kept as large files: on another host, by sha256. */
  large: Set<string>;
  main: string;
  /** Tags and their commits. */
  tags: Record<string, string>;
  /** The listing says sha256s and object ids. */
  blobs: boolean;
  /** The token that is asked for; null: none. */
  token: string | null;
  gated: boolean;
  /** Statuses with which the next requests are refused. */
  refusals: number[];
  /** Bytes after which the next downloads are cut. */
  cuts: number[];
  /** What large files are sent as, wrong or not. */
  tamper: (text: string) => string;
  requests: { line: string; authorization: string | undefined; range: string | undefined }[];
}

/** The one hub of a test file. */
export const hub = {} as Hub;
let servers: Server[] = [];
let content = '';

const listen = async (serve: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server = createServer(serve);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

export async function openHub(root: string): Promise<void> {
  const [api, storage] = [await listen(serveApi), await listen(serveContent)];
  servers = [api.server, storage.server];
  Object.assign(hub, { root, endpoint: api.base });
  // Another name for the same machine, as hubs keep large files on other hosts.
  content = storage.base.replace('127.0.0.1', 'localhost');
}

export async function closeHub(): Promise<void> {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

export const rows = (...ids: string[]) =>
  ids
    .map((instance_id) =>
      JSON.stringify({
        instance_id,
        repo: 'me/x',
        source: `git+https://example.org/x@${'c'.repeat(40)}`,
        patch: PATCH,
        FAIL_TO_PASS: ['t'],
        PASS_TO_PASS: [],
      }),
    )
    .join('\n');

/** A hub with two splits that behaves. */
export function resetHub(): void {
  Object.assign(hub, {
    files: { 'README.md': '# Tasks\n', 'data/train.jsonl': rows('a', 'b'), 'data/test.jsonl': rows('c') },
    large: new Set(['data/train.jsonl']),
    main: COMMIT,
    tags: {},
    blobs: true,
    token: null,
    gated: false,
    refusals: [],
    cuts: [],
    tamper: (text) => text,
    requests: [],
  } satisfies Omit<Hub, 'root' | 'endpoint'>);
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const blobId = (text: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');

function serveApi(request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const { authorization, range } = request.headers;
  hub.requests.push({ line: pathname, authorization, range });
  const refuse = (status: number, code?: string) =>
    void response.writeHead(status, code === undefined ? {} : { 'x-error-code': code }).end();
  const refusal = hub.refusals.shift();
  const revision = new RegExp(`^/api/datasets/${ID}/revision/(.+)$`).exec(pathname)?.[1];
  const [, , path] = new RegExp(`^/datasets/${ID}/resolve/([0-9a-f]{40})/(.+)$`).exec(pathname) ?? [];
  if (refusal !== undefined) refuse(refusal);
  else if (hub.token !== null && authorization !== `Bearer ${hub.token}`)
    refuse(401, hub.gated ? 'GatedRepo' : 'RepoNotFound');
  else if (revision !== undefined) serveRevision(decodeURIComponent(revision), response);
  else if (path !== undefined) serveFile(decodeURIComponent(path), request, response);
  else refuse(404, 'RepoNotFound');
}

function serveRevision(revision: string, response: ServerResponse): void {
  const known = { main: hub.main, 'feature/x': LATER, [COMMIT]: COMMIT, [LATER]: LATER, ...hub.tags };
  const sha = new Map(Object.entries(known)).get(revision);
  if (sha === undefined) return void response.writeHead(404, { 'x-error-code': 'RevisionNotFound' }).end();
  const siblings = Object.entries(hub.files).map(([rfilename, text]) => {
    if (!hub.blobs) return { rfilename };
    const size = Buffer.byteLength(text);
    const lfs = hub.large.has(rfilename) ? { lfs: { sha256: sha256(text), size, pointerSize: 130 } } : {};
    return { rfilename, size, blobId: blobId(text), ...lfs };
  });
  response.end(JSON.stringify({ id: ID, sha, siblings }));
}

function serveFile(path: string, request: IncomingMessage, response: ServerResponse): void {
  const text = hub.files[path];
  if (text === undefined) return void response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end();
  if (hub.large.has(path)) {
    const headers = {
      'x-linked-etag': `"${sha256(text)}"`,
      'x-linked-size': String(Buffer.byteLength(text)),
    };
    return void response.writeHead(302, { location: `${content}/${path}`, ...headers }).end();
  }
  send(hub.tamper(text), request, response, { etag: `"${blobId(text)}"` });
}

function serveContent(request: IncomingMessage, response: ServerResponse): void {
  const { authorization, range } = request.headers;
  hub.requests.push({ line: `content ${request.url}`, authorization, range });
  send(hub.tamper(hub.files[(request.url ?? '').slice(1)]!), request, response, {});
}

function send(text: string, request: IncomingMessage, response: ServerResponse, headers: object): void {
  const bytes = Buffer.from(text);
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const part = from === 0 ? {} : { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  response.writeHead(from === 0 ? 200 : 206, { ...headers, ...part, 'content-length': bytes.length - from });
  const cut = hub.cuts.shift();
  if (cut === undefined) return void response.end(bytes.subarray(from));
  response.write(bytes.subarray(from, from + cut), () => whenWritten(from + cut, () => response.destroy()));
}

/** A client may drop what it had not read when a connection breaks; so the cut waits until it was written. */
function whenWritten(bytes: number, then: () => void): void {
  const parts = readdirSync(hub.root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.part'),
  );
  const size = (name: string): number => statSync(join(hub.root, name), { throwIfNoEntry: false })?.size ?? 0;
  if (parts.some((name) => size(name) >= bytes)) then();
  else setTimeout(() => whenWritten(bytes, then), 2);
}
