/** Tables in the code that decide single items are in the keys of finished stages, so that no version need be raised. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../cache/canonical.ts';
import { compileGraph } from '../../compiler/graph.ts';
import { loadProject } from '../../compiler/load.ts';
import { findPreset } from '../../grading/presets.ts';
import { builtInRecipes } from '../../stages/environments/recipe.ts';
import { STAGES } from '../../stages/registry.ts';
import { temporaryFolder } from '../rig/folder.ts';

const PROJECT = `version: 1
name: tables
dataset: { train: { source: rows.jsonl, format: custom } }
deployments: { box: { type: sandbox } }
validation: { deployment: box }
agent: { type: oracle }
trainer: { sft: { type: none } }
`;

test('tables of recipes, presets and leak rules', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'p.yaml'), PROJECT);
  const loaded = await loadProject('p.yaml', { env: {}, cwd: folder, set: [] });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const { config } = loaded.value;
  const { nodes } = await compileGraph(config, STAGES);
  const configOf = (address: string) => canonicalJson(nodes.find((node) => node.address === address)!.config);
  for (const address of ['environments.train', 'validate.train', 'grade.train'])
    expect(configOf(address)).toContain(builtInRecipes());
  expect(configOf('grade.train')).toContain(canonicalJson(findPreset(config.grading.preset)!.rules));
});
