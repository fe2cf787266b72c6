/** rl-train: a model learns from rollouts on the rows of rl-data, begun with a given model or the checkpoint of sft. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { readText } from '../../cache/cache.ts';
import { rlOf } from '../../contract/config.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import { inside } from '../../contract/machine.ts';
import type { ItemResult } from '../../contract/reader.ts';
import type { Tools } from '../../contract/tools.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import { BASE_MODEL, modelSource } from '../../tasks/training/base-model.ts';
import { FRAMEWORK } from '../../tasks/training/framework.ts';
import { GPUS, TRAINING } from '../../tasks/training/settings.ts';
import { decidingSettings, RL_TRAINERS } from '../../trainers/registry.ts';
import type { TrainingFiles } from '../../trainers/trainer.ts';
import { rlTrainDatasets } from '../rl-data/datasets.ts';
import { converts, sftInput } from './inputs.ts';

/** Keys that decide the rows. The content of the rows counts instead of them. */
const OF_THE_DATA = ['data', 'rows'];

export const rlTrainStage = defineStage({
  name: 'rl-train',
  version: 5,
  exports: true,
  besideTraining: 'goal',
  uses: TRAINING,
  asks: [BASE_MODEL, FRAMEWORK, GPUS],

  nodes: (config) =>
    rlTrainDatasets(config).map((dataset) => ({
      dataset,
      inputs: {
        data: `rl-data.${dataset}`,
        ...sftInput(config),
        ...(converts(config) ? { converted: `rl-model.${dataset}` } : {}),
      },
    })),

  async plan(reader) {
    const rl = (await reader.config('trainer', 'rl'))!;
    const base = await reader.ask(BASE_MODEL, 'rl');
    if (!base.ok) return base;
    const framework = await reader.ask(FRAMEWORK, 'rl');
    if (!framework.ok) return framework;
    const gpus = await reader.ask(GPUS, 'rl');
    if (!gpus.ok) return gpus;
    const settings = decidingSettings('rl', rl, OF_THE_DATA);
    const data = {
      settings,
      base: base.value,
      framework: framework.value,
      gpus: gpus.value,
    };
    const needs = Object.fromEntries(
      ['data', 'sft', 'converted'].filter((role) => reader.hasInput(role)).map((role) => [role, '']),
    );
    return success(singleItem(needs, data, { cpu: 1, gpu: gpus.value }));
  },

  inputs: (item, { settings, base, framework, gpus }) =>
    success({
      settings: item.value(settings),
      base: item.value(base),
      framework: item.value(framework),
      gpus: item.value(gpus),
      data: item.need('data'),
      sft: item.names('sft') ? item.output('sft', 'checkpoint') : item.value(null),
      converted: item.names('converted') ? item.output('converted', 'model') : item.value(null),
      chained: item.value(item.names('sft')),
    }),

  async run({ settings, base, framework, gpus, data, sft, converted, chained }, tools) {
    const services = inside(tools.machine, ...TRAINING);
    const config = rlOf(services.config);
    if (config.type === 'none') throw new Error('a trainer of type none trains nothing');
    if (data.outcome.status !== 'ok') return { outcome: nothing('rl-data has no rows'), outputs: {} };
    if (chained && sft === null) return { outcome: nothing('sft-train has no checkpoint'), outputs: {} };
    const model = await modelSource(config.model, sft, services);
    if (!model.ok) return { outcome: model.fault, outputs: {} };
    const weights = converted === null ? null : await services.cache.layers.open(converted.digest);
    if (converted !== null && weights === null)
      return {
        outcome: infra('upstream-infra', 'the converted model is gone from the cache; build it again'),
        outputs: {},
      };
    const decides = { settings, base, framework, gpus, data: data.digest, sft: sft?.digest ?? null };
    const { train } = await import('../../tasks/training/train.ts');
    return train(
      {
        ...{ which: 'rl', trainer: RL_TRAINERS[config.type], config, gpus, model: model.value },
        converted: weights,
        name: services.config.name,
        identity: digestOf(canonicalJson(decides)),
        steps: config.steps ?? null,
        saved: 1,
        write: (folder) => writeFiles(folder, data, tools),
      },
      tools,
    );
  },
});

function nothing(detail: string): Outcome {
  return { status: 'failed', reason: 'nothing-to-train-on', detail };
}

/** The rows as files for the trainer. */
async function writeFiles(
  folder: string,
  data: ItemResult,
  tools: Tools,
): Promise<Result<TrainingFiles, Infra>> {
  const found: Record<string, string> = {};
  mkdirSync(folder, { recursive: true });
  for (const [name, output] of Object.entries(data.outputs)) {
    const bytes = await bytesOf(output, tools);
    if (bytes === null)
      return fault(infra('upstream-infra', `${name} is gone from the cache; build it again`));
    const path = join(folder, name);
    writeFileSync(path, bytes);
    found[name.split('.')[0]!] = path;
  }
  return success({ train: found.train!, validation: found.validation ?? null });
}

async function bytesOf(output: Output, { machine }: Tools): Promise<Buffer | string | null> {
  const { cache } = inside(machine, 'cache');
  return output.kind === 'blob' ? cache.blobs.read(output.digest) : readText(cache, output);
}
