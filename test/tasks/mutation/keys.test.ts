/** Mutations are read and written by the host's Python, so a dataset of them is another one when that is another one. */
import { existsSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { openCache } from '../../../cache/cache.ts';
import { loadProject } from '../../../compiler/load.ts';
import { forgetAnswers } from '../../../contract/question.ts';
import type { ActionContext, AnyStage } from '../../../contract/stage.ts';
import { datasetStage } from '../../../stages/dataset/stage.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { planItem } from '../../rig/run-item.ts';

const pyenv = join(homedir(), '.pyenv/versions');
const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...(existsSync(pyenv) ? readdirSync(pyenv).map((version) => join(pyenv, version, 'bin')) : []),
].filter((folder) => !folder.endsWith('/shims') && existsSync(join(folder, 'python3')));
/** Several folders may show one program. */
const programs = new Set(folders.map((folder) => realpathSync(join(folder, 'python3'))));

test('the key of a dataset of mutations', async ({ skip }) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'rows.jsonl'), '');
  const rows = (format: string) => `{ source: rows.jsonl, format: ${format} }`;
  const project = `version: 1\nname: m\ndataset: { bugs: ${rows('mutation')}, rows: ${rows('custom')} }\n`;
  writeFileSync(
    join(folder, 'p.yaml'),
    `${project}deployments: { box: {} }\nvalidation: { deployment: box }\n`,
  );
  const loaded = await loadProject('p.yaml', { env: {}, cwd: folder, set: [] });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const { config } = loaded.value;
  const cache = await openCache(join(folder, '.swemake'));
  const pythons = new Set<unknown>();
  for (const PATH of folders) {
    const shared = new Map();
    const around = { cache, config, projectFolder: folder, env: { PATH }, shared };
    const services = around as unknown as ActionContext;
    forgetAnswers(services);
    for (const node of datasetStage.nodes(config)) {
      const planned = await planItem(datasetStage as AnyStage, node, services);
      if (planned === null) continue;
      const { python } = planned.parts;
      if (node.dataset === 'rows') expect(python).toBeUndefined();
      else pythons.add(JSON.stringify(python));
    }
  }
  await cache.close();
  expect(pythons.has(undefined)).toBe(false);
  if (programs.size < 2) skip('there is only one Python here');
  expect(pythons.size).toBeGreaterThan(1);
});
