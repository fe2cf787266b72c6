import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { main } from '../../cli/main.ts';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import { datasetFiles, filesDigest } from '../../stages/dataset/files.ts';
import { hubCommit, hubDataset } from '../../stages/dataset/hub.ts';
import { readConfigs, splitPaths } from '../../stages/dataset/hub-split.ts';
import { loadDataset } from '../../stages/dataset/load.ts';
import type { SourceDeps } from '../../stages/source/deps.ts';
import { httpClient } from '../../stages/source/http.ts';
import { fileSha256 } from '../../stages/source/save-file.ts';
import { makeDeps, QUIET_ENV, temporaryFolder } from '../source/helpers.ts';

const ID = 'acme/tasks';
const COMMIT = 'a'.repeat(40);
const LATER = 'b'.repeat(40);
const TOKEN = 'hf_notARealTokenButLooksLikeOne000000';
const PATCH = 'diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n';

/** What the hub has, and how it behaves for the next requests. */
interface Hub {
  files: Record<string, string>;
  /** Paths kept as large files: on another host, by sha256. */
  large: Set<string>;
  main: string;
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

let root: string;
let hub: Hub;
let servers: Server[];
let endpoint: string;
let content: string;

const listen = async (serve: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server = createServer(serve);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

beforeAll(async () => {
  root = temporaryFolder();
  const [api, storage] = [await listen(serveApi), await listen(serveContent)];
  servers = [api.server, storage.server];
  // Another name for the same machine, as hubs keep large files on other hosts.
  [endpoint, content] = [api.base, storage.base.replace('127.0.0.1', 'localhost')];
});

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
  rmSync(root, { recursive: true, force: true });
});

const rows = (...ids: string[]) =>
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

beforeEach(() => {
  hub = {
    files: { 'README.md': '# Tasks\n', 'data/train.jsonl': rows('a', 'b'), 'data/test.jsonl': rows('c') },
    large: new Set(['data/train.jsonl']),
    main: COMMIT,
    blobs: true,
    token: null,
    gated: false,
    refusals: [],
    cuts: [],
    tamper: (text) => text,
    requests: [],
  };
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
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
  const sha = { main: hub.main, 'feature/x': LATER, [COMMIT]: COMMIT, [LATER]: LATER }[revision];
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
  const parts = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.part'),
  );
  if (parts.some((name) => statSync(join(root, name)).size >= bytes)) then();
  else setTimeout(() => whenWritten(bytes, then), 2);
}

const depsFor = (env: NodeJS.ProcessEnv = {}): SourceDeps => {
  const all = { ...QUIET_ENV, HF_ENDPOINT: endpoint, ...env };
  const http = httpClient({ env: all, certificates: [], timeout: 10, pause: 1, tries: 3 });
  return { ...makeDeps(root, all), http };
};

const ask = (more: object = {}) => ({ id: ID, revision: undefined, split: 'train', ...more });
const config = (more: Partial<DatasetConfig> = {}): DatasetConfig => ({
  source: ID,
  split: 'train',
  format: 'custom',
  select: { seed: 0 },
  sources: {},
  ...more,
});
const load = async (deps: SourceDeps, more: Partial<DatasetConfig> = {}) => {
  const loaded = await loadDataset({ config: config(more), projectFolder: root, deps });
  return loaded.ok
    ? { ids: loaded.value.instances.map((one) => one.instance_id), ...loaded.value }
    : loaded.fault;
};

