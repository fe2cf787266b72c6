/**
 * rl-data: the tasks that passed validation as the trainer’s rows, in the order and the range of the seeds’ scripts;
 * the benchmark’s as its rows for validation.
 */

import type { Json } from '../../basics/canonical.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import { success } from '../../basics/result.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import type { Machine } from '../../contract/machine.ts';
import { inside } from '../../contract/machine.ts';
import type { ItemResult, ItemResults, PlanReader } from '../../contract/reader.ts';
import type { Tools } from '../../contract/tools.ts';
import { ISOLATION } from '../../contract/work.ts';
import { readWorkDeployments, WORK_DEPLOYMENTS } from '../../contract/work-deployments.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import { RL_TRAINERS, type RlType } from '../../trainers/registry.ts';
import { parquetOf } from '../../trainers/rows/parquet.ts';
import { permutation } from '../../trainers/rows/permutation.ts';
import type { RlTask } from '../../trainers/trainer.ts';
import { type CatalogueRow, readCatalogue, readInstance } from '../dataset/blocks/catalogue.ts';
import { discoverInput, faultsOf, unmeasured } from '../discover/unmeasured.ts';
import { refusal } from '../golden/isolation.ts';
import { rlDatasets } from './datasets.ts';
import { type Origin, originOf, type RlRowSettings, rlRows, rowsOf, withImage } from './rows.ts';

export const rlDataStage = defineStage({
  name: 'rl-data',
  version: 3,
  exports: true,
  besideTraining: 'goal',
  uses: ['cache'],
  asks: [ISOLATION, WORK_DEPLOYMENTS],

  nodes: (config) =>
    rlDatasets(config).map((dataset) => ({
      dataset,
      inputs: {
        dataset: `dataset.${dataset}`,
        validate: `validate.${dataset}`,
        ...(config.evaluation === undefined ? {} : { evaluation: `dataset.${config.evaluation.dataset}` }),
        ...discoverInput(config, dataset, 'discover'),
        ...discoverInput(config, config.evaluation?.dataset, 'discover_evaluation'),
      },
    })),

  async plan(reader) {
    const { type, rows, data } = (await reader.config('trainer', 'rl'))!;
    const form: RlType = type !== 'none' && RL_TRAINERS[type].rows !== null ? type : rows;
    // A smaller set would look like a complete one.
    const waiting =
      unmeasured(reader, 'discover', 'discover_evaluation') ??
      faultsOf(reader, ['validate'], 'instance', 'without a verdict of validation');
    if (waiting !== null) return waiting;
    const isolation = await reader.ask(ISOLATION, (await readWorkDeployments(reader)).validate.deployment);
    if (!isolation.ok) return isolation;
    const allowed = await reader.config('validation', 'allow_isolation');
    const settings = {
      form,
      range: data.range ?? null,
      seed: data.seed,
      gold: data.gold,
      name: data.source_name ?? null,
    };
    const benchmark = await reader.config('evaluation', 'dataset');
    const origins = {
      train: await originFor(reader, reader.dataset),
      validation: benchmark === undefined ? null : await originFor(reader, benchmark),
    };
    const needs = { dataset: '', ...(reader.hasInput('evaluation') ? { evaluation: '' } : {}) };
    return success(singleItem(needs, { settings, isolation: isolation.value, allowed, origins }));
  },

  inputs: (item, { settings, isolation, allowed, origins }) =>
    success({
      settings: item.value(settings),
      isolation: item.value(isolation),
      allow_isolation: item.value(allowed),
      origins: item.value(origins),
      dataset: item.need('dataset'),
      verdicts: item.results('validate'),
      evaluation: item.names('evaluation') ? item.need('evaluation') : item.value(null),
    }),

  async run(
    { settings, isolation, allow_isolation: allowed, origins, dataset, verdicts, evaluation },
    tools,
  ) {
    const refused = refusal({ validate: isolation }, allowed);
    if (refused !== null) return { outcome: refused, outputs: {} };
    const { form, range, seed, gold, name } = settings;
    const passed = await passedTasks(dataset, verdicts, origins.train, tools.machine);
    const chosen = chosenOf(passed, range, seed);
    if (chosen.length === 0) return { outcome: NOTHING, outputs: {} };
    const fileOf = (split: RlRowSettings['split']) => `${split}.${rowsOf(form).ending}`;
    const write = (tasks: readonly RlTask[], split: RlRowSettings['split'], { source }: Origin) =>
      writeRows(tasks, form, { source: name ?? source, split, gold }, tools);
    const train = await write(chosen, 'train', origins.train);
    const { validation: from } = origins;
    const all =
      evaluation === null || from === null ? [] : await tasksOf(evaluation, () => true, from, tools.machine);
    const validation =
      all.length === 0 ? {} : { [fileOf('validation')]: await write(all, 'validation', from!) };
    const summary = { form, passed: passed.length, train: chosen.length, validation: all.length };
    return {
      outcome: { status: 'ok' },
      outputs: { [fileOf('train')]: train, ...validation },
      notes: { 'summary.json': tools.store(`${JSON.stringify(summary)}\n`) },
    };
  },
});

