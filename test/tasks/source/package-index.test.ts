import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { knownProjects } from '../../../tasks/source/index-control.ts';
import { ownMemo } from '../../../tasks/source/memo.ts';
import { packageIndex } from '../../../tasks/source/package-index.ts';
import { proxyFor } from '../../../tasks/source/proxy.ts';

const BYTES = Buffer.from('an archive, for all that the index knows');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');

let folder: string;
let server: Server;
let base: string;
let seen: IncomingMessage[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swemake-index-'));
  seen = [];
  server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await rm(folder, { recursive: true });
});

/** Settings of the test alone: the machine's pip.conf files are kept out. */
const open = (env: NodeJS.ProcessEnv) =>
  packageIndex({ PIP_CONFIG_FILE: '/dev/null', ...env }, { pause: 1, tries: 3 });

const html = (body: string) => (_request: IncomingMessage, response: ServerResponse) =>
  response.setHeader('content-type', 'text/html').end(`<!DOCTYPE html><html><body>${body}</body></html>`);

test('reads an HTML page: relative links, entities, hashes and yanked files', async () => {
  answer = html(`
    <a href="../../files/Foo_Bar-1.0.tar.gz#sha256=${SHA256}" data-requires-python="&gt;=3.8">Foo_Bar-1.0.tar.gz</a>
    <a href="../../files/foo_bar-1.1-py3-none-any.whl" data-yanked="broken &amp; sad">x</a>
    <!-- <a href="foo_bar-9.tar.gz">hidden</a> -->
    <a href="../">up</a>`);
  const files = await open({ PIP_INDEX_URL: `${base}/simple/` }).files('Foo.Bar');
  expect(seen[0]?.url).toBe('/simple/foo-bar/');
  expect(files).toEqual({
    ok: true,
    value: [
      {
        filename: 'Foo_Bar-1.0.tar.gz',
        url: `${base}/files/Foo_Bar-1.0.tar.gz`,
        sha256: SHA256,
        yanked: false,
        requiresPython: '>=3.8',
      },
      {
        filename: 'foo_bar-1.1-py3-none-any.whl',
        url: `${base}/files/foo_bar-1.1-py3-none-any.whl`,
        sha256: null,
        yanked: true,
        yankedFor: 'broken & sad',
        requiresPython: null,
      },
    ],
  });
});

test('reads a JSON page and asks for it first', async () => {
  answer = (request, response) => {
    expect(request.headers.accept).toMatch(/^application\/vnd\.pypi\.simple\.v1\+json/);
    const file = {
      filename: 'foo-1.0.tar.gz',
      url: '/f/foo-1.0.tar.gz',
      hashes: { sha256: SHA256 },
      yanked: 'old',
    };
    response
      .setHeader('content-type', 'application/vnd.pypi.simple.v1+json')
      .end(JSON.stringify({ files: [file] }));
  };
  const files = await open({ UV_DEFAULT_INDEX: `${base}/simple` }).files('foo');
  expect(files).toMatchObject({
    ok: true,
    value: [{ url: `${base}/f/foo-1.0.tar.gz`, sha256: SHA256, yanked: true }],
  });
});

test('a package that no index has is the row’s fault, not the machine’s, and is kept as a question', async () => {
  answer = (request, response) =>
    request.url === '/a/pip/'
      ? html('<a href="/f/pip-1.tar.gz">x</a>')(request, response)
      : response.writeHead(404).end();
  const index = open({ PIP_INDEX_URL: `${base}/a`, PIP_EXTRA_INDEX_URL: `${base}/b` });
  expect(await index.files('nothing')).toMatchObject({
    ok: false,
    fault: {
      reason: 'invalid-row',
      absent: [{ sought: { kind: 'release', project: 'nothing', version: null }, answer: 'absent' }],
    },
  });
  // A private index has no pip, and where nothing else is known of it, one that works is enough.
  expect(seen.map((request) => request.url)).toEqual(['/a/nothing/', '/b/nothing/', '/a/pip/', '/b/pip/']);
});

const LOGIN =
  '<html><head><title>Sign in</title></head><body><form action="/login"><a href="/help">Help</a></form></body></html>';

