/**
 * report: the results of a dataset's rollouts, as numbers and as a page. It is keyed by answers alone. Times are
 * notes of the rollouts, so a report on cached rollouts shows the times of when they were made.
 */

import { isBaseline } from '../../agent/kinds/registry.ts';
import { success } from '../../basics/result.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import type { ItemResults } from '../../contract/reader.ts';
import { rolloutDatasets } from '../rollouts/datasets.ts';
import { reportMetrics } from './metrics.ts';
import { readRollouts } from './rollout.ts';
import { reportText } from './text.ts';

export const reportStage = defineStage({
  name: 'report',
  version: 6,
  uses: ['cache'],
  exports: true,
  besideTraining: 'report',

  nodes: (config) =>
    rolloutDatasets(config).map((dataset) => ({
      dataset,
      inputs: {
        dataset: `dataset.${dataset}`,
        validate: `validate.${dataset}`,
        rollout: `rollouts.${dataset}`,
        grade: `grade.${dataset}`,
      },
    })),

  async plan(reader) {
    const agent = await reader.config('agent', 'type');
    const known = { name: reader.dataset, baseline: agent !== undefined && isBaseline(agent) ? agent : null };
    return success(singleItem({ dataset: '' }, known));
  },

  inputs: (item, known) =>
    success({
      known: item.value(known),
      dataset: item.need('dataset'),
      rollouts: item.results('rollout'),
      verdicts: item.results('grade'),
      validated: item.results('validate'),
    }),

  async run({ known: { name, baseline }, dataset, rollouts, verdicts, validated }, tools) {
    const { catalogue, rollouts: reported } = await readRollouts({ dataset, rollouts, verdicts }, tools);
    const counts = { dataset: catalogue.rows.length, validated: passed(validated) };
    const report = reportMetrics(name, counts, reported, baseline);
    for (const alarm of report.alarms) tools.log(`alarm: ${alarm}\n`);
    return {
      outcome: { status: 'ok' },
      outputs: {},
      // They hold times, and so are in no key.
      notes: {
        'metrics.json': tools.store(`${JSON.stringify(report, null, 2)}\n`),
        'summary.md': tools.store(reportText(report)),
      },
    };
  },
});

/** How many instances passed validation. */
function passed(validated: ItemResults): number {
  return validated.names.filter((name) => validated.outcome(name).status === 'ok').length;
}
