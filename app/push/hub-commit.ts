/**
 * Files to a dataset repository of the Hugging Face hub, as one commit. What is there already is looked at first, so that
 * an interrupted push continues and one with nothing new changes nothing; large files go to the storage that the
 * hub names, which does not take what it has. The token is sent to the hub alone.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Credential } from '../../basics/credential.ts';
import { jsonObject } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { sleepUnless } from '../../basics/sleep.ts';

/** Bytes that are held, or a file that is read when it is sent. */
type PushContent = { bytes: Buffer } | { file: string };

export interface PushFile {
  /** In the repository. */
  path: string;
  size: number;
  sha256: string;
  content: PushContent;
}

export interface PushTarget {
  endpoint: string;
  /** OWNER/NAME. */
  id: string;
  branch: string;
  isPrivate: boolean;
  message: string;
  /** For the hub alone: uploads go elsewhere, without it. */
  credential: Credential;
}

export interface Pushed {
  commit: string;
  /** Paths of the commit; none where all was there. */
  changed: string[];
  created: boolean;
}

/** `config`: the same again comes to the same; `infra`: later it may not. */
interface PushFault {
  kind: 'config' | 'infra';
  message: string;
}

export interface PushOptions {
  dispatcher: Dispatcher;
  signal: AbortSignal;
  /** First pause in milliseconds; doubles each time. */
  pause?: number;
}

type Attempt<T> = Promise<Result<T, PushFault>>;

const TRIES = 5;
/** Rounds of looking, sending and committing: somebody else may commit in between. */
const ROUNDS = 3;

/** Makes the repository where there is none, and brings the files into its branch. */
export async function pushFiles(
  files: readonly PushFile[],
  target: PushTarget,
  options: PushOptions,
): Attempt<Pushed> {
  const hub = new Hub(target, options);
  let created = false;
  for (let round = 1; ; round++) {
    let seen = await hub.look();
    if (seen.ok && seen.value === null) {
      const made = await hub.create();
      if (!made.ok) return made;
      created = true;
      seen = await hub.look();
    }
    if (!seen.ok) return seen;
    const { commit: parent, files: there } = seen.value ?? { commit: null, files: new Map() };
    const changed: PushFile[] = [];
    for (const file of files) if (!(await isThere(file, there.get(file.path)))) changed.push(file);
    if (changed.length === 0 && parent !== null) return success({ commit: parent, changed: [], created });
    const committed = await hub.send(changed, parent);
    if (committed.ok)
      return success({ commit: committed.value, changed: changed.map(({ path }) => path), created });
    // Whether a commit came through whose answer was lost is seen by looking again.
    if (committed.fault.kind === 'config' || round === ROUNDS) return committed;
    await hub.rest(round);
  }
}

interface RepositoryState {
  commit: string | null;
  files: Map<string, { sha256: string | null; blob: string | null }>;
}

async function isThere(
  { content, size, sha256 }: PushFile,
  known: ReturnType<RepositoryState['files']['get']>,
) {
  if (known === undefined) return false;
  if (known.sha256 !== null) return known.sha256 === sha256;
  return known.blob === (await gitBlob(content, size));
}

/** The name that git gives to the file. */
async function gitBlob(content: PushContent, size: number): Promise<string> {
  const hash = createHash('sha1').update(`blob ${size}\0`);
  for await (const part of 'bytes' in content ? [content.bytes] : createReadStream(content.file))
    hash.update(part);
  return hash.digest('hex');
}

interface Asked {
  method: 'GET' | 'POST' | 'PUT';
  url: string;
  /** To the hub itself: with the token. */
  isHub: boolean;
  headers?: Record<string, string>;
  body?: () => string | Buffer | Readable;
  /** Sent once: after a lost answer it is not known whether it arrived. */
  once?: boolean;
  /** Statuses that are answers to the caller. */
  expects?: readonly number[];
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

class Hub {
  constructor(
    private readonly target: PushTarget,
    private readonly options: PushOptions,
  ) {}

