/**
 * validate: is an instance a sound task? Untouched, at least one FAIL_TO_PASS test really fails and PASS_TO_PASS
 * pass; an empty patch scores 0; the gold patch passes everything, several times over. Every check has a fresh
 * workspace, and the verdict rests on the real grader.
 */
import { storeText } from '../../cache/cache.ts';
import { canonicalJson, type Json } from '../../cache/canonical.ts';
import type { Part } from '../../cache/key.ts';
import { baselineOf, type IntegrityBaseline, type RunEvidence } from '../../grading/integrity.ts';
import { findPreset, VALIDATION_PRESET } from '../../grading/presets.ts';
import { type ValidationVerdict, validationVerdict, verdictBeforeGold } from '../../grading/validation.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import { fault, type Result, success } from '../../schemas/result.ts';
import { testTimeout, validatedDatasets } from '../config.ts';
import { type CatalogueRow, readCatalogue } from '../dataset/catalogue.ts';
import { type Assignment, assignmentOf } from '../environments/assignment.ts';
import { builtInRecipes, type TestRecipe } from '../environments/recipe.ts';
import type { ActionResult, Item, Stage } from '../stage.ts';
import { baseParts, gradeSettings } from '../surroundings.ts';
import { goldPatch } from '../testing/apply.ts';
import { runCheck } from '../testing/check.ts';
import { type CheckSetup, prepareChecks } from '../testing/setup.ts';
import { describeInstance } from './describe.ts';

interface InstanceItem {
  row: CatalogueRow;
  tests: TestRecipe;
}

export const validateStage: Stage<InstanceItem> = {
  name: 'validate',
  version: 3,
  streams: ['environment'],

  nodes(config) {
    return validatedDatasets(config).map((dataset) => ({
      address: `validate.${dataset}`,
      stage: 'validate',
      dataset,
      inputs: { dataset: `dataset.${dataset}`, environment: `environments.${dataset}` },
      config: {
        recipes: config.environments.recipes,
        built_in: builtInRecipes(),
        gold_runs: config.validation.gold_runs,
        timeout: testTimeout(config, dataset),
        preset: VALIDATION_PRESET,
      } as unknown as Json,
    }));
  },

  async surroundings(_node, services) {
    const base = await baseParts(services);
    if (!base.ok) return base;
    const { limits, network } = gradeSettings(services.config);
    return success({ ...base.value, limits: { value: limits as Json }, network: { value: network } });
  },

  /** The rows of a dataset by blocks: what a block's items need of the dataset is named by its digest. */
  async expand(node, inputs, services) {
    const record = inputs.dataset!.record('');
    if (record === null) return fault(infra('upstream-infra', `${inputs.dataset!.address} is not known`));
    const catalogue = await readCatalogue(record, services);
    const assignment = assignmentOf(node.dataset, catalogue, services);
    const chunks = catalogue.blocks.map((block) => ({
      digest: catalogue.digestOf(block),
      size: block.rows,
      items: () => catalogue.rowsOf(block).map((row) => instanceItem(row, assignment)),
    }));
    return success({ chunks });
  },

  async parts(node, item, needs) {
    const { gold_runs, timeout, preset } = node.config as {
      gold_runs: number;
      timeout: number;
      preset: string;
    };
    const parts: Record<string, Part> = {
      instance: { digest: item.data.row.digest },
      source: { value: item.data.row.source },
      environment: { digest: needs.environment!.digest },
      tests: { value: item.data.tests as unknown as Json },
      checks: { value: { gold_runs, timeout, preset } },
    };
    return success(parts);
  },

  describe: describeInstance,

  resources: () => ({ sandbox: 1, cpu: 1 }),

  async run(node, item, needs, context) {
    const { timeout, gold_runs } = node.config as { timeout: number; gold_runs: number };
    const { row, tests } = item.data;
    const setup = await prepareChecks(
      {
        row,
        tests,
        settings: gradeSettings(context.config),
        timeout,
        protect: [],
        dataset: needs.dataset!,
        environment: needs.environment!,
      },
      context,
    );
    if (!setup.ok) return answer(setup.fault, {});
    const checks = await runChecks(setup.value, gold_runs);
    if (!checks.ok) return answer(checks.fault, {});
    const { outcome, tests: found, integrity } = checks.value;
    const store = (value: object) => storeText(context.cache, canonicalJson(value));
    return answer(outcome, { tests: store(found), integrity: store(integrity) });
  },
};

function instanceItem(row: CatalogueRow, { environments, placeOf }: Assignment): Item<InstanceItem> {
  const { environment, tests } = placeOf(row);
  const needs = { dataset: '', environment: environments[environment]!.name };
  return { name: row.id, needs, data: { row, tests } };
}

function answer(outcome: Outcome, outputs: ActionResult['outputs']): ActionResult {
  return { outcome, outputs };
}

type Checked = ValidationVerdict & { integrity: IntegrityBaseline };

/** The checks in order; the gold runs are saved when the untouched state decides. */
async function runChecks(setup: CheckSetup, goldRuns: number): Promise<Result<Checked, Infra | Outcome>> {
  const { instance } = setup;
  const lists = { failToPass: instance.FAIL_TO_PASS, passToPass: instance.PASS_TO_PASS };
  const { rules } = findPreset(VALIDATION_PRESET)!;
  const before = await runCheck(setup, 'untouched', null);
  if (!before.ok) return before;
  const empty = await runCheck(setup, 'empty patch', null);
  if (!empty.ok) return empty;
  const untouched = [before.value.evidence, empty.value.evidence];
  const gold: RunEvidence[] = [];
  const checked = (verdict: ValidationVerdict): Checked => {
    const listed = [...lists.failToPass, ...lists.passToPass];
    return { ...verdict, integrity: baselineOf(gold, untouched, listed, rules) };
  };
  const checks = { lists, rules, before: untouched[0]!.run, empty: untouched[1]!.run };
  const early = verdictBeforeGold({ ...checks, gold: [] });
  if (early !== null) return success(checked(early));
  for (let repeat = 1; repeat <= goldRuns; repeat += 1) {
    const title = `gold patch, run ${repeat} of ${goldRuns}`;
    const run = await runCheck(setup, title, goldPatch(instance));
    if (!run.ok) return run;
    gold.push(run.value.evidence);
  }
  return success(checked(validationVerdict({ ...checks, gold: gold.map(({ run }) => run) })));
}