test('a split is read, pinned to its commit; large files come from another host without the token', async () => {
  hub.token = TOKEN;
  const deps = depsFor({ HF_TOKEN: TOKEN });
  expect(await load(deps)).toMatchObject({ ids: ['a', 'b'], commit: COMMIT, bad: [] });
  const [api, other] = [0, 1].map((which) =>
    hub.requests.filter(({ line }) => line.startsWith('content') === (which === 1)),
  );
  expect(new Set(api!.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${TOKEN}`]));
  expect(other!.map(({ authorization }) => authorization)).toEqual([undefined]);
  expect(await load(deps, { split: 'test' })).toMatchObject({ ids: ['c'] });
});

test('with everything in the cache no request is made, and a branch stays at its commit', async () => {
  const deps = depsFor();
  await load(deps);
  hub.requests = [];
  hub.main = LATER;
  expect(await load(deps)).toMatchObject({ ids: ['a', 'b'], commit: COMMIT });
  expect(await load({ ...deps, env: { ...deps.env, HF_HUB_OFFLINE: '1' } })).toMatchObject({
    commit: COMMIT,
  });
  expect(hub.requests).toEqual([]);
  expect(await hubCommit(ask(), deps, true)).toEqual({ ok: true, value: LATER });
  expect(await load(deps)).toMatchObject({ commit: LATER });
});

test('the digest is that of the contents: known before the download, the same for a folder', async () => {
  const deps = depsFor();
  const files = await datasetFiles(config(), root, deps);
  if (!files.ok) throw new Error(files.fault.detail);
  const digest = await filesDigest(files.value, fileSha256);
  expect(hub.requests.filter(({ line }) => line.startsWith('content'))).toEqual([]);
  mkdirSync(join(root, 'folder/data'), { recursive: true });
  writeFileSync(join(root, 'folder/data/train.jsonl'), hub.files['data/train.jsonl']!);
  expect(await load(deps)).toMatchObject({ sourceDigest: digest });
  expect(await load(deps, { source: './folder' })).toMatchObject({ sourceDigest: digest });
  hub.files['data/train.jsonl'] += '\n';
  expect(await load(deps, { revision: LATER })).not.toMatchObject({ sourceDigest: digest });
});

test('a damaged or removed file is fetched again', async () => {
  const deps = depsFor();
  await load(deps);
  const folder = join(deps.sourcesFolder, 'hub');
  const [name] = readdirSync(folder).filter((one) => one.endsWith('.jsonl'));
  writeFileSync(join(folder, name!), 'x');
  expect(await load(deps)).toMatchObject({ ids: ['a', 'b'] });
  rmSync(folder, { recursive: true });
  expect(await load(deps)).toMatchObject({ ids: ['a', 'b'] });
});

test('a listing without hashes: they are read from the headers', async () => {
  hub.blobs = false;
  const deps = depsFor();
  const found = await hubDataset(ask(), deps);
  expect(found).toMatchObject({ ok: true, value: { sha256s: [sha256(hub.files['data/train.jsonl']!)] } });
  expect(hub.requests.filter(({ line }) => line.startsWith('content'))).toEqual([]);
  expect(await load(deps)).toMatchObject({ ids: ['a', 'b'] });
  expect(await load(deps, { split: 'test' })).toMatchObject({ ids: ['c'] });
});

test('cut downloads go on where they ended', async () => {
  hub.files['data/train.jsonl'] = rows(...Array.from({ length: 40 }, (_, index) => `i${index}`));
  delete hub.files['README.md'];
  hub.cuts = [1000, 500, 1, 700, 90, 2000];
  const loaded = await load(depsFor());
  expect(loaded).toMatchObject({ commit: COMMIT });
  expect('ids' in loaded && loaded.ids.length).toBe(40);
  const ranges = hub.requests.filter(({ range }) => range !== undefined).map(({ range }) => range);
  expect(ranges.length).toBeGreaterThanOrEqual(3);
});

test('an interrupted download is taken up by the next process', async () => {
  hub.files['data/train.jsonl'] = rows(...Array.from({ length: 40 }, (_, index) => `i${index}`));
  const deps = depsFor();
  await hubDataset(ask(), deps);
  const text = hub.files['data/train.jsonl']!;
  hub.cuts = [3000, 0, 0, 0, 0, 0];
  expect(await load(deps)).toMatchObject({ status: 'infra', reason: 'network' });
  expect(readdirSync(join(deps.sourcesFolder, 'hub')).filter((name) => name.endsWith('.part'))).toHaveLength(
    1,
  );
  hub.cuts = [];
  hub.requests = [];
  expect(await load(deps)).toMatchObject({ commit: COMMIT });
  const sent = hub.requests.filter(({ line }) => line.startsWith('content'));
  expect(sent.map(({ range }) => Number(/\d+/.exec(range ?? '0')?.[0]))).toEqual([expect.any(Number)]);
  expect(Number(/\d+/.exec(sent[0]!.range ?? '0')?.[0])).toBeGreaterThan(0);
  const left = readdirSync(join(deps.sourcesFolder, 'hub'));
  expect(left).toContain(`${sha256(text)}.jsonl`);
  expect(left.filter((name) => /\.(part|lock)$/.test(name))).toEqual([]);
});

test.each([
  ['a large file', 'train', /data\/train\.jsonl has the sha256 [0-9a-f]{64}, the hub says [0-9a-f]{64}/],
  ['a small file', 'test', /data\/test\.jsonl has the git object id [0-9a-f]{40}, the hub says/],
])('%s with the wrong content is not used', async (_what, split, message) => {
  const deps = depsFor();
  hub.tamper = (text) => (text.startsWith('#') ? text : text.replace('me/x', 'me/y'));
  expect(await load(deps, { split })).toMatchObject({
    status: 'infra',
    reason: 'source-fetch',
    detail: expect.stringMatching(message),
  });
  hub.tamper = (text) => text;
  expect(await load(deps, { split })).toMatchObject({ commit: COMMIT });
});

test('faults that pass are tried again; those that stay are infra', async () => {
  hub.refusals = [429, 503];
  expect(await load(depsFor())).toMatchObject({ ids: ['a', 'b'] });
  hub.refusals = [500, 502, 503];
  expect(await load(depsFor())).toMatchObject({
    status: 'infra',
    reason: 'network',
    detail: expect.stringMatching(/HTTP 503.*HF_ENDPOINT/),
  });
});

test.each<[string, object, string, Partial<DatasetConfig>, RegExp]>([
  [
    'no such dataset',
    {},
    'failed',
    { source: 'acme/nothing' },
    /acme\/nothing does not exist at .*\.\/acme\/nothing/,
  ],
  ['no such revision', {}, 'failed', { revision: 'v9' }, /has no revision "v9"/],
  ['no such split', {}, 'failed', { split: 'dev' }, /no split "dev", only test, train/],
  ['gated', { token: TOKEN, gated: true }, 'infra', {}, /is gated: accept its terms at .* and set HF_TOKEN/],
  ['private', { token: TOKEN }, 'infra', {}, /private or does not exist: .*set HF_TOKEN/],
])('%s', async (_what, behaviour, status, more, message) => {
  Object.assign(hub, behaviour);
  expect(await load(depsFor(), more)).toMatchObject({ status, detail: expect.stringMatching(message) });
});

test('a wrong token is named as such, and never shown', async () => {
  Object.assign(hub, { token: 'other' });
  const answered = JSON.stringify(await load(depsFor({ HF_TOKEN: TOKEN })));
  expect(answered).toMatch(/the token in HF_TOKEN may not be read|token in HF_TOKEN/);
  expect(answered).not.toContain(TOKEN);
});

test('the token file of the hub’s own client is used; offline nothing is asked', async () => {
  hub.token = TOKEN;
  mkdirSync(join(root, 'home'), { recursive: true });
  writeFileSync(join(root, 'home/token'), `${TOKEN}\n`);
  expect(await load(depsFor({ HF_HOME: join(root, 'home') }))).toMatchObject({ ids: ['a', 'b'] });
  hub.requests = [];
  expect(await load(depsFor({ HF_HUB_OFFLINE: '1' }))).toMatchObject({
    status: 'infra',
    detail: expect.stringContaining('HF_HUB_OFFLINE'),
  });
  expect(hub.requests).toEqual([]);
});

test('no part of the cache holds the token', async () => {
  hub.token = TOKEN;
  const deps = depsFor({ HF_TOKEN: TOKEN });
  const memo: string[] = [];
  await load({ ...deps, memo: { get: () => undefined, set: (key, value) => memo.push(key, value) } });
  expect(memo.join('\n')).not.toContain(TOKEN);
  for (const name of readdirSync(join(deps.sourcesFolder, 'hub')))
    expect(readFileSync(join(deps.sourcesFolder, 'hub', name), 'utf8')).not.toContain(TOKEN);
});

test('a branch with a slash in its name', async () => {
  expect(await load(depsFor(), { revision: 'feature/x' })).toMatchObject({ commit: LATER });
});

test('README.md says which files are a split', async () => {
  hub.files = {
    'README.md':
      '---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: rows/tr*\n---\n# T\n',
    'rows/tr-1.jsonl': rows('x'),
    'rows/tr-2.jsonl': rows('y'),
    'other.jsonl': rows('z'),
  };
  expect(await load(depsFor())).toMatchObject({ ids: ['x', 'y'] });
});

test.each<[string, string, string | undefined, string[] | RegExp]>([
  [
    'globs by split',
    'configs:\n- {config_name: d, data_files: {train: a/*.parquet}}',
    'train',
    ['a/1.parquet'],
  ],
  ['one glob', 'configs:\n- {config_name: d, data_files: "a/*"}', 'train', ['a/1.parquet']],
  ['a list', 'configs:\n- {config_name: d, data_files: [a/1.parquet]}', undefined, ['a/1.parquet']],
  ['data_dir', 'configs:\n- {config_name: d, data_dir: a}', 'train', ['a/1.parquet']],
  [
    'the default config',
    'configs:\n- {config_name: x, data_files: "b/*"}\n- {config_name: y, default: true, data_files: "a/*"}',
    'train',
    ['a/1.parquet'],
  ],
  [
    'a config by name',
    'configs:\n- {config_name: x, data_files: "b/*"}\n- {config_name: y, data_files: "a/*"}',
    'x/train',
    ['b/1.parquet'],
  ],
  [
    'configs that cannot be told apart',
    'configs:\n- {config_name: x, data_files: "b/*"}\n- {config_name: y, data_files: "a/*"}',
    'train',
    /several configs.*x\/train, y\/train/,
  ],
  ['no such files', 'configs:\n- {config_name: d, data_files: "c/*"}', 'train', /no file.*c\/\*.*README/],
  ['no front matter', 'license: mit', 'train', ['train-00000-of-00001.parquet']],
  ['front matter that is no YAML', 'a: [', 'train', ['train-00000-of-00001.parquet']],
])('configs: %s', async (_what, front, split, wanted) => {
  const paths = ['README.md', 'a/1.parquet', 'b/1.parquet'];
  const named = ['train-00000-of-00001.parquet', 'test-00000-of-00001.parquet', 'dataset_infos.json'];
  const configs = await readConfigs(`---\n${front}\n---\ntext`);
  const choose = () => splitPaths(configs.length === 0 ? named : paths, configs, split);
  if (wanted instanceof RegExp) expect(choose).toThrow(wanted);
  else expect(choose()).toEqual(wanted);
});

test.each<[string[], string | undefined, string[]]>([
  [
    ['data/train-00001-of-00002.parquet', 'data/train-00000-of-00002.parquet'],
    'train',
    ['data/train-00000-of-00002.parquet', 'data/train-00001-of-00002.parquet'],
  ],
  [['train/0000.parquet', 'test/0000.parquet'], 'test', ['test/0000.parquet']],
  [['everything.jsonl'], 'train', ['everything.jsonl']],
  [['test.jsonl', '.github/x.json', 'dataset_infos.json'], undefined, ['test.jsonl']],
])('splits by name: %j', (paths, split, wanted) => expect(splitPaths(paths, [], split)).toEqual(wanted));

test('the command: one download, then nothing to do, also without a network', async () => {
  const folder = join(root, 'project');
  mkdirSync(folder);
  const yaml = `version: 1\nname: p\ndataset: { train: { source: ${ID}, split: train, format: custom } }\n`;
  writeFileSync(join(folder, 'p.yaml'), yaml);
  const run = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
    const out: string[] = [];
    const sink = { write: (text: string) => void out.push(text) };
    const all = { ...process.env, XDG_CACHE_HOME: folder, HF_ENDPOINT: endpoint, HF_TOKEN: TOKEN, ...env };
    const code = await main(args, { stdout: sink, stderr: sink, env: all, cwd: folder, isTTY: false });
    return { code, text: out.join('') };
  };
  hub.token = TOKEN;
  expect(await run({}, 'plan', 'p.yaml', 'dataset')).toMatchObject({ code: 0 });
  expect(hub.requests.filter(({ line }) => line.startsWith('content'))).toEqual([]);
  expect(await run({}, 'build', 'p.yaml', 'dataset')).toMatchObject({ code: 0 });
  hub.requests = [];
  const again = await run({ HF_HUB_OFFLINE: '1' }, 'build', 'p.yaml', 'dataset');
  expect(again).toMatchObject({ code: 0, text: expect.stringContaining('nothing to do') });
  expect(hub.requests).toEqual([]);
  const { text } = await run({}, 'logs', 'dataset.train', '--project', 'p.yaml');
  expect(text).toContain(`${ID} is read at commit ${COMMIT}`);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const holding = files.filter((path) => statSync(path).isFile() && readFileSync(path).includes(TOKEN));
  expect(holding).toEqual([]);
});

test('two at once download a file once', async () => {
  const deps = depsFor();
  await hubDataset(ask(), deps);
  hub.requests = [];
  await Promise.all([load(deps), load(deps)]);
  expect(hub.requests.filter(({ line }) => line.startsWith('content')).length).toBe(1);
  expect(existsSync(join(deps.sourcesFolder, 'hub'))).toBe(true);
});