  rest(count: number): Promise<void> {
    return sleepUnless((this.options.pause ?? 500) * 2 ** (count - 1), this.options.signal);
  }

  /** What the branch holds; null: there is no repository. */
  async look(): Attempt<RepositoryState | null> {
    const { id, branch } = this.target;
    const url = this.#api(`datasets/${id}/revision/${encodeURIComponent(branch)}?blobs=true`);
    const answer = await this.#ask({ method: 'GET', url, isHub: true, expects: [404] });
    if (!answer.ok) return answer;
    const { status, headers, text } = answer.value;
    if (status === 404) {
      if (headers['x-error-code'] !== 'RevisionNotFound') return success(null);
      // A repository without a commit has no branch yet.
      if (branch === 'main') return success({ commit: null, files: new Map() });
      return fault({
        kind: 'config',
        message: `dataset ${id} has no branch "${branch}"; make it there, or push to main`,
      });
    }
    const { sha, siblings } = (jsonObject(text) ?? {}) as { sha?: unknown; siblings?: Sibling[] };
    if (typeof sha !== 'string' || !Array.isArray(siblings))
      return fault({
        kind: 'infra',
        message: `${this.target.endpoint}: the answer is not that of a hub; see HF_ENDPOINT`,
      });
    const files = new Map(
      siblings.map(({ rfilename, blobId, lfs }) => [
        rfilename,
        { sha256: lfs?.sha256 ?? null, blob: lfs ? null : (blobId ?? null) },
      ]),
    );
    return success({ commit: sha, files });
  }

  async create(): Attempt<null> {
    const [organization = '', name = ''] = this.target.id.split('/');
    const body = JSON.stringify({ type: 'dataset', name, organization, private: this.target.isPrivate });
    // 409: somebody was quicker.
    const made = await this.#post(this.#api('repos/create'), body, { expects: [409] });
    return made.ok ? success(null) : made;
  }

  /** Sends what is large, then commits; the commit's name. */
  async send(files: readonly PushFile[], parent: string | null): Attempt<string> {
    const modes = await this.#modes(files);
    if (!modes.ok) return modes;
    const large = files.filter(({ path }) => modes.value.get(path) === 'lfs');
    const stored = large.length === 0 ? success(null) : await this.#store(large);
    return stored.ok ? this.#commit(files, modes.value, parent) : stored;
  }

  /** How the hub wants each file: in the commit itself, or in its storage for large ones. */
  async #modes(files: readonly PushFile[]): Attempt<Map<string, string>> {
    const samples = await Promise.all(files.map(async (file) => (await firstBytes(file)).toString('base64')));
    const body = { files: files.map(({ path, size }, at) => ({ path, size, sample: samples[at] })) };
    const answer = await this.#post(this.#repo('preupload'), JSON.stringify(body));
    if (!answer.ok) return answer;
    const { files: modes } = (jsonObject(answer.value.text) ?? {}) as {
      files?: { path: string; uploadMode: string }[];
    };
    if (!Array.isArray(modes))
      return fault({
        kind: 'infra',
        message: `${this.target.endpoint}: the hub did not say how files are sent`,
      });
    return success(new Map(modes.map(({ path, uploadMode }) => [path, uploadMode])));
  }

