/**
 * grade: a verdict for every patch, in a fresh workspace. Keyed by the task, the patch and the rules, and never by
 * the trajectory, so that other rules roll nothing again and the same patch is graded once, whoever wrote it.
 */
import { needText, readText, storeText } from '../../cache/cache.ts';
import { canonicalJson, type Json } from '../../cache/canonical.ts';
import { digestOfList, type Part } from '../../cache/key.ts';
import type { IntegrityBaseline } from '../../grading/integrity.ts';
import { findPreset } from '../../grading/presets.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import { fault, type Result, success } from '../../schemas/result.ts';
import { type ResolvedConfig, testTimeout, validatedDatasets } from '../config.ts';
import { type CatalogueRow, readCatalogue } from '../dataset/catalogue.ts';
import { type Assignment, assignmentOf } from '../environments/assignment.ts';
import { builtInRecipes, type TestRecipe } from '../environments/recipe.ts';
import { evaluationDatasets, rolloutDatasets } from '../rollouts/datasets.ts';
import { itemName, splitItem } from '../rollouts/item-name.ts';
import { evaluationPlayers, rolloutPlayers } from '../rollouts/player.ts';
import type { ActionContext, ActionResult, Item, Records, Services, Stage, StageNode } from '../stage.ts';
import { baseParts, gradeSettings } from '../surroundings.ts';
import { prepareChecks } from '../testing/setup.ts';
import { type Graded, gradePatch } from './grade.ts';
import { instanceReport } from './report.ts';
import { type GradeVerdict, outcomeOf } from './verdict.ts';

interface GradeItem {
  row: CatalogueRow;
  tests: TestRecipe;
}

interface Rules {
  preset: string;
  timeout: number;
  max_patch: number;
  protect: string[];
  repeats: number;
}

export const gradeStage: Stage<GradeItem> = {
  name: 'grade',
  version: 2,
  streams: ['rollout', 'validate', 'environment'],

  nodes(config) {
    return [
      ...rolloutDatasets(config).map((dataset) => gradeNode(dataset, 'rollouts', config)),
      // The official harness grades by itself.
      ...(config.evaluation?.harness === 'swebench' ? [] : evaluationDatasets(config)).map((dataset) =>
        gradeNode(dataset, 'predict', config),
      ),
    ];
  },

  async surroundings(_node, services) {
    const { deployment, limits, network } = settingsOf(services.config);
    const base = await baseParts(services, deployment);
    if (!base.ok) return base;
    return success({ ...base.value, limits: { value: limits as Json }, network: { value: network } });
  },

  /** An item for each rollout, known as soon as it is known which there will be. */
  async expand(node, inputs, services) {
    const record = inputs.dataset!.record('');
    if (record === null) return fault(infra('upstream-infra', `${inputs.dataset!.address} is not known`));
    const catalogue = await readCatalogue(record, services);
    const assignment = assignmentOf(node.dataset, catalogue, services);
    const isValidated = inputs.validate !== undefined;
    const samples = samplesOf(node, services.config);
    const chunks = catalogue.blocks.map((block) => {
      const items = catalogue.rowsOf(block).flatMap((row) => {
        const names = samples.map((sample) => itemName(row.id, sample));
        return names
          .filter((name) => inputs.rollout!.has(name))
          .map((name) => gradeItem(name, row, isValidated, assignment));
      });
      const names = items.map(({ name }) => name);
      return {
        digest: digestOfList('grade block', [catalogue.digestOf(block), ...names]),
        size: items.length,
        items: () => items,
      };
    });
    return success({ chunks });
  },

  async parts(node, item, needs, services) {
    const { preset, timeout, max_patch, protect, repeats } = node.config as unknown as Rules;
    const rules = { preset, timeout, max_patch, protect, repeats, ...findPreset(preset)!.rules };
    const parts: Record<string, Part> = {
      instance: { digest: item.data.row.digest },
      source: { value: item.data.row.source },
      environment: { digest: needs.environment!.digest },
      tests: { value: item.data.tests as unknown as Json },
      rules: { value: rules },
      patch: patchPart(needs.rollout!),
      baseline: { value: (await baselineFor(needs, services)) as unknown as Json },
    };
    return success(parts);
  },

  resources: () => ({ sandbox: 1, cpu: 1 }),

  async run(node, item, needs, context) {
    const rollout = needs.rollout!;
    if (rollout.outcome.status !== 'ok') return { outcome: rollout.outcome, outputs: {} };
    const graded = await grade(node, item, needs, context);
    if (!graded.ok) return { outcome: graded.fault, outputs: {} };
    const { verdict, log } = graded.value;
    context.log(summaryOf(verdict));
    const report = instanceReport(splitItem(item.name).instance, verdict, log);
    return {
      outcome: outcomeOf(verdict),
      outputs: { verdict: storeText(context.cache, canonicalJson(verdict as unknown as Json)) },
      notes: { report: storeText(context.cache, report) },
    } satisfies ActionResult;
  },
};

