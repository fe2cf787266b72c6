/**
 * sft-train: a model learns from the conversations, and the checkpoint is an output like others: named by what is in
 * it, kept once. Another trajectory, weight or hyper-parameter trains again, and where things lie does not.
 */

import { canonicalJson } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { success } from '../../basics/result.ts';
import { sftOf } from '../../contract/config.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import { inside } from '../../contract/machine.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { BASE_MODEL, modelSource } from '../../tasks/training/base-model.ts';
import { FRAMEWORK } from '../../tasks/training/framework.ts';
import { GPUS, TRAINING } from '../../tasks/training/settings.ts';
import { sftSteps } from '../../trainers/arithmetic.ts';
import { decidingSettings, SFT_TRAINERS } from '../../trainers/registry.ts';
import { isOfSteps } from '../../trainers/rows/steps.ts';
import { ELSEWHERE, sftTrainDatasets } from './datasets.ts';
import { readConversations, SFT_ROWS, type Source, writeConversations } from './rows.ts';

/** Keys that decide the data. The content of the data counts instead of them. */
const OF_THE_DATA = ['golden', 'balance', 'decontaminate', 'style', 'samples', 'train', 'data'];

export const sftTrainStage = defineStage({
  name: 'sft-train',
  version: 4,
  exports: true,
  besideTraining: 'goal',
  uses: TRAINING,
  asks: [BASE_MODEL, FRAMEWORK, GPUS, SFT_ROWS],

  nodes: (config) =>
    sftTrainDatasets(config).map((dataset) => ({
      dataset,
      inputs: dataset === ELSEWHERE ? {} : { data: `sft-data.${dataset}` },
    })),

  async plan(reader) {
    const sft = (await reader.config('trainer', 'sft'))!;
    const base = await reader.ask(BASE_MODEL, 'sft');
    if (!base.ok) return base;
    const framework = await reader.ask(FRAMEWORK, 'sft');
    if (!framework.ok) return framework;
    const gpus = await reader.ask(GPUS, 'sft');
    if (!gpus.ok) return gpus;
    const rows = reader.hasInput('data') ? success(null) : await reader.ask(SFT_ROWS, null);
    if (!rows.ok) return rows;
    const settings = decidingSettings('sft', sft, OF_THE_DATA);
    const found = { base: base.value, framework: framework.value, gpus: gpus.value, rows: rows.value };
    const data = { settings, column: sft.data?.column ?? null, ...found };
    return success(
      singleItem(reader.hasInput('data') ? { data: '' } : {}, data, { cpu: 1, gpu: gpus.value }),
    );
  },

  inputs: (item, { settings, column, base, framework, gpus, rows }) =>
    success({
      settings: item.value(settings),
      column: item.value(column),
      base: item.value(base),
      framework: item.value(framework),
      gpus: item.value(gpus),
      rows: item.value(rows),
      data: item.names('data') ? item.output('data', 'sft.jsonl') : item.value(null),
    }),

  async run({ settings, column, base, framework, gpus, rows, data }, tools) {
    const services = inside(tools.machine, ...TRAINING);
    const config = sftOf(services.config);
    if (config.type === 'none') throw new Error('a trainer of type none trains nothing');
    const trainer = SFT_TRAINERS[config.type];
    if (rows === null && data === null) return { outcome: NO_DATA, outputs: {} };
    const source: Source = data === null ? { elsewhere: config.data! } : { own: data };
    const conversations = await readConversations(source, trainer.rows, isOfSteps(config), tools);
    if (!conversations.ok) return { outcome: conversations.fault, outputs: {} };
    const model = await modelSource(config.model, null, services);
    if (!model.ok) return { outcome: model.fault, outputs: {} };
    const decides = { settings, column, base, framework, gpus, rows, data: data?.digest ?? null };
    const { train } = await import('../../tasks/training/train.ts');
    return train(
      {
        ...{ which: 'sft', trainer, config, gpus, model: model.value, converted: null },
        name: services.config.name,
        identity: digestOf(canonicalJson(decides)),
        ...sftSteps(trainer, config, gpus, conversations.value.length),
        write: (folder) => writeConversations(folder, conversations.value, trainer.rows),
      },
      tools,
    );
  },
});

/** The stage before failed, so there is no data. */
const NO_DATA: Outcome = { status: 'failed', reason: 'nothing-to-train-on', detail: 'sft-data has no data' };
