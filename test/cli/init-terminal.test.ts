/** `swemake init` as somebody meets it: the real command on a pseudo-terminal, its questions answered as they appear. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { closeHub, hub, ID, openHub, resetHub } from '../dataset/hub-server.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { typed } from '../rig/typist.ts';

const [TASKS, MODEL, NAME] = ['Tasks [quickstart]: ', 'answer? [none yet]: ', 'there [custom]: '];

const SWEMAKE = [process.execPath, join(packageRoot(), 'bin/swemake.js')];

function init(cwd: string, answers: [after: string, keys: string][], more: NodeJS.ProcessEnv = {}) {
  const env = { XDG_CACHE_HOME: join(cwd, 'home-cache'), ...more };
  return typed([...SWEMAKE, 'init'], answers, { cwd, env });
}

test('a wrong answer is told and asked for again, and the project that comes out is written', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'rows.txt'), '');
  const { code, shown, left } = await init(folder, [
    [TASKS, 'rows.jsonl\r'],
    ['there is no file or folder "rows.jsonl"', ''],
    [TASKS, 'swe-smth\r'],
    ['did you mean the template "swe-smith"?', ''],
    [TASKS, 'swe-smith\r'],
    [MODEL, 'localhost:8000\r'],
    ['write it as http://127.0.0.1:8000/v1', ''],
    [MODEL, 'http://127.0.0.1:8000/v1\r'],
    [NAME, '\r'],
  ]);
  expect({ code, left }, shown).toEqual({ code: 0, left: [] });
  expect(shown).toContain('next: swemake build project.yaml');
  const text = readFileSync(join(folder, 'project.yaml'), 'utf8');
  expect(text).toMatch(/source: SWE-bench\/SWE-smith-py[\s\S]*base_url: "http:\/\/127.0.0.1:8000\/v1"/);
});

test('a path may begin with the home', async () => {
  const [folder, home] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(
    join(home, 'rows.jsonl'),
    `${JSON.stringify({ instance_id: 'a', repo: 'o/n', patch: '' })}\n`,
  );
  const answers: [string, string][] = [
    [TASKS, '~/nothing.jsonl\r'],
    [`there is no file or folder "${home}/nothing.jsonl"`, ''],
    [TASKS, '~/rows.jsonl\r'],
    [MODEL, '\x03'],
  ];
  expect((await init(folder, answers, { HOME: home })).left).toEqual([]);
});

test.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%s leaves, and nothing is written', async (_, key) => {
  const folder = temporaryFolder();
  const { code, shown, left } = await init(folder, [
    [TASKS, 'swe-smith\r'],
    [MODEL, key],
  ]);
  expect({ code, left }, shown).toEqual({ code: 130, left: [] });
  expect(shown).toContain('stopped; nothing was written');
  expect(readdirSync(folder)).toEqual([]);
});

test('a dataset of the hub and a repository that cannot be had are asked for again', async () => {
  const folder = temporaryFolder();
  const root = temporaryFolder();
  await openHub(root);
  resetHub();
  try {
    const answers: [string, string][] = [
      [TASKS, 'acme/nothing\r'],
      [MODEL, '\r'],
      ['acme/nothing', ''],
      [TASKS, `file://${folder}/nowhere\r`],
      ['check the address of the repository', ''],
      [TASKS, `${ID}\r`],
    ];
    const env = { HF_ENDPOINT: hub.endpoint, no_proxy: '127.0.0.1,localhost' };
    const { code, shown, left } = await init(folder, answers, env);
    expect({ code, left }, shown).toEqual({ code: 0, left: [] });
    // Where a model answers was said once.
    expect(shown.split(MODEL)).toHaveLength(2);
    expect(shown).toContain(`${ID}, format custom: 2 rows of me/x`);
    const checked = await typed([...SWEMAKE, 'check', 'project.yaml'], [], { cwd: folder });
    expect(checked.shown).toContain('no errors in 1 file');
  } finally {
    await closeHub();
  }
});
