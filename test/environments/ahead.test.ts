/** What may be made before the rows of a dataset are read, and in which runs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodesAhead } from '../../app/prewarm.ts';
import { loadProject } from '../../compiler/load.ts';
import type { StageNode } from '../../contract/stage.ts';
import { deploymentAhead } from '../../stages/environments/ahead.ts';
import { temporaryFolder } from '../rig/folder.ts';

const PROJECT = `version: 1
name: ahead
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - match: {}
      pip: [attrs]
deployments:
  box: { type: sandbox }
  other: { type: sandbox, base: debian:bookworm }
validation: { deployment: box }
`;

async function deploymentFor(...set: string[]): Promise<string | null> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'p.yaml'), PROJECT);
  writeFileSync(join(folder, 'rows.jsonl'), '');
  const loaded = await loadProject(join(folder, 'p.yaml'), { env: {}, cwd: folder, set });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  return deploymentAhead(loaded.value.config, 'train');
}

test.each([
  ['rows that seldom name a Python, on the system of this machine', [], 'box'],
  ['mutations', ['dataset.train.format=mutation'], 'box'],
  ['a format whose rows may name a Python', ['dataset.train.format=swe-rebench'], null],
  ['rows inside those of a trainer', ['dataset.train.format=nested', 'dataset.train.inner=custom'], null],
  ['a recipe that names a Python', ['environments.recipes=[{match: {}, python: "3.11"}]'], null],
  [
    'one recipe of several that names a Python',
    ['environments.recipes=[{match: {}}, {match: {repo: "a/b"}, python: "3.11"}]'],
    null,
  ],
  [
    'packages of a conda channel',
    ['environments.python.provider=conda', 'environments.python.channels=[conda-forge]'],
    null,
  ],
  ['a root of its own', ['validation.deployment=other'], null],
  ['a dataset with a deployment of its own', ['dataset.train.deployment=other'], null],
  ['verdicts here and agents on another root', ['agent={type: noop, deployment: other}'], 'box'],
])('%s', async (_, set, deployment) => {
  expect(await deploymentFor(...set)).toBe(deployment);
});

test('who wants one action at a time gets nothing beside it, and nothing is begun here for a cluster', () => {
  const nodes = [{ stage: 'environments' }] as StageNode[];
  expect(nodesAhead(nodes, null, false)).toBe(nodes);
  expect(nodesAhead(nodes, 2, false)).toBe(nodes);
  expect(nodesAhead(nodes, 1, false)).toEqual([]);
  expect(nodesAhead(nodes, null, true)).toEqual([]);
});
