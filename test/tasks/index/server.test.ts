/** The local index over real sockets: what it shows of an index, what it keeps, and what it says when that index fails. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Seen } from '../../../tasks/index/send.ts';
import { type LocalIndex, startIndex } from '../../../tasks/index/server.ts';
import { sdist, type TestUpstream, testUpstream, wheel } from './upstream.ts';

const JSON_TYPE = 'application/vnd.pypi.simple.v1+json';

let upstream: TestUpstream;
let store: string;
let cleanups: (() => unknown)[];
let seen: Seen[];

beforeEach(async () => {
  upstream = await testUpstream();
  store = mkdtempSync(join(tmpdir(), 'swemake-index-'));
  cleanups = [() => upstream.close(), () => rmSync(store, { recursive: true })];
  seen = [];
});
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** An index over the test's own, and a server that shows it as the build proxy does. */
async function open(env: NodeJS.ProcessEnv = {}): Promise<{ base: string; index: LocalIndex }> {
  const index = startIndex({
    env: { PIP_CONFIG_FILE: '/dev/null', PIP_INDEX_URL: upstream.url, ...env },
    store,
    pause: 1,
    tries: 2,
  });
  const server = createServer(async (message, response) => seen.push(await index.serve(message, response)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(async () => {
    await index.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, index };
}

const get = (url: string, accept?: string) => fetch(url, accept === undefined ? {} : { headers: { accept } });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function offer() {
  const old = {
    ...wheel('foo', '1.0', ['bar']),
    uploaded: '2022-01-01T00:00:00.123456Z',
    requiresPython: '>=3.6',
  };
  const younger = { ...wheel('foo', '2.0'), uploaded: '2023-01-01T00:00:00Z', yanked: 'it is "bad" & sad' };
  upstream.projects.set('foo', [old, younger]);
  return { old, younger };
}

test('shows the page of a moment, as JSON or HTML', async () => {
  const { old, younger } = offer();
  const { base, index } = await open();
  expect(index.urls(base, '2022-07-01')).toEqual([`${base}/2022-07-01/0/simple`]);
  const answer = await get(`${base}/2022-07-01/0/simple/Foo/`, JSON_TYPE);
  expect(answer.headers.get('content-type')).toBe(JSON_TYPE);
  expect(await answer.json()).toEqual({
    meta: { 'api-version': '1.1' },
    name: 'foo',
    files: [
      {
        filename: old.filename,
        url: `/0/files/foo/${sha256(old.bytes)}/${old.filename}`,
        hashes: { sha256: sha256(old.bytes) },
        'requires-python': '>=3.6',
        size: old.bytes.length,
        'upload-time': '2022-01-01T00:00:00.123Z',
        'core-metadata': true,
        'dist-info-metadata': true,
      },
    ],
  });
  const html = await get(`${base}/now/0/simple/foo/`);
  expect(html.headers.get('content-type')).toMatch(/^text\/html/);
  const text = await html.text();
  expect(text).toContain(
    `#sha256=${sha256(old.bytes)}" data-requires-python="&gt;=3.6" data-core-metadata="true"`,
  );
  expect(text).toContain('data-yanked="it is &quot;bad&quot; &amp; sad"');
  expect(text).toContain(younger.filename);
  expect(upstream.asked).toEqual(['/simple/foo/']);
});

test('has a file brought once, by whichever process, and gives its METADATA', async () => {
  const { old } = offer();
  const { base } = await open();
  const path = `0/files/foo/${sha256(old.bytes)}/${old.filename}`;
  const all = await Promise.all([1, 2, 3].map(() => get(`${base}/${path}`).then((got) => got.arrayBuffer())));
  for (const got of all) expect(Buffer.from(got).equals(old.bytes)).toBe(true);
  const metadata = await get(`${base}/${path}.metadata`);
  expect(await metadata.text()).toContain('Requires-Dist: bar');
  const other = await open();
  expect(Buffer.from(await (await get(`${other.base}/${path}`)).arrayBuffer()).equals(old.bytes)).toBe(true);
  expect((await get(`${other.base}/${path}.metadata`)).status).toBe(200);
  expect(upstream.asked.filter((one) => one === `/files/${old.filename}`)).toHaveLength(1);
  expect(upstream.asked.filter((one) => one.endsWith('.metadata'))).toHaveLength(1);
});

test('takes METADATA that lies beside a wheel only when it is what the index says', async () => {
  const { old } = offer();
  const path = `0/files/foo/${sha256(old.bytes)}/${old.filename}.metadata`;
  upstream.intercept = (message, response) => {
    if (!message.url!.endsWith('.metadata')) return false;
    response.end('<html>Welcome to our file server</html>');
    return true;
  };
  const { base } = await open();
  expect(await (await get(`${base}/${path}`)).text()).toContain('Requires-Dist: bar');
});

test('a kept file that was damaged is brought again', async () => {
  const { old } = offer();
  const { base } = await open();
  const path = `0/files/foo/${sha256(old.bytes)}/${old.filename}`;
  await (await get(`${base}/${path}`)).arrayBuffer();
  writeFileSync(join(store, sha256(old.bytes)), 'damaged');
  const other = await open();
  const again = Buffer.from(await (await get(`${other.base}/${path}`)).arrayBuffer());
  expect(again.equals(old.bytes)).toBe(true);
});

test('knows when a release came', async () => {
  offer();
  const { index } = await open();
  expect(await index.uploaded('Foo', '1')).toEqual({
    ok: true,
    value: Date.parse('2022-01-01T00:00:00.123Z'),
  });
  expect(await index.uploaded('foo', '9')).toEqual({ ok: true, value: null });
  expect(await index.uploaded('unknown', '1')).toEqual({ ok: true, value: null });
  upstream.intercept = (_, response) => {
    response.writeHead(500).end();
    return true;
  };
  expect(await index.uploaded('other', '1')).toMatchObject({ ok: false, fault: { reason: 'package-index' } });
});

test('the earliest release and files without a time are told to whoever asked since', async () => {
  upstream.projects.set('late', [{ ...sdist('late', '1.4.1', {}), uploaded: '2022-07-08T00:00:00Z' }]);
  upstream.projects.set('plain', [{ ...wheel('plain', '3.0'), uploaded: null }]);
  offer();
  const { base, index } = await open();
  const page = async (project: string) =>
    ((await (await get(`${base}/2022-07-01/0/simple/${project}/`, JSON_TYPE)).json()) as { files: unknown[] })
      .files;
  for (const project of ['late', 'plain', 'foo']) expect(await page(project)).toHaveLength(1);
  expect(index.notes('2022-07-01', 0)).toEqual([
    {
      project: 'late',
      text: 'the index has nothing of 2022-07-01 or before; 1.4.1 of 2022-07-08, its earliest, stands in',
    },
    { project: 'plain', text: 'the index does not tell when 1 of its 1 file came, so they are all shown' },
  ]);
  const later = performance.now();
  expect(index.notes('2022-07-01', later)).toEqual([]);
  await page('late');
  expect(index.notes('2022-07-01', later).map(({ project }) => project)).toEqual(['late']);
  expect(index.notes('2021-07-01', 0)).toEqual([]);
});

test('an index that answers in HTML, without times and hashes, is shown whole', async () => {
  offer();
  upstream.form = 'html';
  upstream.intercept = (message, response) => {
    if (message.url !== '/simple/bare/') return false;
    response
      .setHeader('content-type', 'text/html')
      .end('<a href="/files/foo-1.0-py2.py3-none-any.whl">x</a>');
    return true;
  };
  const { base } = await open();
  const page = await (await get(`${base}/2022-07-01/0/simple/foo/`)).text();
  expect(page.match(/<a /g)).toHaveLength(2);
  const bare = await (await get(`${base}/2022-07-01/0/simple/bare/`)).text();
  const href = /href="([^"]+)"/.exec(bare)![1]!;
  expect(href).toBe('/0/files/bare/-/foo-1.0-py2.py3-none-any.whl');
  for (let times = 0; times < 2; times++) expect((await get(base + href)).status).toBe(200);
  expect(await (await get(`${base + href}.metadata`)).text()).toContain('Name: foo');
  expect(upstream.asked.filter((path) => path.endsWith('.whl'))).toHaveLength(1);
});

test('a login page in place of a file without a hash is no answer of the index', async () => {
  offer();
  upstream.intercept = (message, response) => {
    response.setHeader('content-type', 'text/html');
    if (message.url === '/simple/bare/') response.end('<a href="/files/bare-1.0-py3-none-any.whl">x</a>');
    else response.end('<!DOCTYPE html><title>Log in</title>');
    return true;
  };
  const { base } = await open();
  for (const end of ['', '.metadata'])
    expect((await get(`${base}/0/files/bare/-/bare-1.0-py3-none-any.whl${end}`)).status).toBe(502);
  expect(seen.map(({ lost }) => lost)).toEqual(Array(2).fill(expect.stringContaining('a web page')));
});

test('what fails behind the index is a 5xx and counted, what it does not know is neither', async () => {
  const { old } = offer();
  const path = `0/files/foo/${sha256(old.bytes)}/${old.filename}`;
  const { base } = await open();
  expect((await get(`${base}/now/0/simple/unknown/`)).status).toBe(404);
  expect(seen.splice(0)).toEqual([{ lost: null, passed: true }]);
  let status = 500;
  upstream.intercept = (_, response) => {
    response.writeHead(status).end();
    return true;
  };
  const failed = await get(`${base}/now/0/simple/foo/`);
  expect(failed.status).toBe(502);
  expect(await failed.text()).toContain('HTTP 500');
  expect(seen.splice(0)).toEqual([{ lost: expect.stringContaining('HTTP 500'), passed: false }]);
  status = 403;
  expect((await get(`${base}/now/0/simple/foo/`)).status).toBe(403);
  expect(seen.splice(0)).toEqual([{ lost: null, passed: false }]);
  upstream.intercept = null;
  expect((await get(`${base}/now/0/simple/foo/`)).status).toBe(200);
  expect((await get(`${base}/now/0/simple/foo/`)).status).toBe(200);
  expect(seen.splice(0)).toEqual([
    { lost: null, passed: true },
    { lost: null, passed: false },
  ]);
  upstream.intercept = (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setTimeout(() => response.destroy(), 20);
    return true;
  };
  expect((await get(`${base}/${path}`)).status).toBe(502);
  expect(seen.splice(0)[0]!.lost).toContain('127.0.0.1');
});

test('a file that is not what the index says is refused and not kept', async () => {
  upstream.projects.set('foo', [{ ...wheel('foo', '1.0'), uploaded: null, sha256: 'ab'.repeat(32) }]);
  const { base } = await open();
  const answer = await get(`${base}/0/files/foo/${'ab'.repeat(32)}/foo-1.0-py2.py3-none-any.whl`);
  expect(answer.status).toBe(502);
  expect(await answer.text()).toContain('the index says abab');
  expect(readdirSync(store)).toEqual([]);
  expect(seen[0]!.lost).toContain('sha256');
});

test('each index of the host has a place of its own, and folders have none', async () => {
  offer();
  const folder = mkdtempSync(join(tmpdir(), 'swemake-wheels-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const { base, index } = await open({ PIP_EXTRA_INDEX_URL: `file://${folder} ${upstream.url}/other` });
  expect(index.urls('http://i', null)).toEqual(['http://i/now/0/simple', null, 'http://i/now/2/simple']);
  for (const path of [
    'now/1/simple/foo/',
    'now/3/simple/foo/',
    '2022/0/simple/foo/',
    'etc/passwd',
    '0/files/foo/-/x',
  ])
    expect((await get(`${base}/${path}`)).status).toBe(404);
  await get(`${base}/now/2/simple/foo/`);
  expect(upstream.asked.at(-1)).toBe('/simple/other/foo/');
});

test('on the loopback only who has the credential gets in', async () => {
  offer();
  const { index } = await open();
  const origin = new URL(await index.listen());
  const url = `${origin.protocol}//${origin.host}/now/0/simple/foo/`;
  expect((await get(url)).status).toBe(401);
  const login = Buffer.from(`${origin.username}:${origin.password}`).toString('base64');
  expect((await fetch(url, { headers: { authorization: `Basic ${login}` } })).status).toBe(200);
});

test('an index that never answers is given up, and counted', async () => {
  offer();
  upstream.intercept = () => true;
  const { base } = await open({ PIP_DEFAULT_TIMEOUT: '1' });
  expect((await get(`${base}/now/0/simple/foo/`)).status).toBe(502);
  expect(seen[0]!.lost).toContain('UND_ERR_HEADERS_TIMEOUT');
});

test('a page that is none of an index is a 502, and is told from a refusal', async () => {
  offer();
  upstream.intercept = (message, response) => {
    if (message.url === '/simple/sick/') response.writeHead(503).end();
    else if (message.url === '/simple/foo/')
      response.setHeader('content-type', 'text/html').end('<html><title>Sign in</title></html>');
    else return false;
    return true;
  };
  const { index, base } = await open();
  expect((await get(`${base}/now/0/simple/foo/`)).status).toBe(502);
  expect(seen.at(-1)!.lost).toMatch(/^the package index’s answer: .*foo.*the title "Sign in"/);
  expect((await get(`${base}/now/0/simple/sick/`)).status).toBe(502);
  expect(seen.at(-1)!.lost).toMatch(/^the package index: /);
  expect(await index.listed('foo', null, null)).toMatchObject({ fault: { reason: 'package-index' } });
});

test('tells what it has of a project, and asks what lacks it for something else', async () => {
  offer();
  const { index } = await open();
  const names = async (...asked: Parameters<typeof index.listed>) => {
    const listed = await index.listed(...asked);
    return listed.ok ? listed.value.length : listed.fault.reason;
  };
  // Nothing is known of the index, and it has no pip.
  expect(await names('nothing', null, null)).toBe('package-index');
  expect(await names('Foo', null, null)).toBeGreaterThan(1);
  expect(await names('foo', '77.0', null)).toBe(0);
  expect(await names('nothing', null, null)).toBe(0);
  expect(upstream.asked.filter((path) => path === '/simple/foo/')).toHaveLength(1);
});
