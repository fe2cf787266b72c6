/** `push` against a hub on the loopback: what arrives, what is not sent twice, and what is refused in which words. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type PushFile, type PushTarget, pushFiles } from '../../app/push/hub-commit.ts';
import { Credential } from '../../basics/credential.ts';
import { digestOf } from '../../basics/digest.ts';
import { pushCommand } from '../../cli/push.ts';
import { projectFolder, run } from '../compiler/project-folder.ts';

const TOKEN = 'hf_notARealTokenButLooksLikeOne000000';
const CHUNK = 1000;

/** The hub: one repository, its storage, and what goes wrong next. */
const hub = {
  commits: [] as { sha: string; files: Map<string, Buffer> }[],
  exists: true,
  storage: new Map<string, Buffer>(),
  parts: new Map<string, Buffer>(),
  /** METHOD and the part of an address -> how often it fails, and how. */
  faults: [] as { at: string; status: number }[],
  /** A commit is made, and its answer lost. */
  losesAnswer: false,
  requests: [] as { line: string; authorization: string | undefined; bytes: number }[],
};
let api: Server;
let content: Server;
let endpoint: string;
let storage: string;
const folder = mkdtempSync(join(tmpdir(), 'swemake-push-'));
const dispatcher = new Agent();

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function failsNext(line: string): number | null {
  const at = hub.faults.findIndex((one) => line.includes(one.at));
  return at < 0 ? null : hub.faults.splice(at, 1)[0]!.status;
}

const answer = (response: ServerResponse, status: number, value: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const blob = (bytes: Buffer) =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

async function serveApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  const line = `${request.method} ${request.url}`;
  hub.requests.push({ line, authorization: request.headers.authorization, bytes: body.length });
  const fault = failsNext(line);
  if (fault !== null) return void answer(response, fault, { error: 'says no' });
  if (request.headers.authorization !== `Bearer ${TOKEN}`)
    return void answer(response, 401, { error: 'Invalid token' });
  const tip = hub.commits.at(-1);
  if (line.includes('/revision/')) {
    if (!hub.exists || tip === undefined)
      return void answer(
        response,
        404,
        { error: 'no' },
        { 'x-error-code': hub.exists ? 'RevisionNotFound' : 'RepoNotFound' },
      );
    const siblings = [...tip.files].map(([rfilename, bytes]) => ({
      rfilename,
      size: bytes.length,
      blobId: blob(bytes),
      ...(rfilename.endsWith('.jsonl') ? { lfs: { sha256: sha256(bytes), size: bytes.length } } : {}),
    }));
    return void answer(response, 200, { sha: tip.sha, siblings });
  }
  if (line.includes('/repos/create')) {
    hub.exists = true;
    hub.commits.push({ sha: '0'.repeat(40), files: new Map() });
    return void answer(response, 200, {});
  }
  if (line.includes('/preupload/')) {
    const { files } = JSON.parse(body.toString()) as { files: { path: string }[] };
    const modes = files.map(({ path }) => ({
      path,
      uploadMode: path.endsWith('.jsonl') ? 'lfs' : 'regular',
    }));
    return void answer(response, 200, { files: modes });
  }
  if (line.includes('objects/batch')) {
    const { objects } = JSON.parse(body.toString()) as { objects: { oid: string; size: number }[] };
    const offered = objects.map(({ oid, size }) => {
      if (hub.storage.has(oid)) return { oid, size };
      const names = Array.from({ length: Math.ceil(size / CHUNK) }, (_, at) =>
        String(at + 1).padStart(5, '0'),
      );
      const header = Object.fromEntries(names.map((name) => [name, `${storage}/${oid}/${name}`]));
      const upload =
        size > CHUNK
          ? { href: `${endpoint}/complete/${oid}`, header: { chunk_size: String(CHUNK), ...header } }
          : { href: `${storage}/${oid}`, header: { 'x-key': 'k' } };
      return { oid, size, actions: { upload, verify: { href: `${endpoint}/verify` } } };
    });
    return void answer(response, 200, { objects: offered });
  }
  if (line.includes('/complete/')) {
    const oid = request.url!.split('/').at(-1)!;
    const { parts } = JSON.parse(body.toString()) as { parts: { partNumber: number; etag: string }[] };
    hub.storage.set(oid, Buffer.concat(parts.map(({ etag }) => hub.parts.get(etag.replaceAll('"', ''))!)));
    return void answer(response, 200, {});
  }
  if (line.includes('/verify')) {
    const { oid } = JSON.parse(body.toString()) as { oid: string };
    const stored = hub.storage.get(oid);
    return void answer(response, stored !== undefined && sha256(stored) === oid ? 200 : 422, {});
  }
  if (line.includes('/commit/')) {
    const lines = body
      .toString()
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one));
    const { parentCommit } = lines[0].value;
    if (parentCommit !== undefined && parentCommit !== tip?.sha)
      return void answer(response, 412, { error: 'moved' });
    const files = new Map(tip?.files);
    for (const { key, value } of lines.slice(1))
      files.set(
        value.path,
        key === 'lfsFile' ? hub.storage.get(value.oid)! : Buffer.from(value.content, 'base64'),
      );
    hub.commits.push({ sha: sha256(body).slice(0, 40), files });
    if (hub.losesAnswer) {
      hub.losesAnswer = false;
      return void response.destroy();
    }
    return void answer(response, 200, { commitOid: hub.commits.at(-1)!.sha });
  }
  answer(response, 404, {});
}

