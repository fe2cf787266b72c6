/**
 * sft-data: the balanced trajectories as conversations for a trainer, and a card that describes them. Instances that
 * are also in the evaluation dataset are left out here, last of all, so that no earlier stage depends on the
 * benchmark.
 */

import { success } from '../../basics/result.ts';
import { sftOf } from '../../contract/config.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import type { Input } from '../../contract/input.ts';
import type { ItemReader, ItemResult } from '../../contract/reader.ts';
import type { Tools } from '../../contract/tools.ts';
import { type DroppedLine, jsonLines, parseLines } from '../golden/line.ts';
import { sftDatasets } from '../golden/stage.ts';
import { count, type GoldenSummary } from '../golden/tally.ts';
import { datasetCard } from './card.ts';
import { readEvaluation } from './decontaminate.ts';
import { HUB_SOURCE, readProvenance } from './provenance.ts';
import type { SftSettings } from './settings.ts';
import type { Written } from './write.ts';

export const sftDataStage = defineStage({
  name: 'sft-data',
  version: 4,
  uses: ['cache'],
  exports: true,
  besideTraining: 'goal',
  asks: [HUB_SOURCE],

  nodes: (config) =>
    sftDatasets(config).map((dataset) => {
      const { decontaminate } = sftOf(config);
      const evaluation = decontaminate ? config.evaluation?.dataset : undefined;
      const inputs = {
        dataset: `dataset.${dataset}`,
        rollout: `rollouts.${dataset}`,
        golden: `golden.${dataset}`,
        balance: `balance.${dataset}`,
      };
      return {
        dataset,
        inputs: evaluation === undefined ? inputs : { ...inputs, evaluation: `dataset.${evaluation}` },
      };
    }),

  async plan(reader) {
    const { style, samples, train, decontaminate } = (await reader.config('trainer', 'sft'))!;
    const compares = reader.hasInput('evaluation');
    const evaluation = compares ? ((await reader.config('evaluation', 'dataset')) as string) : null;
    const provenance = await readProvenance(reader);
    const settings: SftSettings = {
      dataset: reader.dataset,
      style,
      samples,
      ...(train === undefined ? {} : { train }),
      decontaminate,
      evaluation,
      provenance,
    };
    const needs = { dataset: '', golden: '', balance: '', ...(compares ? { evaluation: '' } : {}) };
    return success(singleItem(needs, settings));
  },

  inputs: (item, settings) =>
    success({
      config: item.value(settings),
      dataset: item.need('dataset'),
      golden: item.need('golden'),
      balance: item.need('balance'),
      evaluation: evaluationOf(item, settings),
      // Read by name, and held against the digests that balance lists.
      rollout: item.byDigest('rollout'),
    }),

  async run({ config, dataset, golden, balance, evaluation, rollout }, tools) {
    const index = evaluation === null ? null : await readEvaluation(evaluation, tools.machine);
    const { writeSamples } = await import('./write.ts');
    const written = await writeSamples({ config, rollout, dataset, balance, evaluation: index }, tools);
    const compared =
      index === null
        ? null
        : { name: config.evaluation!, instances: index.instances, digest: evaluation!.digest };
    const card = await cardOf(config, written, { golden, balance, dataset }, compared, tools);
    return {
      outcome: { status: 'ok' },
      outputs: {
        'sft.jsonl': written.file,
        'README.md': tools.store(card),
        'dropped.jsonl': tools.store(jsonLines(written.dropped)),
      },
    };
  },
});

function evaluationOf(item: ItemReader, { evaluation }: SftSettings): Input<ItemResult | null> {
  return evaluation === null ? item.value(null) : item.need('evaluation');
}

async function cardOf(
  { dataset, style, samples, provenance }: SftSettings,
  { statistics, dropped }: Written,
  answers: { golden: ItemResult; balance: ItemResult; dataset: ItemResult },
  evaluation: { name: string; instances: number; digest: string } | null,
  tools: Tools,
): Promise<string> {
  const text = async (answer: ItemResult, output: string) => (await tools.need(answer.outputs[output])) ?? '';
  const balanced = parseLines<DroppedLine>(await text(answers.balance, 'dropped.jsonl'));
  return datasetCard({
    dataset,
    style,
    unit: samples,
    catalogue: answers.dataset.outputs.catalogue!.digest,
    statistics,
    golden: JSON.parse(await text(answers.golden, 'summary.json')) as GoldenSummary,
    balanced: countWhy(balanced),
    left: countWhy(dropped),
    evaluation,
    provenance,
  });
}

function countWhy(lines: readonly DroppedLine[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { why } of lines) count(counts, why);
  return counts;
}
