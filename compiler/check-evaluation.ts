/** Checks of `evaluation`: every model can be asked, every name stands for one thing. */
import { AGENTS, asksModel, isBaseline } from '../agent/kinds/registry.ts';
import type { EvaluationConfig, ModelConfig, ModelOverrides } from '../schemas/generated/project.ts';
import { mergeServe } from '../tasks/serving/merge-serve.ts';
import { noModel } from '../trainers/registry.ts';
import { checkAgentKeys, type DraftAgent, isWritten } from './check-agent.ts';
import type { CheckContext, Draft } from './check-context.ts';
import { checkComplete, checkModel } from './check-model.ts';
import { checkReference } from './check-reference.ts';
import { namesIn } from './tree.ts';

export function checkEvaluation(context: CheckContext): void {
  const { draft, root } = context;
  const { evaluation } = draft;
  if (!isWritten(root, ['evaluation']) || evaluation === undefined) return;
  checkReference('dataset', ['evaluation', 'dataset'], evaluation.dataset, context);
  if (evaluation.dataset !== undefined && draft.agent?.dataset === evaluation.dataset)
    context.report(
      'E132',
      ['agent', 'dataset'],
      `"${evaluation.dataset}" is the benchmark: it has rollouts for the evaluation only`,
      'write another dataset, or remove it',
    );
  checkReference('deployment', ['evaluation', 'deployment'], evaluation.deployment, context);
  checkOnePlace(evaluation, context);
  checkHarness(evaluation, context);
  checkNames(evaluation, context);
  checkPredictions(evaluation, context);
  const agent = effectiveAgent(draft.agent, evaluation.agent);
  if (agent === null) {
    checkSomething(evaluation, context);
    return;
  }
  checkModels(agent, evaluation, context);
  if (evaluation.agent !== undefined) checkAgentKeys(['evaluation', 'agent'], agent, context);
}

/** The benchmark cannot be in two places. */
function checkOnePlace(
  { dataset: name, deployment }: Draft<EvaluationConfig>,
  { draft, report }: CheckContext,
): void {
  const own = name === undefined ? undefined : draft.dataset?.[name]?.deployment;
  if (deployment === undefined || own === undefined || own === deployment) return;
  report(
    'E132',
    ['evaluation', 'deployment'],
    `dataset "${name}" says deployment ${own}`,
    'remove one of the two',
  );
}

/** The agent of an evaluation: that of the project, with the keys that differ. */
function effectiveAgent(
  agent: DraftAgent | undefined,
  overrides: Draft<EvaluationConfig>['agent'],
): DraftAgent | null {
  if (agent === undefined) return null;
  return {
    ...agent,
    ...overrides,
    limits: { ...agent.limits, ...overrides?.limits },
    context: { ...agent.context, ...overrides?.context },
    templates: { ...agent.templates, ...overrides?.templates },
  } as DraftAgent;
}

function checkSomething({ models }: Draft<EvaluationConfig>, { root, report }: CheckContext): void {
  if (Object.keys(models ?? {}).length > 0)
    report(
      'E104',
      ['evaluation', 'models'],
      'models need an agent, and the project has none',
      `add agent: { type: ${AGENTS[0]!.name} }`,
      'key',
    );
  // Predictions that were written wrongly have an error of their own.
  else if (namesIn(root, 'evaluation', 'predictions').length === 0)
    report(
      'E104',
      ['evaluation'],
      'there is nothing to evaluate: the project has no agent, and there are no predictions',
      'add agent: { … }, or evaluation.predictions',
      'key',
    );
}

