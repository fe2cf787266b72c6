/** How long an SFT training is; how the GPUs of an RL training are divided, and what must divide what. */
import type { RlConfig, SftConfig } from '../schemas/generated/project.ts';
import type { Problem, SftTrainer } from './trainer.ts';

export interface SftSteps {
  /** Optimizer steps in all. */
  steps: number;
  /** Steps for which one of those stands that `Resume` says are done. */
  saved: number;
}

/** `gpus`: on each node; `rows`: conversations. */
export function sftSteps(
  { counts }: Pick<SftTrainer, 'counts'>,
  { nodes, batch_size, accumulation, epochs, max_steps }: SftConfig,
  gpus: number,
  rows: number,
): SftSteps {
  const processes = Math.max(1, gpus) * nodes;
  const batch = batch_size * accumulation;
  if (counts === 'steps')
    return { steps: max_steps ?? Math.ceil(rows / (processes * batch)) * epochs, saved: 1 };
  // What fills no batch is left out of an epoch.
  const all = Math.max(1, Math.floor(Math.ceil(rows / processes) / batch));
  const inEpoch = Math.min(all, max_steps ?? all);
  return { steps: inEpoch * epochs, saved: inEpoch };
}

export interface Division {
  /** Nodes that train and serve rollouts. */
  nodes: number;
  /** Of each node. */
  gpus: number;
  actorPerNode: number;
  rolloutPerNode: number;
  /** In all. */
  actor: number;
  rollout: number;
  prm: number;
}

/** What the division is made of. A framework may lack the last ones. */
type Divided = Pick<
  RlConfig,
  'nodes' | 'batch' | 'samples' | 'updates' | 'context_parallel' | 'engine_gpus'
> &
  Partial<
    Pick<
      RlConfig,
      'colocate' | 'actor_gpus' | 'rollout_gpus' | 'tensor_parallel' | 'pipeline_parallel' | 'prm'
    >
  >;

/** Half of the GPUs train and half serve rollouts, unless the project says otherwise or they take turns. */
export function divide(config: Divided, gpus: number): Division {
  const { colocate = false, actor_gpus, rollout_gpus } = config;
  const actorPerNode = actor_gpus ?? (colocate ? gpus : Math.max(1, Math.floor(gpus / 2)));
  const rolloutPerNode = rollout_gpus ?? (colocate ? actorPerNode : Math.max(0, gpus - actorPerNode));
  const prm = config.prm?.gpus ?? 0;
  // A judge that takes whole nodes has them for itself, as in the original scripts. A smaller one shares a node.
  const judged = gpus > 0 && prm % gpus === 0 && prm / gpus < config.nodes ? prm / gpus : 0;
  const nodes = config.nodes - judged;
  return {
    ...{ nodes, gpus, actorPerNode, rolloutPerNode, prm },
    actor: actorPerNode * nodes,
    rollout: rolloutPerNode * nodes,
  };
}

/** Samples of one optimizer step. */
export function globalBatch({
  batch,
  samples,
  updates,
}: Pick<RlConfig, 'batch' | 'samples' | 'updates'>): number {
  return Math.floor((batch * samples) / updates);
}

/** Problems of the division that hold for every framework. */
export function divisionProblems(config: Divided, gpus: number): Problem[] {
  const found: Problem[] = [];
  const add = (path: string, message: string, remedy: string) =>
    found.push({ path: [path], message, remedy });
  if (gpus === 0) {
    add('gpus', 'there are no GPUs to train on', 'give the deployment resources: { gpu: … }');
    return found;
  }
  const { colocate = false, tensor_parallel: tensor = 1, pipeline_parallel: pipeline = 1 } = config;
  const { actor, rollout, prm, actorPerNode, rolloutPerNode } = divide(config, gpus);
  const all = gpus * config.nodes;
  const used = colocate ? Math.max(actor, rollout) : actor + rollout;
  const where = config.actor_gpus !== undefined ? 'actor_gpus' : 'rollout_gpus';
  if (used + (config.prm === undefined ? 0 : prm) > all)
    add(
      config.prm !== undefined && used <= all ? 'prm' : where,
      config.prm === undefined
        ? `${sum(colocate, actor, rollout)} GPUs are more than the ${all} that there are`
        : `${sum(colocate, actor, rollout)} GPUs and ${prm} of the judge are more than the ${all} that there are`,
      'use fewer, or more nodes',
    );
  if (colocate && actorPerNode !== rolloutPerNode)
    add(
      where,
      `with colocate the same GPUs do both, and ${actorPerNode} is not ${rolloutPerNode}`,
      'remove actor_gpus and rollout_gpus',
    );
  if (!colocate && rollout < 1)
    add('gpus', 'no GPU is left to serve rollouts', 'write colocate: true, or use more GPUs');
  const shard = tensor * pipeline * config.context_parallel;
  if (actor % shard !== 0)
    add(
      'tensor_parallel',
      `tensor × pipeline × context parallel is ${shard}, which does not divide the ${actor} GPUs that train`,
      'choose a divisor',
    );
  if (rollout > 0 && rollout % config.engine_gpus !== 0)
    add(
      'engine_gpus',
      `${config.engine_gpus} does not divide the ${rollout} GPUs that serve rollouts`,
      'choose a divisor',
    );
  if ((config.batch * config.samples) % config.updates !== 0)
    add(
      'updates',
      `${config.batch} × ${config.samples} samples cannot be divided into ${config.updates} steps`,
      'choose a divisor',
    );
  return found;
}

type Lengths = Pick<RlConfig, 'max_prompt' | 'max_response' | 'max_context'>;

/** Lengths that leave no room for what must fit. */
export function lengthProblems({ max_prompt, max_response, max_context }: Lengths): Problem[] {
  const found: Problem[] = [];
  if (max_response >= max_context)
    found.push({
      path: ['max_response'],
      message: `a reply of ${max_response} tokens leaves nothing of a context of ${max_context}`,
      remedy: 'write a larger max_context, or a smaller max_response',
    });
  else if (max_prompt + max_response > max_context)
    found.push({
      path: ['max_prompt'],
      message: `a prompt of ${max_prompt} and a reply of ${max_response} tokens are more than max_context, ${max_context}`,
      remedy: 'write a larger max_context, or a smaller max_prompt',
    });
  return found;
}

function sum(colocate: boolean, actor: number, rollout: number): string {
  return colocate ? `${Math.max(actor, rollout)}` : `${actor} + ${rollout}`;
}
