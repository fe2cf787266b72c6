/**
 * rl-model: the first weights of RL in the format torch_dist, for frameworks that start from it. The framework's own
 * program converts them, once for each model.
 */

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { success } from '../../basics/result.ts';
import { digestOfList } from '../../cache/key.ts';
import { rlOf } from '../../contract/config.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import { inside } from '../../contract/machine.ts';
import { endingOf } from '../../executors/process-runner.ts';
import { infra } from '../../schemas/outcome.ts';
import { BASE_MODEL, modelSource } from '../../tasks/training/base-model.ts';
import { activationOf, FRAMEWORK } from '../../tasks/training/framework.ts';
import { hubModel } from '../../tasks/training/hub-model.ts';
import { absolute } from '../../tasks/training/paths.ts';
import { deploymentGpus, deploymentPids, TRAINING } from '../../tasks/training/settings.ts';
import { RL_TRAINERS } from '../../trainers/registry.ts';
import { modelReference } from '../../trainers/trainer.ts';
import { rlTrainDatasets } from '../rl-data/datasets.ts';
import { converts, sftInput } from '../rl-train/inputs.ts';

export const rlModelStage = defineStage({
  name: 'rl-model',
  version: 1,
  exports: false,
  uses: TRAINING,
  asks: [BASE_MODEL, FRAMEWORK],

  nodes: (config) =>
    converts(config) ? rlTrainDatasets(config).map((dataset) => ({ dataset, inputs: sftInput(config) })) : [],

  async plan(reader) {
    const base = await reader.ask(BASE_MODEL, 'rl');
    if (!base.ok) return base;
    const framework = await reader.ask(FRAMEWORK, 'rl');
    if (!framework.ok) return framework;
    const { type, model_args, env } = (await reader.config('trainer', 'rl'))!;
    const program = { type, env: (env ?? {}) as Json, framework: framework.value };
    const needs = reader.hasInput('sft') ? { sft: '' } : {};
    return success(
      singleItem(needs, { base: base.value, shape: model_args ?? null, program }, { cpu: 1, gpu: 1 }),
    );
  },

  inputs: (item, { base, shape, program }) =>
    success({
      base: item.value(base),
      shape: item.value(shape),
      // The program that converts.
      program: item.value(program),
      sft: item.names('sft') ? item.output('sft', 'checkpoint') : item.value(null),
    }),

  async run({ base, shape, program, sft }, tools) {
    const services = inside(tools.machine, ...TRAINING);
    const config = absolute(rlOf(services.config), services);
    const model = await modelSource(config.model, sft, services);
    if (!model.ok) return { outcome: model.fault, outputs: {} };
    if (config.type === 'none') throw new Error('a trainer of type none converts nothing');
    const trainer = RL_TRAINERS[config.type];
    const convert = trainer.convert?.(config);
    if (convert == null) throw new Error(`${config.type} converts nothing`);
    const name = digestOfList('torch_dist', [
      base,
      shape ?? '',
      canonicalJson(program),
      sft?.digest ?? '',
    ]).slice(0, 16);
    const folder = join(services.cache.folder.executors, 'training', `model-${name}`);
    const output = join(folder, 'output');
    // A killed run leaves half a model behind.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(output, { recursive: true });
    const of = deploymentGpus(services.config, 'rl');
    const gpus = config.gpus ?? of;
    const weights = hubModel(model.value, trainer, folder);
    const script = convert.script({ model: modelReference(weights.model), output, gpus });
    const activate = activationOf('rl', services);
    const ended = await services.processes.run({
      command: [
        'set -eo pipefail',
        ...(activate === null ? [] : [activate]),
        ...weights.script,
        ...script,
      ].join('\n'),
      cwd: folder,
      env: config.env as Record<string, string>,
      log: join(folder, 'convert.log'),
      onOutput: (text) => tools.log(text),
      signal: tools.signal,
      timeout: config.timeout,
      pids: deploymentPids(services.config, 'rl'),
      ...(of > 0 ? { gpus: { count: gpus, of } } : {}),
    });
    if (!ended.ok) return { outcome: ended.fault, outputs: {} };
    const { exitCode, overPids, output: printed } = ended.value;
    if (exitCode !== 0 || !existsSync(output) || readdirSync(output).length === 0) {
      const tail = printed.trimEnd().split('\n').slice(-15).join('\n');
      const why = overPids === undefined ? '' : `: its program ${endingOf(ended.value)}`;
      return { outcome: infra('training', `the model was not converted${why}\n${tail}`), outputs: {} };
    }
    const { digest } = await services.cache.layers.add(output);
    rmSync(folder, { recursive: true, force: true });
    return { outcome: { status: 'ok' }, outputs: { model: { kind: 'layer', digest } } };
  },
});
