/**
 * A package index of swemake's own, which builds use in place of the host's. It shows the index as it was at a
 * moment, to any version of pip, and fetches each file once. Paths are `/MOMENT/INDEX/simple/PROJECT/` for pages,
 * where INDEX counts the host's indexes, and `/INDEX/files/PROJECT/SHA256/FILENAME` for files. Faults of the host's
 * indexes are answered as 5xx and reported to the caller of `serve`. Below `/DIALECT/MOMENT/` are registries of other ecosystems.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { denyForeign, isSameText, loopbackNames } from '../../basics/entry.ts';
import type { Result } from '../../basics/result.ts';
import {
  INDEX_FAULT,
  type IndexNote,
  type MissingPackage,
  type Registry,
} from '../../contract/build-index.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { KnownProjects } from '../source/index-control.ts';
import { type IndexFile, normaliseName } from '../source/package-index.ts';
import { momentOf, pageAsOf } from './as-of.ts';
import { AskedPages } from './asked-pages.ts';
import { Dialects } from './dialects.ts';
import { FileStore } from './file-store.ts';
import { Notes } from './notes.ts';
import { contentType, formFor, renderPage } from './page.ts';
import { type Fetched, type Refusal, Upstream } from './upstream.ts';

export interface IndexOptions {
  /** Variables that name the host's indexes, its proxies and certificates. */
  env: NodeJS.ProcessEnv;
  /** Folder of files, shared by processes. */
  store: string;
  /** See UpstreamOptions. */
  pause?: number;
  tries?: number;
  /** See UpstreamOptions. */
  known?: KnownProjects;
  /** Bytes of one answer of a registry, for tests; see DocumentsOptions and FilesOptions. */
  maxBytes?: number;
}

/** What a request showed of the network behind the index. */
export interface Seen {
  /** Why something could not be had; null when nothing was in the way. */
  lost: string | null;
  /** Something came over the network. */
  passed: boolean;
}

export interface LocalIndex {
  /** Base URL of each of the host's indexes below `origin`, in their order; null for those that are folders. */
  urls(origin: string, asOf: string | null): (string | null)[];
  /** See BuildIndex.registry; `origin` as `listen` gives it, or without a credential. */
  registry(dialect: string, origin: string, asOf: string | null): Registry;
  /** See BuildIndex.versions. */
  versions(dialect: string, name: string, asOf: string | null): Promise<Result<string[], Infra>>;
  /** See BuildIndex.missing. */
  missing(asOf: string | null, since: number): MissingPackage[];
  /** Answers one request in origin form. */
  serve(message: IncomingMessage, response: ServerResponse): Promise<Seen>;
  /** Listens on the loopback, once, and gives the origin with its credential. */
  listen(): Promise<string>;
  /** See BuildIndex.uploaded. */
  uploaded(project: string, version: string): Promise<Result<number | null, Infra>>;
  /** See BuildIndex.asked. */
  asked(asOf: string | null, since: number): readonly string[];
  /** See BuildIndex.listed. */
  listed(project: string, version: string | null, asOf: string | null): Promise<Result<string[], Infra>>;
  /** Projects that were asked for since a moment of performance.now() and are not quite what they were at `asOf`. */
  notes(asOf: string | null, since: number): IndexNote[];
  close(): Promise<void>;
}

/** Builds of many days ask for the same project. */
const MAX_RENDERED = 6;

const UNTOUCHED: Seen = { lost: null, passed: false };

