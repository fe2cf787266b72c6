/** balance: limits golden trajectories per instance and in all. Each one that is left out has a line that says why. */

import { success } from '../../basics/result.ts';
import { LostOutput } from '../../cache/cache.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import { type GoldenLine, jsonLines, parseLines } from '../golden/line.ts';
import { sftDatasets } from '../golden/stage.ts';
import { choose } from './choose.ts';

export const balanceStage = defineStage({
  name: 'balance',
  version: 1,
  isLight: true,
  exports: true,

  nodes: (config) =>
    sftDatasets(config).map((dataset) => ({ dataset, inputs: { golden: `golden.${dataset}` } })),

  async plan(reader) {
    const { balance } = (await reader.config('trainer', 'sft'))!;
    return success(singleItem({ golden: '' }, balance));
  },

  // The lines that golden left out are not read here.
  inputs: (item, balance) =>
    success({ config: item.value(balance), golden: item.output('golden', 'golden.jsonl') }),

  async run({ config, golden }, { read, store }) {
    const text = await read(golden);
    if (text === null) throw new LostOutput('golden.jsonl');
    const { chosen, dropped } = choose(parseLines<GoldenLine>(text), config);
    return {
      outcome: { status: 'ok' },
      outputs: { 'balanced.jsonl': store(jsonLines(chosen)), 'dropped.jsonl': store(jsonLines(dropped)) },
    };
  },
});
