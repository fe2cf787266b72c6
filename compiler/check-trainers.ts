/** Checks of `trainer.sft` and `trainer.rl`: what a framework cannot do is reported before a GPU is paid for. */
import { resolve } from 'node:path';
import type { BaseModel, RlConfig, SftConfig } from '../schemas/generated/project.ts';
import { joined, trainersOf, type Which } from '../trainers/definition.ts';
import { decidingSettings, findTrainer, keysOfTraining, noModel, TRAINERS } from '../trainers/registry.ts';
import type { Problem, TrainerKind } from '../trainers/trainer.ts';
import { isWritten } from './check-agent.ts';
import type { CheckContext, Draft } from './check-context.ts';
import { checkReference, checkValidated } from './check-reference.ts';
import { kindOf } from './kinds.ts';

export function checkTrainers(context: CheckContext): void {
  const { sft, rl } = context.draft.trainer ?? {};
  if (sft !== undefined && isWritten(context.root, ['trainer', 'sft'])) checkTrainer('sft', sft, context);
  if (rl === undefined || !isWritten(context.root, ['trainer', 'rl'])) return;
  checkReference('dataset', ['trainer', 'rl', 'data', 'dataset'], rl.data?.dataset, context);
  checkValidated(['trainer', 'rl', 'data', 'dataset'], rl.data?.dataset, context);
  checkTrainer('rl', rl, context);
  checkCounting(rl, context);
  if (sft !== undefined) checkSharedFolder(sft, rl, context);
}

/** Reports a folder that both trainings write to: each would go on from checkpoints of the other. */
function checkSharedFolder(
  sft: Draft<SftConfig>,
  rl: Draft<RlConfig>,
  { root, report: tell }: CheckContext,
): void {
  const [one, other] = [sft, rl].map(({ output, output_folder: folder }) =>
    output === 'fixed' && folder !== undefined ? resolve('/', folder) : null,
  );
  if (one == null || other == null || (!isWithin(one, other) && !isWithin(other, one))) return;
  const at = ['trainer', 'rl', 'output_folder'];
  const where = one === other ? 'is that of' : 'overlaps that of';
  tell(
    'E132',
    isWritten(root, at) ? at : ['trainer', 'rl'],
    `the folder ${where} trainer.sft: each training would go on from checkpoints of the other`,
    'write another folder',
    isWritten(root, at) ? 'value' : 'key',
  );
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer === '/' ? outer : `${outer}/`);
}

/** slime and Miles serve the model by SGLang, which counts text and no messages. */
function checkCounting({ type }: Draft<RlConfig>, { draft, root, report: tell }: CheckContext): void {
  const { context, model } = draft.agent ?? {};
  if (type !== 'slime' && type !== 'miles') return;
  if (
    context?.strategy === undefined ||
    context.strategy === 'full' ||
    model === undefined ||
    model.tokenizer !== undefined
  )
    return;
  const at = ['agent', 'context', 'strategy'];
  tell(
    'W215',
    isWritten(root, at) ? at : ['agent'],
    'tokens of the context are counted approximately: SGLang, by which this trainer serves the model, counts no messages',
    'add tokenizer: FOLDER to agent.model, with the tokenizer.json and the chat template of the model',
    isWritten(root, at) ? 'value' : 'key',
  );
}

function checkTrainer(which: Which, config: Draft<SftConfig> | Draft<RlConfig>, context: CheckContext): void {
  const path = ['trainer', which];
  checkReference('deployment', [...path, 'deployment'], config.deployment, context, 'programs');
  const kind = findTrainer(config.type);
  if (kind === undefined) return;
  checkKeys(which, kind, config, context);
  checkPlace(path, config, context);
  checkOneDataset(which, config, context);
  checkModel(which, config, context);
  checkOutput(path, config, context);
  checkImage(path, config, context);
  const gpus = config.gpus ?? gpusOf(config.deployment, context);
  // checkKeys has reported keys that the framework does not have; sums leave them out.
  const own = decidingSettings(which, config as SftConfig | RlConfig, []);
  const problems: Problem[] =
    (which === 'sft'
      ? kind.sft?.problems(own as unknown as SftConfig, gpus)
      : kind.rl?.problems(own as unknown as RlConfig, gpus)) ?? [];
  // With a command of the user's own, the framework's arithmetic does not apply.
  const asked = config.command === undefined || kind.name === 'command' ? problems : [];
  for (const { path: below, message, remedy } of asked) report(path, below, message, remedy, context);
}

/** Reports keys that the framework does not have: they would look as if they had an effect. */
function checkKeys(
  which: Which,
  kind: TrainerKind,
  config: Draft<SftConfig> | Draft<RlConfig>,
  { root, report: tell }: CheckContext,
): void {
  const known = keysOfTraining(which, config);
  for (const key of Object.keys(config)) {
    const at = ['trainer', which, key];
    if (known.has(key) || !isWritten(root, at)) continue;
    const others = trainersOf(which, TRAINERS).filter(({ name }) =>
      keysOfTraining(which, { type: name }).has(key),
    );
    const elsewhere =
      others.length === 0
        ? ''
        : `, or use type: ${joined(
            others.map(({ name }) => name),
            'or',
          )}`;
    const remedy = `remove it${elsewhere}; ${kind.title} has ${joined([...known])}`;
    tell('E103', at, `${kind.title} has no key "${key}"`, remedy, 'key');
  }
}