const NOTHING: Outcome = {
  status: 'failed',
  reason: 'nothing-to-train-on',
  detail: 'no task passed validation, or the range holds none of them',
};

async function originFor(reader: PlanReader, dataset: string): Promise<Origin> {
  const source = (await reader.config('dataset', dataset, 'source'))!;
  const format = (await reader.config('dataset', dataset, 'format'))!;
  return originOf(dataset, { source, format, inner: await reader.config('dataset', dataset, 'inner') });
}

function passedTasks(
  dataset: ItemResult,
  verdicts: ItemResults,
  origin: Origin,
  machine: Machine,
): Promise<RlTask[]> {
  return tasksOf(
    dataset,
    ({ id }) => verdicts.has(id) && verdicts.outcome(id).status === 'ok',
    origin,
    machine,
  );
}

/** In the dataset’s order. */
async function tasksOf(
  dataset: ItemResult,
  wanted: (row: CatalogueRow) => boolean,
  origin: Origin,
  machine: Machine,
): Promise<RlTask[]> {
  const catalogue = await readCatalogue(dataset, machine);
  const rows = catalogue.rows.filter(wanted);
  return mapLimit(rows, 8, async (row) => {
    const instance = await readInstance(dataset, row, machine);
    const { raw, problem_statement: problem } = instance;
    return { problem, row: withImage(inner(raw as Record<string, Json>), instance, origin) };
  });
}

/** Rows of another trainer hold the task inside. */
function inner(raw: Record<string, Json>): Record<string, Json> {
  const metadata = raw.metadata as Record<string, Json> | undefined;
  const nested = raw.instance ?? metadata?.instance;
  return typeof nested === 'object' && nested !== null && !Array.isArray(nested) ? nested : raw;
}

/** Shuffled, then the range: as `shuffle(42).select(range(A, B))`. */
function chosenOf<T>(tasks: readonly T[], range: string | null, seed: number): T[] {
  const shuffled = permutation(tasks.length, seed).map((index) => tasks[index]!);
  if (range === null) return shuffled;
  const [from, to] = range.split(':').map((text) => (text === '' ? undefined : Number(text)));
  return shuffled.slice(from ?? 0, to);
}

async function writeRows(
  tasks: readonly RlTask[],
  form: RlType,
  settings: RlRowSettings,
  tools: Tools,
): Promise<Output> {
  const rows = rlRows(form, tasks, settings);
  if (rowsOf(form).ending === 'jsonl')
    return tools.store(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return {
    kind: 'blob',
    ...inside(tools.machine, 'cache').cache.blobs.write(Buffer.from(await parquetOf(rows))),
  };
}