export function startIndex({ store, ...options }: IndexOptions): LocalIndex {
  const { maxBytes: _, ...common } = options;
  const files = new FileStore(store);
  const upstream = new Upstream({ ...common, store: files });
  const notes = new Notes();
  const pages = new AskedPages();
  const dialects = new Dialects({ ...options, store: files });
  const answerAny = async (message: IncomingMessage, response: ServerResponse, below: string) =>
    (await dialects.serve(`http://${message.headers.host}${below}`, message, response)) ??
    (await answer(message, response, { upstream, notes, pages }));
  const serve = (message: IncomingMessage, response: ServerResponse, below = '') =>
    answerAny(message, response, below).catch((error: Error) => {
      // A client that has gone needs no answer. Other errors must not end the builds that use the index.
      if (response.headersSent) response.destroy();
      else end(response, 500, `${error.message}\n`);
      return { lost: message.destroyed ? null : error.message, passed: false };
    });
  let listening: Promise<{ origin: string; server: Server }> | undefined;
  return {
    urls: (origin, asOf) =>
      upstream.indexes.map((index, at) =>
        index === null ? null : `${origin}/${encodeURIComponent(asOf ?? EVER)}/${at}/simple`,
      ),
    registry: (dialect, origin, asOf) => dialects.registry(dialect, origin, asOf),
    versions: (dialect, name, asOf) => dialects.versions(dialect, name, asOf),
    missing: (asOf, since) => dialects.told.missing(asOf, since),
    serve: (message, response) => serve(message, response),
    async listen() {
      listening ??= listenOnLoopback(serve);
      return (await listening).origin;
    },
    uploaded: (project, version) => upstream.uploaded(normaliseName(project), version),
    asked: (asOf, since) => pages.since(asOf, since),
    listed: (project, version, asOf) => upstream.listed(normaliseName(project), version, asOf),
    notes: (asOf, since) => [...notes.since(asOf, since), ...dialects.told.notes(asOf, since)],
    async close() {
      upstream.close();
      dialects.close();
      const open = await listening?.catch(() => undefined);
      if (open === undefined) return;
      open.server.closeAllConnections();
      await new Promise((closed) => open.server.close(closed));
    },
  };
}

/** In paths, for an index that shows everything. */
const EVER = 'now';

type Asked =
  | { kind: 'page'; asOf: string | null; index: number; project: string }
  | { kind: 'file' | 'metadata'; index: number; project: string; filename: string };