async function serveContent(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  const line = `${request.method} storage${request.url}`;
  hub.requests.push({ line, authorization: request.headers.authorization, bytes: body.length });
  const fault = failsNext(line);
  if (fault !== null) return void response.writeHead(fault).end();
  const [, oid = '', part] = request.url!.split('/');
  const etag = `${oid}-${part}`;
  if (part === undefined) hub.storage.set(oid, body);
  else hub.parts.set(etag, body);
  response.writeHead(200, { etag: `"${etag}"` }).end();
}

const listen = async (serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>) => {
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`] as const;
};

beforeAll(async () => {
  [api, endpoint] = await listen(serveApi);
  [content, storage] = await listen(serveContent);
});
afterAll(async () => {
  await dispatcher.close();
  for (const server of [api, content]) await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  Object.assign(hub, { exists: true, faults: [], losesAnswer: false, requests: [] });
  hub.commits = [{ sha: '1'.repeat(40), files: new Map([['.gitattributes', Buffer.from('a')]]) }];
  hub.storage.clear();
  hub.parts.clear();
});

function file(path: string, text: string, onDisk = false): PushFile {
  const bytes = Buffer.from(text);
  if (onDisk) writeFileSync(join(folder, digestOf(bytes)), bytes);
  const content = onDisk ? { file: join(folder, digestOf(bytes)) } : { bytes };
  return { path, size: bytes.length, sha256: digestOf(bytes), content };
}

type Change = Partial<PushTarget> & { token?: string };
const push = (files: PushFile[], { token = TOKEN, ...change }: Change = {}) =>
  pushFiles(
    files,
    {
      endpoint,
      id: 'me/data',
      branch: 'main',
      isPrivate: true,
      message: 'm',
      credential: Credential.bearer(token, endpoint),
      ...change,
    },
    { dispatcher, signal: new AbortController().signal, pause: 1 },
  );
const lines = (part: string) => hub.requests.filter(({ line }) => line.includes(part));
const CARD = file('README.md', '# Data\n');
const ROWS = file('sft.jsonl', '{"messages":[]}\n'.repeat(200), true);

test('files and their card are one commit; the same again changes nothing', async () => {
  const first = await push([CARD, ROWS]);
  expect(first).toMatchObject({ ok: true, value: { changed: ['README.md', 'sft.jsonl'], created: false } });
  const { files } = hub.commits.at(-1)!;
  expect([...files.keys()]).toEqual(['.gitattributes', 'README.md', 'sft.jsonl']);
  expect(digestOf(files.get('sft.jsonl')!)).toBe(ROWS.sha256);
  expect(lines('PUT storage').map(({ bytes }) => bytes)).toEqual([1000, 1000, 1000, 200]);
  // The storage is another host, which is not told the token.
  expect(lines('PUT storage').every(({ authorization }) => authorization === undefined)).toBe(true);
  hub.requests = [];
  expect(await push([CARD, ROWS])).toMatchObject({ ok: true, value: { changed: [] } });
  expect(hub.requests).toHaveLength(1);
  // One file that changed is sent alone.
  const card = file('README.md', '# Data of today\n');
  expect(await push([card, ROWS])).toMatchObject({ ok: true, value: { changed: ['README.md'] } });
  expect(lines('objects/batch')).toHaveLength(0);
});

test('a dataset that is not there is made, private where that is said', async () => {
  hub.exists = false;
  hub.commits = [];
  const pushed = await push([CARD, file('small.jsonl', '{}\n')]);
  expect(pushed).toMatchObject({ ok: true, value: { created: true } });
  expect([...hub.commits.at(-1)!.files.keys()]).toEqual(['README.md', 'small.jsonl']);
});

test('what fails is tried again, and a push that was cut goes on where it was', async () => {
  hub.faults = [
    { at: 'GET', status: 503 },
    { at: 'preupload', status: 429 },
    { at: 'PUT storage', status: 500 },
    { at: '/commit/', status: 504 },
  ];
  expect(await push([CARD, ROWS])).toMatchObject({ ok: true });
  expect(hub.commits).toHaveLength(2);
  // After the commit that failed, the storage had the file already.
  expect(lines('PUT storage')).toHaveLength(5);
});

test('a commit whose answer was lost is not made twice', async () => {
  hub.losesAnswer = true;
  expect(await push([CARD, ROWS])).toMatchObject({ ok: true, value: { commit: expect.any(String) } });
  expect(hub.commits).toHaveLength(2);
});

test('what somebody else commits in between stays', async () => {
  const seen = hub.commits[0]!.files;
  hub.faults = [{ at: '/commit/', status: 412 }];
  hub.commits.push({ sha: '2'.repeat(40), files: new Map([...seen, ['theirs.txt', Buffer.from('t')]]) });
  expect(await push([CARD])).toMatchObject({ ok: true });
  expect([...hub.commits.at(-1)!.files.keys()]).toContain('theirs.txt');
});

test.each<[string, () => unknown, Change, object]>([
  [
    'another token',
    () => undefined,
    { token: 'hf_x' },
    { kind: 'config', message: expect.stringContaining('HF_TOKEN') },
  ],
  [
    'no right',
    () => hub.faults.push({ at: 'preupload', status: 403 }),
    {},
    { kind: 'config', message: expect.stringContaining('may not write to me/data (HTTP 403): says no') },
  ],
  [
    'a file that the hub does not take',
    () => hub.faults.push({ at: '/commit/', status: 400 }),
    {},
    { kind: 'config', message: expect.stringContaining('HTTP 400: says no') },
  ],
  [
    'no hub',
    () => undefined,
    { endpoint: 'http://127.0.0.1:9' },
    { kind: 'infra', message: expect.stringContaining('ECONNREFUSED') },
  ],
])('%s is told', async (_what, set, change, fault) => {
  set();
  const pushed = await push([CARD], change);
  expect(pushed).toMatchObject({ ok: false, fault });
  expect(JSON.stringify(pushed)).not.toContain(TOKEN);
});

test('the command says what is missing', async () => {
  const project = projectFolder({ 'project.yaml': 'version: 1\n' });
  expect(await run(pushCommand, ['sft-data.train', '--to', 'here'], project)).toMatchObject({ code: 2 });
  const without = await run(pushCommand, ['sft-data.train', '--to', 'me/data'], project, {
    env: { HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' },
  });
  expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('HF_TOKEN') });
});