function checkModels(agent: DraftAgent, { models }: Draft<EvaluationConfig>, context: CheckContext): void {
  if (models === undefined && asksModel(agent.type) && agent.model === undefined) {
    if (isWritten(context.root, ['evaluation', 'agent', 'type']))
      context.report(
        'E104',
        ['evaluation', 'agent', 'type'],
        `an agent of type ${agent.type} needs a model`,
        'add agent.model, or evaluation.models',
      );
    return;
  }
  for (const [name, overrides] of Object.entries(models ?? {})) {
    if (overrides === undefined) continue;
    const path = ['evaluation', 'models', name];
    if (asksModel(agent.type))
      checkComplete(path, mergedModel(agent.model ?? {}, overrides), context, overrides.from !== undefined);
    checkModel(path, overrides as NonNullable<typeof agent.model>, context);
    checkFrom(path, overrides, agent, context);
  }
}

/** Keys of a server replace those of the agent's server one by one. */
function mergedModel(
  model: Draft<ModelConfig>,
  { from: _, ...overrides }: Draft<ModelOverrides>,
): Draft<ModelConfig> {
  const serve =
    overrides.serve === undefined ? {} : { serve: mergeServe(model.serve ?? {}, overrides.serve) };
  return { ...model, ...overrides, ...serve } as Draft<ModelConfig>;
}

/** A checkpoint that the project makes is served by the project, so that it is surely the one that answers. */
function checkFrom(
  path: string[],
  { from, serve, identity }: Draft<ModelOverrides>,
  agent: DraftAgent,
  { draft, report }: CheckContext,
): void {
  if (from === undefined) return;
  if ((draft.trainer?.[from]?.type ?? 'none') === 'none')
    report(
      'E135',
      [...path, 'from'],
      `trainer.${from} makes no checkpoint`,
      `write trainer: { ${from}: { type: … } }`,
    );
  const { command, engine } = mergeServe(agent.model?.serve ?? {}, serve ?? {});
  if (engine === undefined && command?.includes('{model}') !== true)
    report(
      'E135',
      [...path, 'from'],
      'nothing serves this checkpoint',
      'add serve: { engine: vllm }, or serve: { command: … } with {model} for its folder and {port}',
    );
  const wrong = from === 'sft' && engine !== undefined ? noModel(draft.trainer?.sft ?? {}) : null;
  if (wrong !== null) report('E135', [...path, 'from'], wrong.message, wrong.remedy);
  if (identity !== undefined)
    report('E132', [...path, 'identity'], 'the checkpoint is known by its digest', 'remove identity');
}

/** One name is one item; those of baselines are taken. */
function checkNames({ models, predictions }: Draft<EvaluationConfig>, { report }: CheckContext): void {
  const names = Object.keys(models ?? {});
  const further = Object.keys(predictions ?? {});
  const all = [
    ...names.map((name) => ({ name, path: ['evaluation', 'models', name] })),
    ...further.map((name) => ({ name, path: ['evaluation', 'predictions', name] })),
  ];
  for (const { name, path } of all)
    if (isBaseline(name))
      report('E132', path, `"${name}" is the name of a baseline`, 'choose another name', 'key');
  for (const name of further.filter((one) => names.includes(one)))
    report(
      'E132',
      ['evaluation', 'predictions', name],
      `"${name}" is the name of a model already`,
      'choose another name',
      'key',
    );
}

function checkPredictions({ predictions }: Draft<EvaluationConfig>, { exists, report }: CheckContext): void {
  for (const [name, files] of Object.entries(predictions ?? {}))
    files?.forEach((file, index) => {
      if (file === null || exists(file)) return;
      const path = ['evaluation', 'predictions', name, `${index}`];
      report('W201', path, `"${file}" does not exist`, 'paths are relative to the file that names them');
    });
}

function checkHarness({ harness }: Draft<EvaluationConfig>, { root, report }: CheckContext): void {
  if (harness !== 'native') return;
  for (const key of ['command', 'workers', 'timeout'].filter((one) => isWritten(root, ['evaluation', one])))
    report(
      'W202',
      ['evaluation', key],
      `${key} has no effect on the native harness`,
      'write harness: swebench, or remove it',
      'key',
    );
}