  async #store(files: readonly PushFile[]): Attempt<null> {
    const body = {
      operation: 'upload',
      transfers: ['basic', 'multipart'],
      objects: files.map(({ sha256, size }) => ({ oid: sha256, size })),
      hash_algo: 'sha256',
      ref: { name: this.target.branch },
    };
    const type = 'application/vnd.git-lfs+json';
    const url = `${this.target.endpoint}/datasets/${this.target.id}.git/info/lfs/objects/batch`;
    const answer = await this.#post(url, JSON.stringify(body), {
      headers: { accept: type, 'content-type': type },
    });
    if (!answer.ok) return answer;
    const { objects } = (jsonObject(answer.value.text) ?? {}) as { objects?: LfsObject[] };
    for (const file of files) {
      const found = objects?.find(({ oid }) => oid === file.sha256);
      if (found === undefined || found.error)
        return fault({
          kind: 'infra',
          message: `${file.path}: the hub did not say where to send it${found?.error ? `: ${found.error.message}` : ''}`,
        });
      const sent = await this.#upload(file, found);
      if (!sent.ok) return sent;
    }
    return success(null);
  }

  /** Nothing to do where the storage has the object. */
  async #upload(file: PushFile, { oid, actions }: LfsObject): Attempt<null> {
    const upload = actions?.upload;
    if (upload === undefined) return success(null);
    const { chunk_size: chunk, ...header } = upload.header ?? {};
    const sent =
      chunk === undefined
        ? await this.#ask({
            method: 'PUT',
            url: upload.href,
            isHub: false,
            headers: { ...header, 'content-length': String(file.size) },
            body: () => bodyOf(file, 0, file.size),
          })
        : await this.#parts(file, oid, upload.href, Number(chunk), header);
    if (!sent.ok) return sent;
    const verify = actions?.verify;
    if (verify === undefined) return success(null);
    const body = JSON.stringify({ oid, size: file.size });
    const isHub = new URL(verify.href).origin === new URL(this.target.endpoint).origin;
    const verified = await this.#post(verify.href, body, { isHub, headers: verify.header ?? {} });
    return verified.ok ? success(null) : verified;
  }

  async #parts(
    file: PushFile,
    oid: string,
    finish: string,
    chunk: number,
    header: Record<string, string>,
  ): Attempt<null> {
    const urls = Object.keys(header)
      .filter((name) => /^\d+$/.test(name))
      .sort((a, b) => Number(a) - Number(b));
    const parts: { partNumber: number; etag: string }[] = [];
    for (const [at, name] of urls.entries()) {
      const from = at * chunk;
      const to = Math.min(file.size, from + chunk);
      const sent = await this.#ask({
        method: 'PUT',
        url: header[name]!,
        isHub: false,
        headers: { 'content-length': String(to - from) },
        body: () => bodyOf(file, from, to),
      });
      if (!sent.ok) return sent;
      parts.push({ partNumber: Number(name), etag: String(sent.value.headers.etag ?? '') });
    }
    const done = await this.#post(finish, JSON.stringify({ oid, parts }), {
      isHub: new URL(finish).origin === new URL(this.target.endpoint).origin,
      headers: { accept: 'application/vnd.git-lfs+json' },
    });
    return done.ok ? success(null) : done;
  }

  async #commit(
    files: readonly PushFile[],
    modes: ReadonlyMap<string, string>,
    parent: string | null,
  ): Attempt<string> {
    const header = {
      summary: this.target.message,
      description: '',
      ...(parent === null ? {} : { parentCommit: parent }),
    };
    const lines: object[] = [{ key: 'header', value: header }];
    for (const file of files) {
      const { path, size, sha256 } = file;
      if (modes.get(path) === 'lfs')
        lines.push({ key: 'lfsFile', value: { path, algo: 'sha256', oid: sha256, size } });
      else {
        const content = (await wholeOf(file)).toString('base64');
        lines.push({ key: 'file', value: { path, content, encoding: 'base64' } });
      }
    }
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const answer = await this.#post(this.#repo('commit'), body, {
      headers: { 'content-type': 'application/x-ndjson' },
      once: true,
      expects: [409, 412],
    });
    if (!answer.ok) return answer;
    if (answer.value.status >= 400)
      return fault({
        kind: 'infra',
        message: `dataset ${this.target.id}: somebody else is committing at the same time`,
      });
    const { commitOid } = (jsonObject(answer.value.text) ?? {}) as { commitOid?: unknown };
    return typeof commitOid === 'string'
      ? success(commitOid)
      : fault({ kind: 'infra', message: `${this.target.endpoint}: the hub did not name the commit` });
  }

  #api(path: string): string {
    return `${this.target.endpoint}/api/${path}`;
  }

  #repo(what: string): string {
    return this.#api(`datasets/${this.target.id}/${what}/${encodeURIComponent(this.target.branch)}`);
  }

  #post(url: string, body: string, more: Partial<Asked> = {}): Attempt<Answer> {
    const headers = { 'content-type': 'application/json', ...more.headers };
    return this.#ask({ method: 'POST', url, isHub: true, ...more, headers, body: () => body });
  }

  /** Tries again what may pass; a final refusal is reported in the hub's own words. */
  async #ask(asked: Asked): Attempt<Answer> {
    for (let count = 1; ; count++) {
      const answer = await this.#askOnce(asked);
      const isFinal = asked.once === true || count === TRIES || this.options.signal.aborted;
      if (answer.ok || answer.fault.kind === 'config' || isFinal) return answer;
      await this.rest(count);
    }
  }

  async #askOnce({ method, url, isHub, headers, body, expects = [] }: Asked): Attempt<Answer> {
    const { dispatcher, signal } = this.options;
    const shown = new URL(url).origin;
    const own = isHub ? this.target.credential.headers(url) : {};
    const { request } = await import('undici');
    let status: number;
    let text: string;
    let got: Answer['headers'];
    try {
      const answer = await request(url, {
        method,
        dispatcher,
        signal,
        headers: { 'user-agent': 'swemake', ...own, ...headers },
        ...(body === undefined ? {} : { body: body() }),
      });
      status = answer.statusCode;
      got = answer.headers;
      text = await answer.body.text();
    } catch (error) {
      const code = (error as { code?: string }).code ?? (error as Error).name;
      return fault({ kind: 'infra', message: signal.aborted ? 'it was stopped' : `${shown}: ${code}` });
    }
    if (status < 300 || expects.includes(status)) return success({ status, headers: got, text });
    return fault(this.#refusal(status, text, shown, isHub));
  }

  #refusal(status: number, text: string, shown: string, isHub: boolean): PushFault {
    const message = ((jsonObject(text) ?? {}) as { error?: unknown }).error;
    const words = typeof message === 'string' ? `: ${message.slice(0, 300)}` : '';
    if (isHub && status === 401)
      return {
        kind: 'config',
        message: `the hub does not take the token (HTTP 401)${words}; set HF_TOKEN to one that may write`,
      };
    if (isHub && status === 403)
      return { kind: 'config', message: `the token may not write to ${this.target.id} (HTTP 403)${words}` };
    const passes = status >= 500 || status === 429 || status === 408 || !isHub;
    return { kind: passes ? 'infra' : 'config', message: `${shown}: HTTP ${status}${words}` };
  }
}

interface Sibling {
  rfilename: string;
  blobId?: string | null;
  lfs?: { sha256?: string } | null;
}

interface LfsObject {
  oid: string;
  error?: { message: string };
  actions?: {
    upload?: { href: string; header?: Record<string, string> };
    verify?: { href: string; header?: Record<string, string> };
  };
}

/** How much of a file the hub looks at, to tell text from data. */
const SAMPLE = 512;

async function firstBytes({ content }: PushFile): Promise<Buffer> {
  if ('bytes' in content) return content.bytes.subarray(0, SAMPLE);
  const file = await open(content.file);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE), 0, SAMPLE, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function wholeOf({ content }: PushFile): Promise<Buffer> {
  if ('bytes' in content) return content.bytes;
  const parts: Buffer[] = [];
  for await (const part of createReadStream(content.file)) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function bodyOf({ content }: PushFile, from: number, to: number): Buffer | Readable {
  if ('bytes' in content) return content.bytes.subarray(from, to);
  if (to === from) return Buffer.alloc(0);
  return createReadStream(content.file, { start: from, end: to - 1 });
}
