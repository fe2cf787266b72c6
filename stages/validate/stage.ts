/**
 * validate: is an instance a sound task? Untouched, at least one FAIL_TO_PASS test really fails and PASS_TO_PASS
 * pass; an empty patch scores 0; the gold patch passes everything, several times over. Every check has a fresh
 * workspace, and the verdict rests on the real grader.
 */
import { storeText } from '../../cache/cache.ts';
import { canonicalJson, type Json } from '../../cache/canonical.ts';
import type { Part } from '../../cache/key.ts';
import type { RunResult } from '../../grading/log.ts';
import { findParser } from '../../grading/parsers/registry.ts';
import { DEFAULT_PRESET, findPreset } from '../../grading/presets.ts';
import { type ValidationVerdict, validationVerdict, verdictBeforeGold } from '../../grading/validation.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import { fault, type Result, success } from '../../schemas/result.ts';
import { testTimeout, validatedDatasets } from '../config.ts';
import { type CatalogueRow, readCatalogue, readInstance } from '../dataset/catalogue.ts';
import { type Assignment, assignmentOf } from '../environments/assignment.ts';
import type { TestRecipe } from '../environments/recipe.ts';
import { environmentView, readEnvironment } from '../environments/view.ts';
import { fetchInstanceSource } from '../source/instance-source.ts';
import type { ActionContext, ActionResult, Item, Records, Stage, StageNode } from '../stage.ts';
import { baseParts, gradeSettings } from '../surroundings.ts';
import { type CheckSetup, goldPatch, type PatchStep, runCheck, taskState } from './check.ts';
import { describeInstance } from './describe.ts';

interface InstanceItem {
  row: CatalogueRow;
  tests: TestRecipe;
}

export const validateStage: Stage<InstanceItem> = {
  name: 'validate',
  version: 1,
  streams: ['environment'],

  nodes(config) {
    return validatedDatasets(config).map((dataset) => ({
      address: `validate.${dataset}`,
      stage: 'validate',
      dataset,
      inputs: { dataset: `dataset.${dataset}`, environment: `environments.${dataset}` },
      config: {
        recipes: config.environments.recipes,
        gold_runs: config.validation.gold_runs,
        timeout: testTimeout(config, dataset),
        preset: DEFAULT_PRESET,
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
    const environment = needs.environment!;
    if (environment.outcome.status !== 'ok') return answer(environmentFailed(environment.outcome), {});
    const setup = await prepare(node, item, needs, context);
    if (!setup.ok) return { outcome: setup.fault, outputs: {} };
    const checks = await runChecks(setup.value, (node.config as { gold_runs: number }).gold_runs);
    if (!checks.ok) return answer(checks.fault, {});
    const { outcome, tests } = checks.value;
    return answer(outcome, { tests: storeText(context.cache, canonicalJson(tests)) });
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

function environmentFailed(outcome: Outcome): Outcome {
  const detail = 'detail' in outcome ? outcome.detail : outcome.status;
  return { status: 'failed', reason: 'environment-failed', detail };
}

async function prepare(
  node: StageNode,
  item: Item<InstanceItem>,
  needs: Records,
  context: ActionContext,
): Promise<Result<CheckSetup, Infra | Outcome>> {
  const { tests, row } = item.data;
  const parser = findParser(tests.parser);
  if (parser === null) {
    return fault({
      status: 'failed',
      reason: 'invalid-row',
      detail: `there is no log parser "${tests.parser}"`,
    });
  }
  const settings = gradeSettings(context.config);
  const deployment = await context.deployment(settings.deployment);
  if (!deployment.ok) return deployment;
  const instance = await readInstance(needs.dataset!, row, context);
  const source = await fetchInstanceSource(instance.source, context);
  if (!source.ok) return source;
  const built = await readEnvironment(needs.environment!, context);
  const view = await environmentView(built, context);
  if (!view.ok) return view;
  return success({
    deployment: deployment.value,
    environment: view.value,
    source: source.value,
    instance,
    tests,
    parser,
    limits: settings.limits,
    network: settings.network,
    timeout: (node.config as { timeout: number }).timeout,
    signal: context.signal,
    log: context.log,
  });
}

/** The checks in order; the gold runs are saved when the untouched state decides. */
async function runChecks(
  setup: CheckSetup,
  goldRuns: number,
): Promise<Result<ValidationVerdict, Infra | Outcome>> {
  const { instance } = setup;
  const lists = { failToPass: instance.FAIL_TO_PASS, passToPass: instance.PASS_TO_PASS };
  const { rules } = findPreset(DEFAULT_PRESET)!;
  const state = taskState(instance);
  const before = await runCheck(setup, 'untouched', state);
  if (!before.ok) return before;
  const empty = await runCheck(setup, 'empty patch', state);
  if (!empty.ok) return empty;
  const early = verdictBeforeGold({ lists, rules, before: before.value, empty: empty.value, gold: [] });
  if (early !== null) return success(early);
  const gold: RunResult[] = [];
  const steps: PatchStep[] = [...state, goldPatch(instance)];
  for (let repeat = 1; repeat <= goldRuns; repeat += 1) {
    const run = await runCheck(setup, `gold patch, run ${repeat} of ${goldRuns}`, steps);
    if (!run.ok) return run;
    gold.push(run.value);
  }
  return success(validationVerdict({ lists, rules, before: before.value, empty: empty.value, gold }));
}