function gradeNode(dataset: string, from: 'rollouts' | 'predict', config: ResolvedConfig): StageNode {
  const validated = validatedDatasets(config).includes(dataset);
  return {
    address: `grade.${dataset}`,
    stage: 'grade',
    dataset,
    inputs: {
      dataset: `dataset.${dataset}`,
      environment: `environments.${dataset}`,
      rollout: `${from}.${dataset}`,
      ...(validated ? { validate: `validate.${dataset}` } : {}),
    },
    config: {
      ...rulesOf(dataset, config),
      recipes: config.environments.recipes,
      built_in: [builtInRecipes(), findPreset(config.grading.preset)!.rules],
    } as unknown as Json,
  };
}

function rulesOf(dataset: string, config: ResolvedConfig): Rules {
  const { preset, timeout, max_patch, protect, repeats } = config.grading;
  return {
    preset,
    timeout: timeout ?? testTimeout(config, dataset),
    max_patch,
    protect: [...protect],
    repeats,
  };
}

function settingsOf(config: ResolvedConfig) {
  return gradeSettings(config, config.grading.deployment ?? config.validation.deployment);
}

function samplesOf({ inputs }: StageNode, config: ResolvedConfig): string[] {
  const isEvaluation = inputs.rollout!.startsWith('predict.');
  const players = isEvaluation ? evaluationPlayers(config) : rolloutPlayers(config);
  return players.map(({ sample }) => sample);
}

function gradeItem(
  name: string,
  row: CatalogueRow,
  isValidated: boolean,
  { environments, placeOf }: Assignment,
): Item<GradeItem> {
  const { environment, tests } = placeOf(row);
  const needs = {
    dataset: '',
    environment: environments[environment]!.name,
    rollout: name,
    ...(isValidated ? { validate: row.id } : {}),
  };
  return { name, needs, data: { row, tests } };
}

/** The patch alone; a rollout that gave none is what its outcome says. */
function patchPart(rollout: ActionRecord): Part {
  const { patch } = rollout.outputs;
  return patch === undefined ? { value: rollout.outcome as unknown as Json } : { digest: patch.digest };
}

/** What the task's validation says of its runner; null without one, or when it did not come that far. */
async function baselineFor(needs: Records, services: Services): Promise<IntegrityBaseline | null> {
  const text = await needText(services.cache, needs.validate?.outputs.integrity);
  const baseline = text === null ? null : (JSON.parse(text) as IntegrityBaseline);
  return baseline?.reports === null && baseline.excused.length === 0 ? null : baseline;
}

async function grade(
  node: StageNode,
  item: Item<GradeItem>,
  needs: Records,
  context: ActionContext,
): Promise<Result<Graded, Infra | Outcome>> {
  const rules = node.config as unknown as Rules;
  const diff = await patchText(needs.rollout!, rules.max_patch, context);
  if (diff === null)
    return fault(infra('executor', 'the rollout’s patch is gone from the cache; build again'));
  const setup = await prepareChecks(
    {
      ...item.data,
      settings: settingsOf(context.config),
      timeout: rules.timeout,
      protect: rules.protect,
      dataset: needs.dataset!,
      environment: needs.environment!,
      isValidated: needs.validate?.outcome.status === 'ok',
    },
    context,
  );
  if (!setup.ok) return setup;
  const request = {
    diff,
    preset: findPreset(rules.preset)!,
    maxPatch: rules.max_patch,
    repeats: rules.repeats,
    baseline: await baselineFor(needs, context),
  };
  return gradePatch(request, setup.value);
}

/** The patch, or, when it is larger than may be, as many bytes of nothing: it will be refused unread. */
async function patchText(
  { outputs: { patch } }: ActionRecord,
  max: number,
  { cache }: Services,
): Promise<string | null> {
  if (patch?.kind === 'blob' && patch.size > max) return ' '.repeat(patch.size);
  return readText(cache, patch);
}

function summaryOf(verdict: GradeVerdict): string {
  const { reward, reason, detail, preset, relaxations, integrity, patch, repeats } = verdict;
  const lines = [
    `== verdict · ${reward === null ? 'no reward' : `reward ${reward}`}${reason === null ? '' : ` · ${reason}: ${detail}`}`,
    `rules: ${preset}${relaxations.map((relaxation) => `; ${relaxation}`).join('')}`,
    ...(repeats === 0 ? [] : [`repeats: ${repeats}`]),
    ...integrity.map(({ rule, effect, detail: what }) => `${effect}: ${rule} (${what})`),
    ...(patch.dropped.length === 0 ? [] : [`put back: ${patch.dropped.join(', ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}
