/**
 * A package index of swemake's own, which builds use in place of the host's. It shows Python's indexes and, below `/DIALECT/MOMENT/`,
 * registries of other ecosystems as they were at a moment, and fetches each file once. Faults of the host's indexes are answered as faults and
 * reported to the caller of `serve`.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { denyForeign, isSameText, loopbackNames } from '../../basics/entry.ts';
import type { Result } from '../../basics/result.ts';
import type { IndexNote, MissingPackage, Registry } from '../../contract/build-index.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { KnownProjects } from '../source/index-control.ts';
import { refused } from './answer.ts';
import { Dialects } from './dialects.ts';
import { FileStore } from './file-store.ts';
import { PythonIndex } from './pypi/index.ts';
import { lossIn, type Seen, send, sendText } from './send.ts';

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
  /** See BuildIndex.lost. */
  lost(dialect: string | null, since: number): string | null;
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

export function startIndex({ store, ...options }: IndexOptions): LocalIndex {
  const { maxBytes: _, ...common } = options;
  const files = new FileStore(store);
  const python = new PythonIndex({ ...common, store: files });
  const dialects = new Dialects({ ...options, store: files });
  const unanswered = new Unanswered();
  const answerAny = async (message: IncomingMessage, response: ServerResponse, below: string) => {
    message.resume();
    const { method = '', url = '', headers } = message;
    const { answer, speaker } =
      method !== 'GET' && method !== 'HEAD'
        ? { answer: refused({ status: 405, detail: 'only GET and HEAD', isFault: false }), speaker: '' }
        : ((await dialects.serve(`http://${headers.host}${below}`, url, headers.accept)) ?? {
            answer: await python.serve(url, headers.accept),
            speaker: null,
          });
    // Before the client knows it, which may end then. A refusal is an answer.
    const isRefusal = answer.kind === 'refused' && answer.status < 500;
    unanswered.see(url, isRefusal ? null : lossIn(answer, speaker));
    return send(answer, speaker, message, response);
  };
  const serve = (message: IncomingMessage, response: ServerResponse, below = '') =>
    answerAny(message, response, below).catch((error: Error) => {
      // A client that has gone needs no answer. Other errors must not end the builds that use the index.
      if (response.headersSent) response.destroy();
      else sendText(response, 500, error.message);
      return { lost: message.destroyed ? null : error.message, passed: false };
    });
  let listening: Promise<{ origin: string; server: Server }> | undefined;
  return {
    urls: (origin, asOf) => python.urls(origin, asOf),
    registry: (dialect, origin, asOf) => dialects.registry(dialect, origin, asOf),
    versions: (dialect, name, asOf) => dialects.versions(dialect, name, asOf),
    missing: (asOf, since) => dialects.reports.missing(asOf, since),
    lost: (dialect, since) => unanswered.since(dialect, since),
    serve: (message, response) => serve(message, response),
    async listen() {
      listening ??= listenOnLoopback(serve);
      return (await listening).origin;
    },
    uploaded: (project, version) => python.uploaded(project, version),
    asked: (asOf, since) => python.asked(asOf, since),
    listed: (project, version, asOf) => python.listed(project, version, asOf),
    notes: (asOf, since) => [...python.notes(asOf, since), ...dialects.reports.notes(asOf, since)],
    async close() {
      python.close();
      dialects.close();
      // A server that could not be opened was reported to those that needed it.
      const open = await listening?.catch(() => undefined);
      if (open === undefined) return;
      open.server.closeAllConnections();
      await new Promise((closed) => open.server.close(closed));
    },
  };
}

/** Most addresses that are remembered. */
const MAX_UNANSWERED = 1000;

/** What was asked for and could not be had, also later. */
class Unanswered {
  readonly #lost = new Map<string, { at: number; text: string }>();

  see(url: string, lost: string | null): void {
    this.#lost.delete(url);
    if (lost !== null) this.#lost.set(url, { at: performance.now(), text: lost });
    if (this.#lost.size > MAX_UNANSWERED) this.#lost.delete(this.#lost.keys().next().value!);
  }

  since(dialect: string | null, moment: number): string | null {
    const below = dialect === null ? '/' : `/${dialect}/`;
    const found = [...this.#lost].find(([url, { at }]) => at >= moment && url.startsWith(below));
    return found?.[1].text ?? null;
  }
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
    if (denied !== null) return void sendText(response, denied.status, denied.why);
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
