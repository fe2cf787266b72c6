/**
 * predict: the models of an evaluation work on its dataset, or patches that someone else wrote are taken in. Every
 * instance counts, whether or not it passed validation: a benchmark's denominator is not ours to choose.
 */
import { storeText } from '../../cache/cache.ts';
import { canonicalJson } from '../../cache/canonical.ts';
import { infra } from '../../schemas/outcome.ts';
import { evaluationDatasets } from '../rollouts/datasets.ts';
import { describeTask } from '../rollouts/describe.ts';
import { evaluationPlayers, type Player } from '../rollouts/player.ts';
import { predictionsOf } from '../rollouts/predictions.ts';
import {
  expandRollouts,
  playersConfig,
  playersFacts,
  type RolloutItem,
  rolloutParts,
  rolloutSurroundings,
  runRolloutItem,
} from '../rollouts/stage.ts';
import type { RolloutSummary } from '../rollouts/summary.ts';
import type { ActionContext, ActionResult, Stage } from '../stage.ts';

export const predictStage: Stage<RolloutItem> = {
  name: 'predict',
  version: 4,
  streams: ['environment'],

  nodes(config) {
    return evaluationDatasets(config).map((dataset) => ({
      address: `predict.${dataset}`,
      stage: 'predict',
      dataset,
      inputs: { dataset: `dataset.${dataset}`, environment: `environments.${dataset}` },
      config: playersConfig(evaluationPlayers(config), config, config.evaluation!.agent),
    }));
  },

  // Its agent may work elsewhere than that of the rollouts.
  surroundings: (_node, services) => rolloutSurroundings(services, services.config.evaluation!.agent),
  facts: (_node, _seen, services) => playersFacts(evaluationPlayers(services.config), services),
  expand: (node, inputs, services) =>
    expandRollouts(node, inputs.dataset!, evaluationPlayers(services.config), () => true, services),
  parts: (_node, item, needs, services) => rolloutParts(item, needs, services),
  describe: (node, change, services) =>
    describeTask(node, change, evaluationPlayers(services.config), services),
  resources: ({ data: { player } }) => (player.kind === 'agent' ? { rollout: 1, sandbox: 1 } : { cpu: 1 }),

  run(_node, item, needs, context) {
    const { row, player } = item.data;
    return player.kind === 'agent'
      ? runRolloutItem(item, needs, context, false)
      : takeIn(row.id, player, context);
  },
};

/** A foreign patch as a sample without a trajectory; an instance without one has the empty patch. */
async function takeIn(
  instance: string,
  player: Extract<Player, { kind: 'patches' }>,
  context: ActionContext,
): Promise<ActionResult> {
  const patches = await predictionsOf(player.files, context);
  if (!patches.ok) return { outcome: infra('tool-missing', patches.fault), outputs: {} };
  const summary: RolloutSummary = {
    instance_id: instance,
    sample: player.sample,
    exit_status: null,
    steps: 0,
    calls: 0,
    actions: 0,
    prompt_tokens: null,
    completion_tokens: null,
    cost: null,
    model: null,
    final_step_reward: null,
  };
  const outputs = {
    patch: storeText(context.cache, patches.value.get(instance) ?? ''),
    summary: storeText(context.cache, canonicalJson(summary)),
  };
  return { outcome: { status: 'ok' }, outputs };
}
