/** Tables in the code that decide single items are in the traces of finished stages, so that no version need be raised. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LEAK_REPORT_VERSION } from '../../agent/leaks/report.ts';
import type { Json } from '../../basics/canonical.ts';
import { openCache } from '../../cache/cache.ts';
import { loadProject } from '../../compiler/load.ts';
import type { Services } from '../../contract/machine.ts';
import { answerDigest, ask, TABLE } from '../../contract/question.ts';
import type { Stage } from '../../contract/stage.ts';
import { findPreset, PRESETS, VALIDATION_PRESET } from '../../grading/rules/presets.ts';
import { RECIPES } from '../../stages/environments/freeze.ts';
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
  const cache = await openCache(join(folder, '.swemake'));
  const shared = new Map();
  const services = {
    cache,
    config: loaded.value.config,
    projectFolder: folder,
    shared,
  } as unknown as Services;
  const stageOf = (name: string): Stage => STAGES.find((stage) => stage.name === name)!;
  const answers = (stage: string, kind: string, argument: Json) =>
    stageOf(stage).answer!({ kind, argument }, services);
  const recipes = await ask(RECIPES, null, services);
  if (!recipes.ok) throw new Error('no recipes');
  expect(recipes.value).toMatchObject({ built_in: builtInRecipes() });
  for (const stage of ['environments', 'validate', 'rollouts', 'predict', 'grade', 'filter'])
    expect(await answers(stage, RECIPES.name, null)).toBe(answerDigest(recipes.value));
  const presets = PRESETS.map(({ name, rules }) => ({ name, rules: { ...rules } }));
  expect(await answers('grade', TABLE, 'presets')).toBe(answerDigest(presets));
  const rules = { ...findPreset(VALIDATION_PRESET)!.rules };
  expect(await answers('validate', TABLE, 'rules')).toBe(answerDigest(rules));
  expect(await answers('golden', TABLE, 'leaks')).toBe(answerDigest(LEAK_REPORT_VERSION));
  // What a stage does not declare has no answer there.
  expect(await answers('balance', RECIPES.name, null)).toBeNull();
  await cache.close();
});