test.each([
  ['a login page', LOGIN],
  ['an empty answer', ''],
  ['the page of a proxy', '<html><h1>502 Bad gateway</h1></html>'],
])('%s with status 200 is no page of an index', async (_, page) => {
  answer = html(page);
  expect(await open({ PIP_INDEX_URL: `${base}/simple` }).files('foo')).toMatchObject({
    ok: false,
    fault: {
      status: 'infra',
      reason: 'package-index',
      detail: expect.stringContaining('/simple/foo/: the answer is no page'),
    },
  });
  expect(await open({ PIP_NO_INDEX: '1', PIP_FIND_LINKS: `${base}/links` }).files('foo')).toMatchObject({
    ok: false,
    fault: { reason: 'package-index' },
  });
});

test.each([
  ['an error as JSON', { detail: 'login required' }],
  ['no object', null],
  ['the page of another project', { name: 'bar', files: [] }],
])('%s is no page of an index', async (_, page) => {
  answer = (_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  expect(await open({ PIP_INDEX_URL: `${base}/simple` }).files('foo')).toMatchObject({
    ok: false,
    fault: { status: 'infra', reason: 'package-index' },
  });
});

test.each([
  ['of an index', '<html><body><h1>Links for foo</h1></body></html>'],
  ['of an index that says so', '<html><meta name="pypi:repository-version" content="1.0"></html>'],
  ['of a folder', '<html><head><title>Index of /simple/foo/</title></head></html>'],
])('an empty page %s is one', async (_, page) => {
  answer = (request, response) =>
    request.url === '/simple/pip/'
      ? html('<a href="/f/pip-1.tar.gz">x</a>')(request, response)
      : html(page)(request, response);
  expect(await open({ PIP_INDEX_URL: `${base}/simple` }).files('foo')).toMatchObject({
    ok: false,
    fault: { reason: 'invalid-row' },
  });
});

test('an index without what it had before, and without pip, has no say', async () => {
  let isUp = true;
  answer = (request, response) =>
    isUp && request.url === '/simple/own/'
      ? html('<a href="/f/own-1.tar.gz">x</a>')(request, response)
      : response.writeHead(404).end();
  const memo = ownMemo();
  const simple = () =>
    packageIndex(
      { PIP_CONFIG_FILE: '/dev/null', PIP_INDEX_URL: `${base}/simple` },
      { pause: 1, tries: 1, known: knownProjects(memo) },
    );
  // It may be no index at all, as far as anybody knows.
  expect(await simple().files('gone')).toMatchObject({
    fault: { reason: 'package-index', detail: expect.stringContaining('neither gone nor pip') },
  });
  expect(await simple().files('own')).toMatchObject({ ok: true });
  expect(await simple().files('gone')).toMatchObject({ fault: { reason: 'invalid-row' } });
  isUp = false;
  expect(await simple().files('gone')).toMatchObject({
    fault: { reason: 'package-index', detail: expect.stringContaining('does not even have own') },
  });
});

test('an index that stays broken is infra, after several tries', async () => {
  answer = (_request, response) => response.writeHead(503).end();
  const files = await open({ PIP_INDEX_URL: `${base}/simple` }).files('foo');
  expect(files).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'package-index' } });
  expect(seen).toHaveLength(3);
});

test('nobody listening is a network fault', async () => {
  await new Promise((done) => server.close(done));
  const files = await open({ PIP_INDEX_URL: `${base}/simple` }).files('foo');
  expect(files).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'network' } });
  server = createServer().listen(0);
});

test('a passing fault is retried', async () => {
  answer = (_request, response) => {
    if (seen.length < 3) response.writeHead(429, { 'retry-after': '0' }).end();
    else response.setHeader('content-type', 'text/html').end('<a href="foo-1.tar.gz">foo</a>');
  };
  expect(await open({ PIP_INDEX_URL: `${base}/simple` }).files('foo')).toMatchObject({ ok: true });
});

test('credentials are sent to the index and its files, and shown nowhere', async () => {
  answer = (request, response) => {
    if (request.url === '/simple/foo/') html('<a href="/f/foo-1.tar.gz">x</a>')(request, response);
    else response.writeHead(403).end();
  };
  const index = open({ PIP_INDEX_URL: base.replace('//', '//me:pass%40word@').concat('/simple') });
  const files = await index.files('foo');
  expect(seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:pass@word').toString('base64')}`);
  if (!files.ok) throw new Error(files.fault.detail);
  const got = await index.download(files.value[0]!, join(folder, 'x'));
  expect(seen[1]?.headers.authorization).toBe(seen[0]?.headers.authorization);
  expect(got).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'package-index' } });
  expect(JSON.stringify(got)).not.toContain('pass');
});

