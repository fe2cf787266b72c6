/**
 * grade: a verdict for every patch, in a fresh workspace. It is keyed by the task, the patch and the rules, and never
 * by the trajectory. So other rules make no new rollouts, and the same patch is graded once for all its authors.
 */

import { asJson, canonicalJson } from '../../basics/canonical.ts';
import { success } from '../../basics/result.ts';
import { LostOutput } from '../../cache/cache.ts';
import { digestOfList } from '../../cache/key.ts';
import { type ResolvedConfig, validatedDatasets } from '../../contract/config.ts';
import { defineStage, type NodeShape } from '../../contract/define.ts';
import type { Input } from '../../contract/input.ts';
import { HOST_SERVICES } from '../../contract/machine.ts';
import type { ItemReader, PlanReader } from '../../contract/reader.ts';
import type { Tools } from '../../contract/tools.ts';
import { readWork, WORK, type Work } from '../../contract/work.ts';
import { readWorkDeployments } from '../../contract/work-deployments.ts';
import { gradeCandidate } from '../../grading/grade-candidate.ts';
import { type GradeVerdict, outcomeOf } from '../../grading/grade-verdict.ts';
import { baselineOf, presetTable, type Rules, readRules } from '../../grading/grading-rules.ts';
import { instanceReport } from '../../grading/instance-report.ts';
import type { TestRecipe } from '../../schemas/recipe.ts';
import type { Output } from '../../schemas/record.ts';
import { HOST_PYTHON, mutantsBy } from '../../tasks/images/mutants-by.ts';
import { type CatalogueRow, readCatalogue } from '../dataset/blocks/catalogue.ts';
import { instanceInput, testsInput } from '../dataset/instance-input.ts';
import { ASSIGNMENT_ASKS, readAssignment } from '../environments/assignment.ts';
import { evaluationDatasets, rolloutDatasets } from '../rollouts/datasets.ts';
import { itemName } from '../rollouts/item-name.ts';
import { readEvaluatedNames } from '../rollouts/solver.ts';

interface GradeItem {
  row: CatalogueRow;
  tests: TestRecipe;
  rules: Rules;
  work: Input<Work>;
  /** The Python that puts mutants into the patch's code; null without mutants. */
  by: string | null;
}

export const gradeStage = defineStage({
  name: 'grade',
  version: 47,
  uses: HOST_SERVICES,
  exports: false,
  asks: [...ASSIGNMENT_ASKS, WORK, HOST_PYTHON],
  tables: { presets: () => asJson(presetTable()) },
  pipelined: ['rollout', 'validate', 'environment'],
  itemsOf: 'sample',

  nodes: (config) => [
    ...rolloutDatasets(config).map((dataset) => gradeNode(dataset, 'rollouts', config)),
    // The official harness grades by itself.
    ...(config.evaluation?.harness === 'swebench' ? [] : evaluationDatasets(config)).map((dataset) =>
      gradeNode(dataset, 'predict', config),
    ),
  ],

  /** An item for each rollout, planned as soon as the names of the rollouts are known. */
  async plan(reader, machine) {
    const rows = reader.single('dataset');
    if (!rows.ok) return rows;
    const catalogue = await readCatalogue(rows.value, machine);
    const where = (await readWorkDeployments(reader)).grade;
    const assignment = await readAssignment(reader, catalogue, where.builtOn);
    if (!assignment.ok) return assignment;
    const work = await readWork(reader, where.deployment, 'grade');
    if (!work.ok) return work;
    const { environments, assignmentOf } = assignment.value;
    const use = isPrediction(reader) ? 'evaluation' : 'training';
    const rules = await readRules(reader, await reader.table('presets'), use);
    const samples = await readSamples(reader);
    const isValidated = reader.hasInput('validate');
    const by = isValidated ? await mutantsBy(reader) : success(null);
    if (!by.ok) return by;
    const rollouts = reader.input('rollout');
    const itemsOf = (row: CatalogueRow) => {
      const { environment, tests } = assignmentOf(row);
      const needs = {
        dataset: '',
        environment: environments[environment]!.name,
        ...(isValidated ? { validate: row.id } : {}),
      };
      const data: GradeItem = { row, tests, rules, work: work.value, by: by.value };
      return samples
        .map((sample) => itemName(row.id, sample))
        .filter((name) => rollouts.has(name))
        .map((name) => ({
          name,
          needs: { ...needs, rollout: name },
          resources: { sandbox: 1, cpu: 1 },
          deployment: where.deployment,
          data,
        }));
    };
    const chunks = catalogue.blocks.map((block) => {
      const items = catalogue.rowsOf(block).flatMap(itemsOf);
      const names = items.map(({ name }) => name);
      const digest = digestOfList('grade block', [catalogue.digestOf(block), ...names]);
      return { digest, size: items.length, items: () => items };
    });
    return success({ chunks });
  },

  async inputs(item, { row, tests, rules, work, by }, machine) {
    const validation = item.names('validate') ? item.result('validate') : null;
    return success({
      work,
      instance: instanceInput(item, row, machine),
      source: item.value(row.source),
      environment: item.need('environment'),
      tests: await testsInput(item, row, tests, machine),
      rules: item.value(rules),
      ...patchInputs(item),
      baseline: item.value(await baselineOf(validation, machine)),
      mutants_by: by === null ? item.unkeyed(null) : item.value(by),
      // If the source could be fetched before, a source that cannot be fetched now is a fault of the network.
      known: item.unkeyed({ isValidated: validation?.outcome.status === 'ok', id: row.id }),
    });
  },

  async run({ work, instance, environment, tests, rules, patch, rollout, baseline, known }, tools) {
    if (rollout !== null) return { outcome: rollout, outputs: {} };
    const diff = await patchText(patch, rules.max_patch, tools);
    if (diff === null) throw new LostOutput('the rollout’s patch');
    const graded = await gradeCandidate(
      {
        diff,
        instance: await instance(),
        tests,
        work,
        environment,
        rules,
        baseline,
        isValidated: known.isValidated,
      },
      tools,
    );
    if (!graded.ok) return { outcome: graded.fault, outputs: {} };
    const { verdict, log } = graded.value;
    tools.log(summaryOf(verdict));
    return {
      outcome: outcomeOf(verdict),
      outputs: { verdict: tools.store(canonicalJson(verdict)) },
      notes: { report: tools.store(instanceReport(known.id, verdict, log)) },
    };
  },
});

