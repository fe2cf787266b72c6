import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nestedFormat } from '../../formats/nested/kind.ts';
import { instanceRow } from '../../formats/read-row.ts';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import type { SourceDeps } from '../../tasks/source/deps.ts';
import { makeDeps, temporaryFolder } from '../tasks/source/helpers.ts';
import { loadDataset } from './load-dataset.ts';

const unnestRow = (row: { line: number; row: Record<string, unknown> }, inner?: DatasetConfig['inner']) =>
  instanceRow(row, nestedFormat, inner);

const PATCH = 'diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n';
const TESTS = { FAIL_TO_PASS: ['t.py::a'], PASS_TO_PASS: [] };

const gym = {
  instance_id: 'getmoto__moto-7365',
  repo: 'getmoto/moto',
  base_commit: 'c'.repeat(40),
  version: '5.0',
  patch: PATCH,
  test_patch: PATCH,
  problem_statement: 'fix it',
  ...TESTS,
};
const smith = {
  instance_id: 'oauthlib__oauthlib.1fd52536.func_basic__abc12345',
  repo: 'swesmith/oauthlib__oauthlib.1fd52536',
  image_name: 'jyangballin/swesmith.x86_64.oauthlib_1776_oauthlib.1fd52536',
  patch: PATCH,
  ...TESTS,
};
const own = { ...gym, instance_id: 'own-1', source: `git+https://example.org/x@${'d'.repeat(40)}` };

test.each<[string, object, string, string]>([
  [
    'SkyRL',
    { data_source: 'SWE-Gym/SWE-Gym', prompt: [], env_class: 'null', instance: gym },
    gym.instance_id,
    'swe-gym',
  ],
  [
    'SkyRL, as JSON text',
    { data_source: 'x', instance: JSON.stringify(smith) },
    smith.instance_id,
    'swe-smith',
  ],
  ['Miles', { prompt: 'p', metadata: { ...gym, subset: 'gym' } }, gym.instance_id, 'swe-gym'],
  ['slime', { text: 'p', metadata: { instance: gym, data_source: 'a/b' } }, gym.instance_id, 'swe-bench'],
  [
    'slime, remote_env_info',
    { metadata: { remote_env_info: gym, image: 'i' } },
    gym.instance_id,
    'swe-bench',
  ],
  ['verl', { extra_info: JSON.stringify({ instance: own }) }, 'own-1', 'custom'],
])('%s', (_what, row, id, format) => {
  const found = unnestRow({ line: 3, row: row as Record<string, unknown> });
  expect(found).toMatchObject({ line: 3, format: { name: format }, row: { instance_id: id } });
});

test('the inner format can be given', () => {
  const row = { instance: gym };
  expect(unnestRow({ line: 1, row }, 'custom')).toMatchObject({ format: { name: 'custom' } });
});

test.each<[string, object]>([
  ['text', { prompt: 'the task' }],
  [
    'a message',
    {
      prompt: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'the task' },
      ],
    },
  ],
  ['JSON text', { input: 'the task' }],
])('the problem statement may be the prompt: %s', (_what, more) => {
  const { problem_statement: _, ...rest } = gym;
  expect(unnestRow({ line: 1, row: { ...more, metadata: rest } })).toMatchObject({
    row: { problem_statement: 'the task' },
  });
});

test.each([[{}], [{ metadata: null }], [{ instance: '{"a":' }], [{ instance_id: 'x', metadata: [] }]])(
  'without an instance: %j',
  (row) =>
    expect(unnestRow({ line: 9, row })).toMatchObject({
      line: 9,
      message: expect.stringContaining('no object with an instance_id'),
    }),
);

let root: string;
let deps: SourceDeps;
beforeAll(() => {
  root = temporaryFolder();
  deps = makeDeps(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a file of a trainer becomes a dataset; bad rows keep their lines', async () => {
  const rows = [
    { prompt: 'p', metadata: gym },
    { prompt: 'p', metadata: {} },
    { prompt: 'p', metadata: { ...smith, repo: 'swesmith/x__y.12345678', patch: '' } },
    { prompt: 'p', metadata: own },
    { prompt: 'p', metadata: gym },
  ];
  writeFileSync(join(root, 'rl.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
  const config: DatasetConfig = { source: 'rl.jsonl', format: 'nested', select: { seed: 0 }, sources: {} };
  const loaded = await loadDataset({ config, projectFolder: root, deps });
  if (!loaded.ok) throw new Error(loaded.fault.detail);
  expect(loaded.value.instances.map(({ instance_id }) => instance_id)).toEqual([gym.instance_id, 'own-1']);
  expect(loaded.value.instances[0]!.raw).toEqual(gym);
  expect(loaded.value.bad).toMatchObject([
    { line: 2, message: expect.stringContaining('no object with an instance_id') },
    { line: 3, field: 'patch' },
    { line: 5, message: expect.stringContaining('twice') },
  ]);
});

test('the same instances as in a file of their own', async () => {
  writeFileSync(join(root, 'plain.jsonl'), JSON.stringify(gym));
  writeFileSync(join(root, 'nested.jsonl'), JSON.stringify({ data_source: 'a/gym', instance: gym }));
  const of = async (source: string, format: DatasetConfig['format']) => {
    const config: DatasetConfig = { source, format, select: { seed: 0 }, sources: {} };
    const loaded = await loadDataset({ config, projectFolder: root, deps });
    return loaded.ok ? loaded.value.instances : loaded.fault;
  };
  expect(await of('nested.jsonl', 'nested')).toEqual(await of('plain.jsonl', 'swe-gym'));
});