/** Reports at the wrong key, or at the trainer if the project does not write the key. */
function report(
  path: readonly string[],
  below: readonly string[],
  message: string,
  remedy: string,
  { root, report: tell }: CheckContext,
): void {
  const at = [...path, ...below];
  const isThere = isWritten(root, at);
  tell('E135', isThere ? at : [...path], message, remedy, isThere ? 'value' : 'key');
}

function checkPlace(
  path: string[],
  { deployment, gpus }: Draft<SftConfig> | Draft<RlConfig>,
  context: CheckContext,
): void {
  if (deployment === undefined)
    context.report(
      'E104',
      path,
      'the trainer names no deployment',
      'add deployments: { gpu: { type: process, resources: { gpu: 8 } } }; if there are several, name one with deployment',
      'key',
    );
  const has = gpusOf(deployment, context);
  if (
    gpus !== undefined &&
    gpus > has &&
    kindOf(context.draft.deployments?.[deployment ?? '']?.type)?.runs === 'programs'
  )
    context.report(
      'E135',
      [...path, 'gpus'],
      `${gpus} GPUs are asked for, and deployment "${deployment}" has ${has}`,
      'write fewer, or resources: { gpu: … } of the deployment',
    );
}

/** A checkpoint is trained on one dataset. */
function checkOneDataset(
  which: Which,
  config: Draft<SftConfig> | Draft<RlConfig>,
  { draft, report: tell }: CheckContext,
): void {
  if (which === 'sft' && config.data !== undefined) return;
  const named =
    (config.data as Draft<RlConfig>['data'])?.dataset ?? draft.agent?.dataset ?? draft.validation?.dataset;
  const names = Object.keys(draft.dataset ?? {}).filter((name) => name !== draft.evaluation?.dataset);
  if (named !== undefined || names.length < 2) return;
  const remedy = which === 'sft' ? 'write agent: { dataset: … }' : 'write data: { dataset: … }';
  tell(
    'E104',
    ['trainer', which],
    `there are ${names.length} datasets to learn from: ${names.join(', ')}`,
    remedy,
    'key',
  );
}

function gpusOf(deployment: string | undefined, { draft }: CheckContext): number {
  return (deployment === undefined ? undefined : draft.deployments?.[deployment]?.resources?.gpu) ?? 0;
}

function checkModel(
  which: Which,
  { type, model, command }: Draft<SftConfig> | Draft<RlConfig>,
  context: CheckContext,
): void {
  const path = ['trainer', which, 'model'];
  const written: Draft<BaseModel> = model ?? {};
  const ways = (['id', 'path', 'from'] as const).filter((key) => written[key] !== undefined);
  if (ways.length === 0 && type !== 'command')
    context.report(
      'E104',
      isWritten(context.root, path) ? path : path.slice(0, 2),
      'the trainer names no model',
      'add model: { id: OWNER/NAME }, or { path: FOLDER }',
      'key',
    );
  if (ways.length > 1)
    context.report(
      'E132',
      [...path, ways[1]!],
      `the model is set twice: by ${ways.join(' and by ')}`,
      'keep one of them',
    );
  if (written.from !== undefined)
    checkFrom(which, path, type === 'command' || command !== undefined, context);
  if (model?.path !== undefined && !context.exists(model.path))
    context.report(
      'W201',
      [...path, 'path'],
      `"${model.path}" does not exist`,
      'paths are relative to the file that names them',
    );
  if (model?.id !== undefined && !/^[0-9a-f]{40}$/.test(model.revision ?? ''))
    context.report(
      'W212',
      isWritten(context.root, [...path, 'revision']) ? [...path, 'revision'] : [...path, 'id'],
      'the hub may change the model under this name, and swemake would not train again',
      'write revision: COMMIT, with 40 digits',
    );
}

/** `isOwn`: a command of the project loads the checkpoint. */
function checkFrom(
  which: Which,
  path: string[],
  isOwn: boolean,
  { draft, report: tell }: CheckContext,
): void {
  const wrong = isOwn ? null : noModel(draft.trainer?.sft ?? {});
  if (which === 'sft')
    tell(
      'E135',
      [...path, 'from'],
      'trainer.sft cannot begin with the checkpoint that it makes',
      'write id or path',
    );
  else if ((draft.trainer?.sft?.type ?? 'none') === 'none')
    tell('E135', [...path, 'from'], 'trainer.sft makes no checkpoint', 'write trainer: { sft: { type: … } }');
  else if (wrong !== null) tell('E135', [...path, 'from'], wrong.message, wrong.remedy);
}

function checkOutput(
  path: string[],
  config: Draft<SftConfig> | Draft<RlConfig>,
  { root, report: tell }: CheckContext,
): void {
  const { output, output_folder: folder } = config;
  if (output === 'fixed' && folder === undefined && !isWritten(root, [...path, 'output_folder']))
    tell('E104', [...path, 'output'], 'a fixed output needs its folder', 'add output_folder: PATH');
  if (output === 'fresh' && folder !== undefined)
    tell(
      'W202',
      [...path, 'output_folder'],
      'output_folder has no effect on a fresh output',
      'write output: fixed, or remove it',
      'key',
    );
}

function checkImage(
  path: string[],
  { image }: Draft<SftConfig> | Draft<RlConfig>,
  { report: tell }: CheckContext,
): void {
  for (const key of ['privileged', 'engine'] as const)
    if (image?.[key] === true)
      tell(
        'W213',
        [...path, 'image', key],
        'what runs in this container has all rights over the host',
        'use an image and a machine that you trust',
      );
}