function gradeNode(dataset: string, from: 'rollouts' | 'predict', config: ResolvedConfig): NodeShape {
  return {
    dataset,
    inputs: {
      dataset: `dataset.${dataset}`,
      environment: `environments.${dataset}`,
      rollout: `${from}.${dataset}`,
      ...(validatedDatasets(config).includes(dataset) ? { validate: `validate.${dataset}` } : {}),
    },
  };
}

/** Whether the patches are predictions for a benchmark. */
function isPrediction(reader: PlanReader): boolean {
  return reader.input('rollout').address.startsWith('predict.');
}

/** Names of the samples that there may be of an instance. */
async function readSamples(reader: PlanReader): Promise<string[]> {
  if (isPrediction(reader)) return (await readEvaluatedNames(reader)).map(({ name }) => name);
  const rollouts = await reader.config('agent', 'rollouts');
  const samples = Array.from({ length: rollouts }, (_, index) => `${index}`);
  return [...samples, ...(await reader.config('agent', 'baselines'))];
}

/** Only the patch. Without a patch, the rollout's outcome counts. */
function patchInputs(item: ItemReader) {
  const { outcome, outputs } = item.result('rollout');
  return outputs.patch === undefined
    ? { patch: item.value(null), rollout: item.value(outcome) }
    : { patch: item.output('rollout', 'patch'), rollout: item.value(null) };
}

/** The patch. If it is larger than allowed, as many empty bytes: it is refused without being read. */
async function patchText(patch: Output | null, max: number, tools: Tools): Promise<string | null> {
  if (patch?.kind === 'blob' && patch.size > max) return ' '.repeat(patch.size);
  return tools.read(patch);
}

function summaryOf(verdict: GradeVerdict): string {
  const { reward, reason, detail, preset, relaxations, integrity, patch, repeats, mutants } = verdict;
  const lines = [
    `== verdict · ${reward === null ? 'no reward' : `reward ${reward}`}${reason === null ? '' : ` · ${reason}: ${detail}`}`,
    `rules: ${preset}${relaxations.map((relaxation) => `; ${relaxation}`).join('')}`,
    ...(repeats === 0 ? [] : [`repeats: ${repeats}`]),
    ...(mutants === undefined ? [] : [`mutants: ${mutants}`]),
    ...integrity.map(({ rule, effect, detail: what }) => `${effect}: ${rule} (${what})`),
    ...(patch.dropped.length === 0 ? [] : [`put back: ${patch.dropped.join(', ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}