test('a download is checked and appears whole or not at all', async () => {
  answer = (_request, response) => response.end(BYTES);
  const index = open({});
  const file = { filename: 'foo-1.tar.gz', url: `${base}/foo-1.tar.gz`, yanked: false, requiresPython: null };
  const good = join(folder, 'deep', 'good');
  expect(await index.download({ ...file, sha256: SHA256 }, good)).toEqual({ ok: true, value: SHA256 });
  expect(await readFile(good)).toEqual(BYTES);
  const bad = await index.download({ ...file, sha256: '0'.repeat(64) }, join(folder, 'deep', 'bad'));
  expect(bad).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'package-index' } });
  expect(await readdir(join(folder, 'deep'))).toEqual(['good']);
});

test('a web page in place of a file without a sha256 is a fault, and is not kept', async () => {
  answer = html(LOGIN);
  const file = { filename: 'f.whl', url: `${base}/f.whl`, sha256: null, yanked: false, requiresPython: null };
  expect(await open({}).download(file, join(folder, 'page'))).toMatchObject({
    ok: false,
    fault: {
      status: 'infra',
      reason: 'source-fetch',
      detail: expect.stringContaining('f.whl: the answer is'),
    },
  });
  expect(await readdir(folder)).toEqual([]);
});

test('a connection that breaks in the middle is tried again', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': BYTES.length });
    if (seen.length > 1) response.end(BYTES);
    else response.write(BYTES.subarray(0, 5), () => response.destroy());
  };
  const file = { filename: 'f.zip', url: `${base}/f.zip`, sha256: null, yanked: false, requiresPython: null };
  expect(await open({}).download(file, join(folder, 'f'))).toEqual({ ok: true, value: SHA256 });
});

test('goes through the proxy that the environment names', async () => {
  answer = html('<a href="foo-1.tar.gz">x</a>');
  const index = open({ PIP_INDEX_URL: 'http://index.invalid/simple', HTTP_PROXY: base });
  // undici tunnels even plain HTTP, so what arrives here is a CONNECT.
  const tunnels: (string | undefined)[] = [];
  server.on('connect', (request, socket) => {
    tunnels.push(request.url);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  expect(await index.files('foo')).toMatchObject({ ok: false, fault: { status: 'infra' } });
  expect(tunnels[0]).toBe('index.invalid:80');
});

test('hosts that NO_PROXY names are reached directly', () => {
  const env = { https_proxy: 'proxy:3128', NO_PROXY: 'localhost,.corp.example, 10.0.0.1:8080' };
  const through = (url: string) => proxyFor(new URL(url), env);
  expect(through('https://pypi.org/simple')).toBe('http://proxy:3128');
  expect(through('https://pypi.corp.example/')).toBeNull();
  expect(through('https://10.0.0.1:8080/')).toBeNull();
  expect(through('https://10.0.0.1/')).toBe('http://proxy:3128');
  expect(through('http://pypi.org/')).toBeNull();
});

test('a cancelled request is stopped', async () => {
  const abort = new AbortController();
  answer = () => abort.abort();
  const files = await open({ PIP_INDEX_URL: `${base}/simple` }).files('foo', abort.signal);
  expect(files).toMatchObject({ ok: false, fault: { status: 'stopped', reason: 'cancelled' } });
});

test('folders and file:// indexes need no network; pip.conf is read', async () => {
  await mkdir(join(folder, 'simple', 'foo'), { recursive: true });
  await writeFile(join(folder, 'simple', 'foo', 'foo-1.0.tar.gz'), BYTES);
  await mkdir(join(folder, 'wheels'));
  await writeFile(join(folder, 'wheels', 'foo-2.0-py3-none-any.whl'), 'wheel');
  await writeFile(join(folder, 'wheels', 'foo_bar-2.0-py3-none-any.whl'), 'a wheel of another project');
  const conf = join(folder, 'pip.conf');
  const simple = pathToFileURL(join(folder, 'simple')).href;
  await writeFile(
    conf,
    `[global]\nindex-url = ${simple}\n[install]\nfind_links =\n  ${join(folder, 'wheels')}\n`,
  );
  const index = packageIndex({ HOME: folder, PIP_CONFIG_FILE: conf });
  const files = await index.files('foo');
  if (!files.ok) throw new Error(files.fault.detail);
  expect(files.value.map((file) => file.filename)).toEqual(['foo-2.0-py3-none-any.whl', 'foo-1.0.tar.gz']);
  expect(await index.download(files.value[1]!, join(folder, 'got'))).toEqual({ ok: true, value: SHA256 });
});
