/** Datasets of the hub: read by id and revision, pinned, resumed, refused, never with the token where it does not belong. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { main } from '../../cli/main.ts';
import { loadProject } from '../../compiler/load.ts';
import { isBadRow } from '../../formats/row.ts';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import { datasetFiles, filesDigest } from '../../stages/dataset/readers/dataset-files.ts';
import { hubCommit, hubDataset } from '../../stages/dataset/readers/hub.ts';
import { readRows } from '../../stages/dataset/readers/read-rows.ts';
import type { SourceDeps } from '../../tasks/source/deps.ts';
import { httpClient } from '../../tasks/source/http.ts';
import { fileSha256 } from '../../tasks/source/save-file.ts';
import { conversationOf } from '../../trainers/rows/sft.ts';
import { makeDeps, QUIET_ENV, temporaryFolder } from '../tasks/source/helpers.ts';
import { COMMIT, closeHub, hub, ID, LATER, openHub, resetHub, rows, sha256, TOKEN } from './hub-server.ts';
import { loadDataset } from './load-dataset.ts';

let root: string;

beforeAll(async () => {
  root = temporaryFolder();
  await openHub(root);
});
afterAll(async () => {
  await closeHub();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(resetHub);

const depsFor = (env: NodeJS.ProcessEnv = {}): SourceDeps => {
  const all = { ...QUIET_ENV, HF_ENDPOINT: hub.endpoint, ...env };
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

/** Runs commands in a project whose dataset is the hub's. */
function projectOfHub(name: string, more = '') {
  const folder = join(root, name);
  mkdirSync(folder);
  const yaml = `version: 1\nname: p\ndataset: { train: { source: ${ID}, split: train, format: custom${more} } }\n`;
  writeFileSync(join(folder, 'p.yaml'), yaml);
  const run = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
    const out: string[] = [];
    const sink = { write: (text: string) => void out.push(text) };
    const all = {
      ...process.env,
      XDG_CACHE_HOME: folder,
      HF_ENDPOINT: hub.endpoint,
      HF_TOKEN: TOKEN,
      ...env,
    };
    const code = await main(args, { stdout: sink, stderr: sink, env: all, cwd: folder, isTTY: false });
    return { code, text: out.join('') };
  };
  return { folder, run };
}

test('what the hub does not have yet is asked for again by the next build', async () => {
  const { run } = projectOfHub('later', ', revision: v9');
  const build = () => run({}, 'build', 'p.yaml', 'dataset');
  expect(await build()).toMatchObject({ code: 1, text: expect.stringContaining('has no revision "v9"') });
  hub.tags = { v9: COMMIT };
  expect(await build()).toMatchObject({ code: 0 });
  expect(await build()).toMatchObject({ code: 0, text: expect.stringContaining('nothing to do') });
});

test('the command: one download, then nothing to do, also without a network', async () => {
  const { folder, run } = projectOfHub('project');
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

test('a published RL set is used by its id: the instance is inside each row, and no column is named', async () => {
  const instance = (name: string) => ({
    instance_id: `getmoto__moto-${name}`,
    repo: 'getmoto/moto',
    base_commit: 'c'.repeat(40),
    version: '5.0',
    test_patch: 'diff --git a/t.py b/t.py\n--- a/t.py\n+++ b/t.py\n@@ -1 +1 @@\n-a\n+b\n',
    patch: 'diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n',
    FAIL_TO_PASS: ['t.py::a'],
    PASS_TO_PASS: [],
  });
  const row = (name: string) => ({
    data_source: 'SWE-Gym/SWE-Gym',
    prompt: [{ role: 'user', content: `mend ${name}` }],
    env_class: 'null',
    instance: instance(name),
  });
  hub.files = { 'data/train.jsonl': ['one', 'two'].map((name) => JSON.stringify(row(name))).join('\n') };
  hub.tags = { nested: LATER };
  const loaded = await load(depsFor(), { format: 'nested', revision: 'nested' });
  expect(loaded).toMatchObject({
    ids: ['getmoto__moto-one', 'getmoto__moto-two'],
    bad: [],
  });
  expect('instances' in loaded && loaded.instances[0]?.problem_statement).toBe('mend one');
});

test('the published SFT set is used by its id: no split and no column is named', async () => {
  const folder = join(packageRoot(), 'projects/swe-minisandbox');
  const loaded = await loadProject(join(folder, 'sft-3b.yaml'), { cwd: folder, env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const { source, split, column } = loaded.value.config.trainer!.sft!.data!;
  expect(source).toBe('lblankl/swe-minisandbox-sft-data6k');
  const messages = ['system', 'user', 'assistant'].map((role) => ({ role, content: role }));
  hub.files = { 'data/train.jsonl': `${JSON.stringify({ messages })}\n` };
  const files = await datasetFiles({ source: ID, split } as DatasetConfig, root, depsFor());
  if (!files.ok) throw new Error(files.fault.detail);
  await files.value.fetch?.();
  const found = [];
  for await (const row of readRows(files.value))
    found.push(isBadRow(row) ? row : conversationOf(row.row, column));
  expect(found).toEqual([{ messages }]);
});
