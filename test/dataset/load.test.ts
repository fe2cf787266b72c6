import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import type { Instance } from '../../schemas/instance.ts';
import type { LoadOptions } from '../../stages/dataset/load.ts';
import type { SourceDeps } from '../../tasks/source/deps.ts';
import { makeDeps, makeRepository, QUIET_ENV, temporaryFolder } from '../tasks/source/helpers.ts';
import { loadDataset } from './load-dataset.ts';

const PATCH = 'diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n';

let root: string;
let deps: SourceDeps;

beforeAll(() => {
  root = temporaryFolder();
  deps = makeDeps(root, { ...QUIET_ENV, PIP_NO_INDEX: '', PIP_INDEX_URL: `file://${root}/simple` });
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const config = (more: Partial<DatasetConfig>): DatasetConfig => ({
  source: 'rows.jsonl',
  format: 'custom',
  select: { seed: 0 },
  sources: {},
  ...more,
});

async function load(more: Partial<DatasetConfig>, options: Partial<LoadOptions> = {}) {
  const loaded = await loadDataset({ config: config(more), projectFolder: root, deps, ...options });
  if (!loaded.ok) return { fault: loaded.fault };
  const { instances, bad, sourceDigest } = loaded.value;
  return { ids: instances.map((instance) => instance.instance_id), instances, bad, sourceDigest };
}

const row = (instance_id: string, more: object = {}) => ({
  instance_id,
  repo: 'me/x',
  source: `git+https://example.org/x@${'c'.repeat(40)}`,
  patch: PATCH,
  FAIL_TO_PASS: ['t'],
  PASS_TO_PASS: [],
  ...more,
});

const writeRows = (...rows: unknown[]) =>
  writeFileSync(join(root, 'rows.jsonl'), rows.map((one) => JSON.stringify(one)).join('\n'));

test('bad rows are listed with line and field, the others go on', async () => {
  writeRows(row('a'), row('b', { patch: 'x' }), row('a'), 7, row('caf\u00e9'), row('cafe\u0301'), row('z'));
  const { ids, bad } = await load({});
  expect(ids).toEqual(['a', 'caf\u00e9', 'z']);
  expect(bad).toEqual([
    { line: 2, instance_id: 'b', field: 'patch', message: 'is not a unified diff' },
    { line: 3, instance_id: 'a', field: 'instance_id', message: 'is there twice, first in row 1' },
    { line: 4, instance_id: null, field: '', message: 'the row is not an object' },
    { line: 6, instance_id: 'cafe\u0301', field: 'instance_id', message: expect.stringContaining('row 5') },
  ]);
});

test('only chosen rows are normalised', async () => {
  writeRows(row('a-1'), row('b-1', { patch: 'x' }), row('a-2'));
  expect(await load({ select: { seed: 0, match: '^a', slice: '1:' } })).toMatchObject({
    ids: ['a-2'],
    bad: [],
  });
});

test('a branch is pinned, once for all rows; a source that does not exist spoils its rows only', async () => {
  const [commit] = makeRepository(root, 'repo', { a: '1' });
  writeRows(
    row('a', { source: 'git+repo@main' }),
    row('b', { source: 'git+repo@main' }),
    row('c', { source: 'git+repo@nowhere' }),
    row('d', { source: 'pypi:nothing==1' }),
  );
  const { ids, bad, instances } = await load({});
  expect(ids).toEqual(['a', 'b']);
  expect(instances?.[1]?.source).toEqual({ spec: `git+repo@${commit}`, digest: `git:${commit}` });
  expect(bad).toMatchObject([
    { line: 3, field: 'source', message: expect.stringContaining('"nowhere"') },
    { line: 4, field: 'source', message: expect.stringContaining('"nothing"') },
  ]);
});

test('a source that cannot be reached is a fault of the whole', async () => {
  writeRows(row('a'), row('b', { source: 'git+http://127.0.0.1:1/x@main' }));
  expect(await load({})).toMatchObject({ fault: { status: 'infra' } });
});

test('a dataset that is not there is no infra: no retry helps', async () => {
  expect(await load({ source: 'nothing.jsonl' })).toMatchObject({ fault: { reason: 'invalid-row' } });
});

test('the digest names the rows’ bytes, not their place', async () => {
  writeRows(row('a'));
  const before = (await load({})).sourceDigest;
  writeFileSync(join(root, 'other.jsonl'), JSON.stringify(row('a')));
  expect((await load({ source: 'other.jsonl' })).sourceDigest).toBe(before);
  writeRows(row('b'));
  expect((await load({})).sourceDigest).not.toBe(before);
});

test('mutation rows go to who can derive their patches', async () => {
  writeRows({ instance_id: 'm-1', any: 1 }, { instance_id: 'm-2' }, { instance_id: 'n' });
  const made = await load(
    { format: 'mutation', select: { seed: 0, match: '^m' } },
    {
      deriveInstances: async (rows) => {
        expect(rows.map(({ line }) => line)).toEqual([1, 2]);
        const instances = rows.map(
          ({ row: { instance_id } }) => ({ instance_id, FAIL_TO_PASS: ['t'] }) as Instance,
        );
        return {
          ok: true,
          value: {
            instances: instances.slice(1),
            bad: [{ line: 1, instance_id: 'm-1', field: 'mutation', message: 'no' }],
          },
        };
      },
    },
  );
  expect(made).toMatchObject({ ids: ['m-2'], bad: [{ line: 1, field: 'mutation' }] });
});

test.for([
  ['swebench/verified-test.parquet', 'swe-bench', 500],
  ['swebench/lite-5-rows.json', 'swe-bench', 5],
  ['swegym/rows.jsonl', 'swe-gym', 5],
  ['swesmith/pandas-dev__pandas.95280573.pr_53652.json', 'swe-smith', 1],
] as const)('real rows: %s', async ([name, format, count], { skip }) => {
  const source = join(process.cwd(), '..', 'shared', 'data', name);
  // Mirrors are not asked in tests: the branch of the one that is needed is taken for a commit.
  const sources = { 'swesmith/*': `git+https://github.com/{repo}@${'c'.repeat(40)}` };
  const loaded = await load({ source, format, sources });
  if (loaded.fault?.detail.includes('no such file')) return skip(`there is no ../shared/data/${name}`);
  expect(loaded).toMatchObject({ bad: [], ids: expect.any(Array) });
  expect(loaded.instances).toHaveLength(count);
  for (const instance of loaded.instances ?? []) {
    expect(instance.FAIL_TO_PASS.length).toBeGreaterThan(0);
    expect(instance.source.digest).toMatch(/^git:[0-9a-f]{40}$/);
  }
});