/** What a path asks for; null when it is none of ours. */
function parsePath(path: string, indexes: number): Asked | null {
  const parts = path
    .replace(/[?#].*$/, '')
    .split('/')
    .slice(1)
    .map(decoded);
  const [first = '', second = '', third = '', fourth = ''] = parts;
  if (third === 'simple' && isIndex(second, indexes) && (parts.length === 4 || parts[4] === '')) {
    if (fourth === '' || (first !== EVER && momentOf(first) === null)) return null;
    return {
      kind: 'page',
      asOf: first === EVER ? null : first,
      index: Number(second),
      project: normaliseName(fourth),
    };
  }
  if (second !== 'files' || !isIndex(first, indexes) || parts.length !== 5) return null;
  const isMetadata = /\.whl\.metadata$/i.test(parts[4]!);
  const filename = isMetadata ? parts[4]!.slice(0, -'.metadata'.length) : parts[4]!;
  return { kind: isMetadata ? 'metadata' : 'file', index: Number(first), project: third, filename };
}

function isIndex(text: string, indexes: number): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) < indexes;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

interface Shown {
  upstream: Upstream;
  notes: Notes;
  pages: AskedPages;
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  { upstream, notes, pages }: Shown,
): Promise<Seen> {
  message.resume();
  if (message.method !== 'GET' && message.method !== 'HEAD') return end(response, 405, 'only GET and HEAD\n');
  const asked = parsePath(message.url ?? '', upstream.indexes.length);
  if (asked === null || upstream.indexes[asked.index] === null) return end(response, 404, 'no such path\n');
  if (asked.kind === 'page') pages.note(asked.asOf, asked.project);
  const page = await upstream.page(asked.index, asked.project);
  if (!page.ok) return refuse(response, page.fault);
  const { value: found, isNew } = page.value;
  if (asked.kind !== 'page') {
    const file = found.files.get(asked.filename);
    if (file === undefined) return end(response, 404, 'no such file\n', isNew);
    return asked.kind === 'file'
      ? sendFile(message, response, await upstream.file(file))
      : sendMetadata(response, await upstream.metadata(file));
  }
  const { asOf, project, index } = asked;
  if (found.files.size === 0) return end(response, 404, 'no such project\n', isNew);
  const form = formFor(message.headers.accept);
  const name = `${asOf} ${form}`;
  let text = found.rendered.get(name);
  if (text === undefined) {
    const there = pageAsOf([...found.files.values()], project, asOf === null ? null : momentOf(asOf));
    notes.add(asked, there);
    const linkOf = (file: IndexFile) => pathOf(index, project, file);
    text = renderPage(there.files, form, { project, linkOf });
    if (found.rendered.size >= MAX_RENDERED) found.rendered.clear();
    found.rendered.set(name, text);
  }
  notes.asked(asked);
  response.setHeader('content-type', contentType(form));
  response.setHeader('vary', 'Accept');
  return end(response, 200, text, isNew);
}

function pathOf(index: number, project: string, file: IndexFile): string {
  return `/${index}/files/${project}/${file.sha256 ?? '-'}/${encodeURIComponent(file.filename)}`;
}

async function sendFile(
  message: IncomingMessage,
  response: ServerResponse,
  got: Result<Fetched<string>, Refusal>,
): Promise<Seen> {
  if (!got.ok) return refuse(response, got.fault);
  const { value: path, isNew } = got.value;
  const { size } = await stat(path);
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
  if (message.method === 'HEAD') response.end();
  // A client that has read enough is no fault.
  else await pipeline(createReadStream(path), response).catch(() => response.destroy());
  return { lost: null, passed: isNew };
}

function sendMetadata(response: ServerResponse, got: Result<Fetched<Buffer | null>, Refusal>): Seen {
  if (!got.ok) return refuse(response, got.fault);
  const { value: bytes, isNew } = got.value;
  if (bytes === null) return end(response, 404, 'the wheel has no METADATA\n', isNew);
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  return end(response, 200, bytes, isNew);
}

function refuse(response: ServerResponse, { status, detail, isOfIndex = false }: Refusal): Seen {
  end(response, status, `${detail}\n`);
  const lost = `${isOfIndex ? INDEX_FAULT : 'the package index: '}${detail}`;
  return { lost: status >= 500 ? lost : null, passed: false };
}

function end(response: ServerResponse, status: number, body: string | Buffer, passed = false): Seen {
  const length = Buffer.byteLength(body);
  response.writeHead(status, {
    ...(response.hasHeader('content-type') ? {} : { 'content-type': 'text/plain; charset=utf-8' }),
    'content-length': length,
  });
  response.end(body);
  return passed ? { lost: null, passed } : UNTOUCHED;
}

/**
 * Only a client with the credential gets in: the index can open everything that the host's credentials open. Clients that cannot send it have
 * it as the first part of the path.
 */
async function listenOnLoopback(
  serve: (message: IncomingMessage, response: ServerResponse, below?: string) => Promise<Seen>,
): Promise<{ origin: string; server: Server }> {
  const token = randomBytes(24).toString('hex');
  const wanted = Buffer.from(`Basic ${Buffer.from(`swemake:${token}`).toString('base64')}`);
  let names: ReadonlySet<string> = new Set();
  const server = createServer({ requestTimeout: 0 }, (message, response) => {
    const given = Buffer.from(message.headers.authorization ?? '');
    const denied = denyForeign(message.headers, names);
    if (denied !== null) return void end(response, denied.status, `${denied.why}\n`);
    if (given.length === wanted.length && timingSafeEqual(given, wanted))
      return void serve(message, response);
    const [, inPath = '', rest = ''] = /^\/([^/?#]*)(\/.*)$/.exec(message.url ?? '') ?? [];
    if (isSameText(inPath, token)) {
      message.url = rest;
      return void serve(message, response, `/${token}`);
    }
    response.writeHead(401, { 'www-authenticate': 'Basic realm="swemake"', 'content-length': 0 }).end();
  });
  await new Promise<void>((done, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, done);
  });
  const { port } = server.address() as AddressInfo;
  names = loopbackNames('127.0.0.1', port);
  return { origin: `http://swemake:${token}@127.0.0.1:${port}`, server };
}
