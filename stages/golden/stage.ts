/**
 * golden: the trajectories that are good enough for training, each with a leak report, and a line for each one that
 * is left out. It waits until all rollouts are graded and all instances validated: an incomplete set would look like
 * a complete one.
 */

import { LEAK_REPORT_VERSION } from '../../agent/leaks/report.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import { success } from '../../basics/result.ts';
import type { BlobWriter } from '../../cache/blobs.ts';
import { readText } from '../../cache/cache.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import { inside } from '../../contract/machine.ts';
import type { ItemResult, ItemResults } from '../../contract/reader.ts';
import type { ActionResult } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { ISOLATION } from '../../contract/work.ts';
import { WORK_DEPLOYMENTS } from '../../contract/work-deployments.ts';
import type { GoldenConfig } from '../../schemas/generated/project.ts';
import type { Output } from '../../schemas/record.ts';
import { type CatalogueRow, readCatalogue, readInstance } from '../dataset/blocks/catalogue.ts';
import { discoverInput, unmeasured } from '../discover/unmeasured.ts';
import { rolloutDatasets } from '../rollouts/datasets.ts';
import { isNumbered, splitItem } from '../rollouts/item-name.ts';
import { byInstance, unanswered } from './candidates.ts';
import { type Decision, decide } from './decision.ts';
import { readIsolation, refusal, type WorkIsolation } from './isolation.ts';
import { jsonLines } from './line.ts';
import { tally } from './tally.ts';

/** Instances that are decided at the same time; all trajectories together would not fit into memory. */
const BATCH = 64;

/** The datasets of which training data is made. */
export function sftDatasets(config: ResolvedConfig): string[] {
  const sft = config.trainer?.sft;
  // Conversations from elsewhere stand in place of its own.
  return sft === undefined || sft.data !== undefined ? [] : rolloutDatasets(config);
}

export const goldenStage = defineStage({
  name: 'golden',
  version: 4,
  isLight: true,
  uses: ['cache'],
  exports: true,
  asks: [ISOLATION, WORK_DEPLOYMENTS],
  tables: { leaks: () => LEAK_REPORT_VERSION },

  nodes: (config) =>
    sftDatasets(config).map((dataset) => ({
      dataset,
      inputs: {
        dataset: `dataset.${dataset}`,
        validate: `validate.${dataset}`,
        rollout: `rollouts.${dataset}`,
        grade: `grade.${dataset}`,
        ...discoverInput(config, dataset, 'discover'),
      },
    })),

  async plan(reader) {
    const isolation = await readIsolation(reader);
    if (!isolation.ok) return isolation;
    const waiting =
      unmeasured(reader, 'discover') ??
      unanswered({
        validate: reader.input('validate'),
        rollout: reader.input('rollout'),
        grade: reader.input('grade'),
      });
    if (waiting !== null) return waiting;
    const allowed = await reader.config('validation', 'allow_isolation');
    const { golden: policy } = (await reader.config('trainer', 'sft'))!;
    const leaks = await reader.table<number>('leaks');
    return success(singleItem({ dataset: '' }, { isolation: isolation.value, allowed, policy, leaks }));
  },

  inputs: (item, { isolation, allowed, policy, leaks }) =>
    success({
      policy: item.value(policy),
      isolation: item.value(isolation),
      allow_isolation: item.value(allowed),
      leaks: item.value(leaks),
      dataset: item.need('dataset'),
      answers: item.results('rollout', isCandidate),
      verdicts: item.results('grade', isCandidate),
    }),

  async run(inputs, tools) {
    const refused = refusal(inputs.isolation, inputs.allow_isolation);
    return refused === null ? writeGolden(inputs, tools) : { outcome: refused, outputs: {} };
  },

  /** How many rollouts came to what, then and now. */
  async describe(_node, { role, recordBefore, recordNow }, machine) {
    if (role !== 'answers' && role !== 'verdicts') return null;
    const { cache } = inside(machine, 'cache');
    const before = await readText(cache, recordBefore.outputs[SUMMARY]);
    const now = await readText(cache, recordNow?.outputs[SUMMARY]);
    return before === null || now === null ? null : { before: JSON.parse(before), now: JSON.parse(now) };
  },
});

/** Baselines are no training data. */
function isCandidate({ name }: { name: string }): boolean {
  return isNumbered(splitItem(name).sample);
}

const SUMMARY = 'summary.json';
const FILES = ['golden.jsonl', 'leaks.jsonl', 'dropped.jsonl'] as const;

interface GoldenInputs {
  policy: GoldenConfig;
  isolation: WorkIsolation;
  dataset: ItemResult;
  answers: ItemResults;
  verdicts: ItemResults;
}

async function writeGolden(
  { policy, isolation, dataset, answers, verdicts }: GoldenInputs,
  tools: Tools,
): Promise<ActionResult> {
  const candidates = byInstance(answers.names);
  const catalogue = await readCatalogue(dataset, tools.machine);
  const rows = catalogue.rows.filter((row) => candidates.has(row.id));
  const counts = tally();
  const decideRow = async (row: CatalogueRow): Promise<Decision[]> => {
    const instance = await readInstance(dataset, row, tools.machine);
    const decisions: Decision[] = [];
    for (const name of candidates.get(row.id)!)
      decisions.push(await decide(name, instance, { answers, verdicts }, policy, tools));
    return decisions;
  };
  const writers = FILES.map(() => tools.writer());
  try {
    for (let at = 0; at < rows.length; at += BATCH) {
      const decided = (await mapLimit(rows.slice(at, at + BATCH), 8, decideRow)).flat();
      for (const decision of decided) counts.add(decision);
      writeDecisions(writers, decided);
    }
    const files = writers.map((writer, index): [string, Output] => [
      FILES[index]!,
      { kind: 'blob', ...writer.finish() },
    ]);
    const summary = tools.store(canonicalJson(counts.summary(isolation)));
    return { outcome: { status: 'ok' }, outputs: { ...Object.fromEntries(files), [SUMMARY]: summary } };
  } catch (error) {
    for (const writer of writers) writer.drop();
    throw error;
  }
}

function writeDecisions([golden, leaks, dropped]: BlobWriter[], decisions: readonly Decision[]): void {
  golden!.write(jsonLines(decisions.flatMap((decision) => decision.golden ?? [])));
  const reports = decisions.filter(({ summary }) => summary !== null);
  leaks!.write(
    jsonLines(reports.map(({ instance_id, sample, findings }) => ({ instance_id, sample, findings }))),
  );
  dropped!.write(jsonLines(decisions.flatMap((decision) => decision.dropped ?? [])));
}
